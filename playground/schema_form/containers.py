"""Nodes of objects and lists: members that the schema declares, extra entries, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from catalog.json_schema.children import Child
from catalog.json_schema.describe import plural
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from playground.schema_form import children
from playground.schema_form.choices import Choice, canonical
from playground.schema_form.control_names import control_name, member_path, row_path
from playground.schema_form.draft import (
    NOTHING,
    Array,
    Draft,
    Entry,
    Folded,
    Item,
    Missing,
    Object,
    entry_of,
    key_of,
    new_row,
)
from playground.schema_form.node_context import NodeContext, Position
from playground.schema_form.nodes import (
    AbsentNode,
    Adder,
    ArrayNode,
    ArrayRow,
    Button,
    ChoicesNode,
    EntryRow,
    FoldedNode,
    Hidden,
    Key,
    Node,
    ObjectNode,
    Option,
)
from playground.schema_form.values import literal

MAX_BOXES: Final = 60
MAX_SUGGESTIONS: Final = 300
NOT_IN_SCHEMA: Final = "not in the schema"
NOT_ALLOWED: Final = "the schema does not allow this"


@dataclass(frozen=True, slots=True)
class Arranged:
    """An object's draft, sorted by what the schema declares: its members, then all others as entries."""

    members: Mapping[str, Draft]
    entries: tuple[Entry, ...]


def arranged(draft: Object, declared: list[str]) -> Arranged:
    """Sort `draft`. An entry whose name is declared becomes the member; a member that no longer is becomes an entry."""
    members: dict[str, Draft] = {name: draft.members[name] for name in declared if name in draft.members}
    entries = []
    names = set(declared)
    for entry in draft.entries:
        key = None if entry.is_run else key_of(entry)
        if key in names and isinstance(members.get(key, NOTHING), Missing):
            members[key] = entry.draft
        else:
            entries.append(entry)
    row = int(new_row(draft.entries))
    for name, member in draft.members.items():
        if name not in names and not isinstance(member, Missing):
            entries.append(entry_of(str(row), name, member))
            row += 1
    return Arranged({name: members.get(name, NOTHING) for name in declared}, tuple(entries))


def object_node(here: NodeContext, draft: Object) -> Node:
    """An object."""
    given = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    required = children.required_names(here.found, given.union(*map(_keys_of, draft.entries)))
    order = arranged(draft, [*dict.fromkeys([*children.declared_names(here.found), *required])])
    present = {name for name, member in order.members.items() if not isinstance(member, Missing)}
    elsewhere = {key for entry in order.entries for key in _keys_of(entry)}
    members, left_out = [], []
    for name, member in order.members.items():
        child = children.member(here.found, name)
        if name not in present and (not child.is_allowed or name in elsewhere):
            continue
        if name not in present and name not in required:
            if here.room.members <= 0 and name not in draft.members:  # what was on the page stays there
                left_out.append(name)
                continue
            here.room.members -= 1
        spot = Position(
            member_path(here.spot.path, name),
            pointer_join(here.spot.pointer, name),
            label=name or '""',
            name=name,
            is_required=name in required,
            notes=() if child.is_allowed else (NOT_ALLOWED,),
        )
        members.append(here.build(child.subschemas, member, spot))
    entries = tuple(_run_of_entries(here, entry) if entry.is_run else _entry(here, entry) for entry in order.entries)
    return ObjectNode(
        here.head(is_container=True, buttons=_removal(here)),
        Hidden(here.control("o"), ""),
        tuple(members),
        entries,
        _adder(here, left_out, has_entries=bool(entries)),
    )


def _keys_of(entry: Entry) -> Iterable[str]:
    if entry.is_run:
        return entry.draft.value if isinstance(entry.draft, Folded) and isinstance(entry.draft.value, dict) else ()
    key = key_of(entry)
    return () if key is None else (key,)


def _removal(here: NodeContext) -> tuple[Button, ...]:
    if here.spot.is_row or here.spot.is_required or not here.spot.path:
        return ()
    return (Button(here.operation("remove"), "Remove", f"Remove {here.spot.label}", "trash"),)


