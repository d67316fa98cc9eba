"""Deprecate and archive tools.

A deprecated tool stays in the catalog and works as before; pages and the API show the deprecation
and the successor.
"""

from __future__ import annotations

from collections.abc import Collection

from django.utils import timezone

from accounts.models import User
from catalog.tools.indexing import changing_tool, reindex
from catalog.tools.models import NOTE_LENGTH, Tool
from toolshelf_core import audit
from toolshelf_core.errors import HeldBySpec
from toolspec.errors import DocumentError, Problem

MAX_CHAIN = 100  # successors of successors
_COLUMNS = ("deprecated_at", "deprecation_chosen", "deprecation_note", "superseded_by")


def deprecate(
    tool: Tool,
    *,
    note: str = "",
    superseded_by: str = "",
    by: User | None = None,
    seen: Collection[str] | None = None,
) -> Tool:
    """Deprecate `tool`; if it is deprecated already, replace note and successor, but not the date.

    Args:
        tool: as the caller read it.
        note: the reason, or advice to users.
        superseded_by: the id of the tool to use instead, one that `by` may see; "" for none.
        by: who deprecates it; None for the administrator of the machine.
        seen: entity tags of the tool as the caller saw it; None skips the check.

    Returns:
        The tool as it is now stored.

    Raises:
        RevisionConflict: the tool's entity tag is not in `seen` (see `indexing.changing_tool`).
        DocumentError: the note is too long, or the successor is invalid; with pointers into
            {"note", "superseded_by"}.
    """
    with changing_tool(tool, seen=seen) as stored:
        before = _deprecation_of(stored)
        problems = problems_of_note(note)
        stored.superseded_by, problem = successor_of(stored, superseded_by, by)
        problems += [problem] if problem else []
        if problems:
            raise DocumentError(problems)
        stored.deprecation_note = note.strip()
        stored.deprecation_chosen = True
        stored.deprecated_at = stored.deprecated_at or timezone.now()
        reindex(stored, *_COLUMNS)
        audit.record_change(
            "tool.deprecate", "tool", stored.tool_id, before, _deprecation_of(stored)
        )
        return stored


def undo_deprecation(tool: Tool, *, seen: Collection[str] | None = None) -> Tool:
    """Remove a deprecation that a user chose. Does nothing if the tool is not deprecated.

    Returns:
        The tool as it is now stored.

    Raises:
        RevisionConflict: the tool's entity tag is not in `seen`.
        HeldBySpec: the deprecation comes only from the spec.
    """
    with changing_tool(tool, seen=seen) as stored:
        if stored.deprecated and not stored.deprecation_chosen:
            raise HeldBySpec("The deprecation is part of the spec; publish a revision without it.")
        before = _deprecation_of(stored)
        stored.deprecation_chosen, stored.deprecation_note, stored.superseded_by = False, "", None
        reindex(stored, *_COLUMNS)
        audit.record_change(
            "tool.undeprecate", "tool", stored.tool_id, before, _deprecation_of(stored)
        )
        return stored


def _deprecation_of(tool: Tool) -> dict[str, object]:
    successor = tool.superseded_by.tool_id if tool.superseded_by else None
    return {
        "deprecated": tool.deprecated,
        "note": tool.deprecation_note,
        "superseded_by": successor,
    }


def problems_of_note(note: str) -> list[Problem]:
    """The reasons why `note` is invalid."""
    if "\x00" in note:
        return [Problem("/note", "A note cannot contain NUL characters.", "deprecate.note")]
    if len(note.strip()) > NOTE_LENGTH:
        return [
            Problem("/note", f"A note can have at most {NOTE_LENGTH} characters.", "deprecate.note")
        ]
    return []


def successor_of(
    tool: Tool, tool_id: str, by: User | None = None
) -> tuple[Tool | None, Problem | None]:
    """The tool with this id that `by` sees, or why it cannot succeed `tool`."""
    if not tool_id:
        return None, None

    def refuse(message: str) -> tuple[None, Problem]:
        return None, Problem("/superseded_by", message, "deprecate.successor")

    successor = Tool.objects.visible_to(by).filter(tool_id=tool_id).first()
    if successor is None:
        return refuse(f"There is no tool {tool_id!r}.")
    if successor.pk == tool.pk:
        return refuse("A tool cannot be its own successor.")
    after = successor
    for _ in range(MAX_CHAIN):
        if after.superseded_by is None:
            return successor, None
        after = after.superseded_by
        if after.pk == tool.pk:
            return refuse(f"{tool_id!r} itself names this tool to use instead.")
    return refuse(
        f"{tool_id!r} has too long a chain of successors; enter the last tool of the chain."
    )


def archive(tool: Tool) -> None:
    """Remove `tool` from the lists. Does nothing if it is archived already."""
    _set(tool, archived=True)


def restore(tool: Tool) -> None:
    """Return `tool` to the lists. Does nothing if it is not archived."""
    _set(tool, archived=False)


def _set(tool: Tool, *, archived: bool) -> None:
    with changing_tool(tool) as stored:
        if stored.archived != archived:
            stored.archived_at = timezone.now() if archived else None
            reindex(stored, "archived_at")
            action = "tool.archive" if archived else "tool.restore"
            audit.record_change(
                action, "tool", stored.tool_id, {"archived": not archived}, {"archived": archived}
            )
        tool.archived_at = stored.archived_at
