"""Schemas for providers that support a subset of JSON Schema: OpenAI's strict mode, Gemini.

Every schema is rebuilt from its normalized form. Unsupported keywords are explained in the
description if a sentence can do so, else dropped; both are reported.
"""

from __future__ import annotations

from itertools import compress
from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.aliases import alias
from toolspec.exports.merge_all_of import Flat, Flattener, TooLarge
from toolspec.exports.restricted_keywords import (
    IRRELEVANT,
    Draft,
    explain_renaming,
    with_sentences,
)
from toolspec.exports.type_mapping import SCALARS, Subset, is_null, types_of, types_of_value
from toolspec.schema.enum_labels import KEYWORDS
from toolspec.schema.normalize import ANNOTATIONS, Normalized, Schema, definition_of
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, MAX_DEPTH, dumps

MAX_WRITTEN: Final = 5_000  # schemas of one export: written out, references may multiply
TOO_DEEP: Final = f"More than {MAX_DEPTH} schemas are nested here; deeper ones accept any value."

_RECURSIVE: Final = (
    "The schema is recursive; it is expanded once, and deeper levels are not described."
)
_UNSUPPORTED: Final = (
    "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties",
    "propertyNames", "unevaluatedProperties", "unevaluatedItems", "contains", "minContains",
    "maxContains", "contentSchema",
)  # fmt: skip
_ANNOTATIONS: Final = ANNOTATIONS - IRRELEVANT


