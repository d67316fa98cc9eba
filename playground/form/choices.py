"""The values to choose from: `enum`, `const`, and unions in which every branch is such a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from playground.form.values import literal
from toolspec.schema.describe import cut
from toolspec.schema.enum_labels import EnumLabel, enum_labels
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.equality import canonical
from toolspec.text.reader import JSON

MAX_LABEL: Final = 120


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a list, with its label and description.

    `key` is the same for equal values (`canonical`).
    """

    value: JSON
    label: str
    key: str
    description: str = ""


class Choices:
    """The values that subschemas list, cached for one page."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[Choice, ...] | None] = {}
        self._own: dict[object, tuple[Choice, ...] | None] = {}

    def own(self, subschema: Subschema) -> tuple[Choice, ...] | None:
        """The values that `subschema` itself lists; None if it has no list."""
        identity = subschema.identity
        if identity not in self._own:
            self._own[identity] = _find_own_choices(subschema.all_keywords)
        return self._own[identity]

    def of(self, subschema: Subschema) -> tuple[Choice, ...] | None:
        """The values that `subschema` lists, also through references and unions.

        None if it is not a list.
        """
        identity = subschema.identity
        if identity not in self._known:
            self._known[identity] = None  # a loop lists nothing
            self._known[identity] = self._find(subschema)
        return self._known[identity]

    def of_union(self, options: Sequence[Subschema]) -> tuple[Choice, ...] | None:
        """The values of all `options`, in order and each once; None unless each is a list."""
        by_key: dict[str, Choice] = {}
        for option in options:
            choices = self.of(option)
            if choices is None:
                return None
            if len(choices) == 1:
                choices = (_add_title(choices[0], option),)
            for choice in choices:
                by_key.setdefault(choice.key, choice)
        return tuple(by_key.values())

    def _find(self, subschema: Subschema) -> tuple[Choice, ...] | None:
        own = self.own(subschema)
        if own is not None:
            return own
        if subschema.all_keywords.get("type") == "null":
            return (_make_choice(None),)
        for keyword in ("oneOf", "anyOf"):
            options = subschema.list_schemas(keyword)
            choices = self.of_union(options) if options else None
            if choices is not None:
                return choices
        for target in subschema.references():
            choices = self.of(target)
            if choices is not None:
                return choices
        return None


def _find_own_choices(keywords: dict[str, JSON]) -> tuple[Choice, ...] | None:
    if "const" in keywords:
        return (_make_choice(keywords["const"]),)
    labels = enum_labels(keywords)
    if labels:
        return tuple(map(_make_labelled_choice, labels))
    values = keywords.get("enum")
    if isinstance(values, list):
        return tuple(map(_make_choice, values))
    return None


def _make_choice(value: JSON) -> Choice:
    return Choice(value, label_of(value), canonical(value))


def _make_labelled_choice(label: EnumLabel) -> Choice:
    text = label_of(label.value)
    if label.name:
        text = cut(f"{label.name} ({text})", MAX_LABEL)
    return Choice(label.value, text, canonical(label.value), label.description)


def _add_title(choice: Choice, option: Subschema) -> Choice:
    """The only choice of a branch, with the branch's title and description."""
    title = option.all_keywords.get("title")
    if isinstance(title, str) and title:
        choice = replace(choice, label=title)
    description = option.all_keywords.get("description")
    if isinstance(description, str):
        choice = replace(choice, description=description)
    return choice


def label_of(value: JSON) -> str:
    """The label of a value: its JSON text; a string without quotes if it stays recognisable."""
    if isinstance(value, str) and value.strip() == value and _reads_as_text(value):
        return value
    return cut(literal(value), MAX_LABEL)


def _reads_as_text(text: str) -> bool:
    return text not in {"", "true", "false", "null"} and text[0] not in '"{[(-0123456789'
