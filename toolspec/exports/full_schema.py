"""Schemas for formats that accept nearly all of JSON Schema: mostly unchanged."""

from __future__ import annotations

from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.aliases import alias, rename_in_keyword
from toolspec.exports.format_rules import Rules
from toolspec.exports.object_root import NOT_AN_OBJECT, NotAnObject, object_root
from toolspec.exports.restricted_keywords import (
    LOOKAROUND,
    explain,
    explain_renaming,
    looks_around,
    with_sentences,
)
from toolspec.schema.describe import sentence
from toolspec.schema.dialects import DEFAULT_DIALECT, Dialect, change_subschemas, dialect_of
from toolspec.schema.normalize import Normalized, Schema, account_for_draft, is_outdated, normalize
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
    """(`schema`, which is at `pointer`, as `rules` require it.

    The new names of members, by pointer).

    Raises:
        NotAnObject: it does not allow an object.
    """
    modern = None
    if isinstance(schema, dict) and not rules.reads_drafts and is_outdated(schema):
        modern = normalize(schema, pointer=pointer, report=report)
    if modern is None and isinstance(schema, dict) and _has_object_root(schema, rules):
        document = schema
    else:
        modern = modern or normalize(schema, pointer=pointer, report=report)
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
    if schema.get("type") != "object" or "$ref" in schema:
        return False
    return rules.barred.isdisjoint(schema)


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
    aliases: dict[str, str] = {}
    renamed: dict[str, str] = {}
    for name in properties:
        if not rule.allows(name):
            new = aliases[name] = alias(name, rule)
            place = pointer_join(pointer, "properties", name)
            renamed[place] = new
            report.rewritten(place, explain_renaming(name, new, rules.label, rule))
    out = {keyword: rename_in_keyword(keyword, value, aliases) for keyword, value in schema.items()}
    for keyword in _BY_NAME & out.keys():
        del out[keyword]
        report.dropped(pointer_join(pointer, keyword), "It refers to properties that were renamed.")
    return out, renamed


def _object_members(schema: Schema, pointer: str, report: Report) -> Schema:
    members = dict(members_of(schema.get("properties")))
    flags = [name for name, member in members.items() if isinstance(member, bool)]
    if not flags:
        return schema
    for name in flags:
        members[name] = {} if members[name] else {"not": {}}
        reason = "A property's schema must be an object, not true or false."
        report.rewritten(pointer_join(pointer, "properties", name), reason)
    return {**schema, "properties": members}


def _repair_everywhere(
    schema: Schema, dialect: Dialect, rules: Rules, pointer: str, report: Report
) -> Schema:
    """`schema` with `items` in every array, and without lookaround in patterns, as `rules` require.

    Subschemas that need no repair are not copied.
    """

    def repair(path: Path, inner: JSON) -> JSON:
        if not isinstance(inner, dict):
            return inner
        return _repair_everywhere(inner, dialect, rules, pointer_join(pointer, *path), report)

    out = change_subschemas(schema, dialect, repair)
    is_array = "array" in type_names(schema.get("type"))
    if rules.needs_items and is_array and not schema.keys() & {"items", "prefixItems"}:
        reason = "Every array must have `items`; one that allows any value was added."
        report.rewritten(pointer, reason)
        out = {**out, "items": {}}
    if rules.lookaround:
        return out
    return _without_lookaround(out, rules.label, pointer, report)


def _without_lookaround(schema: Schema, label: str, pointer: str, report: Report) -> Schema:
    """`schema` without its own patterns that look ahead or behind.

    The description explains its `pattern` instead.
    """
    out = schema
    pattern = schema.get("pattern")
    if looks_around(pattern):
        out = {keyword: value for keyword, value in schema.items() if keyword != "pattern"}
        place = pointer_join(pointer, "pattern")
        sentences = explain(sentence("pattern", pattern), LOOKAROUND, label, place, report)
        if sentences:
            out["description"] = with_sentences(schema.get("description"), sentences)
    for name in members_of(schema.get("patternProperties")):
        if has_lookaround(name):
            out = _without_pattern_properties(out, name)
            place = pointer_join(pointer, "patternProperties", name)
            report.dropped(place, f"{label} supports no lookaround.")
    return out


def _without_pattern_properties(schema: Schema, pattern: str) -> Schema:
    """`schema` without the properties of `pattern`, and without rules that now exclude them."""
    out = {keyword: value for keyword, value in schema.items() if keyword not in CLOSING}
    patterns = dict(members_of(schema["patternProperties"]))
    del patterns[pattern]
    return {**out, "patternProperties": patterns}