class SubsetWriter:
    """Writes the schemas of one document.

    Attributes:
        renamed: new names of members whose own names are illegal, by pointer into the spec.
    """

    def __init__(self, modern: Normalized, subset: Subset, report: Report) -> None:
        self._modern = modern
        self._subset = subset
        self._report = report
        self._flattener = Flattener(modern, report)
        self._remaining = MAX_WRITTEN
        self._depth = 0  # number of schemas that contain the current one
        self._definitions: dict[str, Schema] = {}
        self._unwritten: list[str] = []  # definitions that a written schema refers to
        self.renamed: dict[str, str] = {}

    def document(self) -> Schema:
        """The root, and the definitions that it needs.

        Raises:
            TooLarge: more than `MAX_WRITTEN` schemas.
        """
        out = self._write(self._modern.root, frozenset({""}))
        while self._unwritten:
            name = self._unwritten.pop()
            self._definitions[name] = self._write(self._modern.definitions[name], frozenset({name}))
        if self._definitions:
            out["$defs"] = dict(self._definitions)
        return out

    # One schema

    def _write(self, schema: JSON, expanded: frozenset[str]) -> Schema:
        self._remaining -= 1
        if self._remaining < 0:
            message = f"With references expanded, there are more than {MAX_WRITTEN:,} schemas."
            raise TooLarge(message)
        if not isinstance(schema, dict):
            return self._subset.anything()
        self._depth += 1
        try:
            return self._write_object(schema, expanded)
        finally:
            self._depth -= 1

    def _write_object(self, schema: Schema, expanded: frozenset[str]) -> Schema:
        name = definition_of(schema.get("$ref"))
        is_reference = self._subset.references and schema.keys() == {"$ref"}
        if name is not None and (is_reference or name in expanded):
            return self._refer(schema, name)
        flat = self._flattener.flat(schema)
        if flat.expanded & expanded:
            return self._cut(flat, _RECURSIVE)
        if self._depth > MAX_DEPTH:
            return self._cut(flat, TOO_DEEP)
        return self._write_flat(flat, expanded | flat.expanded)

    def _refer(self, schema: Schema, name: str) -> Schema:
        """A reference; or, if the provider does not support them, the end of a recursive schema."""
        if not self._subset.references:
            return self._cut(self._flattener.flat(schema), _RECURSIVE)
        pointer = self._modern.origins.of(schema)
        for keyword in schema:
            if keyword != "$ref":
                reason = f"{self._subset.label} allows no keyword beside `$ref`."
                self._report.dropped(pointer_join(pointer, keyword), reason)
        if not name:
            return {"$ref": "#"}
        if name not in self._definitions:
            self._definitions[name] = {}
            self._unwritten.append(name)
        return {"$ref": f"#/$defs/{name}"}

    def _cut(self, flat: Flat, reason: str) -> Schema:
        self._report.dropped(flat.pointer, reason)
        names = _types_but_null(flat.members)
        out: Schema = {"type": names[0] if names else "object"}
        if out["type"] == "array":
            out["items"] = self._subset.anything()
        if out["type"] == "object" and self._subset.strict:
            out |= {"properties": {}, "required": [], "additionalProperties": False}
        if "description" in flat.members:
            out["description"] = flat.members["description"]
        return out

    def _write_flat(self, flat: Flat, expanded: frozenset[str]) -> Schema:
        for keyword in _UNSUPPORTED:
            if keyword in flat.members:
                reason = f"{self._subset.label} does not support `{keyword}`."
                self._report.dropped(flat.pointer_to(keyword), reason)
                del flat.members[keyword]
        for keyword in ("anyOf", "oneOf"):
            branches = flat.members.get(keyword)
            if isinstance(branches, list):
                return self._write_union(flat, keyword, branches, expanded)
        return self._write_typed(flat, expanded)

    # Alternatives

    def _write_union(
        self, flat: Flat, keyword: str, branches: list[JSON], expanded: frozenset[str]
    ) -> Schema:
        subset, pointer = self._subset, flat.pointer_to(keyword)
        del flat.members[keyword]
        others = [branch for branch in branches if not is_null(branch)]
        may_be_null = len(others) < len(branches)
        if all(isinstance(branch, dict) and branch.keys() <= {"required"} for branch in others):
            reason = f"{subset.label} cannot express rules about combinations of properties."
            self._report.dropped(pointer, reason)
            return self._write_flat(flat, expanded)
        if keyword == "oneOf" and len(others) > 1:
            reason = "`oneOf` became `anyOf`: a value may match more than one alternative."
            self._report.rewritten(pointer, reason)
        common = self._common_keywords(flat)
        if common:
            reason = "The keywords beside the alternatives were copied into each of them."
            self._report.rewritten(pointer, reason)
            others = [self._flattener.both(common, branch) for branch in others]
            types = type_names(flat.members.get("type"))
            may_be_null = may_be_null and (not types or "null" in types)
        written = self._write_each(others, expanded)
        if may_be_null and not subset.nullable:
            return self._with_annotations(flat, {"anyOf": [*written, {"type": "null"}]})
        out: Schema = {"anyOf": [*written]}
        if subset.nullable and len(written) == 1:
            out = written[0]
        return self._with_annotations(flat, subset.or_null(out) if may_be_null else out)

    def _write_each(self, schemas: list[JSON], expanded: frozenset[str]) -> list[Schema]:
        """`schemas` as they are written, without duplicates."""
        by_text: dict[str, Schema] = {}
        for schema in schemas:
            written = self._write(schema, expanded)
            by_text.setdefault(dumps(written), written)
        return list(by_text.values())

    def _common_keywords(self, flat: Flat) -> Schema | None:
        """The keywords beside the alternatives, without annotations."""
        common = {key: value for key, value in flat.members.items() if key not in ANNOTATIONS}
        names = _types_but_null(common)
        if "type" in common and names:
            common["type"] = _type_value(names)
        return self._modern.origins.put(common, flat.pointer) if common else None

    def _with_annotations(self, flat: Flat, out: Schema) -> Schema:
        outer = Draft(flat, self._subset, self._report)
        for keyword in flat.members:
            if keyword in _ANNOTATIONS:
                outer.add_keyword(keyword, [])
        own = {keyword: value for keyword, value in out.items() if keyword not in outer.out}
        if outer.sentences and "description" not in outer.out and "description" in own:
            outer.out["description"] = own.pop("description")
        annotations = outer.finish()
        if "anyOf" in own and annotations and self._subset.lone_unions:
            return self._annotate_union(flat, own, annotations)
        return {**own, **annotations}

    def _annotate_union(self, flat: Flat, union: Schema, annotations: Schema) -> Schema:
        """`union` with `annotations` in each of its branches that they fit.

        It is for providers that allow no keyword beside it.
        """
        branches, placed = _annotate_branches(items_of(union["anyOf"]), annotations)
        reason = f"{self._subset.label} allows nothing beside `anyOf`"
        for keyword in annotations:
            pointer = flat.pointer_to(keyword)
            if keyword in placed:
                self._report.rewritten(pointer, f"{reason}; `{keyword}` was moved into it.")
            else:
                self._report.dropped(pointer, f"{reason}, and no alternative can have this value.")
        return {**union, "anyOf": branches}

    # One type, or several

    def _write_typed(self, flat: Flat, expanded: frozenset[str]) -> Schema:
        subset = self._subset
        types = types_of(flat)
        may_be_null = "null" in types
        types = [name for name in types if name != "null"]
        if not types:
            return self._write_without_type(flat, only_null=may_be_null)
        is_combinable = not subset.nullable and {*SCALARS, "integer"}.issuperset(types)
        if len(types) == 1 or (is_combinable and "enum" not in flat.members):
            out = self._write_one(flat, types, expanded)
        else:
            out = self._write_alternatives(flat, types, expanded)
        return subset.or_null(out) if may_be_null else out

    def _write_without_type(self, flat: Flat, *, only_null: bool) -> Schema:
        subset = self._subset
        if only_null and not subset.nullable:
            return self._with_annotations(flat, {"type": "null"})
        if only_null:
            reason = "Only null is allowed; it became a string that may be null."
            out = subset.or_null({"type": "string"})
        else:
            reason = "Any value is allowed; it became a string, a number or a boolean."
            out = subset.anything()
        self._report.rewritten(flat.pointer, reason)
        return self._with_annotations(flat, out)

    def _write_alternatives(self, flat: Flat, types: list[str], expanded: frozenset[str]) -> Schema:
        """One alternative per type."""
        common = {key: value for key, value in flat.members.items() if key not in _ANNOTATIONS}
        branches: list[JSON] = []
        for name in types:
            members = {**common, "type": name}
            choices = members.get("enum")
            if isinstance(choices, list):
                fits = [name in types_of_value(value) for value in choices]
                if not any(fits):
                    continue
                members["enum"] = list(compress(choices, fits))
                for keyword in KEYWORDS & members.keys():
                    members[keyword] = _labels_of(members[keyword], fits)
            branch = Flat(flat.pointer, members, flat.pointers)
            branches.append(self._write_one(branch, [name], expanded))
        return self._with_annotations(flat, {"anyOf": branches})

    def _write_one(self, flat: Flat, types: list[str], expanded: frozenset[str]) -> Schema:
        draft = Draft(flat, self._subset, self._report)
        draft.out["type"] = _type_value(types)
        if types == ["object"]:
            self._write_members(draft, expanded)
        if types == ["array"]:
            self._write_items(draft, expanded)
        for keyword in flat.members:
            if keyword not in draft.done:
                draft.add_keyword(keyword, types)
        return draft.finish()

    # Objects and arrays

    def _write_members(self, draft: Draft, expanded: frozenset[str]) -> None:
        flat, subset = draft.flat, self._subset
        draft.done |= {"properties", "required", "additionalProperties"}
        members = dict(members_of(flat.members.get("properties")))
        required = draft.require_names(members)
        properties: Schema = {}
        ordered: list[JSON] = []
        for name, schema in members.items():
            pointer = self._pointer_of_member(flat, name, schema)
            if schema is False:
                self._report.dropped(pointer, f"`{name}` is never allowed.")
                continue
            legal_name = self._legal_name(name, pointer)
            written = self._write(schema, expanded)
            if subset.strict and name not in required:
                reason = "Became required; it is null instead of being omitted."
                self._report.rewritten(pointer, reason)
                written = subset.or_null(written)
            if subset.strict or name in required:
                ordered.append(legal_name)
            properties[legal_name] = written
        if properties or subset.strict or "properties" in flat.members:
            draft.out["properties"] = properties
        if ordered or subset.strict or "required" in flat.members:
            draft.out["required"] = ordered
        if "propertyOrdering" in subset.annotations and len(properties) > 1:
            draft.out["propertyOrdering"] = list(properties)
        draft.close_object(has_members=bool(properties))

    def _pointer_of_member(self, flat: Flat, name: str, schema: JSON) -> str:
        if isinstance(schema, dict):
            return self._modern.origins.of(schema)
        return pointer_join(flat.pointer_to("properties"), name)

    def _legal_name(self, name: str, pointer: str) -> str:
        rule = self._subset.members
        if rule is None or rule.allows(name):
            return name
        new = alias(name, rule)
        self.renamed[pointer] = new
        self._report.rewritten(pointer, explain_renaming(name, new, self._subset.label, rule))
        return new

    def _write_items(self, draft: Draft, expanded: frozenset[str]) -> None:
        members = draft.flat.members
        draft.done |= {"items", "prefixItems"}
        items = members.get("items", True)
        prefix = members.get("prefixItems")
        if not isinstance(prefix, list):
            if isinstance(items, bool):
                reason = "Any items are allowed; a schema for them was added."
                draft.note_rewritten("items", reason)
            draft.out["items"] = self._write(items, expanded)
            return
        reason = "`prefixItems` became `items`: each item may match any of its schemas."
        draft.note_rewritten("prefixItems", reason)
        schemas = [*prefix, items] if isinstance(items, dict) else prefix
        written = self._write_each(schemas, expanded)
        draft.out["items"] = written[0] if len(written) == 1 else {"anyOf": [*written]}
        if items is False and "maxItems" in self._subset.keywords.get("array", frozenset()):
            draft.out["maxItems"] = len(prefix)
            draft.done.add("maxItems")


