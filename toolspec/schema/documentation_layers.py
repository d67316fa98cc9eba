"""The schemas that apply to one documented value (its layers), their types in words, and the schemas below each.

It reads the keywords itself instead of asking `applicable` and `children`. These follow every branch, and answer for
one given member or item, in one draft. A page lists all members and items in the order in which they are written, with
keywords of any draft. It combines only what reads as one description: references, `allOf`, and a union with null; other
branches are shown one by one. And most schemas have no references, so no index is built for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from urllib.parse import unquote

from toolspec.schema.describe import array_of, listed, only_requirements, only_values, values_of
from toolspec.schema.dialects import item_keywords
from toolspec.schema.index import REFERENCES, Node, SchemaMap
from toolspec.schema.types import json_type, type_names
from toolspec.text.containers import items_of, members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_LAYERS = 20
MAX_NODES = 10_000
MAX_ITEM_TYPES = 3  # "array of arrays of arrays"

Schema = dict[str, JSON]

_REFERENCES = frozenset(REFERENCES)


@dataclass(slots=True)
class Layer:
    """One of the schemas that apply to a value; `skip` are the keywords that are described elsewhere."""

    schema: Schema
    pointer: str
    skip: set[str] = field(default_factory=set)

    @property
    def keywords(self) -> Schema:
        return (
            {key: value for key, value in self.schema.items() if key not in self.skip}
            if self.skip
            else self.schema
        )


@dataclass
class Layers:
    """Finds the layers of each value in the schema `root`, which is at `root_pointer` in its spec."""

    root: JSON
    root_pointer: str

    def of(self, schema: Schema, pointer: str = "") -> tuple[list[Layer], bool]:
        """All schemas of one value: `schema`, its `$ref`, its `allOf`, its only branch besides null."""
        layers: list[Layer] = []
        nullable = False
        waiting = [Layer(schema, pointer)]
        while waiting and len(layers) < MAX_LAYERS:
            layer = waiting.pop(0)
            if any(layer.schema is known.schema for known in layers):
                continue
            for keyword in ("anyOf", "oneOf"):
                other = _other_than_null(layer.schema.get(keyword))
                if other is not None:
                    nullable = True
                    layer.skip.add(keyword)
                    index, branch = other
                    waiting.append(Layer(branch, pointer_join(layer.pointer, keyword, index)))
            layers.append(layer)
            for index, part in enumerate(items_of(layer.schema.get("allOf"))):
                if isinstance(part, dict):
                    waiting.append(Layer(part, pointer_join(layer.pointer, "allOf", index)))
            target = self._target(layer.schema)
            if target is not None:
                waiting.append(target)
        return layers, nullable

    def _target(self, schema: Schema) -> Layer | None:
        if _REFERENCES.isdisjoint(schema):
            return None
        node = self._nodes.get(id(schema))
        targets = (
            target
            for reference in (node.references if node else ())
            for target in reference.targets
        )
        return next(
            (
                Layer(to.schema, self.root_pointer + to.pointer)
                for to in targets
                if isinstance(to.schema, dict)
            ),
            None,
        )

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        """The nodes of the index, by the identity of their schemas. Many schemas have no references and need none."""
        return {id(node.schema): node for node in SchemaMap(self.root, max_nodes=MAX_NODES).nodes}

    def type_name(self, layers: list[Layer], *, nullable: bool, depth: int = 0) -> str:
        """The type in words: "array of strings or null"."""
        names: list[str] = []
        for layer in layers:
            names = type_names(layer.schema.get("type"))
            if names:
                break
        if not names:
            names = _implied_types(layers)
        if nullable or any(layer.schema.get("nullable") is True for layer in layers):
            names = [name for name in names if name not in ("null", "any value")]
            names = [*names, "null"] if names else ["any value"]
        words = [self._items_type(layers, depth) if name == "array" else name for name in names]
        return listed(words)

    def _items_type(self, layers: list[Layer], depth: int) -> str:
        for layer in layers:
            if isinstance(layer.schema.get(item_keywords(layer.schema)[0]), list):
                return "tuple"
            items = layer.schema.get("items")
            if isinstance(items, dict) and depth < MAX_ITEM_TYPES:
                inner_layers, nullable = self.of(items)
                inner = self.type_name(inner_layers, nullable=nullable, depth=depth + 1)
                return array_of(inner)
        return "array"


def named_children(schema: Schema) -> Iterator[tuple[str, str, JSON]]:
    """(keyword, name, schema) of each property, pattern and schema for other members."""
    for keyword in ("properties", "patternProperties"):
        for name, child in members_of(schema.get(keyword)).items():
            yield keyword, name, child
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        child = schema.get(keyword)
        if isinstance(child, dict):
            yield keyword, "", child


def item_children(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], str, JSON]]:
    """(tokens, name, schema) of an array's items; those with their own schemas are named by index ("0", "1")."""
    first, length, others = item_keywords(schema)
    for index, child in enumerate(items_of(schema.get(first)) if length else ()):
        yield (first, index), str(index), child
    if isinstance(child := schema.get(others), dict):
        yield (others,), "", child
    if isinstance(child := schema.get("contains"), dict):
        yield ("contains",), "contains", child


