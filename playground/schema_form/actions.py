"""Pressed buttons: each turns a draft into another draft.

Nothing is validated here, and no typed text is lost.

add, item, entry         add a value: to an empty field, as a list's new row, under a new name
remove, up, down         remove or move a row; remove an optional member
open                     show the fields of a folded container
view                     show the whole value as "json" or as "fields"
kind, branch, refresh    nothing more: the selectors of types and branches are applied before every
action
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from playground.schema_form import children
from playground.schema_form.change_type import follow_tags, switch_branch, switch_kind
from playground.schema_form.collapse import OPENED, folded_draft
from playground.schema_form.control_names import member_path, row_path, split_path
from playground.schema_form.defaults import make_draft
from playground.schema_form.draft import (
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
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.parse import Decoded
from toolspec.schema.validation import Subschema

Change = Callable[[Draft, Sequence[Subschema]], Draft]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A draft after an action.

    `focus`: the path of the new or changed part, which gets the focus.
    """

    draft: Draft
    focus: str | None = None


def apply(decoded: Decoded, subschemas: Sequence[Subschema], lookups: SchemaLookups) -> Outcome:
    """Apply each selected type and branch to the draft, and then the pressed button."""
    working = _Working(decoded.draft, subschemas, lookups)
    for path, kind in decoded.kinds.items():
        working.change(path, lambda old, there, kind=kind: switch_kind(lookups, there, old, kind))  # type: ignore[misc]
    for path, wanted in decoded.branches.items():
        for key, index in wanted:
            working.change(
                path,
                lambda old, there, key=key, index=index: switch_branch(
                    lookups, there, old, key, index
                ),  # type: ignore[misc]
            )
    for path in reversed(list(_paths_with_branches(working.draft))):
        working.change(path, lambda old, there: follow_tags(lookups, there, old))
    operation = decoded.operation
    if operation is not None and operation.verb in {"kind", "branch"}:
        working.focus = operation.path
    if operation is not None and operation.verb == "view":
        working.change("", lambda old, there: switch_kind(lookups, there, old, operation.detail))
    if operation is not None and operation.verb in _VERBS:
        _VERBS[operation.verb](working, operation.path, decoded.new_keys.get(operation.path, ""))
    return Outcome(working.draft, working.focus)


def _paths_with_branches(draft: Draft, path: str = "") -> Iterator[str]:
    """The paths of the parts that are under a branch of a union, each before those below it."""
    if draft.state.branches:
        yield path
    if isinstance(draft, Object):
        for name, member in draft.members.items():
            yield from _paths_with_branches(member, member_path(path, name))
        for entry in draft.entries:
            yield from _paths_with_branches(entry.draft, row_path(path, entry.row))
    elif isinstance(draft, Array):
        for item in draft.items:
            yield from _paths_with_branches(item.draft, row_path(path, item.row))


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
            self.draft = self._changed(self.draft, self.subschemas, tokens, change)

    def _changed(
        self, draft: Draft, subschemas: Sequence[Subschema], tokens: list[str], change: Change
    ) -> Draft:
        if not tokens:
            return change(draft, subschemas)
        token, rest = tokens[0], tokens[1:]
        if isinstance(draft, Object) and token.startswith("."):
            name = token[1:]
            below = children.find_member(
                self.lookups.find_applicable(subschemas, draft), name
            ).subschemas
            new = self._changed(draft.members.get(name, NOTHING), below, rest, change)
            return replace(draft, members={**draft.members, name: new})
        if isinstance(draft, Object):
            return replace(draft, entries=self._entries(draft, subschemas, token, rest, change))
        if isinstance(draft, Array):
            return replace(draft, items=self._items(draft, subschemas, token, rest, change))
        return draft

    def _entries(
        self,
        draft: Object,
        subschemas: Sequence[Subschema],
        token: str,
        rest: list[str],
        change: Change,
    ) -> tuple[Entry, ...]:
        entries = []
        for entry in draft.entries:
            if f"@{entry.row}" == token:
                key = key_of(entry)
                below = (
                    ()
                    if key is None
                    else children.find_member(
                        self.lookups.find_applicable(subschemas, draft), key
                    ).subschemas
                )
                entry = replace(entry, draft=self._changed(entry.draft, below, rest, change))  # noqa: PLW2901
            entries.append(entry)
        return tuple(entries)

    def _items(
        self,
        draft: Array,
        subschemas: Sequence[Subschema],
        token: str,
        rest: list[str],
        change: Change,
    ) -> tuple[Item, ...]:
        items = []
        index = 0
        for item in draft.items:
            if f"@{item.row}" == token:
                below = children.find_item(
                    self.lookups.find_applicable(subschemas, draft), index
                ).subschemas
                item = replace(item, draft=self._changed(item.draft, below, rest, change))  # noqa: PLW2901
            items.append(item)
            index += item.length
        return tuple(items)


def _add(working: _Working, path: str, _key: str) -> None:
    def change(draft: Draft, subschemas: Sequence[Subschema]) -> Draft:
        return (
            make_draft(working.lookups, subschemas, draft.kind, draft.state)
            if isinstance(draft, Missing)
            else draft
        )

    working.change(path, change)
    working.focus = path


