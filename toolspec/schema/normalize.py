"""Normalises a schema of any draft to 2020-12, with all definitions in `$defs`.

It records where each part was. Exporters that change a schema work on this form, and importers use
it for schemas that mean something else in 2020-12. References have two forms, `#` and
`#/$defs/<name>`. Keywords that the draft ignores but 2020-12 does not are removed: keywords of
later drafts, and keywords beside a reference.

Sources: JSON Schema 2020-12, "Release notes"; the release notes of the drafts before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolspec.conversion_report import Report
from toolspec.schema.dialects import DEFAULT_DIALECT, fill
from toolspec.schema.index import REFERENCES, Node, Reference, SchemaMap
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_NODES: Final = 10_000  # as many as `policy` allows

Schema = dict[str, JSON]

_NAMING: Final = frozenset(
    {
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicAnchor",
        "$recursiveAnchor",
        "$vocabulary",
        "$comment",
    }
)
_DEFINITIONS: Final = "#/$defs/"
_HOLDING: Final = frozenset({"$defs", "definitions"})
_NOT_CONVERTED: Final = _NAMING | _HOLDING | frozenset(REFERENCES)
ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_BUNDLED: Final[Schema] = {"type": ["object", "boolean"], "description": "A JSON Schema."}


class Origins:
    """The pointer in the spec of each schema of a rewritten document.

    By identity, because schemas may be equal. `made` are the identities of schemas that replace
    several others.
    """

    def __init__(self) -> None:
        self.made: set[int] = set()
        # A reference to the schema keeps its identity unique.
        self._pointers: dict[int, tuple[Schema, str]] = {}

    def put(self, schema: Schema, pointer: str) -> Schema:
        self._pointers[id(schema)] = (schema, pointer)
        return schema

    def __contains__(self, schema: Schema) -> bool:
        return id(schema) in self._pointers

    def of(self, schema: Schema) -> str:
        return self._pointers[id(schema)][1]


@dataclass(slots=True)
class Normalized:
    """A schema in 2020-12 and its definitions, by name.

    `origins` has the pointer of every schema in both.
    """

    root: JSON
    definitions: dict[str, JSON] = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins)

    def together(self) -> JSON:
        """One schema, with the definitions that it refers to in `$defs`."""
        used = self.used_from(self.root)
        if not used or not isinstance(self.root, dict):
            return self.root
        definitions = {name: schema for name, schema in self.definitions.items() if name in used}
        return {**self.root, "$defs": definitions}

    def used_from(self, schema: JSON) -> set[str]:
        """The names of the definitions that `schema` refers to, directly or through others."""
        used: set[str] = set()
        waiting = [schema]
        while waiting:
            for name in list_references(waiting.pop()):
                if name not in used and name in self.definitions:
                    used.add(name)
                    waiting.append(self.definitions[name])
        return used


def definition_of(reference: JSON) -> str | None:
    """The name of the definition that a normalised `$ref` refers to.

    "" for the whole document, None for other references.
    """
    if reference == "#":
        return ""
    if not isinstance(reference, str) or not reference.startswith(_DEFINITIONS):
        return None
    return reference.removeprefix(_DEFINITIONS)


def list_references(value: JSON) -> Iterator[str]:
    """The names of the definitions that any `$ref` in `value` refers to."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            name = definition_of(value.get("$ref"))
            if name is not None:
                yield name
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)


def normalize(schema: JSON, *, pointer: str, report: Report) -> Normalized:
    """`schema`, which is at `pointer` in the spec, normalised to 2020-12."""
    return _Normalizer(SchemaMap(schema, max_nodes=MAX_NODES), pointer, report).run()


def is_outdated(schema: JSON) -> bool:
    """Whether `schema` has a different meaning in 2020-12."""
    if not isinstance(schema, dict):
        return False
    for node in SchemaMap(schema, max_nodes=MAX_NODES).nodes:
        if node.dialect is not DEFAULT_DIALECT and any(_list_differences(node)):
            return True
    return False


