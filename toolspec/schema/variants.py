"""The alternatives of a union as a reader names them, and the properties that all of them share.

A variant is named by its title, by the definition that it refers to, by the constant that tells it
from the others, or by a required property that no other variant has: `{emoji}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from toolspec.schema.documentation_layers import Layers, Schema, definition_name
from toolspec.schema.summary import Summary
from toolspec.text.containers import items_of, members_of
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


def describe_union(alternatives: Sequence[JSON], layers: Layers) -> Union:
    """How to name and shorten `alternatives`, the schemas of a `oneOf` or `anyOf`."""
    properties = [_list_properties(alternative, layers) for alternative in alternatives]
    discriminator, constants = _find_discriminator(properties)
    titles = [_find_declared_name(alternative) for alternative in alternatives]
    uses = Counter(chain.from_iterable(properties))
    names = []
    for index, title in enumerate(titles):
        if title and titles.count(title) == 1:  # equal titles tell nothing
            names.append(title)
        elif constants:
            names.append(constants[index])
        else:
            names.append(_find_own_property(properties[index], uses))
    return Union(tuple(names), discriminator, constants, _find_shared(properties))


_Properties = dict[str, tuple[JSON, bool]]


def _find_declared_name(schema: JSON) -> str:
    """The title, or the name of the definition."""
    if not isinstance(schema, dict):
        return ""
    title = schema.get("title")
    if isinstance(title, str) and title.strip():
        return title.strip()[:MAX_NAME]
    return definition_name(schema)[:MAX_NAME]


def _list_properties(schema: JSON, layers: Layers) -> _Properties:
    """(schema, required) of each property of an alternative and of the definition it names."""
    if not isinstance(schema, dict):
        return {}
    properties: _Properties = {}
    summary = Summary([layer.schema for layer in layers.of(schema)[0]])
    required = summary.required()
    for members in summary.all("properties"):
        for name, child in members_of(members).items():
            properties.setdefault(name, (child, name in required))
    return properties


def _find_discriminator(properties: Sequence[_Properties]) -> tuple[str, tuple[str, ...]]:
    if len(properties) < 2:
        return "", ()
    for name in properties[0]:
        constants: list[str] = []
        for alternative in properties:
            schema, _ = alternative.get(name, (None, False))
            constant = _find_constant(schema)
            if constant and constant not in constants:
                constants.append(constant)
        if len(constants) == len(properties):
            return name, tuple(constants)
    return "", ()


def _find_constant(schema: JSON) -> str | None:
    """The only text that a schema accepts."""
    if not isinstance(schema, dict):
        return None
    value = schema.get("const")
    choices = items_of(schema.get("enum"))
    if len(choices) == 1:
        [value] = choices
    if isinstance(value, str) and value:
        return value[:MAX_NAME]
    return None


def _find_own_property(properties: _Properties, uses: Counter[str]) -> str:
    """The first required property that no other alternative uses, in braces, or ""."""
    for name, (_, is_required) in properties.items():
        if is_required and uses[name] == 1:
            if 0 < len(name) <= MAX_NAME:
                return f"{{{name}}}"
            return ""
    return ""


def _find_shared(properties: Sequence[_Properties]) -> _Properties:
    if len(properties) < 2:
        return {}
    shared, *others = properties
    for alternative in others:
        shared = {name: prop for name, prop in shared.items() if alternative.get(name) == prop}
    return shared


def name_variants(schema: Schema, layers: Layers) -> list[str]:
    """The names of the alternatives of a union that declares no type: number, variable, call."""
    for keyword in ("oneOf", "anyOf"):
        alternatives = schema.get(keyword)
        if isinstance(alternatives, list) and alternatives:
            return list(describe_union(alternatives, layers).names)
    return []
