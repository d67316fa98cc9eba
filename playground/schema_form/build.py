"""From a draft to the nodes that are drawn.

The value decides the kind of each node, the schema what is said and offered. So every value has a form, whatever its
schema, and each of its parts is the value of a control.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from catalog.json_schema.validation import Subschema
from playground.schema_form.containers import absent_node, array_node, folded_node, object_node
from playground.schema_form.control_names import control_name
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
from playground.schema_form.focus import with_focus
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.node_context import NodeContext, Position, Room, default_kind
from playground.schema_form.nodes import Button, Form, Hidden, Node, RawNode
from playground.schema_form.scalars import (
    boolean_node,
    choice_node,
    null_node,
    number_node,
    rows_for,
    secret_node,
    text_node,
)


def build(
    places: Sequence[Subschema],
    draft: Draft,
    *,
    name: str,
    label: str,
    guide: SchemaLookups,
    focus: str | None = None,
    pressed: str = "",
    shows_all: bool = False,
    has_secrets: bool = False,
) -> Form:
    """The form of `draft`, under `places`: `name` begins the name of each control, `label` is what the whole is called.

    After the press of the button `pressed`, what is at the path `focus` gets the focus. With `shows_all`, every node
    has its selector of kinds.
    """
    builder = _Builder(name, guide, shows_all)
    root = builder.node(places, draft, Position("", "", label, is_required=True))
    if focus is not None:
        root = with_focus(root, focus, pressed)
    refresh = Button(f"{name}:refresh:", "Update the form", f"Update the form of {label} to what it holds now")
    words = "Show fewer options" if shows_all else "Show every option"
    toggle = Button(
        f"{name}:{'fewer' if shows_all else 'all'}:",
        words,
        f"{words} of each field, as how it is written",
        has_focus=pressed in {"all", "fewer"},
    )
    shown = Hidden(control_name(name, "all", ""), "1") if shows_all else None
    secrets = tuple(builder.secrets) if has_secrets else None
    return Form(name, root, toggle, shown, refresh if guide.has_conditions else None, secrets)


@dataclass(slots=True)
class _Builder:
    form: str
    guide: SchemaLookups
    shows_all: bool
    room: Room = field(default_factory=Room)
    secrets: list[str] = field(default_factory=list)

    def node(self, places: Sequence[Subschema], draft: Draft, spot: Position) -> Node:
        kinds = self.guide.kinds.of_all(places)
        if isinstance(draft, Missing) and draft.kind not in kinds:
            draft = replace(draft, kind=default_kind(kinds, self.guide.at(places, replace(draft, kind=None))))
        here = NodeContext(
            self.form,
            self.guide,
            self.room,
            self.node,
            draft,
            spot,
            self.guide.at(places, draft),
            kinds,
            self.shows_all,
        )
        if here.facts.is_secret:
            self.secrets.append(f"{spot.path}/")
        match draft:
            case Raw(text):
                return RawNode(here.head(has_types=False), here.control("e"), text, rows=rows_for(text, 4))
            case Missing():
                return self._missing(here)
            case StoredSecret(token):
                return secret_node(here, token)
            case Folded():
                return folded_node(here, draft)
            case Object() | Array():
                return self._container(here, draft)
        reading = self.guide.reading(draft)
        if here.choices and not reading.faults:
            return choice_node(here, here.choices, reading.value)
        return self._scalar(here, draft)

    def _scalar(self, here: NodeContext, draft: Draft) -> Node:
        match draft:
            case Text(text, is_literal):
                return text_node(here, text, is_literal=is_literal)
            case Numeral(text):
                return number_node(here, text)
            case Constant(None):
                return null_node(here)
            case Constant(value):
                return boolean_node(here, "true" if value else "false")
        raise AssertionError(draft)

    def _container(self, here: NodeContext, draft: Object | Array) -> Node:
        reading = self.guide.reading(draft)
        if here.choices and not reading.faults:
            return choice_node(here, here.choices, reading.value)
        if isinstance(draft, Object):
            return object_node(here, draft)
        return array_node(here, draft)

    def _missing(self, here: NodeContext) -> Node:
        if here.choices:
            return choice_node(here, here.choices)
        match here.kind:
            case "text":
                return text_node(here, "")
            case "number":
                return number_node(here, "")
            case "boolean":
                return boolean_node(here, "")
        return absent_node(here)
