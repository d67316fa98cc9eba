"""Pressed buttons: each turns a draft into another draft.

Nothing is validated here, and no typed text is lost.

add, item, entry         add a value: to an empty field, as a list's new row, under a new name
remove, up, down         remove or move a row; remove an optional member
open                     show the fields of a folded container
view                     show the whole value as "json" or as "fields"
kind, branch, refresh    nothing more: every action first applies the selected types and branches
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from playground.form import children
from playground.form.change_type import follow_tags, select_branch, select_kind
from playground.form.collapse import OPENED, fold_value
from playground.form.control_names import member_path, row_path, split_path
from playground.form.defaults import make_draft
from playground.form.draft import (
    NOTHING,
    Array,
    Draft,
    Entry,
    Folded,
    Item,
    Missing,
    Object,
    key_of,
    make_entry,
    make_row_id,
)
from playground.form.lookups import SchemaLookups
from playground.form.parse import Decoded
from toolspec.schema.validation import Subschema

Change = Callable[[Sequence[Subschema], Draft], Draft]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A draft after an action.

    `focus`: the path of the new or changed part, which gets the focus.
    """

    draft: Draft
    focus: str | None = None


def apply(
    decoded: Decoded,
    subschemas: Sequence[Subschema],
    lookups: SchemaLookups,
) -> Outcome:
    """Apply each selected type and branch to the draft, and then the pressed button."""
    working = _Working(decoded.draft, subschemas, lookups)
    for path, kind in decoded.kinds.items():
        working.change(path, partial(select_kind, lookups, kind))
    for path, branches in decoded.branches.items():
        for key, index in branches:
            working.change(path, partial(select_branch, lookups, key, index))
    for path in reversed(list(_find_paths_with_branches(working.draft))):
        working.change(path, partial(follow_tags, lookups))
    operation = decoded.operation
    if operation is None:
        return Outcome(working.draft)
    if operation.verb in {"kind", "branch"}:
        working.focus = operation.path
    if operation.verb == "view":
        working.change("", partial(select_kind, lookups, operation.detail))
    if operation.verb in _VERBS:
        key = decoded.new_keys.get(operation.path, "")
        _VERBS[operation.verb](working, operation.path, key)
    return Outcome(working.draft, working.focus)


def _find_paths_with_branches(draft: Draft, path: str = "") -> Iterator[str]:
    """The paths of the parts that are under a branch of a union, each before those below it."""
    if draft.state.branches:
        yield path
    if isinstance(draft, Object):
        for name, member in draft.members.items():
            yield from _find_paths_with_branches(member, member_path(path, name))
        for entry in draft.entries:
            yield from _find_paths_with_branches(entry.draft, row_path(path, entry.row))
    elif isinstance(draft, Array):
        for item in draft.items:
            yield from _find_paths_with_branches(item.draft, row_path(path, item.row))