_BRANCH_TITLES = {"oneOf": "Exactly one of these", "anyOf": "Any of these"}


def branch_children(layer: Layer) -> Iterator[tuple[str, str, tuple[str | int, ...], JSON]]:
    """(title, label, tokens, schema) of each alternative."""
    for keyword, title in _BRANCH_TITLES.items():
        listed = layer.schema.get(keyword)
        if isinstance(listed, list) and keyword not in layer.skip and not only_requirements(listed):
            for index, child in enumerate(listed):
                yield title, _branch_label(child, index), (keyword, index), child
    for keyword, label in (("if", "When it is"), ("then", "Then"), ("else", "Otherwise")):
        if (child := layer.schema.get(keyword)) is not None and "if" in layer.schema:
            yield "Depending on the value", label, (keyword,), child
    if isinstance(child := layer.schema.get("not"), dict) and child and not only_values(child):
        yield "Except", "Not this", ("not",), child
    for name, child in members_of(layer.schema.get("dependentSchemas")).items():
        yield "Depending on the value", f"With {name}", ("dependentSchemas", name), child


def _branch_label(schema: JSON, index: int) -> str:
    title = schema.get("title") if isinstance(schema, dict) else None
    return title if isinstance(title, str) and title.strip() else f"Option {index + 1}"


def is_worth_describing(items: JSON) -> bool:
    """Whether there is more about an array's items than the array's type says."""
    return isinstance(items, dict) and bool(set(items) - {"type", "title"})


def has_more(layers: list[Layer]) -> bool:
    return any(
        True
        for layer in layers
        for _ in (
            *named_children(layer.schema),
            *item_children(layer.schema),
            *branch_children(layer),
        )
    )


def _other_than_null(branches: JSON) -> tuple[int, Schema] | None:
    """Of two branches, one of them null: the index and schema of the other."""
    if not isinstance(branches, list) or len(branches) != 2:
        return None
    nulls = [
        isinstance(branch, dict) and type_names(branch.get("type")) == ["null"]
        for branch in branches
    ]
    if nulls.count(True) != 1:
        return None
    index = nulls.index(False)
    branch = branches[index]
    return (index, branch) if isinstance(branch, dict) else None


def definition_name(schema: Schema) -> str:
    reference = schema.get("$ref")
    return (
        unquote(reference.rsplit("/", 1)[-1])
        if isinstance(reference, str) and "/" in reference
        else ""
    )


def _implied_types(layers: list[Layer]) -> list[str]:
    """The types that the other keywords apply to.

    Of `KEYWORDS_OF_TYPES`, only those whose subschemas the documentation shows: a bound allows values of other types.
    """
    keys = {key for layer in layers for key in layer.schema}
    if keys & {"enum", "const"}:
        values = [value for layer in layers for value in values_of(layer.schema)]
        return list(dict.fromkeys(_type_of(value) for value in values)) or ["nothing"]
    if keys & {"properties", "patternProperties", "additionalProperties", "required"}:
        return ["object"]
    if keys & {"items", "prefixItems", "contains"}:
        return ["array"]
    for layer in layers:
        for keyword in ("oneOf", "anyOf"):
            branches = layer.schema.get(keyword)
            if isinstance(branches, list) and keyword not in layer.skip:
                kinds = [
                    type_names(branch.get("type"))
                    for branch in branches
                    if isinstance(branch, dict)
                ]
                if len(kinds) == len(branches) and all(kinds):
                    return list(dict.fromkeys(name for names in kinds for name in names))
    return ["any value"]


def _type_of(value: JSON) -> str:
    """The type of a value, where an integer is written without a point or an exponent."""
    return "integer" if type(value) is int else json_type(value)
