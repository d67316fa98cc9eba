"""Nodes of objects and lists: members that the schema declares, extra entries, rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from playground.schema_form import children
from playground.schema_form.choices import Choice
from playground.schema_form.control_names import control_name, member_path, row_path
from playground.schema_form.controls import Button, Hidden, Key, Option
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
from playground.schema_form.node_context import NodeContext, Position
from playground.schema_form.nodes import (
    AbsentNode,
    Adder,
    ArrayNode,
    ArrayRow,
    ChoicesNode,
    EntryRow,
    FoldedNode,
    Node,
    ObjectNode,
)
from playground.schema_form.values import literal, print_literal
from toolspec.schema.children import Child
from toolspec.schema.describe import plural
from toolspec.schema.validation.equality import canonical
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_BOXES: Final = 60
MAX_SUGGESTIONS: Final = 300
NOT_ALLOWED: Final = "the schema does not allow this"


@dataclass(frozen=True, slots=True)
class Arranged:
    """An object's draft, divided by the schema: the declared members, and all others as entries."""

    members: Mapping[str, Draft]
    entries: tuple[Entry, ...]


def arranged(draft: Object, declared: list[str]) -> Arranged:
    """Divide `draft`: an entry with a declared name becomes a member, a member that is not declared an entry."""
    members: dict[str, Draft] = {
        name: draft.members[name] for name in declared if name in draft.members
    }
    entries = []
    names = set(declared)
    for entry in draft.entries:
        key = None if entry.is_run else key_of(entry)
        if key in names and isinstance(members.get(key, NOTHING), Missing):
            members[key] = entry.draft
        else:
            entries.append(entry)
    row = int(make_row_id(draft.entries))
    for name, member in draft.members.items():
        if name not in names and not isinstance(member, Missing):
            entries.append(make_entry(str(row), name, member))
            row += 1
    return Arranged({name: members.get(name, NOTHING) for name in declared}, tuple(entries))


def object_node(context: NodeContext, draft: Object) -> Node:
    """An object."""
    given = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    required = children.required_names(context.found, given.union(*map(_keys_of, draft.entries)))
    always = children.required_names(context.found)  # whatever is given, so that no field moves
    names = sorted(
        dict.fromkeys([*children.declared_names(context.found), *required]),
        key=lambda name: name not in always,
    )
    order = arranged(draft, names)
    present = {name for name, member in order.members.items() if not isinstance(member, Missing)}
    elsewhere = {key for entry in order.entries for key in _keys_of(entry)}
    members, left_out = [], []
    for name, member in order.members.items():
        is_new = (
            name not in present and name not in draft.members
        )  # a field that was on the page stays
        if is_new and not context.room.draws_member(is_required=name in required):
            if name not in elsewhere and context.room.suggests_name():
                left_out.append(name)
            continue
        child = children.member(context.found, name)
        if name not in present and (not child.is_allowed or name in elsewhere):
            continue
        if name not in present:
            context.room.take_member(is_required=name in required)
        position = Position(
            member_path(context.position.path, name),
            pointer_join(context.position.pointer, name),
            label=name or '""',
            name=name,
            is_required=name in required,
            notes=() if child.is_allowed else (NOT_ALLOWED,),
        )
        members.append(context.build(child.subschemas, member, position))
    entries = tuple(
        _run_of_entries(context, entry) if entry.is_run else _entry(context, entry)
        for entry in order.entries
    )
    return ObjectNode(
        context.head(is_container=True, buttons=_removal(context)),
        Hidden(context.control("o"), ""),
        tuple(members),
        entries,
        _adder(context, left_out, has_entries=bool(entries)),
    )


def _keys_of(entry: Entry) -> Iterable[str]:
    if entry.is_run:
        return (
            entry.draft.value
            if isinstance(entry.draft, Folded) and isinstance(entry.draft.value, dict)
            else ()
        )
    key = key_of(entry)
    return () if key is None else (key,)


