"""The context in which a node is built: its draft, its subschemas, and the head of every node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from playground.form import children
from playground.form.applicable import Applicable, Union
from playground.form.choices import Choice
from playground.form.control_names import control_name
from playground.form.controls import Button, Head, Hidden, Option, Selector
from playground.form.draft import Draft, Missing, Raw, Text
from playground.form.facts import NO_FACTS, Facts, gather_facts
from playground.form.kinds import ALL_KINDS, describe_types, guess_kind, is_integer, type_of
from playground.form.lookups import SchemaLookups
from playground.form.nodes import Node
from playground.form.values import KINDS, Kind, kind_of, literal
from toolspec.schema.describe import array_of, with_article
from toolspec.schema.validation import Subschema
from toolspec.text.pretty import MAX_PRINTED

NOT_SET: Final = "(not set)"
MAX_BRANCHES: Final = 200  # that one selector offers
SCALARS: Final = frozenset[Kind]({"text", "number", "boolean"})


@dataclass(frozen=True, slots=True)
class Position:
    """The position of a node.

    Attributes:
        path: in the form; `pointer`: in the value.
        name: the member's name, or "".
        is_row: a row of a list or an extra entry; it needs a value or is removed.
        is_nameless: the label is for screen readers only, because the position shows its meaning.
        is_quiet: the schema's description is shown once for all rows, not here.
        number: shown after a title that several rows share.
    """

    path: str
    pointer: str
    label: str
    name: str = ""
    is_required: bool = False
    is_row: bool = False
    is_nameless: bool = False
    is_quiet: bool = False
    notes: tuple[str, ...] = ()
    number: int | None = None


@dataclass(slots=True)
class Room:
    """The room left on a page, so that no schema makes it too large.

    Attributes:
        members: empty members that are drawn; others can be added by name.
        required: empty members that are drawn although they are required.
        names: names of other members that are suggested.
        options: options of selectors; a list with more becomes a text control.
        printed: characters of JSON text on several lines; more text is on one line.
    """

    members: int = 150
    required: int = 600
    names: int = 3_000
    options: int = 6_000
    printed: int = MAX_PRINTED

    def has_space(self, *, is_required: bool) -> bool:
        """Whether there is room for another empty member."""
        return (self.required if is_required else self.members) > 0

    def take_member(self, *, is_required: bool) -> None:
        """Count another empty member."""
        if is_required:
            self.required -= 1
        else:
            self.members -= 1

    def take_name(self) -> bool:
        """Count another suggested name; False if there was no room for it."""
        self.names -= 1
        return self.names >= 0


@dataclass(slots=True)
class NodeContext:
    """One value while its node is built.

    Attributes:
        kinds: the types that its schemas allow; `kind`: the type that it has, or would get.
        build: builds the node of a value below this one.
    """

    form: str
    lookups: SchemaLookups
    room: Room
    build: Callable[[Sequence[Subschema], Draft, Position], Node]
    draft: Draft
    position: Position
    applicable: Applicable
    kinds: frozenset[Kind]
    shows_all: bool = False
    kind: Kind | None = field(init=False)
    facts: Facts = field(init=False)

    def __post_init__(self) -> None:
        self.kind = self.lookups.kind(self.draft)
        self.facts = gather_facts(self.applicable, self.kind)

    def control(self, tag: str) -> str:
        """The name of a control of this node."""
        return control_name(self.form, tag, self.position.path)

    def operation(self, verb: str) -> str:
        """The value of a button that acts on this node."""
        return f"{self.form}:{verb}:{self.position.path}"

    @property
    def id(self) -> str:
        return f"{self.form}:{self.position.path}"

    @property
    def is_empty(self) -> bool:
        return isinstance(self.draft, Missing)

    @property
    def is_raw(self) -> bool:
        return isinstance(self.draft, Raw)

    @property
    def must_exist(self) -> bool:
        """Whether a value is present and required, so that "(not set)" is not offered."""
        return self.position.is_row or (self.position.is_required and not self.is_empty)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values to choose from.

        () if there is no list, it is too long, or the user enters a custom value.
        """
        choices = self.applicable.choices or ()
        if self.draft.state.view == "free" or len(choices) > self.room.options:
            return ()
        return tuple(choice for choice in choices if kind_of(choice.value) in self.kinds)

    def make_head(
        self,
        *,
        buttons: tuple[Button, ...] = (),
        is_container: bool = False,
        has_types: bool = True,
        views: tuple[Option, ...] = (),
    ) -> Head:
        """The head of this node."""
        position, facts = self.position, self.facts
        kinds = _make_kind_selector(self, is_container=is_container, views=views)
        spare = None
        if not position.path and self.is_raw:  # the page has a JSON switch
            kinds = None
        if not position.path and is_container and not views and self._has_one_kind:
            kinds, spare = None, kinds  # the same switch
        label, name = self._make_label()
        description = NO_FACTS if position.is_quiet else facts
        has_types = has_types and not position.is_quiet and kinds is None
        return Head(
            id=self.id,
            path=position.path,
            pointer=position.pointer,
            label=label,
            name=name,
            description=description.description,
            types=self.types if has_types else "",
            hints=description.hints,
            default=description.default,
            examples=tuple(map(literal, description.examples[:3])),
            notes=self._make_notes(),
            is_required=position.is_required and bool(position.path),
            is_deprecated=facts.is_deprecated,
            is_read_only=facts.is_read_only,
            is_nameless=position.is_nameless,
            kinds=kinds,
            spare=spare,
            unions=tuple(_make_branch_selector(self, union) for union in self._open_unions),
            buttons=buttons,
            hidden=self._make_hidden(),
            branches=self.applicable.branches,
        )

    def _make_label(self) -> tuple[str, str]:
        """The label of the node, and the member's name if a title replaces it."""
        position, label = self.position, self.facts.title
        if not label or position.is_nameless:
            return position.label, ""
        if label == position.name:
            return label, ""
        if position.number is not None:
            label = f"{label} {position.number}"
        return label, position.name

    @property
    def types(self) -> str:
        """The allowed types in words."""
        return describe_types(self.kinds, is_integer=self.facts.is_integer)

    def describe_array(self) -> str:
        """The type of an array with that of its items, in words."""
        subschemas = children.find_item(self.applicable, 0).subschemas
        kinds = self.lookups.kinds.of_all(subschemas)
        words = describe_types(kinds, is_integer=any(map(is_integer, subschemas)))
        if not words:
            return "array"
        return array_of(words)

    def _make_notes(self) -> tuple[str, ...]:
        is_allowed = self.is_empty or self.kind is None or self.kind in self.kinds
        if self.position.notes or is_allowed or self.kind is None:
            return self.position.notes
        return (f"the schema does not allow {with_article(type_of(self.kind))} here",)

    @property
    def _open_unions(self) -> list[Union]:
        """The unions with several branches for the value's type."""
        return [union for union in self.applicable.unions if len(union.candidates) > 1]

    def _make_hidden(self) -> tuple[Hidden, ...]:
        state = self.draft.state
        must_be_filled = self.position.is_required or self.position.is_row
        is_filled_in_here = self.kind in SCALARS and must_be_filled
        picked = dict(state.branches)
        unions = self._open_unions
        if self.is_empty and not is_filled_in_here:
            unions = [union for union in unions if union.key in picked]
        control = self.control("u")
        controls = [Hidden(control, f"{union.key}={union.chosen}") for union in unions]
        if state.view:
            controls.append(Hidden(self.control("w"), state.view))
        for key, token in state.stash:
            controls.append(Hidden(self.control("h"), f"{key} {token}"))
        return tuple(controls)

    @property
    def _has_one_kind(self) -> bool:
        return (
            self.kinds == {self.kind}
            and not self.shows_all
            and not self.is_empty
            and not self.draft.state.stash
        )