def _types_but_null(members: Schema) -> list[str]:
    return [name for name in type_names(members.get("type")) if name != "null"]


def _type_value(names: list[str]) -> JSON:
    """The value of `type` for `names`."""
    return names[0] if len(names) == 1 else list(names)


def _annotate_branches(branches: list[JSON], annotations: Schema) -> tuple[list[JSON], set[str]]:
    """(`branches` with the `annotations` that fit them, the keywords that at least one has now)."""
    annotated: list[JSON] = []
    placed: set[str] = set()
    for branch in branches:
        if not isinstance(branch, dict):
            continue
        if "anyOf" in branch:
            inner, keywords = _annotate_branches(items_of(branch["anyOf"]), annotations)
            annotated.append({**branch, "anyOf": inner})
            placed |= keywords
            continue
        out = dict(branch)
        for keyword, value in annotations.items():
            if not _fits(keyword, value, branch):
                continue
            placed.add(keyword)
            if keyword == "description" and "description" in branch:
                out[keyword] = with_sentences(value, [str(branch[keyword])])
            else:
                out.setdefault(keyword, value)
        annotated.append(out)
    return annotated, placed


def _fits(keyword: str, value: JSON, branch: Schema) -> bool:
    """Whether an annotation of a union fits its `branch`: a default must be one of its values."""
    if keyword != "default":
        return True
    choices = branch.get("enum")
    if isinstance(choices, list) and value not in choices:
        return False
    if value is None and branch.get("nullable") is True:
        return True
    return branch.get("type") in types_of_value(value)


def _labels_of(labels: JSON, fits: list[bool]) -> JSON:
    """The labels of the values of an `enum` that fit.

    Those of an object are by value, so all of them stay.
    """
    if isinstance(labels, list) and len(labels) == len(fits):
        return list(compress(labels, fits))
    return labels
