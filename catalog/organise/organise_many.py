"""Organise many tools: each by the same functions and with the same rights as a single one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db import transaction

from accounts.models import User
from catalog.access.rights import require
from catalog.organise.lifecycle import archive, deprecate, undo_deprecation
from catalog.organise.metadata import Organisation, organise
from catalog.tools.models import Tool
from toolshelf_core.errors import HeldBySpec, NotAllowed, RevisionConflict
from toolspec.errors import DocumentError


@dataclass(frozen=True, slots=True)
class Deprecation:
    """The note of a deprecation, and the id of the tool to use instead; "" for none."""

    note: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class BulkChange:
    """What to change in each of many tools."""

    organisation: Organisation = field(default_factory=Organisation)
    deprecation: Deprecation | None = None
    undo_deprecation: bool = False
    archive: bool = False


@dataclass(frozen=True, slots=True)
class BulkResult:
    """How many tools were changed, and those that were skipped, each with the reason."""

    changed: int
    skipped: tuple[tuple[Tool, str], ...]


def change_many(tools: Iterable[Tool], change: BulkChange, *, by: User | None) -> BulkResult:
    """Change each of `tools`, completely or not at all; a refused one does not stop the others.

    `by`: None is the administrator of the machine.
    """
    changed, skipped = 0, []
    for tool in tools:
        try:
            with transaction.atomic():
                _change(tool, change, by)
        except (DocumentError, HeldBySpec, NotAllowed, RevisionConflict) as error:
            skipped.append((tool, str(error)))
        else:
            changed += 1
    return BulkResult(changed, tuple(skipped))


def _change(tool: Tool, change: BulkChange, by: User | None) -> None:
    if change.organisation != Organisation():
        require(by, "organise", tool)
        organise(tool, change.organisation, by=by)
    if change.deprecation is not None:
        require(by, "deprecate", tool)
        deprecation = change.deprecation
        deprecate(tool, note=deprecation.note, superseded_by=deprecation.superseded_by, by=by)
    if change.undo_deprecation:
        require(by, "deprecate", tool)
        undo_deprecation(tool)
    if change.archive:
        require(by, "archive", tool)
        archive(tool)