def _entry(here: NodeContext, entry: Entry) -> EntryRow:
    path = row_path(here.spot.path, entry.row)
    key = key_of(entry)
    child = children.member(here.found, key) if key is not None else Child(())
    shown = entry.key or '""'
    pointer = pointer_join(here.spot.pointer, key if key is not None else entry.key)
    notes = () if child.is_allowed else (NOT_ALLOWED,)
    node = here.build(
        child.subschemas,
        entry.draft,
        Position(
            path,
            pointer,
            f"Value of {shown}",
            is_row=True,
            is_nameless=True,
            is_quiet=not child.is_declared and not isinstance(entry.draft, Object | Array),
            notes=notes,
        ),
    )
    tag = "l" if entry.is_literal else "k"
    remove = Button(f"{here.form}:remove:{path}", "Remove", f"Remove {shown}", "trash")
    return EntryRow(
        f"{here.form}:{path}-row",
        Hidden(here.control("m"), entry.row),
        Key(f"{here.form}:{path}-key", control_name(here.form, tag, path), entry.key, entry.is_literal),
        None,
        node,
        (remove,),
    )


def _run_of_entries(here: NodeContext, entry: Entry) -> EntryRow:
    """Entries that are folded together: one text, and no key of its own."""
    path = row_path(here.spot.path, entry.row)
    spot = Position(path, here.spot.pointer, f"More of {here.spot.label}", is_row=True)
    tag = control_name(here.form, "k", path)
    node = here.build((), entry.draft, spot)
    return EntryRow(f"{here.form}:{path}-row", Hidden(here.control("m"), entry.row), None, Hidden(tag, ""), node, ())


def _adder(here: NodeContext, left_out: list[str], *, has_entries: bool) -> Adder | None:
    """Where a person names another entry: what the schema does not speak of is there when every option is shown."""
    is_open = bool(left_out) or children.speaks_of_others(here.found)
    takes_more = children.takes_more_members(here.found)
    if not left_out and not (takes_more and (is_open or has_entries or here.shows_all)):
        return None
    label = "Name of an entry to add" if takes_more else "Name of a member to add"
    button = Button(here.operation("entry"), "Add entry", f"Add an entry to {here.spot.label}", "plus")
    named = (here.guide.choices.of(place) or () for place in children.name_places(here.found))
    known = [choice.value for listed in named for choice in listed if isinstance(choice.value, str)]
    suggestions = tuple(name for name in [*left_out, *known][:MAX_SUGGESTIONS] if name)
    return Adder(f"{here.id}-new", here.control("nk"), button, label, is_open, suggestions)


_AS_ROWS: Final = (Option("rows", "list in an order of its own"),)


def array_node(here: NodeContext, draft: Array) -> Node:
    """A list, as rows; or as boxes to tick where each item is one of a few choices and stands once."""
    boxes = _box_choices(here)
    if boxes and draft.state.view != "rows" and (options := _ticked(here, draft, boxes)) is not None:
        head = here.head(is_container=True, buttons=_removal(here), views=_AS_ROWS)
        return ChoicesNode(head, Hidden(here.control("a"), ""), here.control("i"), options)
    rows = []
    index = 0
    for item in draft.items:
        rows.append(_row(here, draft, item, index))
        index += item.length
    views = (Option("boxes", "boxes to tick"),) if boxes and draft.state.view == "rows" else ()
    return ArrayNode(
        here.head(is_container=True, buttons=_removal(here), views=views),
        Hidden(here.control("a"), ""),
        tuple(rows),
        (_item_button(here),) if children.item(here.found, index).is_allowed else (),
        is_tuple=children.prefix_length(here.found) > 0,
    )


def _item_button(here: NodeContext) -> Button:
    return Button(here.operation("item"), "Add item", f"Add an item to {here.spot.label}", "plus")


