"""Places where a value is picked from a list: `enum`, `const`, and unions whose every branch is such a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON, Number
from playground.schema_form.values import kind_of, literal


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of a list, with what the schema says of it. `key` is the same for equal values (`canonical`)."""

    value: JSON
    label: str
    key: str
    description: str = ""


def canonical(value: JSON) -> str:
    """A text that two values share when JSON Schema calls them equal (1 and 1.0 are; 1 and true are not)."""
    if isinstance(value, dict):
        parts = (f"{literal(name)}:{canonical(value[name])}" for name in sorted(value))
        return "{" + ",".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ",".join(canonical(item) for item in value) + "]"
    if isinstance(value, Number):
        return str(int(value)) if value == value.to_integral_value() else str(value.normalize())
    return literal(value)


class Choices:
    """Which lists of values subschemas are, remembered for one page."""

    def __init__(self) -> None:
        self._known: dict[object, tuple[Choice, ...] | None] = {}
        self._own: dict[object, tuple[Choice, ...] | None] = {}

    def own(self, place: Subschema) -> tuple[Choice, ...] | None:
        """The values that `place` itself lists; None where it lists none."""
        identity = place.identity
        if identity not in self._own:
            self._own[identity] = self._find_own(place)
        return self._own[identity]

    def _find_own(self, place: Subschema) -> tuple[Choice, ...] | None:
        keywords = place.all_keywords
        if "const" in keywords:
            return (_choice(keywords["const"]),)
        if isinstance(listed := keywords.get("enum"), list):
            return tuple(_choice(value) for value in listed)
        return None

    def of(self, place: Subschema) -> tuple[Choice, ...] | None:
        """The values of one list; None where `place` is none."""
        identity = place.identity
        if identity not in self._known:
            self._known[identity] = None  # a loop lists nothing
            self._known[identity] = self._find(place)
        return self._known[identity]

    def of_union(self, options: Sequence[Subschema]) -> tuple[Choice, ...] | None:
        """The values of all `options`, in order and each once; None unless every option is a list."""
        found: dict[str, Choice] = {}
        for option in options:
            listed = self.of(option)
            if listed is None:
                return None
            for choice in listed if len(listed) > 1 else (_titled(listed[0], option),) if listed else ():
                found.setdefault(choice.key, choice)
        return tuple(found.values())

    def _find(self, place: Subschema) -> tuple[Choice, ...] | None:
        if (listed := self.own(place)) is not None:
            return listed
        if place.all_keywords.get("type") == "null":
            return (_choice(None),)
        for keyword in ("oneOf", "anyOf"):
            if (options := place.listed(keyword)) and (union := self.of_union(options)) is not None:
                return union
        referred = [found for target in place.references() if (found := self.of(target)) is not None]
        return referred[0] if referred else None


def _choice(value: JSON) -> Choice:
    return Choice(value, label_of(value), canonical(value))


def _titled(choice: Choice, option: Subschema) -> Choice:
    """The one choice of a branch, under the branch's title."""
    title, description = (option.all_keywords.get(keyword) for keyword in ("title", "description"))
    return Choice(
        choice.value,
        title if isinstance(title, str) and title else choice.label,
        choice.key,
        description if isinstance(description, str) else choice.description,
    )


def label_of(value: JSON) -> str:
    """A value as a line of a list: texts as they are, unless they could be mistaken for another value."""
    if isinstance(value, str) and value.strip() == value and _reads_as_text(value):
        return value
    text = literal(value)
    return text if len(text) <= 120 else text[:119] + "…"


def _reads_as_text(text: str) -> bool:
    return text not in {"", "true", "false", "null"} and text[0] not in '"{[(-0123456789'


def is_single(value: JSON) -> bool:
    """Whether a value has no parts."""
    return kind_of(value) not in {"object", "array"}
