"""The context in which a node is built: its draft, the subschemas that apply, and the head that every node has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from playground.schema_form import children
from playground.schema_form.branches import Applicable, Union
from playground.schema_form.choices import Choice
from playground.schema_form.control_names import control_name
from playground.schema_form.controls import Button, Head, Hidden, Option, Selector
from playground.schema_form.draft import Draft, Missing, Raw, Text
from playground.schema_form.facts import Facts, facts_of
from playground.schema_form.lookups import SchemaLookups
from playground.schema_form.nodes import Node
from playground.schema_form.schemas import (
    ALL_KINDS,
    is_integer,
    likely_kind,
    type_of,
    types_in_words,
)
from playground.schema_form.values import KINDS, Kind, kind_of, literal
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

    def draws_member(self, *, is_required: bool) -> bool:
        """Whether there is room for another empty member."""
        return (self.required if is_required else self.members) > 0

    def take_member(self, *, is_required: bool) -> None:
        if is_required:
            self.required -= 1
        else:
            self.members -= 1

    def suggests_name(self) -> bool:
        """Whether there is room for another suggested name, which is counted."""
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
    found: Applicable
    kinds: frozenset[Kind]
    shows_all: bool = False
    kind: Kind | None = field(init=False)
    facts: Facts = field(init=False)

    def __post_init__(self) -> None:
        self.kind = self.lookups.kind(self.draft)
        self.facts = facts_of(self.found, self.kind)

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
    def must_exist(self) -> bool:
        """Whether a value is present and required, so that "(not set)" is not offered."""
        return self.position.is_row or (self.position.is_required and not self.is_empty)

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The values to choose from.

        () if there is no list, it is too long, or the user enters a custom value.
        """
        if self.draft.state.view == "free" or len(self.found.choices or ()) > self.room.options:
            return ()
        from_schema = self.found.choices or ()
        return tuple(choice for choice in from_schema if kind_of(choice.value) in self.kinds)

    def head(
        self,
        *,
        buttons: tuple[Button, ...] = (),
        is_container: bool = False,
        has_types: bool = True,
        views: tuple[Option, ...] = (),
    ) -> Head:
        """The head of this node."""
        position, facts = self.position, self.facts
        title = "" if position.is_nameless else facts.title
        label = title if position.number is None else f"{title} {position.number}"
        kinds = self._kind_selector(is_container, views)
        spare = None
        if not position.path and isinstance(self.draft, Raw):  # the page has a JSON switch
            kinds = None
        if (
            not position.path and is_container and not views and self._has_one_kind
        ):  # the same switch
            kinds, spare = None, kinds
        is_described = not position.is_quiet
        return Head(
            id=self.id,
            path=position.path,
            pointer=position.pointer,
            label=label if title else position.label,
            name=position.name if title and title != position.name else "",
            description=facts.description if is_described else "",
            types=self.types if has_types and is_described and kinds is None else "",
            hints=facts.hints if is_described else (),
            default=facts.default if is_described else "",
            examples=tuple(literal(example) for example in facts.examples[:3])
            if is_described
            else (),
            notes=self._notes(),
            is_required=position.is_required and bool(position.path),
            is_deprecated=facts.is_deprecated,
            is_read_only=facts.is_read_only,
            is_nameless=position.is_nameless,
            kinds=kinds,
            spare=spare,
            unions=tuple(
                self._branch_selector(union)
                for union in self.found.unions
                if len(union.candidates) > 1
            ),
            buttons=buttons,
            hidden=self._hidden(),
            branches=tuple(
                (union.pointer, union.chosen)
                for union in self.found.unions
                if union.chosen is not None
            ),
        )

    @property
    def types(self) -> str:
        """The allowed types in words."""
        return types_in_words(self.kinds, is_integer=self.facts.is_integer)

    def _array_type(self) -> str:
        """The type of an array with that of its items, in words."""
        subschemas = children.item(self.found, 0).subschemas
        words = types_in_words(
            self.lookups.kinds.of_all(subschemas), is_integer=any(map(is_integer, subschemas))
        )
        return array_of(words) if words else "array"

    def _notes(self) -> tuple[str, ...]:
        notes = list(self.position.notes)
        if (
            not self.is_empty
            and self.kind is not None
            and self.kind not in self.kinds
            and not self.position.notes
        ):
            notes.append(f"the schema does not allow {with_article(type_of(self.kind))} here")
        return tuple(notes)

    def _hidden(self) -> tuple[Hidden, ...]:
        state = self.draft.state
        is_filled_in_here = self.kind in SCALARS and (
            self.position.is_required or self.position.is_row
        )
        picked = dict(state.branches)
        in_force = [
            Hidden(self.control("u"), f"{union.key}={union.chosen}")
            for union in self.found.unions
            if len(union.candidates) > 1
            and (not self.is_empty or is_filled_in_here or union.key in picked)
        ]
        view = [Hidden(self.control("w"), state.view)] if state.view else []
        return (
            *in_force,
            *view,
            *(Hidden(self.control("h"), f"{key} {token}") for key, token in state.stash),
        )

    @property
    def _has_one_kind(self) -> bool:
        return (
            self.kinds == {self.kind}
            and not self.shows_all
            and not self.is_empty
            and not self.draft.state.stash
        )

    def _kind_selector(self, is_container: bool, views: tuple[Option, ...]) -> Selector | None:
        present = None if self.is_empty else self.kind
        left = {key.removeprefix("kind=") for key, _ in self.draft.state.stash}
        offered = [kind for kind in KINDS if kind in self.kinds or kind == present or kind in left]
        if isinstance(self.draft, Raw):
            offered = []
        has_facts = (
            self.shows_all
            or isinstance(self.draft, Raw)
            or self.draft.state.view == "free"
            or views
        )
        if len(offered) < 2 and not has_facts and not is_container:
            return None
        current = "json" if isinstance(self.draft, Raw) else self.kind
        if self.is_empty and is_container:
            current = None
        options = [
            Option(
                "" if kind == current else kind,
                self._kind_label(kind),
                kind == current,
                kind in self.kinds,
            )
            for kind in offered
        ]
        if self.is_empty and current in left:
            options += [Option(current, "previous value")]
        if not self.position.is_row and self.position.path:
            none_is_current = self.is_empty and current is None
            options.insert(
                0, Option("" if none_is_current else "none", NOT_SET, is_selected=none_is_current)
            )
        is_plain_text = self.is_empty or (
            isinstance(self.draft, Text) and not self.draft.is_literal
        )
        if self.shows_all and current == "text" and is_plain_text:
            options.append(Option("literal", "string as a JSON literal"))
        options += views
        if isinstance(self.draft, Raw):
            options.append(Option("fields", "fields"))
        if self.draft.state.view == "free":
            options.append(Option("listed", "listed value"))
        options.append(
            Option("" if current == "json" else "json", "JSON text", is_selected=current == "json")
        )
        if not any(
            option.is_selected for option in options
        ):  # otherwise a browser selects the first
            options.insert(0, Option("", "choose…", is_selected=True))
        button = Button(
            self.operation("kind"), "Change", f"Change the type of {self.position.label}"
        )
        return Selector(
            f"{self.id}-kind",
            self.control("y"),
            f"Type of {self.position.label}",
            tuple(options),
            button,
        )

    def _kind_label(self, kind: Kind) -> str:
        words = type_of(kind, is_integer=self.facts.is_integer)
        if kind == "array" and self.kind == "array":
            words = self._array_type()
        for union in self.found.unions:
            allowing = [option for option in union.options if kind in self.lookups.kinds.of(option)]
            title = (
                allowing[0].all_keywords.get("title")
                if len(allowing) == 1 and len(union.options) > 1
                else None
            )
            if isinstance(title, str) and title:
                return f"{title} ({words})"
        return words

    def _branch_selector(self, union: Union) -> Selector:
        options = tuple(
            Option(
                "" if index == union.chosen else f"{union.key}={index}",
                self.lookups.branches.label(union.options[index], index),
                index == union.chosen,
            )
            for index in union.candidates[:MAX_BRANCHES]
        )
        if union.chosen not in union.candidates[:MAX_BRANCHES] and union.chosen is not None:
            label = self.lookups.branches.label(union.options[union.chosen], union.chosen)
            options = (Option("", label, is_selected=True), *options)
        button = Button(
            self.operation("branch"), "Change", f"Change the variant of {self.position.label}"
        )
        number = "".join(f"-{character}" for character in str(self.found.unions.index(union)))
        words = "One of" if union.keyword == "oneOf" else "Any of"
        return Selector(f"{self.id}-branch{number}", self.control("v"), words, options, button)


def default_kind(kinds: frozenset[Kind], found: Applicable) -> Kind | None:
    """The type of a new value if the user has not selected one.

    None if the schema does not suggest one.
    """
    if len(kinds) == 1:
        return next(iter(kinds))
    likely = likely_kind(found.subschemas)
    if kinds == ALL_KINDS:
        return likely
    if likely in kinds and likely not in SCALARS:
        return likely
    return next((kind for kind in KINDS if kind in kinds and kind != "null"), None)
