"""From a draft to the names and values that its form would submit. `parse` reads them back."""

from __future__ import annotations

from collections.abc import Iterator

from playground.schema_form.control_names import member_path, row_path
from playground.schema_form.draft import (
    PLAIN,
    Array,
    Constant,
    Draft,
    Folded,
    Missing,
    Numeral,
    Object,
    Raw,
    State,
    StoredSecret,
    Text,
)
from playground.schema_form.values import literal

Posted = Iterator[tuple[str, str, str]]
"""Tag, path and text of each control."""


def posted(draft: Draft, path: str = "") -> Posted:
    """The controls of `draft`, including its state."""
    if draft.state is not PLAIN:
        yield from _state(draft.state, path)
    match draft:
        case Object():
            yield from _object(draft, path)
        case Array():
            yield "a", path, ""
            for item in draft.items:
                yield "r", path, item.row
                yield from posted(item.draft, row_path(path, item.row))
        case Missing(kind):
            yield _EMPTY.get(kind or "", "j"), path, ""
        case Text("", False):
            yield "t", path, ""
            yield "x", path, "1"
        case _:
            yield _leaf(draft, path)


_EMPTY = {"text": "t", "number": "n", "boolean": "b"}


def _state(state: State, path: str) -> Posted:
    for key, index in state.branches:
        yield "u", path, f"{key}={index}"
    for key, token in state.stash:
        yield "h", path, f"{key} {token}"
    if state.view:
        yield "w", path, state.view


def _object(draft: Object, path: str) -> Posted:
    yield "o", path, ""
    for name, member in draft.members.items():
        yield from posted(member, member_path(path, name))
    for entry in draft.entries:
        below = row_path(path, entry.row)
        yield "m", path, entry.row
        yield "l" if entry.is_literal else "k", below, entry.key
        yield from posted(entry.draft, below)


def _leaf(
    draft: Text | Numeral | Constant | Raw | Folded | StoredSecret, path: str
) -> tuple[str, str, str]:
    match draft:
        case Text(text, is_literal):
            return "q" if is_literal else "t", path, text
        case Numeral(text):
            return "n", path, text
        case Constant(None):
            return "j", path, "null"
        case Constant(value):
            return "b", path, "true" if value else "false"
        case Raw(text):
            return "e", path, text
        case Folded(value):
            return "z", path, literal(value)
        case StoredSecret(token):
            return "c", path, token