def _removal(context: NodeContext) -> tuple[Button, ...]:
    if context.position.is_row or context.position.is_required or not context.position.path:
        return ()
    return (
        Button(context.operation("remove"), "Remove", f"Remove {context.position.label}", "trash"),
    )


def _entry(context: NodeContext, entry: Entry) -> EntryRow:
    path = row_path(context.position.path, entry.row)
    key = key_of(entry)
    child = children.member(context.found, key) if key is not None else Child(())
    shown = entry.key or '""'
    pointer = pointer_join(context.position.pointer, key if key is not None else entry.key)
    notes = () if child.is_allowed else (NOT_ALLOWED,)
    node = context.build(
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
    remove = Button(f"{context.form}:remove:{path}", "Remove", f"Remove {shown}", "trash")
    return EntryRow(
        f"{context.form}:{path}-row",
        Hidden(context.control("m"), entry.row),
        Key(
            f"{context.form}:{path}-key",
            control_name(context.form, tag, path),
            entry.key,
            entry.is_literal,
        ),
        None,
        node,
        (remove,),
    )


def _run_of_entries(context: NodeContext, entry: Entry) -> EntryRow:
    """Entries that are folded together into one JSON text, without a key."""
    path = row_path(context.position.path, entry.row)
    position = Position(
        path, context.position.pointer, f"More of {context.position.label}", is_row=True
    )
    tag = control_name(context.form, "k", path)
    node = context.build((), entry.draft, position)
    return EntryRow(
        f"{context.form}:{path}-row",
        Hidden(context.control("m"), entry.row),
        None,
        Hidden(tag, ""),
        node,
        (),
    )


def _adder(context: NodeContext, left_out: list[str], *, has_entries: bool) -> Adder | None:
    """The control that adds an entry.

    If the schema does not expect others, only with all options shown.
    """
    is_open = bool(left_out) or children.expects_other_members(context.found)
    takes_more = children.takes_more_members(context.found)
    if not left_out and not (takes_more and (is_open or has_entries or context.shows_all)):
        return None
    label = "Name of an entry to add" if takes_more else "Name of a property to add"
    button = Button(
        context.operation("entry"), "Add entry", f"Add an entry to {context.position.label}", "plus"
    )
    named = (
        context.lookups.choices.of(subschema) or ()
        for subschema in children.name_subschemas(context.found)
    )
    known = [choice.value for listed in named for choice in listed if isinstance(choice.value, str)]
    suggestions = tuple(name for name in [*left_out, *known][:MAX_SUGGESTIONS] if name)
    return Adder(f"{context.id}-new", context.control("nk"), button, label, is_open, suggestions)


_AS_ROWS: Final = (Option("rows", "ordered list"),)


def array_node(context: NodeContext, draft: Array) -> Node:
    """A list as rows, or as checkboxes if its items are distinct and from a short list of choices."""
    boxes = _box_choices(context)
    if (
        boxes
        and draft.state.view != "rows"
        and (options := _ticked(context, draft, boxes)) is not None
    ):
        head = context.head(is_container=True, buttons=_removal(context), views=_AS_ROWS)
        return ChoicesNode(head, Hidden(context.control("a"), ""), context.control("i"), options)
    rows = []
    index = 0
    for item in draft.items:
        rows.append(_row(context, draft, item, index))
        index += item.length
    views = (Option("boxes", "checkboxes"),) if boxes and draft.state.view == "rows" else ()
    return ArrayNode(
        context.head(is_container=True, buttons=_removal(context), views=views),
        Hidden(context.control("a"), ""),
        tuple(rows),
        (_item_button(context),) if children.item(context.found, index).is_allowed else (),
        is_tuple=children.prefix_length(context.found) > 0,
    )


def _item_button(context: NodeContext) -> Button:
    return Button(
        context.operation("item"), "Add item", f"Add an item to {context.position.label}", "plus"
    )


def _row(context: NodeContext, draft: Array, item: Item, index: int) -> ArrayRow:
    path = row_path(context.position.path, item.row)
    if item.is_run:
        position = Position(
            path,
            context.position.pointer,
            f"Items {index + 1} to {index + item.length}",
            is_row=True,
        )
        node = context.build((), item.draft, position)
        return ArrayRow(
            f"{context.form}:{path}-row", Hidden(context.control("r"), item.row), node, ()
        )
    child = children.item(context.found, index)
    position = Position(
        path,
        pointer_join(context.position.pointer, index),
        f"Item {index + 1}",
        is_row=True,
        is_nameless=not child.is_declared and not isinstance(item.draft, Object | Array),
        is_quiet=not child.is_declared and not isinstance(item.draft, Object | Array),
        notes=() if child.is_allowed else (NOT_ALLOWED,),
        number=None if child.is_declared else index + 1,
    )
    whose = f"item {index + 1} of {context.position.label}"
    buttons = [Button(f"{context.form}:remove:{path}", "Remove", f"Remove {whose}", "trash")]
    if item is not draft.items[-1]:
        buttons.insert(
            0, Button(f"{context.form}:down:{path}", "Down", f"Move {whose} down", "arrow-down")
        )
    if item is not draft.items[0]:
        buttons.insert(0, Button(f"{context.form}:up:{path}", "Up", f"Move {whose} up", "arrow-up"))
    node = context.build(child.subschemas, item.draft, position)
    return ArrayRow(
        f"{context.form}:{path}-row", Hidden(context.control("r"), item.row), node, tuple(buttons)
    )


def _box_choices(context: NodeContext) -> tuple[Choice, ...]:
    if not context.facts.is_unique or children.prefix_length(context.found):
        return ()
    child = children.item(context.found, 0)
    choices = context.lookups.at(child.subschemas, NOTHING).choices or ()
    if not 0 < len(choices) <= min(MAX_BOXES, context.room.options):
        return ()
    context.room.options -= len(choices)
    return choices


def _ticked(
    context: NodeContext, draft: Array, choices: tuple[Choice, ...]
) -> tuple[Option, ...] | None:
    """The checkboxes of `choices`.

    None for a list with another order, or with repeated or other items.
    """
    reading = context.lookups.reading(draft)
    if reading.faults or not isinstance(reading.value, list):
        return None
    left: list[JSON] = list(reading.value)
    options = []
    for choice in choices:
        is_ticked = bool(left) and canonical(left[0]) == choice.key
        text = literal(left.pop(0)) if is_ticked else literal(choice.value)
        options.append(Option(text, choice.label, is_ticked, True, choice.description))
    return None if left else tuple(options)


def absent_node(context: NodeContext) -> Node:
    """An empty field with buttons that add a value, or with checkboxes that make a list once one is ticked."""
    empty = Button(
        context.operation("add"), "Empty array", f"Set {context.position.label} to an empty array"
    )
    if (
        context.kind == "array"
        and context.draft.state.view != "rows"
        and (boxes := _box_choices(context))
    ):
        options = tuple(
            Option(literal(box.value), box.label, description=box.description) for box in boxes
        )
        head = context.head(is_container=True, buttons=(empty,), views=_AS_ROWS)
        return ChoicesNode(head, None, context.control("i"), options)
    buttons = []
    if context.kind == "array":
        if children.item(context.found, 0).is_allowed:
            buttons.append(_item_button(context))
        buttons.append(empty)
    elif context.kind is not None:
        buttons.append(
            Button(context.operation("add"), "Add", f"Add {context.position.label}", "plus")
        )
    return AbsentNode(context.head(is_container=True, buttons=tuple(buttons)))


def folded_node(context: NodeContext, draft: Folded) -> Node:
    """A container whose fields are not drawn, because the page is full."""
    noun = "item" if isinstance(draft.value, list) else "member"
    count = len(draft.value) if isinstance(draft.value, list | dict) else 1
    summary = f"{count:,} {plural(noun, count)}"
    button = Button(
        context.operation("open"), "Show as fields", f"Show the fields of {context.position.label}"
    )
    text = print_literal(draft.value, most=context.room.printed)
    context.room.printed -= len(text)
    return FoldedNode(context.head(is_container=True), context.control("z"), text, summary, button)
