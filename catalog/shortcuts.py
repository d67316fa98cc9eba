"""What stands at an address: a tool by its slug, a revision by its number. Nothing there is a 404 at every door."""

from __future__ import annotations

import re

from django.http import Http404

from catalog.models import Revision, Tool

# What Windows takes for a device, whatever the ending. Source: "Naming Files, Paths, and Namespaces".
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)", re.IGNORECASE)


def tool_at(slug: str) -> Tool:
    """The tool, with its current revision at hand.

    Raises:
        Http404: there is none.
    """
    tool = Tool.objects.with_current().filter(slug=slug, current__isnull=False).first()
    if not isinstance(tool, Tool):
        raise Http404
    return tool


def revision_of(tool: Tool) -> Revision:
    """The current revision of a tool that `tool_at` gave."""
    if tool.current is None:
        raise Http404
    return tool.current


def revision_at(slug: str, number: int) -> Revision:
    """One revision of a tool.

    Raises:
        Http404: there is none.
    """
    revision = Revision.objects.filter(tool__slug=slug, number=number).first()
    if revision is None:
        raise Http404
    return revision


def file_stem(slug: str) -> str:
    """What a file about the tool is called, before "-run-….json" or ".json"; no option and no device anywhere."""
    stem = slug.lstrip("-")
    return f"tool-{stem}" if _DEVICE.match(stem) else stem
