"""Get a tool by its slug or a revision by its number, or raise `Http404`, for pages and the API."""

from __future__ import annotations

import re

from django.http import Http404

from catalog.models import Revision, Tool

# Names that Windows reserves for devices, with any ending. Source: "Naming Files, Paths, and Namespaces".
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)", re.IGNORECASE)


def tool_at(slug: str) -> Tool:
    """The tool, with its current revision loaded.

    Raises:
        Http404: there is none.
    """
    tool = Tool.objects.with_current().filter(slug=slug, current__isnull=False).first()
    if not isinstance(tool, Tool):
        raise Http404
    return tool


def revision_of(tool: Tool) -> Revision:
    """The current revision of a tool from `tool_at`."""
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
    """The beginning of the names of files about the tool; never like a command-line option or a Windows device."""
    stem = slug.lstrip("-")
    return f"tool-{stem}" if _DEVICE.match(stem) else stem
