"""Normalises a schema of any draft to 2020-12, with all definitions in `$defs`, and records where each part was.

Exporters that change a schema work on this form, and importers use it for schemas that mean something else in 2020-12.
References have two forms, `#` and `#/$defs/<name>`. Keywords that the draft ignores but 2020-12 does not are removed:
keywords of later drafts, and keywords beside a reference.

Sources: JSON Schema 2020-12, "Release notes"; the release notes of the drafts before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Final

from toolspec.conversion_report import Report
from toolspec.schema.dialects import DEFAULT_DIALECT
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
_HOLDING: Final = frozenset({"$defs", "definitions"})
ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_BUNDLED: Final[Schema] = {"type": ["object", "boolean"], "description": "A JSON Schema."}


class Origins:
    """The pointer in the spec of each schema of a rewritten document, by identity, because schemas may be equal.

    `made` are the identities of schemas that replace several others.
    """

    def __init__(self) -> None:
        self.made: set[int] = set()
        self._pointers: dict[
            int, tuple[Schema, str]
        ] = {}  # a reference to the schema keeps its identity unique

    def put(self, schema: Schema, pointer: str) -> Schema:
        self._pointers[id(schema)] = (schema, pointer)
        return schema

    def __contains__(self, schema: Schema) -> bool:
        return id(schema) in self._pointers

    def of(self, schema: Schema) -> str:
        return self._pointers[id(schema)][1]


@dataclass(slots=True)
class Normalized:
    """A schema in 2020-12 and its definitions, by name. `origins` has the pointer of every schema in both."""

    root: JSON
    definitions: dict[str, JSON] = field(default_factory=dict)
    origins: Origins = field(default_factory=Origins)

    def together(self) -> JSON:
        """One schema, with the definitions that it refers to in `$defs`."""
        used = self.used_from(self.root)
        if not used or not isinstance(self.root, dict):
            return self.root
        return {
            **self.root,
            "$defs": {name: self.definitions[name] for name in self.definitions if name in used},
        }

    def used_from(self, schema: JSON) -> set[str]:
        """The names of the definitions that `schema` refers to, directly or through others."""
        used: set[str] = set()
        waiting = [schema]
        while waiting:
            for name in references_in(waiting.pop()):
                if name not in used and name in self.definitions:
                    used.add(name)
                    waiting.append(self.definitions[name])
        return used


def definition_of(reference: JSON) -> str | None:
    """The name of the definition that a normalised `$ref` refers to; "" for the whole document, None for others."""
    if reference == "#":
        return ""
    prefix = "#/$defs/"
    return (
        reference[len(prefix) :]
        if isinstance(reference, str) and reference.startswith(prefix)
        else None
    )


def references_in(value: JSON) -> Iterator[str]:
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


def normalized(schema: JSON, *, pointer: str, report: Report) -> Normalized:
    """`schema`, which is at `pointer` in the spec, normalised to 2020-12."""
    return _Normalizer(SchemaMap(schema, max_nodes=MAX_NODES), pointer, report).run()


def is_outdated(schema: JSON) -> bool:
    """Whether `schema` has a different meaning in 2020-12."""
    if not isinstance(schema, dict):
        return False
    nodes = SchemaMap(schema, max_nodes=MAX_NODES).nodes
    return any(node.dialect is not DEFAULT_DIALECT and any(_differences(node)) for node in nodes)


def account_for_draft(schema: JSON, pointer: str, report: Report) -> None:
    """Report what happened to `$schema`: the schema is now written in 2020-12 and names no draft."""
    if not isinstance(schema, dict) or "$schema" not in schema:
        return
    if is_outdated(schema):
        report.rewritten(f"{pointer}/$schema", "The schema was converted to 2020-12.")
    else:
        report.preserved(
            f"{pointer}/$schema", "Not exported; the schema means the same without it."
        )


def _differences(node: Node) -> Iterator[str]:
    """The keywords of `node` that have a different meaning in 2020-12."""
    schema, dialect = node.schema, node.dialect
    if not isinstance(schema, dict):
        return
    if (
        dialect.ref_stands_alone
        and "$ref" in schema
        and not schema.keys() - ANNOTATIONS - _HOLDING - _NAMING <= {"$ref"}
    ):
        yield "$ref"
    if isinstance(schema.get("items"), list):
        yield "items"
    if "dependencies" in schema:
        yield "dependencies"
    if any(
        isinstance(schema.get(bound), bool) for bound in ("exclusiveMinimum", "exclusiveMaximum")
    ):
        yield "exclusiveMinimum"
    yield from _ignored(node)
    if "$recursiveRef" in schema or (dialect.name == "04" and isinstance(schema.get("id"), str)):
        yield "$recursiveRef"
    identifier = schema.get(dialect.id_keyword)
    if (
        dialect.ref_stands_alone
        and isinstance(identifier, str)
        and "#" in identifier.removesuffix("#")
    ):
        yield dialect.id_keyword


def _ignored(node: Node) -> set[str]:
    """The keywords of `node` that its draft ignores, although 2020-12 does not."""
    schema = members_of(node.schema)
    return (
        (schema.keys() & DEFAULT_DIALECT.keywords)
        - node.dialect.keywords
        - ANNOTATIONS
        - _HOLDING
        - _NAMING
    )


class _Normalizer:
    def __init__(self, document: SchemaMap, pointer: str, report: Report) -> None:
        self._document = document
        self._pointer = pointer
        self._report = report
        self._names: dict[Node, str] = {document.root: ""}
        self._used = {""}
        self._children = {
            node: {child.path: child for child in node.children} for node in document.nodes
        }
        self._result = Normalized(root=True)

    def run(self) -> Normalized:
        for node in self._document.nodes:
            for reference in node.references:
                if reference.targets:
                    self._name(reference.targets[0])
        self._result.root = self._schema(self._document.root)
        for node, name in self._names.items():
            if name:
                self._result.definitions[name] = self._schema(node)
        return self._result

    def _name(self, node: Node) -> None:
        if node in self._names:
            return
        wanted = next((str(token) for token in reversed(node.path) if str(token)), "schema")
        wanted = "".join(
            char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in wanted
        )
        names = (wanted if number == 1 else f"{wanted}_{number}" for number in count(1))
        self._names[node] = next(name for name in names if name not in self._used)
        self._used.add(self._names[node])

    def _schema(self, node: Node) -> JSON:
        if not isinstance(node.schema, dict):
            return node.schema if isinstance(node.schema, bool) else True
        pointer = self._pointer + node.pointer
        out: Schema = {}
        ignored = _ignored(node)
        for keyword in node.schema:
            if keyword in ignored:
                reason = (
                    f"Draft {node.dialect.name} does not define `{keyword}`, so it has no effect."
                )
                self._report.dropped(pointer_join(pointer, keyword), reason)
            elif keyword in _NAMING or keyword in _HOLDING or keyword in REFERENCES:
                continue
            else:
                _STEPS.get(keyword, _plain)(self, node, keyword, out)
        self._refer(node, pointer, out)
        return self._result.origins.put(out, pointer)

    def _refer(self, node: Node, pointer: str, out: Schema) -> None:
        for reference in node.references:
            if node.dialect.ref_stands_alone and reference.keyword == "$ref":
                for keyword in [keyword for keyword in out if keyword not in ANNOTATIONS]:
                    self._report.dropped(pointer_join(pointer, keyword), _BESIDE_REFERENCE)
                    del out[keyword]
            reference_pointer = pointer_join(pointer, reference.keyword)
            target = self._target(reference, reference_pointer)
            if "$ref" in out:
                out["allOf"] = [
                    *items_of(out.get("allOf")),
                    self._result.origins.put(target, pointer),
                ]
            else:
                out.update(target)

    def _target(self, reference: Reference, pointer: str) -> Schema:
        if not reference.targets:
            self._report.rewritten(
                pointer, "A reference to a meta-schema became any object or boolean."
            )
            return dict(_BUNDLED)
        if len(reference.targets) > 1:
            self._report.rewritten(
                pointer, "A dynamic reference became a plain reference to its first target."
            )
        name = self._names[reference.targets[0]]
        return {"$ref": f"#/$defs/{name}" if name else "#"}

    def normalized_value(self, node: Node, keyword: str) -> JSON:
        """The value of `keyword`, with every schema in it normalised."""
        children, value = self._children[node], members_of(node.schema).get(keyword)
        if (child := children.get((keyword,))) is not None:
            return self._schema(child)
        if isinstance(value, list):
            return [
                self._schema(children[keyword, index]) if (keyword, index) in children else item
                for index, item in enumerate(value)
            ]
        if isinstance(value, dict):
            return {
                name: self._schema(children[keyword, name])
                if (keyword, name) in children
                else member
                for name, member in value.items()
            }
        return value

    def became(self, node: Node, keyword: str, what: str) -> None:
        pointer = pointer_join(self._pointer + node.pointer, keyword)
        self._report.rewritten(
            pointer, f"`{keyword}` of draft {node.dialect.name} became {what} of 2020-12."
        )


_BESIDE_REFERENCE: Final = "The draft of this schema ignores keywords beside `$ref`."

Step = Callable[[_Normalizer, Node, str, Schema], None]


def _plain(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    out[keyword] = normalizer.normalized_value(node, keyword)


def _items(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = normalizer.normalized_value(node, keyword)
    if not isinstance(value, list):
        out[keyword] = value
        return
    normalizer.became(node, keyword, "`prefixItems`")
    out["prefixItems"] = value
    if "additionalItems" in members_of(node.schema):
        out["items"] = normalizer.normalized_value(node, "additionalItems")


def _additional_items(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    """Handled with `items` if that is a list, and without effect otherwise."""
    if keyword not in node.dialect.keywords:
        out[keyword] = normalizer.normalized_value(node, keyword)


def _dependencies(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = normalizer.normalized_value(node, keyword)
    if not isinstance(value, dict) or keyword not in node.dialect.keywords:
        out[keyword] = value
        return
    normalizer.became(node, keyword, "`dependentRequired` and `dependentSchemas`")
    names: Schema = {name: member for name, member in value.items() if isinstance(member, list)}
    schemas: Schema = {
        name: member for name, member in value.items() if not isinstance(member, list)
    }
    out.update({"dependentRequired": names} if names else {})
    out.update({"dependentSchemas": schemas} if schemas else {})


def _bound(normalizer: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    """`minimum` and `maximum`, which draft-04 makes exclusive with a flag beside them."""
    schema = members_of(node.schema)
    exclusive = _EXCLUSIVE[keyword]
    if schema.get(exclusive) is True:
        normalizer.became(node, exclusive, "a number")
        out[exclusive] = schema[keyword]
    else:
        out[keyword] = schema[keyword]


def _exclusive_bound(_: _Normalizer, node: Node, keyword: str, out: Schema) -> None:
    value = members_of(node.schema)[keyword]
    if not isinstance(value, bool):
        out[keyword] = value


_EXCLUSIVE: Final = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_STEPS: Final[Mapping[str, Step]] = {
    "items": _items,
    "additionalItems": _additional_items,
    "dependencies": _dependencies,
    "minimum": _bound,
    "maximum": _bound,
    "exclusiveMinimum": _exclusive_bound,
    "exclusiveMaximum": _exclusive_bound,
}
