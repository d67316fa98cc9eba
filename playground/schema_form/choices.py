"""The values to choose from: `enum`, `const`, and unions in which every branch is such a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from playground.schema_form.values import literal
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
            self._own[identity] = self._find_own(subschema)
        return self._own[identity]

    def _find_own(self, subschema: Subschema) -> tuple[Choice, ...] | None:
        keywords = subschema.all_keywords
        if "const" in keywords:
            return (_choice(keywords["const"]),)
        if labels := enum_labels(keywords):
            return tuple(_label_choice(label) for label in labels)
        if isinstance(listed := keywords.get("enum"), list):
            return tuple(_choice(value) for value in listed)
        return None

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
        """The values of all `options`, in order and each once.

        None unless every option is a list.
        """
        found: dict[str, Choice] = {}
        for option in options:
            listed = self.of(option)
            if listed is None:
                return None
            for choice in (
                listed if len(listed) > 1 else (_titled(listed[0], option),) if listed else ()
            ):
                found.setdefault(choice.key, choice)
        return tuple(found.values())

    def _find(self, subschema: Subschema) -> tuple[Choice, ...] | None:
        if (listed := self.own(subschema)) is not None:
            return listed
        if subschema.all_keywords.get("type") == "null":
            return (_choice(None),)
        for keyword in ("oneOf", "anyOf"):
            if (options := subschema.listed(keyword)) and (
                union := self.of_union(options)
            ) is not None:
                return union
        referred = [
            found for target in subschema.references() if (found := self.of(target)) is not None
        ]
        return referred[0] if referred else None


def _choice(value: JSON) -> Choice:
    return Choice(value, label_of(value), canonical(value))


def _label_choice(label: EnumLabel) -> Choice:
    text = (
        cut(f"{label.name} ({label_of(label.value)})", MAX_LABEL)
        if label.name
        else label_of(label.value)
    )
    return Choice(label.value, text, canonical(label.value), label.description)


def _titled(choice: Choice, option: Subschema) -> Choice:
    """The only choice of a branch, with the branch's title and description."""
    title, description = (option.all_keywords.get(keyword) for keyword in ("title", "description"))
    return Choice(
        choice.value,
        title if isinstance(title, str) and title else choice.label,
        choice.key,
        description if isinstance(description, str) else choice.description,
    )


def label_of(value: JSON) -> str:
    """The label of a value in a list: strings without quotes, unless they look like another JSON value."""
    if isinstance(value, str) and value.strip() == value and _reads_as_text(value):
        return value
    text = literal(value)
    return cut(text, MAX_LABEL)


def _reads_as_text(text: str) -> bool:
    return text not in {"", "true", "false", "null"} and text[0] not in '"{[(-0123456789'
