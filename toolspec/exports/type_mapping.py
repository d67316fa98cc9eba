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
from toolspec.text.containers import items_of
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
        strict: whether every object is closed and requires all of its members; optional ones may be
            null.
        nullable: whether `nullable: true` is used instead of the type null, and `type` is a single
            name.
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

    def anything(self) -> Schema:
        """A schema for any scalar value or null."""
        if self.nullable:
            return self.or_null({"anyOf": [{"type": name} for name in SCALARS]})
        return {"type": [*SCALARS, "null"]}

    def or_null(self, schema: Schema) -> Schema:
        """`schema` or null."""
        if not self.nullable:
            return _or_null(schema)
        if "anyOf" in schema and self.lone_unions:
            branches = []
            for branch in items_of(schema["anyOf"]):
                if isinstance(branch, dict):
                    branches.append(self.or_null(branch))
            return {**schema, "anyOf": [*branches]}
        return {**schema, "nullable": True}


# Null


def _or_null(schema: Schema) -> Schema:
    """`schema` or null, with a list of types or `anyOf`."""
    branches = schema.get("anyOf")
    if isinstance(branches, list):
        if {"type": "null"} in branches:
            return schema
        return {**schema, "anyOf": [*branches, {"type": "null"}]}
    if "$ref" in schema:
        return {"anyOf": [schema, {"type": "null"}]}
    names = type_names(schema.get("type"))
    if "null" in names:
        return schema
    out: Schema = {**schema, "type": [*names, "null"]}
    choices = out.get("enum")
    if "const" in out:
        out["enum"] = [out.pop("const"), None]
    elif isinstance(choices, list) and None not in choices:
        out["enum"] = [*choices, None]
    return out


def is_null(schema: JSON) -> bool:
    """Whether only null matches `schema`."""
    if not isinstance(schema, dict):
        return False
    if schema.get("type") == "null" or schema.get("enum") == [None]:
        return True
    return "const" in schema and schema["const"] is None


# Types

# The keywords of `KEYWORDS_OF_TYPES` that give an exported schema a type. The others are dropped
# from an export, and a type would then exclude values without need; `format` does not count,
# because OpenAPI uses it for numbers too.
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
    choices = members.get("enum")
    if "const" in members:
        choices = [members["const"]]
    if isinstance(choices, list):
        return _types_of_choices(choices, declared) or declared
    if declared:
        return declared
    for name, keywords in _DESCRIPTIVE.items():
        if not members.keys().isdisjoint(keywords):
            return [name]
    return []


def _types_of_choices(choices: list[JSON], declared: list[str]) -> list[str]:
    """The types of `choices`, as far as they are among the `declared` ones, if any."""
    types: list[str] = []
    for value in choices:
        names = types_of_value(value)
        if declared:
            names = tuple(name for name in names if name in declared)
        if names and names[0] not in types:
            types.append(names[0])
    return types


def types_of_value(value: JSON) -> tuple[str, ...]:
    """The types that allow `value`, the narrowest first."""
    return ("integer", "number") if is_integer(value) else (json_type(value),)
