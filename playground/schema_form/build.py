"""From a draft to the nodes that templates draw.

The value determines the type of each node, the schema its labels and choices. So every value has a
form, whatever its schema, and each of its parts is the value of a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from playground.schema_form.containers import absent_node, array_node, folded_node, object_node
from playground.schema_form.control_names import control_name
from playground.schema_form.controls import Button, Hidden
from playground.schema_form.draft import (
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
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.node_context import NodeContext, Position, Room, default_kind
from playground.schema_form.nodes import (
    ArrayNode,
    ArrayRow,
    Form,
    Node,
    ObjectNode,
    RawNode,
    children,
)
from playground.schema_form.scalars import (
    boolean_node,
    choice_node,
    null_node,
    number_node,
    rows_for,
    secret_node,
    text_node,
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
    root = builder.node(subschemas, draft, Position("", "", label, is_required=True))
    if focus is not None:
        root = with_focus(root, focus, pressed)
    refresh = Button(
        f"{name}:refresh:",
        "Update the form",
        f"Update the fields of {label} for its current values",
    )
    words = "Hide type selectors" if shows_all else "Show type selectors"
    toggle = Button(
        f"{name}:{'fewer' if shows_all else 'all'}:",
        words,
        f"{words}, which choose the type of each field",
        has_focus=pressed in {"all", "fewer"},
    )
    shown = Hidden(control_name(name, "all", ""), "1") if shows_all else None
    secrets = tuple(builder.secrets) if has_secrets else None
    is_live = lookups.has_conditions and not isinstance(
        root, RawNode
    )  # one text has no fields to update
    return Form(name, root, toggle, shown, refresh if is_live else None, secrets)


@dataclass(slots=True)
class _Builder:
    form: str
    lookups: SchemaLookups
    shows_all: bool
    room: Room = field(default_factory=Room)
    secrets: list[str] = field(default_factory=list)

    def node(self, subschemas: Sequence[Subschema], draft: Draft, position: Position) -> Node:
        kinds = self.lookups.kinds.of_all(subschemas)
        if isinstance(draft, Missing) and draft.kind not in kinds:
            draft = replace(
                draft,
                kind=default_kind(kinds, self.lookups.at(subschemas, replace(draft, kind=None))),
            )
        context = NodeContext(
            self.form,
            self.lookups,
            self.room,
            self.node,
            draft,
            position,
            self.lookups.at(subschemas, draft),
            kinds,
            self.shows_all,
        )
        if context.facts.is_secret:
            self.secrets.append(f"{position.path}/")
        match draft:
            case Raw(text):
                return RawNode(
                    context.head(has_types=False),
                    context.control("e"),
                    text,
                    rows=rows_for(text, 4),
                )
            case Missing():
                return self._missing(context)
            case StoredSecret(token):
                return secret_node(context, token)
            case Folded():
                return folded_node(context, draft)
        reading = self.lookups.reading(draft)
        if context.choices and not reading.faults:
            return choice_node(context, context.choices, reading.value)
        return self._filled(context, draft)

    def _filled(self, context: NodeContext, draft: Draft) -> Node:
        match draft:
            case Object():
                return object_node(context, draft)
            case Array():
                return array_node(context, draft)
            case Text(text, is_literal):
                return text_node(context, text, is_literal=is_literal)
            case Numeral(text):
                return number_node(context, text)
            case Constant(None):
                return null_node(context)
            case Constant(value):
                return boolean_node(context, "true" if value else "false")
        raise AssertionError(draft)

    def _missing(self, context: NodeContext) -> Node:
        if context.choices:
            return choice_node(context, context.choices)
        match context.kind:
            case "text":
                return text_node(context, "")
            case "number":
                return number_node(context, "")
            case "boolean":
                return boolean_node(context, "")
        return absent_node(context)


def with_focus(root: Node, path: str, pressed: str) -> Node:
    """`root` with the focus on the first control at `path`.

    After a move, on the button that moved the row.

    So users never find themselves back at the top of the page, and can press a button such as "Up"
    several times.
    """
    return _focused(
        root,
        path if pressed in _MOVES else _first(root, path),
        pressed if pressed in _MOVES else "",
    )


def _first(root: Node, path: str) -> str:
    """The path of the first node at or below `path` with a control of its own.

    `path` if there is none.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if _is_on_the_way(node.head.path, path):
            waiting += reversed(children(node))
        elif node.head.path == path or node.head.path.startswith(f"{path}/"):
            if not children(node):
                return node.head.path
            waiting += reversed(children(node))
    return path


def _is_on_the_way(path: str, target: str) -> bool:
    return target.startswith(f"{path}/")


def _focused(node: Node, target: str, move: str) -> Node:
    path = node.head.path
    if path == target:
        return replace(node, head=replace(node.head, has_focus=True))
    if not _is_on_the_way(path, target):
        return node
    if isinstance(node, ObjectNode):
        members = tuple(_focused(member, target, move) for member in node.members)
        entries = tuple(
            replace(entry, node=_focused(entry.node, target, move)) for entry in node.entries
        )
        return replace(node, members=members, entries=entries)
    if isinstance(node, ArrayNode):
        return replace(node, rows=tuple(_focused_row(row, target, move) for row in node.rows))
    return node


def _focused_row(row: ArrayRow, target: str, move: str) -> ArrayRow:
    if not move or row.node.head.path != target:
        return replace(row, node=_focused(row.node, target, move))
    verbs = [button.value.split(":")[1] for button in row.buttons]
    at = verbs.index(move) if move in verbs else 0
    return replace(
        row,
        buttons=tuple(replace(button, has_focus=n == at) for n, button in enumerate(row.buttons)),
    )
