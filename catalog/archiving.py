"""Archiving a tool: out of lists and searches, not out of the world. Its pages, revisions and runs stay."""

from __future__ import annotations

from django.utils import timezone

from catalog.indexing import changing_tool, reindex
from catalog.models import Tool


def archive(tool: Tool) -> None:
    """Take `tool` out of the lists. Nothing happens where it is archived already."""
    _set(tool, archived=True)


def restore(tool: Tool) -> None:
    """Put `tool` back into the lists. Nothing happens where it is not archived."""
    _set(tool, archived=False)


def _set(tool: Tool, *, archived: bool) -> None:
    with changing_tool(tool) as stored:
        if stored.archived != archived:
            stored.archived_at = timezone.now() if archived else None
            reindex(stored, "archived_at")
        tool.archived_at = stored.archived_at
