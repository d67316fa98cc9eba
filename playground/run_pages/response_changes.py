"""The changes from one response to another: marks beside its lines, as "changed, was 12" or "removed: unit"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from catalog.jsontext.pointers import resolve_pointer, split_last
from catalog.jsontext.reader import JSON, dumps
from playground.value_differences import compare

MAX_CHANGES: Final = 200
MAX_NAMES: Final = 3  # of missing members, in one mark
MAX_VALUE: Final = 40  # characters of a former value in a mark

ChangeKind = Literal["changed", "added", "removed"]
KINDS: Final[dict[str, ChangeKind]] = {"changed": "changed", "added": "added", "missing": "removed"}


@dataclass(frozen=True)
class Change:
    """One value that differs: `was` is its former text, "" if it was added or is long."""

    pointer: str
    kind: ChangeKind
    was: str = ""


@dataclass(frozen=True)
class Mark:
    """Words at the line of the value at `pointer`. `compared_with` names the other response: a class of the page."""

    pointer: str
    kind: ChangeKind
    words: str
    compared_with: str


def changes_between(old: JSON, new: JSON) -> list[Change]:
    """The first `MAX_CHANGES` differences of two responses, leaf by leaf."""
    return [
        Change(
            found.pointer,
            KINDS[found.kind],
            _text(old, found.pointer) if found.kind != "added" else "",
        )
        for found in compare(old, new, most=MAX_CHANGES)
    ]


def marks_of(changes: Sequence[Change], compared_with: str) -> Iterator[Mark]:
    """The marks for the lines of the new response: what was removed is marked at the object or array that had it."""
    removed: dict[str, list[str]] = {}
    for change in changes:
        if change.kind == "removed":
            around, name = split_last(change.pointer)
            removed.setdefault(around, []).append(name)
        else:
            words = f"changed, was {change.was}" if change.was else change.kind
            yield Mark(change.pointer, change.kind, words, compared_with)
    for around, names in removed.items():
        more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
        yield Mark(
            around, "removed", f"removed: {', '.join(names[:MAX_NAMES])}{more}", compared_with
        )


def _text(value: JSON, pointer: str) -> str:
    """The value at `pointer` as short text; "" if it is long or has parts."""
    found = resolve_pointer(value, pointer)
    if isinstance(found, dict | list):
        return ""
    text = dumps(found)  # type: ignore[arg-type]
    return text if len(text) <= MAX_VALUE else ""
