"""The parts that nodes are made of: their controls, and the head that all nodes have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LONG_DESCRIPTION: Final = 500  # characters; the rest of a longer one is collapsed


@dataclass(frozen=True, slots=True)
class Hidden:
    """A hidden control."""

    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Button:
    """A button. `label` may be short; `title` is complete, for screen readers.

    `has_focus`: it was just pressed, and may be pressed again.
    """

    value: str
    label: str
    title: str
    icon: str = ""
    has_focus: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a selector. `is_allowed`: the schema allows it."""

    value: str
    label: str
    is_selected: bool = False
    is_allowed: bool = True
    description: str = ""


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector that changes the controls of its node; `button` applies it without JavaScript."""

    id: str
    name: str
    label: str
    options: tuple[Option, ...]
    button: Button


@dataclass(frozen=True, slots=True)
class Key:
    """The control for the name of an extra entry."""

    id: str
    name: str
    value: str
    is_literal: bool
    errors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """The part that all nodes have in common.

    Attributes:
        id: the id of its main control.
        path: its path in the form.
        pointer: its pointer in the value, or where a value would be.
        label: title or name; `name`: the member's name if a title replaces it.
        types: the allowed types, in words.
        hints: constraints in words.
        default: its JSON text.
        notes: warnings, such as "not in the schema".
        has_focus: whether the focus moves here.
        hidden: controls that carry state.
        branches: the schema pointer of each union, and the index of its branch in force.
        spare: the type selector of a group that shows none until it has errors.
    """

    id: str
    path: str
    pointer: str
    label: str
    name: str = ""
    description: str = ""
    types: str = ""
    hints: tuple[str, ...] = ()
    default: str = ""
    examples: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    is_required: bool = False
    is_deprecated: bool = False
    is_read_only: bool = False
    is_nameless: bool = False
    has_focus: bool = False
    kinds: Selector | None = None
    unions: tuple[Selector, ...] = ()
    buttons: tuple[Button, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    branches: tuple[tuple[str, int], ...] = ()
    spare: Selector | None = None
    errors: tuple[str, ...] = ()

    @property
    def has_long_description(self) -> bool:
        """Whether the form first shows only the beginning of the description."""
        return len(self.description) > LONG_DESCRIPTION

    @property
    def hint_id(self) -> str:
        return f"{self.id}-hint"

    @property
    def error_id(self) -> str:
        return f"{self.id}-error"

    @property
    def has_hint(self) -> bool:
        return bool(self.description or self.has_facts)

    @property
    def has_facts(self) -> bool:
        """Whether there are short facts to show."""
        is_odd = self.is_deprecated or self.is_read_only
        return bool(self.hints or self.default or self.notes or self.examples or is_odd)

    @property
    def type_id(self) -> str:
        return f"{self.id}-type"

    @property
    def described_by(self) -> str:
        """The ids of the elements that describe the control."""
        ids = []
        if self.types:
            ids.append(self.type_id)
        if self.has_hint:
            ids.append(self.hint_id)
        if self.errors:
            ids.append(self.error_id)
        return " ".join(ids)
