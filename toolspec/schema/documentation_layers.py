"""The schemas of one documented value (its layers), their types in words, and the schemas below.

It reads the keywords itself instead of asking `applicable` and `children`. These follow every
branch, and answer for one given member or item, in one draft. A page lists all members and items in
the order in which they are written, with keywords of any draft. It combines only what reads as one
description: references, `allOf`, and a union with null; other branches are shown one by one. And
most schemas have no references, so no index is built for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from urllib.parse import unquote

from toolspec.schema.describe import (
    array_of,
    has_only_requirements,
    has_only_values,
    join_words,
    values_of,
)
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
    """One of the schemas that apply to a value; other places describe the keywords in `skip`."""

    schema: Schema
    pointer: str
    skip: set[str] = field(default_factory=set)

    @property
    def keywords(self) -> Schema:
        if not self.skip:
            return self.schema
        return {key: value for key, value in self.schema.items() if key not in self.skip}


@dataclass
class Layers:
    """Finds the layers of each value in the schema `root`, at `root_pointer` in its spec."""

    root: JSON
    root_pointer: str

    def of(self, schema: Schema, pointer: str = "") -> tuple[list[Layer], bool]:
        """All schemas of one value: `schema`, its `$ref`, its `allOf`, its only branch but null."""
        layers: list[Layer] = []
        nullable = False
        waiting = [Layer(schema, pointer)]
        while waiting and len(layers) < MAX_LAYERS:
            layer = waiting.pop(0)
            if any(layer.schema is known.schema for known in layers):
                continue
            for keyword in ("anyOf", "oneOf"):
                other = _find_other_than_null(layer.schema.get(keyword))
                if other is not None:
                    nullable = True
                    layer.skip.add(keyword)
                    index, branch = other
                    branch_pointer = pointer_join(layer.pointer, keyword, index)
                    waiting.append(Layer(branch, branch_pointer))
            layers.append(layer)
            for index, part in enumerate(items_of(layer.schema.get("allOf"))):
                if isinstance(part, dict):
                    part_pointer = pointer_join(layer.pointer, "allOf", index)
                    waiting.append(Layer(part, part_pointer))
            target = self._find_target(layer.schema)
            if target is not None:
                waiting.append(target)
        return layers, nullable

    def _find_target(self, schema: Schema) -> Layer | None:
        if _REFERENCES.isdisjoint(schema):
            return None
        node = self._nodes.get(id(schema))
        if node is None:
            return None
        for reference in node.references:
            for target in reference.targets:
                if isinstance(target.schema, dict):
                    return Layer(target.schema, self.root_pointer + target.pointer)
        return None

    @cached_property
    def _nodes(self) -> dict[int, Node]:
        """The nodes of the index, by the identity of their schemas.

        Many schemas have no references and need none.
        """
        index = SchemaMap(self.root, max_nodes=MAX_NODES)
        return {id(node.schema): node for node in index.nodes}

    def describe_type(self, layers: list[Layer], *, nullable: bool, depth: int = 0) -> str:
        """The type in words: "array of strings or null"."""
        declared = filter(None, (type_names(layer.schema.get("type")) for layer in layers))
        names = next(declared, None) or _infer_types(layers)
        if nullable or any(layer.schema.get("nullable") is True for layer in layers):
            names = [name for name in names if name not in ("null", "any value")]
            names = [*names, "null"] if names else ["any value"]
        if "array" in names:
            names[names.index("array")] = self._describe_array(layers, depth)
        return join_words(names)

    def _describe_array(self, layers: list[Layer], depth: int) -> str:
        for layer in layers:
            first, _, _ = item_keywords(layer.schema)
            if isinstance(layer.schema.get(first), list):
                return "tuple"
            items = layer.schema.get("items")
            if isinstance(items, dict) and depth < MAX_ITEM_TYPES:
                inner_layers, nullable = self.of(items)
                item_type = self.describe_type(inner_layers, nullable=nullable, depth=depth + 1)
                return array_of(item_type)
        return "array"


def list_named_children(schema: Schema) -> Iterator[tuple[str, str, JSON]]:
    """(keyword, name, schema) of each property, pattern and schema for other members."""
    for keyword in ("properties", "patternProperties"):
        for name, child in members_of(schema.get(keyword)).items():
            yield keyword, name, child
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        child = schema.get(keyword)
        if isinstance(child, dict):
            yield keyword, "", child


def list_item_children(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], str, JSON]]:
    """(tokens, name, schema) of an array's items.

    Those with their own schemas are named by index ("0", "1").
    """
    first, _, others = item_keywords(schema)
    for index, child in enumerate(items_of(schema.get(first))):
        yield (first, index), str(index), child
    for keyword, name in ((others, ""), ("contains", "contains")):
        child = schema.get(keyword)
        if isinstance(child, dict):
            yield (keyword,), name, child


_BRANCH_TITLES = {"oneOf": "Exactly one of these", "anyOf": "Any of these"}
_CONDITION_LABELS = {"if": "When it is", "then": "Then", "else": "Otherwise"}


def list_branch_children(layer: Layer) -> Iterator[tuple[str, str, tuple[str | int, ...], JSON]]:
    """(title, label, tokens, schema) of each alternative."""
    for keyword, title in _BRANCH_TITLES.items():
        branches = layer.schema.get(keyword)
        if keyword in layer.skip or not isinstance(branches, list):
            continue
        if not has_only_requirements(branches):
            for index, child in enumerate(branches):
                yield title, _choose_label(child, index), (keyword, index), child
    if "if" in layer.schema:
        for keyword, label in _CONDITION_LABELS.items():
            child = layer.schema.get(keyword)
            if child is not None:
                yield "Depending on the value", label, (keyword,), child
    excluded = members_of(layer.schema.get("not"))
    if excluded and not has_only_values(excluded):
        yield "Except", "Not this", ("not",), excluded
    for name, child in members_of(layer.schema.get("dependentSchemas")).items():
        yield "Depending on the value", f"With {name}", ("dependentSchemas", name), child


def _choose_label(schema: JSON, index: int) -> str:
    title = members_of(schema).get("title")
    if isinstance(title, str) and title.strip():
        return title
    return f"Option {index + 1}"


def is_worth_describing(items: JSON) -> bool:
    """Whether there is more about an array's items than the array's type says."""
    return isinstance(items, dict) and bool(set(items) - {"type", "title"})


def has_more(layers: list[Layer]) -> bool:
    """Whether there are schemas below."""
    for layer in layers:
        lists = (
            list_named_children(layer.schema),
            list_item_children(layer.schema),
            list_branch_children(layer),
        )
        if any(map(any, lists)):
            return True
    return False


def _find_other_than_null(branches: JSON) -> tuple[int, Schema] | None:
    """Of two branches, one of them null: the index and schema of the other."""
    if not isinstance(branches, list) or len(branches) != 2:
        return None
    nulls = [type_names(members_of(branch).get("type")) == ["null"] for branch in branches]
    if nulls.count(True) != 1:
        return None
    index = nulls.index(False)
    branch = branches[index]
    if isinstance(branch, dict):
        return (index, branch)
    return None


def definition_name(schema: Schema) -> str:
    """The name of the definition that `schema` refers to, or ""."""
    reference = schema.get("$ref")
    if not isinstance(reference, str) or "/" not in reference:
        return ""
    return unquote(reference.rpartition("/")[2])


def _infer_types(layers: list[Layer]) -> list[str]:
    """The types that the other keywords apply to.

    Of `KEYWORDS_OF_TYPES`, only those whose subschemas the documentation shows: a bound allows
    values of other types.
    """
    keywords = set().union(*(layer.schema for layer in layers))
    if keywords & {"enum", "const"}:
        values = chain.from_iterable(values_of(layer.schema) for layer in layers)
        return list(dict.fromkeys(map(_name_type, values))) or ["nothing"]
    if keywords & {"properties", "patternProperties", "additionalProperties", "required"}:
        return ["object"]
    if keywords & {"items", "prefixItems", "contains"}:
        return ["array"]
    for layer in layers:
        for keyword in ("oneOf", "anyOf"):
            branches = layer.schema.get(keyword)
            if isinstance(branches, list) and keyword not in layer.skip:
                types = [type_names(members_of(branch).get("type")) for branch in branches]
                if all(types):
                    return list(dict.fromkeys(chain.from_iterable(types)))
    return ["any value"]


def _name_type(value: JSON) -> str:
    """The type of a value, where an integer is written without a point or an exponent."""
    if type(value) is int:
        return "integer"
    return json_type(value)