def _add_item(working: _Working, path: str, _key: str) -> None:
    def change(draft: Draft, subschemas: Sequence[Subschema]) -> Draft:
        if isinstance(draft, Missing):
            made = make_draft(working.lookups, subschemas, "array", draft.state)
            if not isinstance(made, Array) or made.items:
                return made
            draft = made
        if not isinstance(draft, Array):
            return draft
        child = children.find_item(
            working.lookups.find_applicable(subschemas, draft),
            sum(item.length for item in draft.items),
        )
        row = make_row_id(draft.items)
        working.focus = row_path(path, row)
        return replace(
            draft, items=(*draft.items, Item(row, make_draft(working.lookups, child.subschemas)))
        )

    working.change(path, change)


def _add_entry(working: _Working, path: str, key: str) -> None:
    def change(draft: Draft, subschemas: Sequence[Subschema]) -> Draft:
        if not isinstance(draft, Object):
            return draft
        found = working.lookups.find_applicable(subschemas, draft)
        value = make_draft(working.lookups, children.find_member(found, key).subschemas)
        is_open = isinstance(draft.members.get(key, NOTHING), Missing)
        if is_open and key in children.list_declared(found):
            working.focus = member_path(path, key)
            return replace(draft, members={**draft.members, key: value})
        row = make_row_id(draft.entries)
        working.focus = row_path(path, row)
        return replace(draft, entries=(*draft.entries, make_entry(row, key, value)))

    working.change(path, change)


def _remove(working: _Working, path: str, _key: str) -> None:
    parent, _, token = path.rpartition("/")

    def change(draft: Draft, _subschemas: Sequence[Subschema]) -> Draft:
        if isinstance(draft, Object | Array) and token.startswith("@"):
            rows = draft.entries if isinstance(draft, Object) else draft.items
            working.focus = _beside(parent, [row.row for row in rows], token[1:])
        if isinstance(draft, Object) and token.startswith("@"):
            return replace(
                draft, entries=tuple(entry for entry in draft.entries if f"@{entry.row}" != token)
            )
        if isinstance(draft, Object):
            name = (split_path(f"/{token}") or ["."])[0][1:]
            return replace(
                draft,
                members={other: member for other, member in draft.members.items() if other != name},
            )
        if isinstance(draft, Array):
            return replace(
                draft, items=tuple(item for item in draft.items if f"@{item.row}" != token)
            )
        return draft

    if token:
        working.focus = path
        working.change(parent, change)


def _beside(parent: str, rows: Sequence[str], row: str) -> str:
    """The path of the row after `row`, else of the one before it, else of their parent."""
    at = rows.index(row) if row in rows else 0
    others = [*rows[at + 1 : at + 2], *rows[max(at - 1, 0) : at]]
    return row_path(parent, others[0]) if others else parent


def _moved(by: int) -> Callable[[_Working, str, str], None]:
    def move(working: _Working, path: str, _key: str) -> None:
        parent, _, token = path.rpartition("/")

        def change(draft: Draft, _subschemas: Sequence[Subschema]) -> Draft:
            if not isinstance(draft, Array):
                return draft
            items = list(draft.items)
            at = next((index for index, item in enumerate(items) if f"@{item.row}" == token), None)
            if at is None or not 0 <= at + by < len(items):
                return draft
            items[at], items[at + by] = items[at + by], items[at]
            working.focus = path
            return replace(draft, items=tuple(items))

        working.change(parent, change)

    return move


def _open(working: _Working, path: str, _key: str) -> None:
    parent, _, token = path.rpartition("/")
    if token.startswith("@~"):
        working.change(parent, lambda draft, _subschemas: _with_run_open(draft, token[1:]))
        working.focus = f"{parent}/@{token[2:]}"
        return
    working.change(path, _unfolded)
    working.focus = path


def _unfolded(draft: Draft, _subschemas: Sequence[Subschema]) -> Draft:
    return folded_draft(draft.value, OPENED) if isinstance(draft, Folded) else draft


def _with_run_open(draft: Draft, run: str) -> Draft:
    """A container whose run called `run` is opened: its first rows become separate rows."""
    if isinstance(draft, Object):
        entries: list[Entry] = []
        for entry in draft.entries:
            entries += (
                _entries_of(entry, int(make_row_id(draft.entries))) if entry.row == run else [entry]
            )
        return replace(draft, entries=tuple(entries))
    if isinstance(draft, Array):
        items: list[Item] = []
        for item in draft.items:
            items += _items_of(item) if item.row == run else [item]
        return replace(draft, items=tuple(items))
    return draft


def _items_of(run: Item) -> list[Item]:
    if not isinstance(run.draft, Folded) or not isinstance(run.draft.value, list):
        return [run]
    opened = folded_draft(run.draft.value, OPENED)
    begin = run.number
    items = opened.items if isinstance(opened, Array) else ()
    return [
        replace(item, row=("~" if item.is_run else "") + str(begin + item.number)) for item in items
    ]


def _entries_of(run: Entry, begin: int) -> list[Entry]:
    if not isinstance(run.draft, Folded) or not isinstance(run.draft.value, dict):
        return [run]
    opened = folded_draft(run.draft.value, OPENED)
    if not isinstance(opened, Object):
        return [run]
    entries = [
        make_entry(str(begin + index), name, member)
        for index, (name, member) in enumerate(opened.members.items())
    ]
    rest = [replace(entry, row=f"~{begin + len(entries)}") for entry in opened.entries]
    return [*entries, *rest]


_VERBS: Final[Mapping[str, Callable[[_Working, str, str], None]]] = {
    "add": _add,
    "item": _add_item,
    "entry": _add_entry,
    "remove": _remove,
    "up": _moved(-1),
    "down": _moved(1),
    "open": _open,
}
