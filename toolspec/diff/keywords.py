"""The constraints that one subschema makes with its own keywords, as its draft defines them.

Sources: JSON Schema 2020-12, Core and Validation; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from typing import Final, TypeAlias

from toolspec.schema.dialects import Dialect
from toolspec.schema.formats import FORMATS
from toolspec.schema.summary import Summary
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.equality import is_integer, is_multiple
from toolspec.text.containers import members_of
from toolspec.text.numbers import is_number
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
    "$dynamicRef", "$recursiveRef", "$ref", "additionalItems", "additionalProperties", "allOf",
    "anyOf", "const", "contains", "dependencies", "dependentRequired", "dependentSchemas", "enum",
    "exclusiveMaximum", "exclusiveMinimum", "format", "if", "items", "maxItems", "maxLength",
    "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf",
    "not", "oneOf", "pattern", "patternProperties", "prefixItems", "properties", "propertyNames",
    "required", "type", "unevaluatedItems", "unevaluatedProperties", "uniqueItems",
})  # fmt: skip

_NAMING: Final = frozenset({
    "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$schema", "$vocabulary",
})  # fmt: skip

# Their schema is for all members, items or names that no other keyword is about.
_OF_OTHERS: Final = frozenset({
    "additionalItems", "additionalProperties", "items", "propertyNames", "unevaluatedItems",
    "unevaluatedProperties",
})  # fmt: skip

MAX_DIGITS: Final = 100  # of a bound that is rounded

Edge: TypeAlias = tuple[Decimal, bool]  # a bound, and whether it is exclusive


def annotations_of(subschema: Subschema) -> Mapping[str, JSON]:
    """The annotations of `subschema`, even beside a `$ref` of the early drafts.

    Real schemas put them there.
    """
    return members_of(subschema.schema)


def find_annotations(subschemas: Iterable[Subschema], keyword: str) -> list[JSON]:
    """The values of the annotation `keyword`, the outermost first."""
    return Summary(list(map(annotations_of, subschemas))).all(keyword)


def is_annotation(keyword: str, value: JSON, dialect: Dialect) -> bool:
    """Whether `keyword` only describes: it refuses no value, holds no subschema, names nothing."""
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
        if not isinstance(value, dict):
            return False
        return not any(assertions_of(subschema.sub(keyword, name)) for name in value)
    if keyword in {"dependencies", "dependentRequired", "required"}:
        return not value
    if keyword in {"exclusiveMaximum", "exclusiveMinimum", "uniqueItems"}:
        return value is False
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
    assertions = set()
    for keyword, value in subschema.keywords.items():
        if keyword in _ASSERTING and not _is_idle(subschema, keyword, value):
            assertions.add(keyword)
    return frozenset(assertions)


def types_of(subschema: Subschema) -> frozenset[str]:
    """The types that the keyword `type` allows."""
    if "type" not in subschema.keywords:
        return TYPES
    names = frozenset(type_names(subschema.keywords["type"]))
    if "number" in names:
        return names - {"number"} | NUMBERS
    return names


def type_of(value: JSON) -> str:
    """The type of a value; a number is an "integer" or a "fraction"."""
    name = json_type(value)
    if name != "number":
        return name
    return "integer" if is_integer(value) else "fraction"


def choices_of(subschema: Subschema) -> Iterator[list[JSON]]:
    """The values of `const`, and those of `enum`."""
    keywords = subschema.keywords
    if "const" in keywords:
        yield [keywords["const"]]
    values = keywords.get("enum")
    if isinstance(values, list):
        yield values


def excludes_fractions(subschema: Subschema) -> bool:
    """Whether `multipleOf` excludes fractions."""
    divisor = subschema.keywords.get("multipleOf")
    return is_number(divisor) and is_multiple(divisor, 1)


def integer_edge(edge: Edge, *, lowest: bool) -> Edge:
    """The nearest integer within the bound."""
    bound, is_exclusive = edge
    if abs(bound.adjusted()) > MAX_DIGITS:
        return edge
    rounding, step = (ROUND_CEILING, 1) if lowest else (ROUND_FLOOR, -1)
    nearest = bound.to_integral_value(rounding)
    if is_exclusive and nearest == bound:
        nearest = Decimal(int(nearest) + step)
    return nearest, False


def is_as_tight(edge: Edge | None, other: Edge | None, *, lowest: bool) -> bool:
    """Whether all numbers within `edge` are within `other`."""
    if other is None or edge is None:
        return other is None
    bound, is_exclusive = edge
    other_bound, is_other_exclusive = other
    if bound == other_bound:
        return is_exclusive or not is_other_exclusive
    return (bound > other_bound) is lowest


def contains_limits(subschema: Subschema) -> tuple[int, int | None]:
    """The least and greatest number of items that match `contains`."""
    if "minContains" not in subschema.dialect.keywords:
        return 1, None
    least = count_of(subschema, "minContains")
    if least is None:
        least = 1
    return least, count_of(subschema, "maxContains")


def count_of(subschema: Subschema, keyword: str) -> int | None:
    """The value of `keyword` as a count: 3 of `maxItems`."""
    value = subschema.keywords.get(keyword)
    return int(value) if is_number(value) else None
