"""What one subschema says by its own keywords, in the words of its draft.

Sources: JSON Schema 2020-12, Core and Validation; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final, TypeAlias

from catalog.json_schema.dialects import DRAFT_04
from catalog.json_schema.formats import FORMATS
from catalog.json_schema.validation import Subschema
from catalog.json_schema.validation.equality import is_multiple
from catalog.jsontext.reader import JSON

# The kinds of values, none of which overlaps another: `number` is both of the last.
KINDS: Final = frozenset({"array", "boolean", "null", "object", "string", "integer", "fraction"})
NUMBERS: Final = frozenset({"integer", "fraction"})

# Annotations: what they say makes no value valid or invalid.
ANNOTATIONS: Final = (
    "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format",
    "contentEncoding", "contentMediaType",
)  # fmt: skip
_ASKING: Final = frozenset({
    "$dynamicRef", "$recursiveRef", "$ref", "additionalItems", "additionalProperties", "allOf", "anyOf", "const",
    "contains", "dependencies", "dependentRequired", "dependentSchemas", "enum", "exclusiveMaximum",
    "exclusiveMinimum", "format", "if", "items", "maxItems", "maxLength", "maxProperties", "maximum", "minItems",
    "minLength", "minProperties", "minimum", "multipleOf", "not", "oneOf", "pattern", "patternProperties",
    "prefixItems", "properties", "propertyNames", "required", "type", "unevaluatedItems", "unevaluatedProperties",
    "uniqueItems",
})  # fmt: skip

Edge: TypeAlias = tuple[Decimal, bool]  # a bound, and whether it is itself excluded


def annotations_of(place: Subschema) -> Mapping[str, JSON]:
    """What `place` tells people: also beside a `$ref` of the early drafts, where they write it all the same."""
    return place.schema if isinstance(place.schema, dict) else {}


def asks_nothing(place: Subschema) -> bool:
    """Whether every value is valid, as far as is plain to see."""
    return not asked(place)


def _is_idle(place: Subschema, keyword: str, value: JSON) -> bool:
    """Whether a keyword refuses nothing."""
    if keyword == "format":
        return value not in FORMATS
    if keyword in {"minItems", "minLength", "minProperties"}:
        return value == 0
    if keyword in {"properties", "patternProperties", "dependentSchemas"}:
        return isinstance(value, dict) and all(asks_nothing(place.sub(keyword, name)) for name in value)
    if keyword in {"dependencies", "dependentRequired", "required"}:
        return not value
    if keyword in {"exclusiveMaximum", "exclusiveMinimum", "uniqueItems"} and isinstance(value, bool):
        return not value
    if keyword in {"additionalItems", "additionalProperties", "items", "propertyNames"} and not isinstance(value, list):
        return asks_nothing(place.sub(keyword))
    if keyword in {"unevaluatedItems", "unevaluatedProperties"}:
        return asks_nothing(place.sub(keyword))
    if keyword == "if":
        return not place.keywords.keys() & {"then", "else"}
    return False


def asked(place: Subschema) -> frozenset[str]:
    """The keywords of `place` that can refuse a value."""
    if place.schema is False:
        return frozenset({"false"})
    return frozenset(k for k, value in place.keywords.items() if k in _ASKING and not _is_idle(place, k, value))


def members(place: Subschema, keyword: str) -> Mapping[str, JSON]:
    value = place.keywords.get(keyword)
    return value if isinstance(value, dict) else {}


def denied_of(place: Subschema) -> list[Subschema]:
    """What holds where `place` does not: the schema of a `not` that says it all."""
    return [place.sub("not")] if asked(place) == {"not"} else []


def kinds_of(place: Subschema) -> frozenset[str]:
    """The kinds of values that `type` lets through."""
    named = place.keywords.get("type")
    if named is None:
        return KINDS
    names = {str(name) for name in named} if isinstance(named, list) else {str(named)}
    return frozenset(names - {"number"} | NUMBERS if "number" in names else names)


def kind_of(value: JSON) -> str:
    """The kind of a value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | Decimal):
        return "integer" if value == int(value) else "fraction"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"


def choices_of(place: Subschema) -> Iterator[list[JSON]]:
    """The values of `const`, and those of `enum`."""
    keywords = place.keywords
    if "const" in keywords:
        yield [keywords["const"]]
    values = keywords.get("enum")
    if isinstance(values, list):
        yield values


def is_whole(place: Subschema) -> bool:
    """Whether `multipleOf` lets no fraction through."""
    divisor = place.keywords.get("multipleOf")
    return _number(divisor) is not None and is_multiple(divisor, 1)  # type: ignore[arg-type]


def required_of(place: Subschema) -> list[str]:
    names = place.keywords.get("required")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def needs_of(place: Subschema) -> Iterator[tuple[str, str]]:
    """(name, the name that it needs beside it), of `dependentRequired` and `dependencies`."""
    for keyword in ("dependentRequired", "dependencies"):
        for name, needed in members(place, keyword).items():
            if isinstance(needed, list):
                yield from ((name, str(other)) for other in needed)


def edge_of(place: Subschema, *, lowest: bool) -> Edge | None:
    """The lower or the upper bound of numbers."""
    keywords = place.keywords
    name, exclusive = ("minimum", "exclusiveMinimum") if lowest else ("maximum", "exclusiveMaximum")
    bound, beyond = _number(keywords.get(name)), keywords.get(exclusive)
    edges = [] if bound is None else [(bound, place.dialect is DRAFT_04 and beyond is True)]
    if not isinstance(beyond, bool) and (other := _number(beyond)) is not None:
        edges.append((other, True))
    return tightest(edges, lowest=lowest)


def tightest(edges: list[Edge], *, lowest: bool) -> Edge | None:
    if not edges:
        return None
    return max(edges) if lowest else min(edges, key=lambda edge: (edge[0], not edge[1]))


def count_of(place: Subschema, keyword: str) -> int | None:
    """A count that `keyword` says: 3 of `maxItems`."""
    number = _number(place.keywords.get(keyword))
    return None if number is None else int(number)


def _number(value: JSON) -> Decimal | None:
    return Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None