@dataclass(slots=True)
class _Working:
    """A draft while it is changed."""

    draft: Draft
    subschemas: Sequence[Subschema]
    lookups: SchemaLookups
    focus: str | None = None

    def change(self, path: str, change: Change) -> None:
        """Replace the draft at `path` with the result of `change`."""
        tokens = split_path(path)
        if tokens is not None:
            self.draft = self._change_below(self.subschemas, self.draft, tokens, change)

    def _change_below(
        self,
        subschemas: Sequence[Subschema],
        draft: Draft,
        tokens: list[str],
        change: Change,
    ) -> Draft:
        if not tokens:
            return change(subschemas, draft)
        if isinstance(draft, Object) and tokens[0].startswith("."):
            return self._change_member(subschemas, draft, tokens, change)
        if isinstance(draft, Object):
            return self._change_entry(subschemas, draft, tokens, change)
        if isinstance(draft, Array):
            return self._change_item(subschemas, draft, tokens, change)
        return draft

    def _change_member(
        self,
        subschemas: Sequence[Subschema],
        draft: Object,
        tokens: list[str],
        change: Change,
    ) -> Object:
        name = tokens[0][1:]
        member = draft.members.get(name, NOTHING)
        below = self.find_member(subschemas, draft, name)
        changed = self._change_below(below, member, tokens[1:], change)
        return replace(draft, members={**draft.members, name: changed})

    def _change_entry(
        self,
        subschemas: Sequence[Subschema],
        draft: Object,
        tokens: list[str],
        change: Change,
    ) -> Object:
        entries = list(draft.entries)
        for position, entry in enumerate(entries):
            if f"@{entry.row}" != tokens[0]:
                continue
            key = key_of(entry)
            below = () if key is None else self.find_member(subschemas, draft, key)
            changed = self._change_below(below, entry.draft, tokens[1:], change)
            entries[position] = replace(entry, draft=changed)
        return replace(draft, entries=tuple(entries))

    def _change_item(
        self,
        subschemas: Sequence[Subschema],
        draft: Array,
        tokens: list[str],
        change: Change,
    ) -> Array:
        items = list(draft.items)
        index = 0
        for position, item in enumerate(items):
            if f"@{item.row}" == tokens[0]:
                below = self.find_item(subschemas, draft, index)
                changed = self._change_below(below, item.draft, tokens[1:], change)
                items[position] = replace(item, draft=changed)
            index += item.length
        return replace(draft, items=tuple(items))

    def find_member(
        self,
        subschemas: Sequence[Subschema],
        draft: Object,
        name: str,
    ) -> tuple[Subschema, ...]:
        """The subschemas for the member called `name`."""
        applicable = self.lookups.find_applicable(subschemas, draft)
        return children.find_member(applicable, name).subschemas

    def find_item(
        self,
        subschemas: Sequence[Subschema],
        draft: Array,
        index: int,
    ) -> tuple[Subschema, ...]:
        """The subschemas for the item at `index`."""
        applicable = self.lookups.find_applicable(subschemas, draft)
        return children.find_item(applicable, index).subschemas


