"""Schemas for providers that support a subset of JSON Schema: OpenAI's strict mode, Gemini.

Every schema is rebuilt from its normalized form. Unsupported keywords are explained in the description if a sentence
can do so, else dropped; both are reported.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import compress
from typing import Final

from toolspec.conversion_report import Report
from toolspec.exports.aliases import NameRule, alias
from toolspec.exports.merge_all_of import Flat, Flattener, TooLarge
from toolspec.exports.type_mapping import (
    SCALARS,
    Subset,
    is_null,
    or_null,
    types_of,
    types_of_value,
)
from toolspec.schema.describe import label_sentence, sentence
from toolspec.schema.enum_labels import KEYWORDS, enum_labels
from toolspec.schema.normalize import ANNOTATIONS, Normalized, Schema, definition_of
from toolspec.schema.patterns import has_lookaround
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON, MAX_DEPTH, dumps

MAX_WRITTEN: Final = 5_000  # schemas of one export: written out, references may multiply
TOO_DEEP: Final = f"More than {MAX_DEPTH} schemas are nested here; deeper ones accept any value."

LOOKAROUND: Final = "lookaround in a `pattern`"

_RECURSIVE: Final = (
    "The schema is recursive; it is expanded once, and deeper levels are not described."
)
_UNSUPPORTED: Final = (
    "not", "if", "then", "else", "dependentRequired", "dependentSchemas", "patternProperties", "propertyNames",
    "unevaluatedProperties", "unevaluatedItems", "contains", "minContains", "maxContains", "contentSchema",
)  # fmt: skip
_IRRELEVANT: Final = frozenset({"readOnly", "writeOnly"})  # to a model that fills in parameters


@dataclass(slots=True)
class _Draft:
    """A schema in progress, and the sentences for its description."""

    flat: Flat
    out: Schema = field(default_factory=dict)
    sentences: list[str] = field(default_factory=list)
    done: set[str] = field(default_factory=set)

    def finished(self) -> Schema:
        if self.sentences:
            self.out["description"] = with_sentences(self.out.get("description"), self.sentences)
        return self.out


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

    def document(self, root: Schema) -> Schema:
        """`root`, and the definitions that it needs.

        Raises:
            TooLarge: more than `MAX_WRITTEN` schemas.
        """
        out = self._write(root, frozenset({""}))
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
            raise TooLarge(
                f"With references expanded, there are more than {MAX_WRITTEN:,} schemas."
            )
        if not isinstance(schema, dict):
            return self._anything()
        self._depth += 1
        try:
            return self._write_object(schema, expanded)
        finally:
            self._depth -= 1

    def _write_object(self, schema: Schema, expanded: frozenset[str]) -> Schema:
        name = definition_of(schema.get("$ref"))
        if name is not None and (
            name in expanded or (self._subset.references and schema.keys() == {"$ref"})
        ):
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
        names = [name for name in type_names(flat.members.get("type")) if name != "null"]
        out: Schema = {"type": names[0] if names else "object"}
        if out["type"] == "array":
            out["items"] = self._anything()
        if out["type"] == "object" and self._subset.strict:
            out |= {"properties": {}, "required": [], "additionalProperties": False}
        if "description" in flat.members:
            out["description"] = flat.members["description"]
        return out

    def _write_flat(self, flat: Flat, expanded: frozenset[str]) -> Schema:
        for keyword in _UNSUPPORTED:
            if keyword in flat.members:
                self._report.dropped(
                    flat.pointer_to(keyword), f"{self._subset.label} does not support `{keyword}`."
                )
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
        pointer = flat.pointer_to(keyword)
        del flat.members[keyword]
        others = [branch for branch in branches if not is_null(branch)]
        nulls = [branch for branch in branches if is_null(branch)]
        if all(isinstance(branch, dict) and branch.keys() <= {"required"} for branch in others):
            self._report.dropped(
                pointer,
                f"{self._subset.label} cannot express rules about combinations of properties.",
            )
            return self._write_flat(flat, expanded)
        if keyword == "oneOf" and len(others) > 1:
            self._report.rewritten(
                pointer, "`oneOf` became `anyOf`: a value may match more than one alternative."
            )
        if rest := self._common_keywords(flat):
            self._report.rewritten(
                pointer, "The keywords beside the alternatives were copied into each of them."
            )
            others = [self._flattener.both(rest, branch) for branch in others]
            nulls = nulls if "null" in (type_names(flat.members.get("type")) or ["null"]) else []
        if nulls and not self._subset.nullable:
            return self._with_annotations(
                flat, {"anyOf": [*self._each_of(others, expanded), {"type": "null"}]}
            )
        written = self._each_of(others, expanded)
        out: Schema = (
            written[0] if len(written) == 1 and self._subset.nullable else {"anyOf": [*written]}
        )
        return self._with_annotations(flat, self._may_be_null(out) if nulls else out)

    def _each_of(self, schemas: list[JSON], expanded: frozenset[str]) -> list[Schema]:
        """`schemas` as they are written, without duplicates."""
        written: dict[str, Schema] = {}
        for schema in schemas:
            one = self._write(schema, expanded)
            written.setdefault(dumps(one), one)
        return list(written.values())

    def _common_keywords(self, flat: Flat) -> Schema | None:
        """The keywords beside the alternatives, without annotations."""
        rest: Schema = {
            keyword: value for keyword, value in flat.members.items() if keyword not in ANNOTATIONS
        }
        names = [name for name in type_names(rest.get("type")) if name != "null"]
        if "type" in rest and names:
            rest["type"] = names[0] if len(names) == 1 else list(names)
        return self._modern.origins.put(rest, flat.pointer) if rest else None

    def _with_annotations(self, flat: Flat, out: Schema) -> Schema:
        outer = _Draft(flat)
        for keyword in [keyword for keyword in flat.members if keyword in _ANNOTATIONS]:
            self._keyword(outer, keyword, [])
        own = {keyword: value for keyword, value in out.items() if keyword not in outer.out}
        if outer.sentences and "description" not in outer.out and "description" in own:
            outer.out["description"] = own.pop("description")
        annotations = outer.finished()
        if "anyOf" in own and annotations and self._subset.lone_unions:
            return self._annotated_branches(flat, own, annotations)
        return {**own, **annotations}

    def _annotated_branches(self, flat: Flat, union: Schema, annotations: Schema) -> Schema:
        """`union` with `annotations` in each of its branches that they fit, for providers that allow none beside it."""
        branches, placed = _annotate_branches(items_of(union["anyOf"]), annotations)
        for keyword in annotations:
            pointer = flat.pointer_to(keyword)
            if keyword in placed:
                reason = f"{self._subset.label} allows nothing beside `anyOf`; `{keyword}` was moved into it."
                self._report.rewritten(pointer, reason)
            else:
                reason = f"{self._subset.label} allows nothing beside `anyOf`, and no alternative can have this value."
                self._report.dropped(pointer, reason)
        return {**union, "anyOf": branches}

    # One type, or several

    def _write_typed(self, flat: Flat, expanded: frozenset[str]) -> Schema:
        names = types_of(flat)
        may_be_null = "null" in names
        names = [name for name in names if name != "null"]
        if not names:
            return self._no_type(flat, may_be_null)
        is_combinable = not self._subset.nullable and {*SCALARS, "integer"}.issuperset(names)
        if len(names) == 1 or (is_combinable and "enum" not in flat.members):
            out = self._write_one(flat, names, expanded)
        else:
            out = self._write_each(flat, names, expanded)
        return self._may_be_null(out) if may_be_null else out

    def _no_type(self, flat: Flat, only_null: bool) -> Schema:
        if only_null and not self._subset.nullable:
            return self._with_annotations(flat, {"type": "null"})
        if only_null:
            self._report.rewritten(
                flat.pointer, "Only null is allowed; it became a string that may be null."
            )
            return self._with_annotations(flat, self._may_be_null({"type": "string"}))
        self._report.rewritten(
            flat.pointer, "Any value is allowed; it became a string, a number or a boolean."
        )
        return self._with_annotations(flat, self._anything())

    def _anything(self) -> Schema:
        if self._subset.nullable:
            return self._may_be_null({"anyOf": [{"type": name} for name in SCALARS]})
        return {"type": [*SCALARS, "null"]}

    def _write_each(self, flat: Flat, names: list[str], expanded: frozenset[str]) -> Schema:
        """One alternative per type."""
        branches: list[JSON] = []
        for name in names:
            members = {
                key: value for key, value in flat.members.items() if key not in _ANNOTATIONS
            } | {"type": name}
            if isinstance(choices := members.get("enum"), list):
                fitting = [name in types_of_value(value) for value in choices]
                members["enum"] = list(compress(choices, fitting))
                if not members["enum"]:
                    continue
                for keyword in KEYWORDS & members.keys():
                    members[keyword] = _labels_of(members[keyword], fitting)
            branches.append(
                self._write_one(Flat(flat.pointer, members, flat.pointers), [name], expanded)
            )
        return self._with_annotations(flat, {"anyOf": branches})

    def _write_one(self, flat: Flat, names: list[str], expanded: frozenset[str]) -> Schema:
        draft = _Draft(flat)
        draft.out["type"] = names[0] if len(names) == 1 else list(names)
        if names == ["object"]:
            self._object(draft, expanded)
        if names == ["array"]:
            self._array(draft, expanded)
        for keyword in flat.members:
            if keyword not in draft.done:
                self._keyword(draft, keyword, names)
        return draft.finished()

    def _keyword(self, draft: _Draft, keyword: str, names: list[str]) -> None:
        value = draft.flat.members[keyword]
        if keyword in {"type", "$defs"} or keyword in _IRRELEVANT:
            return
        if keyword in KEYWORDS and draft.flat.members.get("enum"):
            words = label_sentence(enum_labels(draft.flat.members))
            self._explain(draft, keyword, words)
            return
        if keyword == "description" or keyword in self._subset.annotations:
            draft.out[keyword] = value
        elif keyword in {"enum", "const"}:
            self._choice(draft, keyword, value, names)
        elif keyword == "pattern" and not self._subset.lookaround and looks_around(value):
            self._explain(draft, keyword, sentence(keyword, value), LOOKAROUND)
        elif self._is_supported(keyword, value, names):
            draft.out[keyword] = value
        elif (
            names == ["integer"]
            and keyword in _INCLUSIVE
            and isinstance(value, int)
            and self._is_supported(_INCLUSIVE[keyword][0], value, names)
        ):
            bound, step = _INCLUSIVE[keyword]
            draft.out.setdefault(bound, value + step)
            self._report.rewritten(draft.flat.pointer_to(keyword), f"`{keyword}` became `{bound}`.")
        else:
            self._explain(draft, keyword, sentence(keyword, value))

    def _is_supported(self, keyword: str, value: JSON, names: list[str]) -> bool:
        if keyword == "format":
            return any(
                value in self._subset.formats.get(name, frozenset())
                for name in names
                if isinstance(value, str)
            )
        return any(keyword in self._subset.keywords.get(name, frozenset()) for name in names)

    def _explain(self, draft: _Draft, keyword: str, words: str | None, what: str = "") -> None:
        """Explain `keyword` with `words` in the description. `what` is not supported; "" for the keyword itself."""
        pointer = draft.flat.pointer_to(keyword)
        what = what or f"`{keyword}`"
        for explained in explain(words, what, self._subset.label, pointer, self._report):
            if explained not in draft.sentences:
                draft.sentences.append(explained)

    def _choice(self, draft: _Draft, keyword: str, value: JSON, names: list[str]) -> None:
        choices = value if keyword == "enum" and isinstance(value, list) else [value]
        wanted = [choice for choice in choices if choice is not None]
        not_empty: list[JSON] = [choice for choice in wanted if choice != ""]
        if not self._subset.string_enums:
            draft.out[keyword] = value
        elif (
            not_empty and all(isinstance(choice, str) for choice in wanted) and names == ["string"]
        ):
            draft.out["enum"] = not_empty
            if len(not_empty) < len(wanted):
                reason = f"{self._subset.label} allows no empty text in an `enum`; it was removed."
                self._report.dropped(draft.flat.pointer_to(keyword), reason)
            if keyword == "const":
                self._report.rewritten(
                    draft.flat.pointer_to(keyword), "`const` became an `enum` of one value."
                )
        else:
            choice: JSON = [*wanted] if keyword == "enum" else value
            self._explain(draft, keyword, sentence(keyword, choice))

    # Objects and arrays

    def _object(self, draft: _Draft, expanded: frozenset[str]) -> None:
        flat = draft.flat
        draft.done |= {"properties", "required", "additionalProperties"}
        members = dict(members_of(flat.members.get("properties")))
        required = self._required(flat, members)
        properties: Schema = {}
        ordered: list[JSON] = []
        for name, schema in members.items():
            if schema is False:
                self._report.dropped(
                    self._member_pointer(flat, schema, name), f"`{name}` is never allowed."
                )
                continue
            legal_name = self._legal_name(flat, name, schema)
            written = self._write(schema, expanded)
            if name in required:
                ordered.append(legal_name)
            elif self._subset.strict:
                written = self._optional(flat, name, schema, written)
                ordered.append(legal_name)
            properties[legal_name] = written
        if properties or self._subset.strict or "properties" in flat.members:
            draft.out["properties"] = properties
        if ordered or self._subset.strict or "required" in flat.members:
            draft.out["required"] = ordered
        if "propertyOrdering" in self._subset.annotations and len(properties) > 1:
            draft.out["propertyOrdering"] = list(properties)
        self._close(draft, bool(properties))

    def _required(self, flat: Flat, members: dict[str, JSON]) -> set[str]:
        """The names that are required. Adds those that are not declared to `members`, because providers require it."""
        required = strings_of(flat.members.get("required"))
        for name in required:
            if name not in members:
                reason = f"`{name}` is required but not declared; a schema for any value was added."
                self._report.rewritten(flat.pointer_to("required"), reason)
                members[name] = True
        return set(required)

    def _member_pointer(self, flat: Flat, schema: JSON, name: str) -> str:
        if isinstance(schema, dict):
            return self._modern.origins.of(schema)
        return pointer_join(flat.pointer_to("properties"), name)

    def _legal_name(self, flat: Flat, name: str, schema: JSON) -> str:
        rule = self._subset.members
        if rule is None or rule.allows(name):
            return name
        new = alias(name, rule)
        pointer = self._member_pointer(flat, schema, name)
        self.renamed[pointer] = new
        self._report.rewritten(pointer, renaming(name, new, self._subset.label, rule))
        return new

    def _optional(self, flat: Flat, name: str, schema: JSON, written: Schema) -> Schema:
        reason = "Became required; it is null instead of being omitted."
        self._report.rewritten(self._member_pointer(flat, schema, name), reason)
        return self._may_be_null(written)

    def _close(self, draft: _Draft, has_members: bool) -> None:
        others = draft.flat.members.get("additionalProperties", True)
        pointer = draft.flat.pointer_to("additionalProperties")
        if self._subset.strict:
            draft.out["additionalProperties"] = False
            if others is False:
                return
            if not has_members:
                reason = f"{self._subset.label} allows only declared properties, so only an empty object is possible."
                self._report.dropped(pointer, reason)
            elif isinstance(others, dict) or "additionalProperties" in draft.flat.members:
                self._report.dropped(
                    pointer, f"{self._subset.label} allows only declared properties."
                )
            else:
                self._report.rewritten(
                    pointer,
                    "`additionalProperties` became false: only declared properties are allowed.",
                )
        elif "additionalProperties" in draft.flat.members:
            self._report.dropped(
                pointer, f"{self._subset.label} does not support `additionalProperties`."
            )

    def _array(self, draft: _Draft, expanded: frozenset[str]) -> None:
        flat = draft.flat
        draft.done |= {"items", "prefixItems"}
        items = flat.members.get("items", True)
        prefix = flat.members.get("prefixItems")
        if not isinstance(prefix, list):
            if "items" not in flat.members or isinstance(items, bool):
                self._report.rewritten(
                    flat.pointer_to("items"), "Any items are allowed; a schema for them was added."
                )
            draft.out["items"] = self._write(items, expanded)
            return
        reason = "`prefixItems` became `items`: each item may match any of its schemas."
        self._report.rewritten(flat.pointer_to("prefixItems"), reason)
        schemas = self._each_of([*prefix, *([items] if isinstance(items, dict) else [])], expanded)
        draft.out["items"] = schemas[0] if len(schemas) == 1 else {"anyOf": [*schemas]}
        if items is False and "maxItems" in self._subset.keywords.get("array", frozenset()):
            draft.out["maxItems"] = len(prefix)
            draft.done.add("maxItems")

    # Null

    def _may_be_null(self, schema: Schema) -> Schema:
        if not self._subset.nullable:
            return or_null(schema)
        if "anyOf" in schema and self._subset.lone_unions:
            branches = [
                self._may_be_null(branch)
                for branch in items_of(schema["anyOf"])
                if isinstance(branch, dict)
            ]
            return {**schema, "anyOf": [*branches]}
        return {**schema, "nullable": True}


def _annotate_branches(branches: list[JSON], annotations: Schema) -> tuple[list[JSON], set[str]]:
    """`branches` with the `annotations` that fit them, and the keywords that at least one of them has now."""
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
    """Whether an annotation of a union can be one of its `branch`: a default must be one of its values."""
    if keyword != "default":
        return True
    choices = branch.get("enum")
    if isinstance(choices, list) and value not in choices:
        return False
    return branch.get("type") in types_of_value(value) or (
        value is None and branch.get("nullable") is True
    )


def looks_around(pattern: JSON) -> bool:
    """Whether the value of `pattern` is a regular expression that looks ahead or behind."""
    return isinstance(pattern, str) and has_lookaround(pattern)


def explain(words: str | None, what: str, label: str, pointer: str, report: Report) -> list[str]:
    """Report that `label` does not support `what`, which is at `pointer`.

    Returns:
        `words` in a list, for the description; [] if there are none.
    """
    if words is None:
        report.dropped(pointer, f"{label} does not support {what}.")
        return []
    reason = f"{label} does not support {what} here; the description explains it instead."
    report.rewritten(pointer, reason)
    return [words]


def with_sentences(description: JSON, sentences: list[str]) -> str:
    """`description` followed by `sentences`."""
    start = description.rstrip() if isinstance(description, str) else ""
    if start and start[-1].isalnum():
        start += "."
    return " ".join(part for part in (start, *sentences) if part)


def renaming(name: str, new: str, label: str, rule: NameRule) -> str:
    """The reason why a name was changed."""
    return f"{label} names may have {rule.in_words}; {name!r} was renamed to {new!r}."


_INCLUSIVE: Final = {"exclusiveMinimum": ("minimum", 1), "exclusiveMaximum": ("maximum", -1)}
_ANNOTATIONS: Final = ANNOTATIONS - _IRRELEVANT


def _labels_of(labels: JSON, fitting: list[bool]) -> JSON:
    """The labels of the values of an `enum` that fit; those of an object are by value, so all of them stay."""
    if isinstance(labels, list) and len(labels) == len(fitting):
        return list(compress(labels, fitting))
    return labels