def account_for_draft(schema: JSON, pointer: str, report: Report) -> None:
    """Report what happened to `$schema`: the schema is now in 2020-12 and names no draft."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return
    pointer = f"{pointer}/$schema"
    if is_outdated(schema):
        report.rewritten(pointer, "The schema was converted to 2020-12.")
    else:
        report.preserved(pointer, "Not exported; the schema means the same without it.")


def _list_differences(node: Node) -> Iterator[str]:
    """The keywords of `node` that have a different meaning in 2020-12."""
    schema = node.schema
    dialect = node.dialect
    if not isinstance(schema, dict):
        return
    if dialect.ref_stands_alone and "$ref" in schema:
        constraints = schema.keys() - ANNOTATIONS - _HOLDING - _NAMING
        if constraints != {"$ref"}:
            yield "$ref"
    if isinstance(schema.get("items"), list):
        yield "items"
    if "dependencies" in schema:
        yield "dependencies"
    for keyword in _EXCLUSIVE.values():
        if isinstance(schema.get(keyword), bool):
            yield keyword
    yield from _list_ignored(node)
    if "$recursiveRef" in schema:
        yield "$recursiveRef"
    identifier = schema.get(dialect.id_keyword)
    if isinstance(identifier, str) and dialect.ref_stands_alone:
        is_anchor = "#" in identifier.removesuffix("#")
        if is_anchor or dialect.name == "04":
            yield dialect.id_keyword


def _list_ignored(node: Node) -> set[str]:
    """The keywords of `node` that its draft ignores, although 2020-12 does not."""
    keywords = members_of(node.schema).keys() & DEFAULT_DIALECT.keywords
    return keywords - node.dialect.keywords - ANNOTATIONS - _HOLDING - _NAMING


class _Normalizer:
    def __init__(self, document: SchemaMap, pointer: str, report: Report) -> None:
        self._document = document
        self._pointer = pointer
        self._report = report
        self._names: dict[Node, str] = {document.root: ""}
        self._used = {""}
        self._children: defaultdict[tuple[Node, str], list[Node]] = defaultdict(list)
        for node in document.nodes:
            for child in node.children:
                self._children[node, str(child.path[0])].append(child)
        self._result = Normalized(root=True)

    def run(self) -> Normalized:
        for node in self._document.nodes:
            for reference in node.references:
                if reference.targets:
                    self._choose_name(reference.targets[0])
        self._result.root = self._convert_schema(self._document.root)
        for node, name in self._names.items():
            if name:
                self._result.definitions[name] = self._convert_schema(node)
        return self._result

    def _choose_name(self, node: Node) -> None:
        if node in self._names:
            return
        last = next(filter(None, map(str, reversed(node.path))), "schema")
        base = re.sub(r"[^A-Za-z0-9_-]", "_", last)
        name = base
        number = 1
        while name in self._used:
            number += 1
            name = f"{base}_{number}"
        self._names[node] = name
        self._used.add(name)

    def _convert_schema(self, node: Node) -> JSON:
        if not isinstance(node.schema, dict):
            return node.schema is not False
        pointer = self._pointer + node.pointer
        out: Schema = {}
        ignored = _list_ignored(node)
        for keyword in node.schema:
            if keyword in ignored:
                draft = node.dialect.name
                reason = f"Draft {draft} does not define `{keyword}`, so it has no effect."
                self._report.dropped(pointer_join(pointer, keyword), reason)
            elif keyword not in _NOT_CONVERTED:
                convert = _STEPS.get(keyword, _convert_plain)
                convert(self, node, keyword, out)
        self._add_references(node, pointer, out)
        return self._result.origins.put(out, pointer)

    def _add_references(self, node: Node, pointer: str, out: Schema) -> None:
        for reference in node.references:
            if node.dialect.ref_stands_alone and reference.keyword == "$ref":
                for keyword in list(out):
                    if keyword not in ANNOTATIONS:
                        self._report.dropped(pointer_join(pointer, keyword), _BESIDE_REFERENCE)
                        del out[keyword]
            target = self._write_reference(reference, pointer_join(pointer, reference.keyword))
            if "$ref" in out:
                schema = self._result.origins.put(target, pointer)
                out["allOf"] = [*items_of(out.get("allOf")), schema]
            else:
                out.update(target)

    def _write_reference(self, reference: Reference, pointer: str) -> Schema:
        if not reference.targets:
            message = "A reference to a meta-schema became any object or boolean."
            self._report.rewritten(pointer, message)
            return dict(_BUNDLED)
        if len(reference.targets) > 1:
            message = "A dynamic reference became a plain reference to its first target."
            self._report.rewritten(pointer, message)
        name = self._names[reference.targets[0]]
        return {"$ref": _DEFINITIONS + name if name else "#"}

    def convert_value(self, node: Node, keyword: str) -> JSON:
        """The value of `keyword`, with every schema in it normalised."""
        schemas: dict[tuple[str | int, ...], JSON] = {}
        for child in self._children.get((node, keyword), ()):
            schemas[child.path[1:]] = self._convert_schema(child)
        return fill(members_of(node.schema).get(keyword), schemas)

    def report_change(self, node: Node, keyword: str, what: str) -> None:
        pointer = pointer_join(self._pointer + node.pointer, keyword)
        message = f"`{keyword}` of draft {node.dialect.name} became {what} of 2020-12."
        self._report.rewritten(pointer, message)


_BESIDE_REFERENCE: Final = "The draft of this schema ignores keywords beside `$ref`."

Step = Callable[[_Normalizer, Node, str, Schema], None]


def _convert_plain(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    out[keyword] = normalizer.convert_value(node, keyword)


def _convert_items(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = normalizer.convert_value(node, keyword)
    if not isinstance(value, list):
        out[keyword] = value
        return
    normalizer.report_change(node, keyword, "`prefixItems`")
    out["prefixItems"] = value
    if "additionalItems" in members_of(node.schema):
        out["items"] = normalizer.convert_value(node, "additionalItems")


def _convert_additional_items(
    normalizer: _Normalizer, node: Node, keyword: str, out: Schema
) -> None:
    """Handled with `items` if that is a list, and without effect otherwise."""
    if keyword not in node.dialect.keywords:
        out[keyword] = normalizer.convert_value(node, keyword)


def _convert_dependencies(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = normalizer.convert_value(node, keyword)
    if not isinstance(value, dict) or keyword not in node.dialect.keywords:
        out[keyword] = value
        return
    normalizer.report_change(node, keyword, "`dependentRequired` and `dependentSchemas`")
    names: Schema = {}
    schemas: Schema = {}
    for name, member in value.items():
        if isinstance(member, list):
            names[name] = member
        else:
            schemas[name] = member
    if names:
        out["dependentRequired"] = names
    if schemas:
        out["dependentSchemas"] = schemas


def _convert_bound(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    """`minimum` and `maximum`, which draft-04 makes exclusive with a flag beside them."""
    schema = members_of(node.schema)
    exclusive = _EXCLUSIVE[keyword]
    if schema.get(exclusive) is True:
        normalizer.report_change(node, exclusive, "a number")
        out[exclusive] = schema[keyword]
    else:
        out[keyword] = schema[keyword]


def _convert_exclusive_bound(_: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = members_of(node.schema)[keyword]
    if not isinstance(value, bool):
        out[keyword] = value


_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_STEPS: Final[Mapping[str, Step]] = {
    "items": _convert_items,
    "additionalItems": _convert_additional_items,
    "dependencies": _convert_dependencies,
    "minimum": _convert_bound,
    "maximum": _convert_bound,
    "exclusiveMinimum": _convert_exclusive_bound,
    "exclusiveMaximum": _convert_exclusive_bound,
}
