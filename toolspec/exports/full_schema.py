"""Schemas for formats that accept nearly all of JSON Schema: unchanged unless they break one of a few rules."""

from __future__ import annotations

from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.aliases import alias, renamed_keyword
from toolspec.exports.format_rules import Rules
from toolspec.exports.object_root import NOT_AN_OBJECT, NotAnObject, object_root
from toolspec.exports.restricted_schema import (
    LOOKAROUND,
    explain,
    looks_around,
    renaming,
    with_sentences,
)
from toolspec.schema.describe import sentence
from toolspec.schema.dialects import DEFAULT_DIALECT, Dialect, dialect_of, with_subschemas
from toolspec.schema.normalize import Normalized, Schema, account_for_draft, is_outdated, normalized
from toolspec.schema.patterns import has_lookaround
from toolspec.schema.types import type_names
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

Path = tuple[str | int, ...]

# Keywords whose subschemas refer to members by name.
_BY_NAME: Final = frozenset(
    {"if", "then", "else", "not", "dependentSchemas", "patternProperties", "propertyNames"}
)
CLOSING: Final = frozenset({"additionalProperties", "unevaluatedProperties"})
NOTHING: Schema = {"type": "object", "properties": {}}


def whole_object(
    schema: JSON, pointer: str, rules: Rules, report: Report
) -> tuple[Schema, dict[str, str]]:
    """`schema`, which is at `pointer`, as `rules` require it, and the new names of renamed members by pointer.

    Raises:
        NotAnObject: it does not allow an object.
    """
    modern = None
    if isinstance(schema, dict) and not rules.reads_drafts and is_outdated(schema):
        modern = normalized(schema, pointer=pointer, report=report)
    if modern is None and isinstance(schema, dict) and _has_object_root(schema, rules):
        document = schema
    else:
        modern = modern or normalized(schema, pointer=pointer, report=report)
        document = _with_object_root(modern, pointer, rules, report)
        account_for_draft(schema, pointer, report)
    if "properties" not in document:
        document = {**document, "properties": {}}
    if rules.object_members:
        document = _object_members(document, pointer, report)
    dialect = dialect_of(document, DEFAULT_DIALECT) or DEFAULT_DIALECT
    if rules.needs_items or not rules.lookaround:
        document = _repair_everywhere(document, dialect, rules, pointer, report)
    return _legal_members(document, pointer, rules, report)


def _has_object_root(schema: Schema, rules: Rules) -> bool:
    return (
        schema.get("type") == "object" and "$ref" not in schema and rules.barred.isdisjoint(schema)
    )


def _with_object_root(modern: Normalized, pointer: str, rules: Rules, report: Report) -> Schema:
    if not isinstance(modern.root, dict) or not _has_object_root(modern.root, rules):
        modern.root = object_root(modern, pointer=pointer, report=report)
    document = modern.together()
    if not isinstance(document, dict):
        raise NotAnObject(NOT_AN_OBJECT)
    return document


def _legal_members(
    schema: Schema, pointer: str, rules: Rules, report: Report
) -> tuple[Schema, dict[str, str]]:
    rule, properties = rules.members, schema.get("properties")
    if rule is None or not isinstance(properties, dict) or all(map(rule.allows, properties)):
        return schema, {}
    aliases = {name: alias(name, rule) for name in properties}
    renamed = {
        pointer_join(pointer, "properties", name): new
        for name, new in aliases.items()
        if new != name
    }
    for name, new in aliases.items():
        if new != name:
            report.rewritten(
                pointer_join(pointer, "properties", name), renaming(name, new, rules.label, rule)
            )
    out = {keyword: renamed_keyword(keyword, value, aliases) for keyword, value in schema.items()}
    for keyword in _BY_NAME & out.keys():
        del out[keyword]
        report.dropped(pointer_join(pointer, keyword), "It refers to properties that were renamed.")
    return out, renamed


def _object_members(schema: Schema, pointer: str, report: Report) -> Schema:
    properties = schema.get("properties")
    if not isinstance(properties, dict) or not any(
        isinstance(member, bool) for member in properties.values()
    ):
        return schema
    members = dict(properties)
    for name, member in properties.items():
        if isinstance(member, bool):
            members[name] = {} if member else {"not": {}}
            reason = "A property's schema must be an object, not true or false."
            report.rewritten(pointer_join(pointer, "properties", name), reason)
    return {**schema, "properties": members}


def _repair_everywhere(
    schema: Schema, dialect: Dialect, rules: Rules, pointer: str, report: Report
) -> Schema:
    """`schema` with `items` in every array, and without patterns that look ahead or behind, as `rules` require.

    Subschemas that need no repair are not copied.
    """

    def repair(path: Path, inner: JSON) -> JSON:
        if not isinstance(inner, dict):
            return inner
        return _repair_everywhere(inner, dialect, rules, pointer_join(pointer, *path), report)

    out = with_subschemas(schema, dialect, repair)
    is_array = "array" in type_names(schema.get("type"))
    if rules.needs_items and is_array and not schema.keys() & {"items", "prefixItems"}:
        report.rewritten(
            pointer, "Every array must have `items`; one that allows any value was added."
        )
        out = {**out, "items": {}}
    return out if rules.lookaround else _without_lookaround(out, rules.label, pointer, report)


def _without_lookaround(schema: Schema, label: str, pointer: str, report: Report) -> Schema:
    """`schema` without its own patterns that look ahead or behind; the description explains its `pattern` instead."""
    out = schema
    if looks_around(pattern := schema.get("pattern")):
        out = {keyword: value for keyword, value in schema.items() if keyword != "pattern"}
        at, words = pointer_join(pointer, "pattern"), sentence("pattern", pattern)
        if explained := explain(words, LOOKAROUND, label, at, report):
            out["description"] = with_sentences(schema.get("description"), explained)
    for pattern in members_of(schema.get("patternProperties")):
        if has_lookaround(pattern):
            out = _without_pattern_properties(out, pattern)
            report.dropped(
                pointer_join(pointer, "patternProperties", pattern),
                f"{label} supports no lookaround.",
            )
    return out


def _without_pattern_properties(schema: Schema, pattern: str) -> Schema:
    """`schema` without the properties of `pattern`, and without a rule that would now exclude them."""
    out = {keyword: value for keyword, value in schema.items() if keyword not in CLOSING}
    patterns = members_of(schema["patternProperties"])
    return {
        **out,
        "patternProperties": {
            other: member for other, member in patterns.items() if other != pattern
        },
    }