def _add(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    def add(subschemas: Sequence[Subschema], draft: Draft) -> Draft:
        if not isinstance(draft, Missing):
            return draft
        return make_draft(working.lookups, subschemas, draft.kind, draft.state)

    working.change(path, add)
    working.focus = path


def _add_item(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    def add_item(subschemas: Sequence[Subschema], draft: Draft) -> Draft:
        if isinstance(draft, Missing):
            draft = make_draft(working.lookups, subschemas, "array", draft.state)
            if not isinstance(draft, Array) or draft.items:
                return draft
        if not isinstance(draft, Array):
            return draft
        length = sum(item.length for item in draft.items)
        below = working.find_item(subschemas, draft, length)
        row = make_row_id(draft.items)
        working.focus = row_path(path, row)
        item = Item(row, make_draft(working.lookups, below))
        return replace(draft, items=(*draft.items, item))

    working.change(path, add_item)


def _add_entry(
    working: _Working,
    path: str,
    key: str,
) -> None:
    def add_entry(subschemas: Sequence[Subschema], draft: Draft) -> Draft:
        if not isinstance(draft, Object):
            return draft
        applicable = working.lookups.find_applicable(subschemas, draft)
        below = children.find_member(applicable, key).subschemas
        value = make_draft(working.lookups, below)
        is_open = isinstance(draft.members.get(key, NOTHING), Missing)
        if is_open and key in children.list_declared(applicable):
            working.focus = member_path(path, key)
            return replace(draft, members={**draft.members, key: value})
        row = make_row_id(draft.entries)
        working.focus = row_path(path, row)
        return replace(draft, entries=(*draft.entries, make_entry(row, key, value)))

    working.change(path, add_entry)


def _remove(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    parent, _, token = path.rpartition("/")
    is_row = token.startswith("@")

    def remove(_subschemas: Sequence[Subschema], draft: Draft) -> Draft:
        if isinstance(draft, Object) and is_row:
            working.focus = _find_neighbour(parent, draft.entries, token)
            entries = [entry for entry in draft.entries if f"@{entry.row}" != token]
            return replace(draft, entries=tuple(entries))
        if isinstance(draft, Array) and is_row:
            working.focus = _find_neighbour(parent, draft.items, token)
            items = [item for item in draft.items if f"@{item.row}" != token]
            return replace(draft, items=tuple(items))
        tokens = split_path(f"/{token}")
        if isinstance(draft, Object) and tokens:
            members = dict(draft.members)
            members.pop(tokens[0][1:], None)
            return replace(draft, members=members)
        return draft

    if token:
        working.focus = path
        working.change(parent, remove)


def _find_neighbour(
    parent: str,
    rows: Sequence[Item | Entry],
    token: str,
) -> str:
    """The path of the row after the one at `token`, else of the one before it, else `parent`."""
    tokens = [f"@{row.row}" for row in rows]
    position = 0
    if token in tokens:
        position = tokens.index(token)
    if position + 1 < len(tokens):
        return f"{parent}/{tokens[position + 1]}"
    if position > 0:
        return f"{parent}/{tokens[position - 1]}"
    return parent


def _move(
    working: _Working,
    path: str,
    by: int,
) -> None:
    parent, _, token = path.rpartition("/")

    def move(_subschemas: Sequence[Subschema], draft: Draft) -> Draft:
        if not isinstance(draft, Array):
            return draft
        items = list(draft.items)
        for position, item in enumerate(items):
            if f"@{item.row}" == token and 0 <= position + by < len(items):
                items[position] = items[position + by]
                items[position + by] = item
                working.focus = path
                break
        return replace(draft, items=tuple(items))

    working.change(parent, move)


def _move_up(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    _move(working, path, -1)


def _move_down(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    _move(working, path, 1)


def _open(
    working: _Working,
    path: str,
    _key: str,
) -> None:
    parent, _, token = path.rpartition("/")
    if token.startswith("@~"):
        working.change(parent, lambda _subschemas, draft: _open_run(draft, token[1:]))
        working.focus = f"{parent}/@{token[2:]}"
        return
    working.change(path, _unfold)
    working.focus = path


def _unfold(_subschemas: Sequence[Subschema], draft: Draft) -> Draft:
    if not isinstance(draft, Folded):
        return draft
    return fold_value(draft.value, OPENED)


def _open_run(draft: Draft, run: str) -> Draft:
    """A container whose run called `run` is opened: its first rows become separate rows."""
    if isinstance(draft, Object):
        first = int(make_row_id(draft.entries))
        entries: list[Entry] = []
        for entry in draft.entries:
            if entry.row == run:
                entries += _split_entry(entry, first)
            else:
                entries.append(entry)
        return replace(draft, entries=tuple(entries))
    if isinstance(draft, Array):
        items: list[Item] = []
        for item in draft.items:
            if item.row == run:
                items += _split_item(item)
            else:
                items.append(item)
        return replace(draft, items=tuple(items))
    return draft


def _split_item(run: Item) -> list[Item]:
    """The first items of a run as separate rows, and the rest as a run."""
    if not isinstance(run.draft, Folded):
        return [run]
    opened = fold_value(run.draft.value, OPENED)
    if not isinstance(opened, Array):
        return [run]
    items = []
    for item in opened.items:
        row = str(run.number + item.number)
        if item.is_run:
            row = f"~{row}"
        items.append(replace(item, row=row))
    return items


def _split_entry(run: Entry, first: int) -> list[Entry]:
    """The first members of a run as separate entries with ids from `first`, the rest as a run."""
    if not isinstance(run.draft, Folded):
        return [run]
    opened = fold_value(run.draft.value, OPENED)
    if not isinstance(opened, Object):
        return [run]
    entries: list[Entry] = []
    for name, member in opened.members.items():
        entries.append(make_entry(str(first + len(entries)), name, member))
    rest = [replace(entry, row=f"~{first + len(entries)}") for entry in opened.entries]
    return [*entries, *rest]


_VERBS: Final[Mapping[str, Callable[[_Working, str, str], None]]] = {
    "add": _add,
    "item": _add_item,
    "entry": _add_entry,
    "remove": _remove,
    "up": _move_up,
    "down": _move_down,
    "open": _open,
}
