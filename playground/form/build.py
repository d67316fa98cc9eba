"""From a draft to the nodes that templates draw.

The value determines the type of each node, the schema its labels and choices. So every value has a
form, whatever its schema, and each of its parts is the value of a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from playground.form.containers import build_absent, build_array, build_folded, build_object
from playground.form.control_names import control_name
from playground.form.controls import Button, Hidden
from playground.form.draft import (
    Array,
    Constant,
    Draft,
    Folded,
    Missing,
    Numeral,
    Object,
    Raw,
    StoredSecret,
    Text,
)
from playground.form.lookups import SchemaLookups
from playground.form.node_context import NodeContext, Position, Room, choose_kind
from playground.form.nodes import ArrayNode, ArrayRow, Form, Node, ObjectNode, RawNode, children
from playground.form.scalars import (
    build_boolean,
    build_choice,
    build_null,
    build_number,
    build_secret,
    build_text,
    count_rows,
)
from toolspec.schema.validation import Subschema

_MOVES: Final = frozenset({"up", "down"})


def build(
    subschemas: Sequence[Subschema],
    draft: Draft,
    *,
    name: str,
    label: str,
    lookups: SchemaLookups,
    focus: str | None = None,
    pressed: str = "",
    shows_all: bool = False,
    has_secrets: bool = False,
) -> Form:
    """The form of `draft`, to which all of `subschemas` apply.

    `name` is the prefix of each control's name, `label` the label of the whole form. After the
    action `pressed`, the path `focus` gets the focus. With `shows_all`, every node has a type
    selector.
    """
    builder = _Builder(name, lookups, shows_all)
    root = builder.build(subschemas, draft, Position("", "", label, is_required=True))
    if focus is not None:
        root = add_focus(root, focus, pressed)
    refresh = None
    if lookups.has_conditions and not isinstance(root, RawNode):  # a text has no fields to update
        title = f"Update the fields of {label} for its current values"
        refresh = Button(f"{name}:refresh:", "Update the form", title)
    return Form(
        name,
        root,
        _make_toggle(name, pressed, shows_all=shows_all),
        Hidden(control_name(name, "all", ""), "1") if shows_all else None,
        refresh,
        tuple(builder.secrets) if has_secrets else None,
    )


def _make_toggle(
    name: str,
    pressed: str,
    *,
    shows_all: bool,
) -> Button:
    verb, words = "all", "Show type selectors"
    if shows_all:
        verb, words = "fewer", "Hide type selectors"
    title = f"{words}, which choose the type of each field"
    return Button(f"{name}:{verb}:", words, title, has_focus=pressed in {"all", "fewer"})


@dataclass(slots=True)
class _Builder:
    form: str
    lookups: SchemaLookups
    shows_all: bool
    room: Room = field(default_factory=Room)
    secrets: list[str] = field(default_factory=list)

    def build(
        self,
        subschemas: Sequence[Subschema],
        draft: Draft,
        position: Position,
    ) -> Node:
        kinds = self.lookups.kinds.of_all(subschemas)
        if isinstance(draft, Missing) and draft.kind not in kinds:
            applicable = self.lookups.find_applicable(subschemas, replace(draft, kind=None))
            draft = replace(draft, kind=choose_kind(kinds, applicable))
        context = NodeContext(
            self.form,
            self.lookups,
            self.room,
            self.build,
            draft,
            position,
            self.lookups.find_applicable(subschemas, draft),
            kinds,
            self.shows_all,
        )
        if context.facts.is_secret:
            self.secrets.append(f"{position.path}/")
        match draft:
            case Raw(text):
                head = context.make_head(has_types=False)
                return RawNode(head, context.control("e"), text, rows=count_rows(text, 4))
            case Missing():
                return _build_missing(context)
            case StoredSecret(token):
                return build_secret(context, token)
            case Folded():
                return build_folded(context, draft)
        reading = self.lookups.read(draft)
        choices = context.choices
        if choices and not reading.faults:
            return build_choice(context, choices, reading.value)
        return _build_value(context, draft)


def _build_value(context: NodeContext, draft: Draft) -> Node:
    match draft:
        case Object():
            return build_object(context, draft)
        case Array():
            return build_array(context, draft)
        case Text(text, is_literal):
            return build_text(context, text, is_literal=is_literal)
        case Numeral(text):
            return build_number(context, text)
        case Constant(None):
            return build_null(context)
        case Constant(value):
            return build_boolean(context, "true" if value else "false")
    raise AssertionError(draft)


def _build_missing(context: NodeContext) -> Node:
    choices = context.choices
    if choices:
        return build_choice(context, choices)
    match context.kind:
        case "text":
            return build_text(context, "")
        case "number":
            return build_number(context, "")
        case "boolean":
            return build_boolean(context, "")
    return build_absent(context)


def add_focus(
    root: Node,
    path: str,
    pressed: str,
) -> Node:
    """`root` with the focus on the first control at `path`, or after a move on its button.

    So users never find themselves back at the top of the page, and can press a button such as "Up"
    several times.
    """
    if pressed in _MOVES:
        return _add_focus(root, path, pressed)
    return _add_focus(root, _find_first_control(root, path), "")


def _find_first_control(root: Node, path: str) -> str:
    """The path of the first node at or below `path` with a control of its own.

    `path` itself if there is none.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        below = children(node)
        is_reached = f"{node.head.path}/".startswith(f"{path}/")
        if is_reached and not below:
            return node.head.path
        if is_reached or _is_on_the_way(node.head.path, path):
            waiting += reversed(below)
    return path


def _is_on_the_way(path: str, target: str) -> bool:
    return target.startswith(f"{path}/")


def _add_focus(
    node: Node,
    target: str,
    move: str,
) -> Node:
    path = node.head.path
    if path == target:
        return replace(node, head=replace(node.head, has_focus=True))
    if not _is_on_the_way(path, target):
        return node
    if isinstance(node, ObjectNode):
        members = tuple(_add_focus(member, target, move) for member in node.members)
        entries = [
            replace(entry, node=_add_focus(entry.node, target, move)) for entry in node.entries
        ]
        return replace(node, members=members, entries=tuple(entries))
    if isinstance(node, ArrayNode):
        rows = tuple(_add_focus_to_row(row, target, move) for row in node.rows)
        return replace(node, rows=rows)
    return node


def _add_focus_to_row(
    row: ArrayRow,
    target: str,
    move: str,
) -> ArrayRow:
    if not move or row.node.head.path != target:
        return replace(row, node=_add_focus(row.node, target, move))
    verbs = [button.value.split(":")[1] for button in row.buttons]
    pressed = verbs.index(move) if move in verbs else 0
    buttons = []
    for index, button in enumerate(row.buttons):
        buttons.append(replace(button, has_focus=index == pressed))
    return replace(row, buttons=tuple(buttons))
