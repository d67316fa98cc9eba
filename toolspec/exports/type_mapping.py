"""The subset of JSON Schema that a provider supports, and the types that a schema allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from toolspec.exports.aliases import NameRule
from toolspec.exports.merge_all_of import Flat
from toolspec.schema.normalize import Schema
from toolspec.schema.types import json_type, type_names
from toolspec.schema.validation.equality import is_integer
from toolspec.text.reader import JSON

SCALARS: Final = ("string", "number", "boolean")


@dataclass(frozen=True, slots=True)
class Subset:
    """The subset of JSON Schema that a provider supports.

    Attributes:
        label: the provider, in messages.
        keywords: by type; every subset also has type, enum, properties, required, items and anyOf.
        formats: by type, the values of `format`.
        annotations: besides `description`.
        references: whether `$ref` into `$defs` is supported; else references are written out.
        strict: whether every object is closed and requires all of its members; optional ones may be null.
        nullable: whether `nullable: true` is used instead of the type null, and `type` is a single name.
        lone_unions: whether `anyOf` must be the only keyword of its schema.
        string_enums: whether `enum` may have only strings, and none that is empty.
        members: legal names of members; None if all are.
        lookaround: whether a `pattern` may look ahead or behind.
        drafts: whether `$schema` may remain in a schema that means the same in 2020-12.
    """

    label: str
    keywords: Mapping[str, frozenset[str]]
    formats: Mapping[str, frozenset[str]]
    annotations: frozenset[str]
    references: bool = False
    strict: bool = False
    nullable: bool = False
    lone_unions: bool = False
    string_enums: bool = False
    members: NameRule | None = None
    lookaround: bool = True
    drafts: bool = False


# Null


def or_null(schema: Schema) -> Schema:
    """`schema` or null, with a list of types or `anyOf`."""
    if "anyOf" in schema and isinstance(branches := schema["anyOf"], list):
        return (
            schema
            if {"type": "null"} in branches
            else {**schema, "anyOf": [*branches, {"type": "null"}]}
        )
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    names = type_names(schema.get("type"))
    if "null" in names:
        return schema
    out: Schema = {**schema, "type": [*names, "null"]}
    if "const" in out:
        out["enum"] = [out.pop("const"), None]
    elif isinstance(choices := out.get("enum"), list) and None not in choices:
        out["enum"] = [*choices, None]
    return out


def is_null(schema: JSON) -> bool:
    if not isinstance(schema, dict):
        return False
    return (
        schema.get("type") == "null"
        or schema.get("enum") == [None]
        or ("const" in schema and schema["const"] is None)
    )


# Types

# The keywords of `KEYWORDS_OF_TYPES` that give an exported schema a type. The others are dropped from an export, and a
# type would then exclude values without need; `format` does not count, because OpenAPI uses it for numbers too.
_DESCRIPTIVE: Final[Mapping[str, tuple[str, ...]]] = {
    "object": ("properties", "required", "additionalProperties", "minProperties", "maxProperties"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("pattern", "minLength", "maxLength", "contentEncoding", "contentMediaType"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


def types_of(flat: Flat) -> list[str]:
    """The declared types, else those that the keywords constrain; [] if any value is allowed."""
    members = flat.members
    declared = type_names(members.get("type"))
    choices = members["enum"] if isinstance(members.get("enum"), list) else None
    if "const" in members:
        choices = [members["const"]]
    if isinstance(choices, list):
        found: list[str] = []
        for value in choices:
            of_value = types_of_value(value)
            name = next((name for name in of_value if name in declared), of_value[0])
            if name not in found and (not declared or name in declared):
                found.append(name)
        return found or declared
    if declared:
        return declared
    return [
        name
        for name, keywords in _DESCRIPTIVE.items()
        if any(keyword in members for keyword in keywords)
    ][:1]


def types_of_value(value: JSON) -> tuple[str, ...]:
    """The types that allow `value`, the narrowest first."""
    return ("integer", "number") if is_integer(value) else (json_type(value),)