def _make_kind_selector(
    context: NodeContext,
    *,
    is_container: bool,
    views: tuple[Option, ...],
) -> Selector | None:
    """The selector of the node's type; None if there is nothing to select."""
    view = context.draft.state.view
    left = {key.removeprefix("kind=") for key, _ in context.draft.state.stash}
    offered = _list_offered_kinds(context, left)
    has_views = context.shows_all or context.is_raw or view == "free" or bool(views)
    if len(offered) < 2 and not has_views and not is_container:
        return None
    current = "json" if context.is_raw else context.kind
    if context.is_empty and is_container:
        current = None
    options = []
    if not context.position.is_row and context.position.path:
        is_current = context.is_empty and current is None
        options.append(_make_option("none", NOT_SET, is_current=is_current))
    for kind in offered:
        label = _label_kind(context, kind)
        is_allowed = kind in context.kinds
        options.append(_make_option(kind, label, is_current=kind == current, is_allowed=is_allowed))
    if context.is_empty and current in left:
        options.append(Option(current, "previous value"))
    if context.shows_all and current == "text" and _can_become_literal(context.draft):
        options.append(Option("literal", "string as a JSON literal"))
    options += views
    if context.is_raw:
        options.append(Option("fields", "fields"))
    if view == "free":
        options.append(Option("listed", "listed value"))
    options.append(_make_option("json", "JSON text", is_current=current == "json"))
    if not any(option.is_selected for option in options):  # else a browser selects the first
        options.insert(0, Option("", "choose…", is_selected=True))
    label = context.position.label
    button = Button(context.operation("kind"), "Change", f"Change the type of {label}")
    control = context.control("y")
    return Selector(f"{context.id}-kind", control, f"Type of {label}", tuple(options), button)


