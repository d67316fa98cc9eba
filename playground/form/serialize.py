"""From a draft to the names and values that its form would submit. `parse` reads them back."""

from __future__ import annotations

from collections.abc import Iterator

from playground.form.control_names import member_path, row_path
from playground.form.draft import (
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
from playground.form.values import literal

Control = tuple[str, str, str]
"""Tag, path and text of each control."""


def list_controls(draft: Draft, path: str = "") -> Iterator[Control]:
    """The controls of `draft`, including its state."""
    if draft.state is not PLAIN:
        yield from _list_state_controls(draft.state, path)
    match draft:
        case Object():
            yield from _list_object_controls(draft, path)
        case Array():
            yield "a", path, ""
            for item in draft.items:
                yield "r", path, item.row
                yield from list_controls(item.draft, row_path(path, item.row))
        case Missing(kind):
            yield _EMPTY.get(kind or "", "j"), path, ""
        case Text("", False):
            yield "t", path, ""
            yield "x", path, "1"
        case _:
            tag, text = _write_leaf(draft)
            yield tag, path, text


_EMPTY = {"text": "t", "number": "n", "boolean": "b"}


def _list_state_controls(state: State, path: str) -> Iterator[Control]:
    for key, index in state.branches:
        yield "u", path, f"{key}={index}"
    for key, token in state.stash:
        yield "h", path, f"{key} {token}"
    if state.view:
        yield "w", path, state.view


def _list_object_controls(draft: Object, path: str) -> Iterator[Control]:
    yield "o", path, ""
    for name, member in draft.members.items():
        yield from list_controls(member, member_path(path, name))
    for entry in draft.entries:
        below = row_path(path, entry.row)
        yield "m", path, entry.row
        yield entry.key_tag, below, entry.key
        yield from list_controls(entry.draft, below)


def _write_leaf(
    draft: Text | Numeral | Constant | Raw | Folded | StoredSecret,
) -> tuple[str, str]:
    """The tag and the text of the control of a single value."""
    match draft:
        case Text(text, is_literal):
            return "q" if is_literal else "t", text
        case Numeral(text):
            return "n", text
        case Constant(None):
            return "j", "null"
        case Constant(value):
            return "b", "true" if value else "false"
        case Raw(text):
            return "e", text
        case Folded(value):
            return "z", literal(value)
        case StoredSecret(token):
            return "c", token
