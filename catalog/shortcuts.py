"""Get the tool or the revision that a URL names, or answer 404: for the pages and for the API."""

from __future__ import annotations

import re
from typing import Final

from django.http import Http404

from catalog.db.compiled_query import Prepared
from catalog.models import Revision, Tool

# Names that Windows reserves for devices, with any extension. Source: "Naming Files, Paths, and Namespaces".
_DEVICE = re.compile(r"(CON|PRN|AUX|NUL|COM[0-9]|LPT[0-9])(\.|$)", re.IGNORECASE)


_tool_of_slug: Final = Prepared(lambda slug: Tool.objects.with_current().filter(slug=slug, current__isnull=False))


def tool_at(slug: str) -> Tool:
    """The tool, with its current revision, its owner and its successor selected.

    Raises:
        Http404: there is none.
    """
    tool = _tool_of_slug.find(slug)
    if tool is None:
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
    """The start of a file name for the tool, before "-run-….json" or ".json".

    It never looks like an option of a command or like a device of Windows.
    """
    stem = slug.lstrip("-")
    return f"tool-{stem}" if _DEVICE.match(stem) else stem
