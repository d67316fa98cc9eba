"""The alternatives of a union as a reader names them, and the properties that all of them share.

A variant is named by its title, by the definition that it refers to, by the constant that tells it from the others, or
by a required property that no other variant has: `{emoji}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from toolspec.schema.documentation_layers import Layers, Schema, definition_name
from toolspec.schema.summary import Summary
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Union:
    """Alternatives in their order.

    Attributes:
        names: one for each; "" for an alternative that only its number can name.
        discriminator: the property whose constant is different in each alternative, or "".
        constants: the value of the discriminator in each alternative; () without one.
        shared: (schema, required) of each property that is the same in all alternatives.
    """

    names: tuple[str, ...]
    discriminator: str = ""
    constants: tuple[str, ...] = ()
    shared: Mapping[str, tuple[JSON, bool]] = field(default_factory=dict)


def union_of(alternatives: Sequence[JSON], layers: Layers) -> Union:
    """How to name and shorten `alternatives`, the schemas of a `oneOf` or `anyOf`."""
    properties = [_properties(one, layers) for one in alternatives]
    discriminator, constants = _discriminator(properties)
    names = [_declared_name(one) for one in alternatives]
    if len(set(names)) < len(names):  # equal titles tell nothing
        names = [name if names.count(name) == 1 else "" for name in names]
    uses = Counter(name for each in properties for name in each)
    named = tuple(
        name or (constants[index] if constants else _own_property(properties[index], uses))
        for index, name in enumerate(names)
    )
    return Union(named, discriminator, constants, _shared(properties))


_Properties = dict[str, tuple[JSON, bool]]


def _declared_name(schema: JSON) -> str:
    """The title, or the name of the definition."""
    if not isinstance(schema, dict):
        return ""
    title = schema.get("title")
    return (
        title.strip()[:MAX_NAME]
        if isinstance(title, str) and title.strip()
        else definition_name(schema)[:MAX_NAME]
    )


def _properties(schema: JSON, layers: Layers) -> _Properties:
    """(schema, required) of each property of an alternative: its own, and those of the definition that it names."""
    if not isinstance(schema, dict):
        return {}
    found: dict[str, JSON] = {}
    summary = Summary([layer.schema for layer in layers.of(schema)[0]])
    for members in summary.all("properties"):
        for name, child in members_of(members).items():
            found.setdefault(name, child)
    required = summary.required()
    return {name: (child, name in required) for name, child in found.items()}


def _discriminator(properties: Sequence[_Properties]) -> tuple[str, tuple[str, ...]]:
    if len(properties) < 2:
        return "", ()
    for name in properties[0]:
        constants = [_constant(each[name][0]) if name in each else None for each in properties]
        values = [each for each in constants if each is not None]
        if len(values) == len(set(values)) == len(properties):
            return name, tuple(values)
    return "", ()


def _constant(schema: JSON) -> str | None:
    """The only text that a schema accepts."""
    if not isinstance(schema, dict):
        return None
    values = schema.get("enum")
    value = values[0] if isinstance(values, list) and len(values) == 1 else schema.get("const")
    return value[:MAX_NAME] if isinstance(value, str) and value else None


def _own_property(properties: _Properties, uses: Counter[str]) -> str:
    """The first required property that no other alternative uses, in braces; "" if there is none."""
    own = (name for name, (_, required) in properties.items() if required and uses[name] == 1)
    name = next(own, "")
    return f"{{{name}}}" if 0 < len(name) <= MAX_NAME else ""


def _shared(properties: Sequence[_Properties]) -> _Properties:
    if len(properties) < 2:
        return {}
    first, *others = properties
    return {
        name: one
        for name, one in first.items()
        if all(name in each and each[name] == one for each in others)
    }


def variant_words(schema: Schema, layers: Layers) -> list[str]:
    """The names of the alternatives of a union that declares no type: number, variable, operation, call."""
    for keyword in ("oneOf", "anyOf"):
        alternatives = schema.get(keyword)
        if isinstance(alternatives, list) and alternatives:
            return list(union_of(alternatives, layers).names)
    return []