def _list_offered_kinds(context: NodeContext, left: set[str]) -> list[Kind]:
    """The types that are allowed, the present one, and those that the user has left."""
    if context.is_raw:
        return []
    present = None if context.is_empty else context.kind
    return [kind for kind in KINDS if kind in context.kinds or kind == present or kind in left]


def _make_option(
    value: str,
    label: str,
    *,
    is_current: bool,
    is_allowed: bool = True,
) -> Option:
    """An option of a selector; the current one sends nothing."""
    return Option("" if is_current else value, label, is_current, is_allowed)


def _can_become_literal(draft: Draft) -> bool:
    return isinstance(draft, Missing) or (isinstance(draft, Text) and not draft.is_literal)


def _label_kind(context: NodeContext, kind: Kind) -> str:
    words = type_of(kind, is_integer=context.facts.is_integer)
    if kind == "array" and context.kind == "array":
        words = context.describe_array()
    for union in context.applicable.unions:
        if len(union.options) < 2:
            continue
        allowing = [option for option in union.options if kind in context.lookups.kinds.of(option)]
        title = allowing[0].all_keywords.get("title") if len(allowing) == 1 else None
        if isinstance(title, str) and title:
            return f"{title} ({words})"
    return words


def _make_branch_selector(context: NodeContext, union: Union) -> Selector:
    branches = context.lookups.branches
    options = []
    for index in union.candidates[:MAX_BRANCHES]:
        label = branches.make_label(union.options[index], index)
        options.append(
            _make_option(f"{union.key}={index}", label, is_current=index == union.chosen)
        )
    if union.chosen is not None and union.chosen not in union.candidates[:MAX_BRANCHES]:
        label = branches.make_label(union.options[union.chosen], union.chosen)
        options.insert(0, Option("", label, is_selected=True))
    title = f"Change the variant of {context.position.label}"
    button = Button(context.operation("branch"), "Change", title)
    number = "".join(f"-{digit}" for digit in str(context.applicable.unions.index(union)))
    words = "One of" if union.keyword == "oneOf" else "Any of"
    selector_id = f"{context.id}-branch{number}"
    return Selector(selector_id, context.control("v"), words, tuple(options), button)


def choose_kind(kinds: frozenset[Kind], applicable: Applicable) -> Kind | None:
    """The type of a new value if the user has not selected one.

    None if the schema does not suggest one.
    """
    if len(kinds) == 1:
        return next(iter(kinds))
    likely = guess_kind(applicable.subschemas)
    if kinds == ALL_KINDS or (likely in kinds and likely not in SCALARS):
        return likely
    for kind in KINDS:
        if kind in kinds and kind != "null":
            return kind
    return None