def _row(here: NodeContext, draft: Array, item: Item, index: int) -> ArrayRow:
    path = row_path(here.spot.path, item.row)
    if item.is_run:
        spot = Position(path, here.spot.pointer, f"Items {index + 1} to {index + item.length}", is_row=True)
        node = here.build((), item.draft, spot)
        return ArrayRow(f"{here.form}:{path}-row", Hidden(here.control("r"), item.row), node, ())
    child = children.item(here.found, index)
    spot = Position(
        path,
        pointer_join(here.spot.pointer, index),
        f"Item {index + 1}",
        is_row=True,
        is_nameless=not child.is_declared and not isinstance(item.draft, Object | Array),
        is_quiet=not child.is_declared and not isinstance(item.draft, Object | Array),
        notes=() if child.is_allowed else (NOT_ALLOWED,),
        number=None if child.is_declared else index + 1,
    )
    whose = f"item {index + 1} of {here.spot.label}"
    buttons = [Button(f"{here.form}:remove:{path}", "Remove", f"Remove {whose}", "trash")]
    if item is not draft.items[-1]:
        buttons.insert(0, Button(f"{here.form}:down:{path}", "Down", f"Move {whose} down", "arrow-down"))
    if item is not draft.items[0]:
        buttons.insert(0, Button(f"{here.form}:up:{path}", "Up", f"Move {whose} up", "arrow-up"))
    node = here.build(child.subschemas, item.draft, spot)
    return ArrayRow(f"{here.form}:{path}-row", Hidden(here.control("r"), item.row), node, tuple(buttons))


def _box_choices(here: NodeContext) -> tuple[Choice, ...]:
    if not here.facts.is_unique or children.prefix_length(here.found):
        return ()
    child = children.item(here.found, 0)
    choices = here.guide.at(child.subschemas, NOTHING).choices or ()
    if not 0 < len(choices) <= min(MAX_BOXES, here.room.options):
        return ()
    here.room.options -= len(choices)
    return choices


def _ticked(here: NodeContext, draft: Array, choices: tuple[Choice, ...]) -> tuple[Option, ...] | None:
    """The boxes of `choices`; None where boxes could not tell the list: another order, repeated or foreign items."""
    reading = here.guide.reading(draft)
    if reading.faults or not isinstance(reading.value, list):
        return None
    left: list[JSON] = list(reading.value)
    options = []
    for choice in choices:
        is_ticked = bool(left) and canonical(left[0]) == choice.key
        text = literal(left.pop(0)) if is_ticked else literal(choice.value)
        options.append(Option(text, choice.label, is_ticked, True, choice.description))
    return None if left else tuple(options)


def absent_node(here: NodeContext) -> Node:
    """Nothing yet, and buttons that make a value; boxes that make a list as soon as one is ticked."""
    empty = Button(here.operation("add"), "Empty array", f"Set {here.spot.label} to an empty array")
    if here.kind == "array" and here.draft.state.view != "rows" and (boxes := _box_choices(here)):
        options = tuple(Option(literal(box.value), box.label, description=box.description) for box in boxes)
        head = here.head(is_container=True, buttons=(empty,), views=_AS_ROWS)
        return ChoicesNode(head, None, here.control("i"), options)
    buttons = []
    if here.kind == "array":
        if children.item(here.found, 0).is_allowed:
            buttons.append(_item_button(here))
        buttons.append(empty)
    elif here.kind is not None:
        buttons.append(Button(here.operation("add"), "Add", f"Add {here.spot.label}", "plus"))
    return AbsentNode(here.head(is_container=True, buttons=tuple(buttons)))


def folded_node(here: NodeContext, draft: Folded) -> Node:
    """A container whose fields are not drawn, because the page is full."""
    noun = "item" if isinstance(draft.value, list) else "member"
    count = len(draft.value) if isinstance(draft.value, list | dict) else 1
    summary = f"{count:,} {plural(noun, count)}"
    button = Button(here.operation("open"), "Show as fields", f"Show the fields of {here.spot.label}")
    text = literal(draft.value, indent=2)
    return FoldedNode(here.head(is_container=True), here.control("z"), text, summary, button)
