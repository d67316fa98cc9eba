"""What a JSON Schema says of one value beside its type and its parts, in words: "1 to 50 characters".

Nothing here knows Django.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from catalog.jsontext.reader import JSON, dumps

Schema = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Fact:
    """One line under a property. What `value` is, `kind` says.

    "value" a JSON value, "values" a list of them, "code" a text in code's face, "text" words.
    """

    label: str
    kind: Literal["value", "values", "code", "text"]
    value: JSON


@dataclass(slots=True)
class Layer:
    """One of the schemas that hold for a value; `skip` are its keywords that are told elsewhere."""

    schema: Schema
    pointer: str
    skip: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Summary:
    """What the layers say together: of texts the outermost, of flags any."""

    layers: list[Layer]

    def text(self, keyword: str) -> str:
        return next((text for text in self.all(keyword) if isinstance(text, str) and text.strip()), "")

    def flag(self, keyword: str) -> bool:
        return any(value is True for value in self.all(keyword))

    def all(self, keyword: str) -> Iterator[JSON]:
        return (layer.schema[keyword] for layer in self.layers if keyword in layer.schema and keyword not in layer.skip)

    def first(self, keyword: str) -> JSON:
        """The outermost value; None where there is none (and where it is null, which no bound is)."""
        return next(self.all(keyword), None)


def facts_of(said: Summary) -> Iterator[Fact]:
    """What is said of a value beside its type, its text and its parts."""
    for writer in _FACTS:
        yield from writer(said)


def _values(said: Summary) -> Iterator[Fact]:
    if any(True for _ in said.all("const")):
        yield Fact("Always", "value", said.first("const"))
    choices = said.first("enum")
    if isinstance(choices, list):
        yield Fact("One of", "values", choices)
    if any(True for _ in said.all("default")):
        yield Fact("Default", "value", said.first("default"))


def _numbers(said: Summary) -> Iterator[Fact]:
    low, high = said.first("minimum"), said.first("maximum")
    above, below = said.first("exclusiveMinimum"), said.first("exclusiveMaximum")
    if above is True:  # draft-04
        low, above = None, low
    if below is True:
        high, below = None, high
    words = []
    if _is_number(low) and _is_number(high):
        words.append(f"{dumps(low)} to {dumps(high)}")
    else:
        words += [f"at least {dumps(low)}"] if _is_number(low) else []
        words += [f"at most {dumps(high)}"] if _is_number(high) else []
    words += [f"more than {dumps(above)}"] if _is_number(above) else []
    words += [f"less than {dumps(below)}"] if _is_number(below) else []
    if _is_number(step := said.first("multipleOf")):
        words.append(f"a multiple of {dumps(step)}")
    if words:
        yield Fact("Range", "text", ", ".join(words))


def _texts(said: Summary) -> Iterator[Fact]:
    if words := _between(said.first("minLength"), said.first("maxLength"), "character"):
        yield Fact("Length", "text", words)
    for pattern in said.all("pattern"):
        if isinstance(pattern, str):
            yield Fact("Pattern", "code", pattern)
    if name := said.text("format"):
        yield Fact("Format", "text", FORMATS.get(name, name))
    for keyword, label in (("contentMediaType", "Holds"), ("contentEncoding", "Encoded as")):
        if text := said.text(keyword):
            yield Fact(label, "code", text)


def _arrays(said: Summary) -> Iterator[Fact]:
    words = [_between(said.first("minItems"), said.first("maxItems"), "item")]
    if said.flag("uniqueItems"):
        words.append("none twice")
    if any(words):
        yield Fact("Items", "text", ", ".join(word for word in words if word))
    if any(False is value for key in ("items", "additionalItems", "unevaluatedItems") for value in said.all(key)):
        yield Fact("Further items", "text", "not allowed")


def _objects(said: Summary) -> Iterator[Fact]:
    if words := _between(said.first("minProperties"), said.first("maxProperties"), "member"):
        yield Fact("Size", "text", words)
    if any(False is value for key in ("additionalProperties", "unevaluatedProperties") for value in said.all(key)):
        yield Fact("Other members", "text", "not allowed")
    names = said.first("propertyNames")
    if isinstance(names, dict):
        for fact in facts_of(Summary([Layer(names, "")])):
            yield Fact(f"Names: {fact.label.lower()}", fact.kind, fact.value)
    together = said.first("dependentRequired")
    for name, others in together.items() if isinstance(together, dict) else ():
        yield Fact("Together", "text", f"{name} needs {_listed(list(strings_in(others)), 'and')}")
    for keyword, label in (("oneOf", "Exactly one of"), ("anyOf", "At least one of")):
        for branches in said.all(keyword):
            if isinstance(branches, list) and only_requirements(branches):
                sets = [
                    _listed(list(strings_in(branch["required"])), "and")
                    for branch in branches
                    if isinstance(branch, dict)
                ]
                yield Fact(label, "text", _listed(sets, "or"))


def _samples(said: Summary) -> Iterator[Fact]:
    examples = said.first("examples")
    if isinstance(examples, list) and examples:
        yield Fact("Examples" if len(examples) > 1 else "Example", "values", examples)
    elif any(True for _ in said.all("example")):
        yield Fact("Example", "value", said.first("example"))


_FACTS: tuple[Callable[[Summary], Iterator[Fact]], ...] = (_values, _numbers, _texts, _arrays, _objects, _samples)

FORMATS: Mapping[str, str] = {
    "date-time": "date and time (RFC 3339)",
    "date": "date (RFC 3339)",
    "time": "time (RFC 3339)",
    "duration": "duration (ISO 8601)",
    "email": "email address",
    "hostname": "host name",
    "ipv4": "IPv4 address",
    "ipv6": "IPv6 address",
    "uri": "URI",
    "uri-reference": "URI or relative reference",
    "uuid": "UUID",
    "json-pointer": "JSON Pointer",
    "regex": "regular expression",
}


def _between(low: JSON, high: JSON, noun: str) -> str:
    """A bound as "2 to 5 items", "at least 1 item" or "exactly 3 items"; "" where there is none."""
    if not _is_number(low) and not _is_number(high):
        return ""
    if _is_number(low) and _is_number(high):
        bound = f"exactly {dumps(low)}" if low == high else f"{dumps(low)} to {dumps(high)}"
        return f"{bound} {_counted(noun, high)}"
    if _is_number(low):
        return "" if low == 0 else f"at least {dumps(low)} {_counted(noun, low)}"
    return f"at most {dumps(high)} {_counted(noun, high)}"


def _counted(noun: str, number: JSON) -> str:
    return noun if number == 1 else noun + "s"


def _is_number(value: JSON) -> bool:
    return not isinstance(value, bool | str | list | dict) and value is not None


def _listed(words: list[str], conjunction: str) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}" if words else "nothing"


def only_requirements(listed: list[JSON]) -> bool:
    """Whether the branches say nothing but which members must be there; that is told as a fact."""
    return bool(listed) and all(isinstance(branch, dict) and set(branch) == {"required"} for branch in listed)


def strings_in(value: JSON) -> Iterator[str]:
    return (item for item in value if isinstance(item, str)) if isinstance(value, list) else iter(())
