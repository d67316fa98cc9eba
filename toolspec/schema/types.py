"""The types of JSON values, and the keywords that constrain values of one type only.

Source: JSON Schema 2020-12 Core, sections 4.2.1 and 10.3; Validation, section 6; earlier drafts for
`dependencies` and `additionalItems`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from toolspec.text.containers import strings_of
from toolspec.text.reader import JSON

JSONType: TypeAlias = Literal["object", "array", "string", "number", "boolean", "null"]

# They say nothing about values of other types, but usually mean that the value has this one.
KEYWORDS_OF_TYPES: Final[Mapping[JSONType, frozenset[str]]] = {
    "object": frozenset({
        "properties", "required", "additionalProperties", "patternProperties", "propertyNames",
        "minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
        "unevaluatedProperties",
    }),
    "array": frozenset({
        "items", "prefixItems", "contains", "minItems", "maxItems", "uniqueItems",
        "additionalItems", "unevaluatedItems", "minContains", "maxContains",
    }),
    "string": frozenset({
        "minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType",
    }),
    "number": frozenset({
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    }),
}  # fmt: skip
TYPE_OF_KEYWORD: Final[Mapping[str, JSONType]] = {
    keyword: name for name, keywords in KEYWORDS_OF_TYPES.items() for keyword in keywords
}

_TYPES: Final[Mapping[type, JSONType]] = {
    dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null",
}  # fmt: skip


def json_type(value: object) -> JSONType:
    """The type of a JSON value; integers are numbers (see `validation.equality.is_integer`)."""
    return _TYPES.get(type(value), "number")


def type_names(value: JSON) -> list[str]:
    """The names in the value of `type`; [] if there is none."""
    if isinstance(value, str):
        return [value]
    return strings_of(value)
