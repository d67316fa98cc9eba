"""The constraints that one subschema makes with its own keywords, as its draft defines them.

Sources: JSON Schema 2020-12, Core and Validation; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final, TypeAlias

from toolspec.schema.dialects import Dialect
from toolspec.schema.formats import FORMATS
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.equality import is_integer, is_multiple
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

# The types of values, without overlap: the type "number" is the last two.
TYPES: Final = frozenset({"array", "boolean", "null", "object", "string", "integer", "fraction"})
NUMBERS: Final = frozenset({"integer", "fraction"})

# Annotations: they make no value valid or invalid.
ANNOTATIONS: Final = (
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format",
    "contentEncoding", "contentMediaType",
)  # fmt: skip
_ASSERTING: Final = frozenset({
    "$dynamicRef", "$recursiveRef", "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "const",
    "contains", "dependencies", "dependentRequired", "dependentSchemas", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "if", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties",
    "prefixItems", "properties", "propertyNames", "required", "type", "unevaluatedItems", "unevaluatedProperties",
    "uniqueItems",
})  # fmt: skip

_NAMING: Final = frozenset({
    "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary",
})  # fmt: skip

# Their schema is for all members, items or names that no other keyword is about.
_OF_OTHERS: Final = frozenset({
    "additionalItems", "additionalProperties", "items", "propertyNames", "unevaluatedItems", "unevaluatedProperties",
})  # fmt: skip

MAX_DIGITS: Final = 100  # of a bound that is rounded

Edge: TypeAlias = tuple[Decimal, bool]  # a bound, and whether it is exclusive


def annotations_of(subschema: Subschema) -> Mapping[str, JSON]:
    """The annotations of `subschema`, even beside a `$ref` of the early drafts, because real schemas put them there."""
    return members_of(subschema.schema)


def is_annotation(keyword: str, value: JSON, dialect: Dialect) -> bool:
    """Whether `keyword` describes: it decides about no value, holds no subschema, and names nothing."""
    if keyword == "format":
        return value not in FORMATS
    is_name = keyword in _NAMING or keyword == dialect.id_keyword
    return keyword not in _ASSERTING and keyword not in dialect.holds and not is_name


def _is_idle(subschema: Subschema, keyword: str, value: JSON) -> bool:
    """Whether a keyword with this value refuses nothing."""
    if keyword == "format":
        return value not in FORMATS
    if keyword in {"minItems", "minLength", "minProperties"}:
        return value == 0
    if keyword in {"properties", "patternProperties", "dependentSchemas"}:
        return isinstance(value, dict) and all(
            not assertions_of(subschema.sub(keyword, name)) for name in value
        )
    if keyword in {"dependencies", "dependentRequired", "required"}:
        return not value
    if keyword in {"exclusiveMaximum", "exclusiveMinimum", "uniqueItems"} and isinstance(
        value, bool
    ):
        return not value
    if keyword in _OF_OTHERS and not isinstance(value, list):
        return not assertions_of(subschema.sub(keyword))
    if keyword == "type":
        return types_of(subschema) == TYPES
    if keyword == "if":
        return not subschema.keywords.keys() & {"then", "else"}
    return False


def assertions_of(subschema: Subschema) -> frozenset[str]:
    """The keywords of `subschema` that can refuse a value."""
    if subschema.schema is False:
        return frozenset({"false"})
    return frozenset(
        k
        for k, value in subschema.keywords.items()
        if k in _ASSERTING and not _is_idle(subschema, k, value)
    )


def types_of(subschema: Subschema) -> frozenset[str]:
    """The types that the keyword `type` allows."""
    if "type" not in subschema.keywords:
        return TYPES
    names = frozenset(type_names(subschema.keywords["type"]))
    return names - {"number"} | NUMBERS if "number" in names else names


def type_of(value: JSON) -> str:
    """The type of a value; a number is an "integer" or a "fraction"."""
    name = json_type(value)
    if name == "number":
        return "integer" if is_integer(value) else "fraction"
    return name


def choices_of(subschema: Subschema) -> Iterator[list[JSON]]:
    """The values of `const`, and those of `enum`."""
    keywords = subschema.keywords
    if "const" in keywords:
        yield [keywords["const"]]
    values = keywords.get("enum")
    if isinstance(values, list):
        yield values


def is_whole(subschema: Subschema) -> bool:
    """Whether `multipleOf` excludes fractions."""
    divisor = subschema.keywords.get("multipleOf")
    return _number(divisor) is not None and is_multiple(divisor, 1)  # type: ignore[arg-type]


def integer_edge(edge: Edge, *, lowest: bool) -> Edge:
    """The nearest integer within the bound."""
    bound, is_exclusive = edge
    if abs(bound.adjusted()) > MAX_DIGITS:
        return edge
    near = bound.to_integral_value(ROUND_CEILING if lowest else ROUND_FLOOR)
    if is_exclusive and near == bound:
        near = Decimal(int(near) + (1 if lowest else -1))
    return near, False


def is_as_tight(edge: Edge | None, other: Edge | None, *, lowest: bool) -> bool:
    """Whether all numbers within `edge` are within `other`."""
    if other is None or edge is None:
        return other is None
    if edge[0] == other[0]:
        return edge[1] or not other[1]
    return edge[0] > other[0] if lowest else edge[0] < other[0]


def contains_limits(subschema: Subschema) -> tuple[int, int | None]:
    """The least and greatest number of items that match `contains`."""
    if "minContains" not in subschema.dialect.keywords:
        return 1, None
    fewest = count_of(subschema, "minContains")
    return 1 if fewest is None else fewest, count_of(subschema, "maxContains")


def count_of(subschema: Subschema, keyword: str) -> int | None:
    """The value of `keyword` as a count: 3 of `maxItems`."""
    number = _number(subschema.keywords.get(keyword))
    return None if number is None else int(number)


def _number(value: JSON) -> Decimal | None:
    return (
        Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
    )
