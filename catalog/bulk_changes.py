"""Change many tools: each by the same function, and with the same rights, as a page changes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, cast

from catalog.accounts.models import User
from catalog.errors import DocumentError, HeldBySpec, NotAllowed, RevisionConflict
from catalog.lifecycle import archive, deprecate, restore
from catalog.metadata import Organisation, organise
from catalog.models import Tool
from catalog.rights import Action, require

MAX_TOOLS: Final = 500

Kind = Literal["tag", "untag", "move", "deprecate", "archive", "restore"]

# Each kind with the right that it needs, and the words for its result.
KINDS: Final[Mapping[Kind, tuple[Action, str]]] = {
    "tag": ("organise", "tagged"),
    "untag": ("organise", "untagged"),
    "move": ("organise", "moved"),
    "deprecate": ("deprecate", "deprecated"),
    "archive": ("archive", "archived"),
    "restore": ("restore", "restored"),
}


@dataclass(frozen=True, slots=True)
class BulkChange:
    """A change of many tools.

    Attributes:
        kind: a key of `KINDS`.
        tags: to add or to remove.
        toolkit: to move to; "" for none.
        note: of a deprecation.
        superseded_by: the id of the tool to use instead; "" for none.
    """

    kind: Kind
    tags: tuple[str, ...] = ()
    toolkit: str = ""
    note: str = ""
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The tools that were changed, and those that were skipped, each with the reason."""

    changed: tuple[Tool, ...]
    skipped: tuple[tuple[Tool, str], ...]


def kind_of(text: str | None) -> Kind | None:
    """The kind with this key, or None."""
    return cast("Kind", text) if text in KINDS else None


def change_many(tools: Iterable[Tool], change: BulkChange, *, by: User) -> BulkResult:
    """Change each of `tools` that `by` may change; one that is refused does not stop the others."""
    changed, skipped = [], []
    for tool in tools:
        try:
            require(by, KINDS[change.kind][0], tool)
            _change(tool, change, by)
        except (DocumentError, HeldBySpec, NotAllowed, RevisionConflict) as error:
            skipped.append((tool, _reason(error)))
        else:
            changed.append(tool)
    return BulkResult(tuple(changed), tuple(skipped))


def _change(tool: Tool, change: BulkChange, by: User) -> None:
    if change.kind == "tag":
        organise(tool, Organisation(add_tags=change.tags), by=by)
    elif change.kind == "untag":
        organise(tool, Organisation(remove_tags=change.tags), by=by)
    elif change.kind == "move":
        organise(tool, Organisation(toolkit=change.toolkit), by=by)
    elif change.kind == "deprecate":
        deprecate(tool, note=change.note, superseded_by=change.superseded_by, by=by)
    elif change.kind == "archive":
        archive(tool)
    else:
        restore(tool)


def _reason(error: Exception) -> str:
    return error.problems[0].message if isinstance(error, DocumentError) else str(error)
