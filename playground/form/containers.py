"""Nodes of objects and lists: members that the schema declares, extra entries, rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from playground.form import children
from playground.form.choices import Choice
from playground.form.control_names import NEW_KEY, control_name, member_path, row_path
from playground.form.controls import Button, Hidden, Key, Option
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
from playground.form.node_context import NodeContext, Position
from playground.form.nodes import (
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
from playground.form.values import literal, print_literal
from toolspec.schema.children import Child
from toolspec.schema.describe import plural
from toolspec.schema.validation.equality import canonical
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_BOXES: Final = 60
MAX_SUGGESTIONS: Final = 300
NOT_ALLOWED: Final = "the schema does not allow this"


def _separate_members(
    draft: Object, declared: list[str]
) -> tuple[Mapping[str, Draft], tuple[Entry, ...]]:
    """The declared members of an object, and all others as entries.

    An entry with a declared name becomes a member, a member that is not declared an entry.
    """
    members = {name: draft.members.get(name, NOTHING) for name in declared}
    entries = []
    for entry in draft.entries:
        key = None if entry.is_run else key_of(entry)
        if key is not None and isinstance(members.get(key), Missing):
            members[key] = entry.draft
        else:
            entries.append(entry)
    row = int(make_row_id(draft.entries))
    for name, member in draft.members.items():
        if name not in members and not isinstance(member, Missing):
            entries.append(make_entry(str(row), name, member))
            row += 1
    return members, tuple(entries)


def build_object(context: NodeContext, draft: Object) -> Node:
    """An object."""
    applicable = context.applicable
    keys = {name for name, member in draft.members.items() if not isinstance(member, Missing)}
    keys.update(*map(_list_keys, draft.entries))
    required = children.list_required(applicable, keys)
    always = children.list_required(applicable)  # whatever is present, so that no field moves
    declared = applicable.keywords.names("properties")
    names = sorted(
        dict.fromkeys([*declared, *always, *required]), key=lambda name: name not in always
    )
    members, entries = _separate_members(draft, names)
    elsewhere = set[str]().union(*map(_list_keys, entries))
    nodes = []
    left_out = []
    for name, member in members.items():
        is_required = name in required
        is_missing = isinstance(member, Missing)
        is_new = is_missing and name not in draft.members  # a field that was on the page stays
        if is_new and not context.room.has_space(is_required=is_required):
            if name not in elsewhere and context.room.take_name():
                left_out.append(name)
            continue
        child = children.find_member(applicable, name)
        if is_missing:
            if name in elsewhere or not child.is_allowed:
                continue
            context.room.take_member(is_required=is_required)
        position = Position(
            member_path(context.position.path, name),
            pointer_join(context.position.pointer, name),
            label=name or '""',
            name=name,
            is_required=is_required,
            notes=_make_notes(child),
        )
        nodes.append(context.build(child.subschemas, member, position))
    rows = [_build_entry(context, entry) for entry in entries]
    return ObjectNode(
        context.make_head(is_container=True, buttons=_make_removal(context)),
        Hidden(context.control("o"), ""),
        tuple(nodes),
        tuple(rows),
        _make_adder(context, left_out, has_entries=bool(rows)),
    )


def _list_keys(entry: Entry) -> list[str]:
    """The key of an entry, or the keys of a run of entries."""
    if entry.is_run:
        if isinstance(entry.draft, Folded) and isinstance(entry.draft.value, dict):
            return list(entry.draft.value)
        return []
    key = key_of(entry)
    if key is None:
        return []
    return [key]


def _make_notes(child: Child) -> tuple[str, ...]:
    if child.is_allowed:
        return ()
    return (NOT_ALLOWED,)


def _make_removal(context: NodeContext) -> tuple[Button, ...]:
    position = context.position
    if position.is_row or position.is_required or not position.path:
        return ()
    return (Button(context.operation("remove"), "Remove", f"Remove {position.label}", "trash"),)


def _build_entry(context: NodeContext, entry: Entry) -> EntryRow:
    path = row_path(context.position.path, entry.row)
    row_id = f"{context.form}:{path}-row"
    row = Hidden(context.control("m"), entry.row)
    if entry.is_run:
        no_key = Hidden(control_name(context.form, "k", path), "")
        label = f"More of {context.position.label}"
        position = Position(path, context.position.pointer, label, is_row=True)
        node = context.build((), entry.draft, position)
        return EntryRow(row_id, row, None, no_key, node, ())
    name = entry.key or '""'
    key = Key(
        f"{context.form}:{path}-key",
        control_name(context.form, entry.key_tag, path),
        entry.key,
        entry.is_literal,
    )
    node = _build_entry_value(context, entry, path, f"Value of {name}")
    remove = Button(f"{context.form}:remove:{path}", "Remove", f"Remove {name}", "trash")
    return EntryRow(row_id, row, key, None, node, (remove,))


def _build_entry_value(
    context: NodeContext,
    entry: Entry,
    path: str,
    label: str,
) -> Node:
    key = key_of(entry)
    child = Child(())
    if key is not None:
        child = children.find_member(context.applicable, key)
    position = Position(
        path,
        pointer_join(context.position.pointer, entry.key if key is None else key),
        label,
        is_row=True,
        is_nameless=True,
        is_quiet=not child.is_declared and not isinstance(entry.draft, Object | Array),
        notes=_make_notes(child),
    )
    return context.build(child.subschemas, entry.draft, position)


def _make_adder(
    context: NodeContext,
    missing_names: list[str],
    *,
    has_entries: bool,
) -> Adder | None:
    """The control that adds an entry, or None.

    A declared member that is missing can always be added; another one if the schema allows it, and
    expects it, or the form has entries or shows all options.
    """
    is_open = bool(missing_names) or children.expects_other_members(context.applicable)
    takes_more = children.allows_more_members(context.applicable)
    is_useful = takes_more and (is_open or has_entries or context.shows_all)
    if not missing_names and not is_useful:
        return None
    label = "Name of a property to add"
    if takes_more:
        label = "Name of an entry to add"
    title = f"Add an entry to {context.position.label}"
    button = Button(context.operation("entry"), "Add entry", title, "plus")
    names = list(missing_names)
    for subschema in children.list_name_subschemas(context.applicable):
        values = [choice.value for choice in context.lookups.choices.of(subschema) or ()]
        names += [value for value in values if isinstance(value, str)]
    return Adder(
        f"{context.id}-new",
        context.control(NEW_KEY),
        button,
        label,
        is_open,
        tuple(filter(None, names[:MAX_SUGGESTIONS])),
    )


_AS_ROWS: Final = (Option("rows", "ordered list"),)
_AS_BOXES: Final = (Option("boxes", "checkboxes"),)


def build_array(context: NodeContext, draft: Array) -> Node:
    """A list as rows.

    As checkboxes if its items are distinct and from a short list of choices.
    """
    boxes = _find_box_choices(context)
    removal = _make_removal(context)
    marker = Hidden(context.control("a"), "")
    views: tuple[Option, ...] = ()
    if boxes and draft.state.view == "rows":
        views = _AS_BOXES
    elif boxes:
        options = _tick_boxes(context, draft, boxes)
        if options is not None:
            head = context.make_head(is_container=True, buttons=removal, views=_AS_ROWS)
            return ChoicesNode(head, marker, context.control("i"), options)
    rows = []
    index = 0
    for item in draft.items:
        rows.append(_build_row(context, draft, item, index))
        index += item.length
    add: tuple[Button, ...] = ()
    if children.find_item(context.applicable, index).is_allowed:
        add = (_make_item_button(context),)
    return ArrayNode(
        context.make_head(is_container=True, buttons=removal, views=views),
        marker,
        tuple(rows),
        add,
        is_tuple=children.count_prefix_items(context.applicable) > 0,
    )


def _make_item_button(context: NodeContext) -> Button:
    title = f"Add an item to {context.position.label}"
    return Button(context.operation("item"), "Add item", title, "plus")


def _build_row(
    context: NodeContext,
    draft: Array,
    item: Item,
    index: int,
) -> ArrayRow:
    path = row_path(context.position.path, item.row)
    row_id = f"{context.form}:{path}-row"
    row = Hidden(context.control("r"), item.row)
    if item.is_run:
        label = f"Items {index + 1} to {index + item.length}"
        position = Position(path, context.position.pointer, label, is_row=True)
        return ArrayRow(row_id, row, context.build((), item.draft, position), ())
    child = children.find_item(context.applicable, index)
    is_plain = not child.is_declared and not isinstance(item.draft, Object | Array)
    position = Position(
        path,
        pointer_join(context.position.pointer, index),
        f"Item {index + 1}",
        is_row=True,
        is_nameless=is_plain,
        is_quiet=is_plain,
        notes=_make_notes(child),
        number=None if child.is_declared else index + 1,
    )
    node = context.build(child.subschemas, item.draft, position)
    return ArrayRow(row_id, row, node, _make_row_buttons(context, draft, item, index))


def _make_row_buttons(
    context: NodeContext,
    draft: Array,
    item: Item,
    index: int,
) -> tuple[Button, ...]:
    name = f"item {index + 1} of {context.position.label}"
    path = row_path(context.position.path, item.row)
    buttons = []
    if item is not draft.items[0]:
        buttons.append(Button(f"{context.form}:up:{path}", "Up", f"Move {name} up", "arrow-up"))
    if item is not draft.items[-1]:
        title = f"Move {name} down"
        buttons.append(Button(f"{context.form}:down:{path}", "Down", title, "arrow-down"))
    buttons.append(Button(f"{context.form}:remove:{path}", "Remove", f"Remove {name}", "trash"))
    return tuple(buttons)


def _find_box_choices(context: NodeContext) -> tuple[Choice, ...]:
    """The choices to draw as checkboxes; () if a list of them may not be one, or is too long."""
    if not context.facts.is_unique or children.count_prefix_items(context.applicable):
        return ()
    child = children.find_item(context.applicable, 0)
    choices = context.lookups.find_applicable(child.subschemas, NOTHING).choices or ()
    if len(choices) > min(MAX_BOXES, context.room.options):
        return ()
    context.room.options -= len(choices)
    return choices


def _tick_boxes(
    context: NodeContext,
    draft: Array,
    choices: tuple[Choice, ...],
) -> tuple[Option, ...] | None:
    """The checkboxes of `choices`.

    None for a list with another order, or with repeated or other items.
    """
    reading = context.lookups.read(draft)
    if reading.faults or not isinstance(reading.value, list):
        return None
    items: list[JSON] = list(reading.value)
    options = []
    for choice in choices:
        value = choice.value
        is_ticked = bool(items) and canonical(items[0]) == choice.key
        if is_ticked:
            value = items.pop(0)
        options.append(Option(literal(value), choice.label, is_ticked, True, choice.description))
    if items:
        return None
    return tuple(options)


def build_absent(context: NodeContext) -> Node:
    """An empty field with buttons that add a value.

    With checkboxes if it is a list that one ticked box makes.
    """
    if context.kind == "array":
        return _build_absent_array(context)
    buttons = []
    if context.kind is not None:
        title = f"Add {context.position.label}"
        buttons.append(Button(context.operation("add"), "Add", title, "plus"))
    return AbsentNode(context.make_head(is_container=True, buttons=tuple(buttons)))


def _build_absent_array(context: NodeContext) -> Node:
    title = f"Set {context.position.label} to an empty array"
    buttons = [Button(context.operation("add"), "Empty array", title)]
    boxes: tuple[Choice, ...] = ()
    if context.draft.state.view != "rows":
        boxes = _find_box_choices(context)
    if boxes:
        options = [
            Option(literal(box.value), box.label, description=box.description) for box in boxes
        ]
        head = context.make_head(is_container=True, buttons=tuple(buttons), views=_AS_ROWS)
        return ChoicesNode(head, None, context.control("i"), tuple(options))
    if children.find_item(context.applicable, 0).is_allowed:
        buttons.insert(0, _make_item_button(context))
    return AbsentNode(context.make_head(is_container=True, buttons=tuple(buttons)))


def build_folded(context: NodeContext, draft: Folded) -> Node:
    """A container whose fields are not drawn, because the page is full."""
    noun, count = "member", 1
    if isinstance(draft.value, list):
        noun = "item"
    if isinstance(draft.value, list | dict):
        count = len(draft.value)
    title = f"Show the fields of {context.position.label}"
    text = print_literal(draft.value, most=context.room.printed)
    context.room.printed -= len(text)
    return FoldedNode(
        context.make_head(is_container=True),
        context.control("z"),
        text,
        f"{count:,} {plural(noun, count)}",
        Button(context.operation("open"), "Show as fields", title),
    )
