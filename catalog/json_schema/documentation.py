"""A JSON Schema as documentation: types and constraints in words, properties as a tree.

Documentation is for reading: it describes equivalent schemas in the same words, and where a schema is deeper than a
page should show, the tree ends and says so. `validation` decides whether a value is valid.

It follows references itself (others: `applicable.py`): every tool page shows a schema, and pointers and definitions are
enough here, while `validation` compiles the document with its identifiers first.

Source: JSON Schema 2020-12, Core and Validation; the older names of draft-04 to 2019-09 where they differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from catalog.json_schema.describe import (
    Fact,
    Summary,
    array_of,
    facts_of,
    listed,
    only_requirements,
    only_values,
    strings_in,
    values_of,
)
from catalog.json_schema.dialects import item_keywords
from catalog.jsontext.pointers import pointer_join, resolve_pointer
from catalog.jsontext.reader import JSON

MAX_NODES = 400
MAX_DEPTH = 12
MAX_LAYERS = 20
MAX_ANCHOR_CHARS = 120
OPEN_SIZE = 12

Schema = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Branch:
    """One of several alternative schemas."""

    title: str
    node: Node


@dataclass(frozen=True, slots=True)
class Node:
    """The documentation of one value.

    Attributes:
        name: of the property; "" for a whole schema, an array's items, or a branch.
        kind: whether `name` is a name, a pattern for names, or stands for all other names.
        anchor: the HTML id, unique in its page.
        pointer: of the schema, in the spec.
        type: in words: "array of strings", "string or null".
        definition: the name of the `$defs` entry that the schema refers to, or "".
        same_as: the anchor of the node that already describes this schema, for a recursive schema, or "".
        children_title: "Properties", "Items" …
        branches_title: how many of `branches` must hold: "One of these", "Any of these", "Depending on the value".
        cut: more follows than a page should show.
    """

    name: str
    kind: Literal["name", "pattern", "other"]
    anchor: str
    pointer: str
    type: str
    title: str = ""
    description: str = ""
    definition: str = ""
    same_as: str = ""
    required: bool = False
    deprecated: bool = False
    read_only: bool = False
    write_only: bool = False
    facts: tuple[Fact, ...] = ()
    children_title: str = ""
    children: tuple[Node, ...] = ()
    branches_title: str = ""
    branches: tuple[Branch, ...] = ()
    cut: bool = False

    @property
    def is_plain_object(self) -> bool:
        return self.type == "object"

    @property
    def fits_into_its_array(self) -> bool:
        """Whether the array's node can show these items' facts and properties as its own, with nothing lost."""
        more = (self.name, self.title, self.description, self.definition, self.same_as, self.branches, self.cut)
        flags = (self.deprecated, self.read_only, self.write_only)
        nested = self.type.startswith(("array", "tuple"))
        return not any(more) and not any(flags) and not (nested and self.children)

    @property
    def opens(self) -> bool:
        """Whether its content is small enough to be shown unfolded."""
        return self.size <= OPEN_SIZE

    @property
    def size(self) -> int:
        """The number of nodes, itself included."""
        below = (*self.children, *(branch.node for branch in self.branches))
        return 1 + sum(node.size for node in below)


def document(schema: JSON, *, anchor: str, pointer: str) -> Node:
    """The documentation of `schema`, found at `pointer` in its spec; anchors of its nodes begin with `anchor`."""
    return _Writer(schema, pointer).node(schema, _Position(anchor, pointer))


# -- positions --------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Layer:
    """One of the schemas that apply to a value; `skip` are the keywords that are described elsewhere."""

    schema: Schema
    pointer: str
    skip: set[str] = field(default_factory=set)

    @property
    def keywords(self) -> Schema:
        return {key: value for key, value in self.schema.items() if key not in self.skip} if self.skip else self.schema


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a node: its anchor and pointer, and the anchors of the schemas around it, by identity."""

    anchor: str
    pointer: str
    name: str = ""
    kind: Literal["name", "pattern", "other"] = "name"
    required: bool = False
    inside: Mapping[int, str] = field(default_factory=dict)
    depth: int = 0


@dataclass(slots=True)
class _Writer:
    root: JSON
    root_pointer: str
    left: int = MAX_NODES
    anchors: set[str] = field(default_factory=set)

    def node(self, schema: JSON, position: _Position) -> Node:
        """`schema` at `position`."""
        self.left -= 1
        anchor = self._anchor(position.anchor)
        if not isinstance(schema, dict):
            kind = "nothing: no value fits" if schema is False else "any value"
            return Node(position.name, position.kind, anchor, position.pointer, kind, required=position.required)
        layers, nullable = self._layers(schema, position.pointer)
        summary = Summary([layer.keywords for layer in layers])
        node = Node(
            position.name,
            position.kind,
            anchor,
            position.pointer,
            self._type(layers, nullable=nullable),
            title=summary.text("title"),
            description=summary.text("description"),
            definition=next((name for layer in layers if (name := _definition_name(layer.schema))), ""),
            required=position.required,
            deprecated=summary.flag("deprecated"),
            read_only=summary.flag("readOnly"),
            write_only=summary.flag("writeOnly"),
            facts=tuple(facts_of(summary)),
        )
        same_as = next(
            (position.inside[id(layer.schema)] for layer in layers if id(layer.schema) in position.inside), ""
        )
        if same_as:
            return replace(node, same_as=same_as)
        if self.left <= 0 or position.depth >= MAX_DEPTH:
            return replace(node, cut=_has_more(layers))
        inside = {**position.inside, **{id(layer.schema): anchor for layer in layers}}
        children_title, children = self._children(layers, position, anchor, inside)
        if children_title == "Items" and len(children) == 1 and children[0].fits_into_its_array:
            [item] = children
            of_items = tuple(replace(fact, label=f"Each item: {fact.label.lower()}") for fact in item.facts)
            node = replace(node, facts=node.facts + of_items)
            children_title, children = "Each item", list(item.children)
        branches_title, branches = self._branches(layers, position, anchor, inside)
        return replace(
            node,
            children_title=children_title,
            children=tuple(children),
            branches_title=branches_title,
            branches=tuple(branches),
            cut=self.left <= 0,
        )

    # -- what is below ------------------------------------------------------------------------------------------------

    def _children(
        self, layers: list[_Layer], position: _Position, anchor: str, inside: Mapping[int, str]
    ) -> tuple[str, list[Node]]:
        required = {name for layer in layers for name in strings_in(layer.schema.get("required"))}
        nodes: list[Node] = []
        named: set[str] = set()
        items = False
        for layer in layers:
            for keyword, name, child in _named_children(layer.schema):
                if self.left <= 0 or (keyword == "properties" and name in named):
                    continue
                named.add(name)
                kind: Literal["name", "pattern", "other"] = "name"
                if keyword != "properties":
                    kind = "pattern" if keyword == "patternProperties" else "other"
                at = _Position(
                    f"{anchor}.{name or 'other'}",
                    pointer_join(layer.pointer, keyword, *([] if kind == "other" else [name])),
                    name,
                    kind,
                    required=kind == "name" and name in required,
                    inside=inside,
                    depth=position.depth + 1,
                )
                nodes.append(self.node(child, at))
            for tokens, name, child in _item_children(layer.schema):
                if self.left > 0 and (name or _worth_describing(child)):
                    items = True
                    at = _Position(
                        f"{anchor}.{name or 'items'}",
                        pointer_join(layer.pointer, *tokens),
                        name,
                        inside=inside,
                        depth=position.depth + 1,
                    )
                    nodes.append(self.node(child, at))
        return "Items" if items and not named else "Properties", nodes

    def _branches(
        self, layers: list[_Layer], position: _Position, anchor: str, inside: Mapping[int, str]
    ) -> tuple[str, list[Branch]]:
        found: list[Branch] = []
        titles: list[str] = []
        for layer in layers:
            for title, label, tokens, child in _branch_children(layer):
                if self.left <= 0:
                    break
                titles.append(title)
                number = len(found) + 1
                at = _Position(
                    f"{anchor}.{number}",
                    pointer_join(layer.pointer, *tokens),
                    inside=inside,
                    depth=position.depth + 1,
                )
                found.append(Branch(label, self.node(child, at)))
        return (titles[0] if titles else ""), found

    # -- references ---------------------------------------------------------------------------------------------------

    def _layers(self, schema: Schema, pointer: str = "") -> tuple[list[_Layer], bool]:
        """All schemas of one value: `schema`, its `$ref`, its `allOf`, its only branch besides null."""
        layers: list[_Layer] = []
        nullable = False
        waiting = [_Layer(schema, pointer)]
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
                    waiting.append(_Layer(branch, pointer_join(layer.pointer, keyword, index)))
            layers.append(layer)
            all_of = layer.schema.get("allOf")
            for index, part in enumerate(all_of if isinstance(all_of, list) else []):
                if isinstance(part, dict):
                    waiting.append(_Layer(part, pointer_join(layer.pointer, "allOf", index)))
            target = self._target(layer.schema)
            if target is not None:
                waiting.append(target)
        return layers, nullable

    def _target(self, schema: Schema) -> _Layer | None:
        reference = next((ref for key in ("$ref", "$dynamicRef") if isinstance(ref := schema.get(key), str)), None)
        if reference is None or not reference.startswith("#"):
            return None
        fragment = reference[1:]
        if fragment and not fragment.startswith("/"):
            return self._anchored(fragment)
        try:
            found = resolve_pointer(self.root, _unquoted(fragment))
        except (LookupError, ValueError):
            return None
        return _Layer(found, self.root_pointer + _unquoted(fragment)) if isinstance(found, dict) else None

    def _anchored(self, name: str) -> _Layer | None:
        """The schema with `$anchor: name` among the definitions, where anchors are in practice."""
        definitions = self.root.get("$defs") if isinstance(self.root, dict) else None
        for key, schema in definitions.items() if isinstance(definitions, dict) else ():
            if isinstance(schema, dict) and name in (schema.get("$anchor"), schema.get("$dynamicAnchor")):
                return _Layer(schema, pointer_join(self.root_pointer, "$defs", key))
        return None

    # -- types --------------------------------------------------------------------------------------------------------

    def _type(self, layers: list[_Layer], *, nullable: bool, depth: int = 0) -> str:
        names: list[str] = []
        for layer in layers:
            names = _type_names(layer.schema) or names
            if _type_names(layer.schema):
                break
        if not names:
            names = _implied_types(layers)
        if nullable or any(layer.schema.get("nullable") is True for layer in layers):
            names = [name for name in names if name not in ("null", "any value")]
            names = [*names, "null"] if names else ["any value"]
        words = [self._items_type(layers, depth) if name == "array" else name for name in names]
        return listed(words)

    def _items_type(self, layers: list[_Layer], depth: int) -> str:
        for layer in layers:
            if isinstance(layer.schema.get(item_keywords(layer.schema)[0]), list):
                return "tuple"
            items = layer.schema.get("items")
            if isinstance(items, dict) and depth < 3:
                inner_layers, nullable = self._layers(items)
                inner = self._type(inner_layers, nullable=nullable, depth=depth + 1)
                return array_of(inner)
        return "array"

    def _anchor(self, wanted: str) -> str:
        wanted = re.sub(r"[^A-Za-z0-9._~-]+", "-", wanted)[:MAX_ANCHOR_CHARS]
        anchor, number = wanted, 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{wanted}~{number}"
        self.anchors.add(anchor)
        return anchor


def _named_children(schema: Schema) -> Iterator[tuple[str, str, JSON]]:
    """(keyword, name, schema) of each kind of member that an object may have."""
    for keyword in ("properties", "patternProperties"):
        named = schema.get(keyword)
        if isinstance(named, dict):
            for name, child in named.items():
                yield keyword, name, child
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        child = schema.get(keyword)
        if isinstance(child, dict):
            yield keyword, "", child


def _item_children(schema: Schema) -> Iterator[tuple[tuple[str | int, ...], str, JSON]]:
    """(tokens, name, schema) of an array's items; those at a fixed place are named by it ("0", "1")."""
    first, length, others = item_keywords(schema)
    prefix = schema.get(first)
    for index, child in enumerate(prefix if isinstance(prefix, list) and length else ()):
        yield (first, index), str(index), child
    if isinstance(child := schema.get(others), dict):
        yield (others,), "", child
    if isinstance(child := schema.get("contains"), dict):
        yield ("contains",), "contains", child


_BRANCH_TITLES = {"oneOf": "Exactly one of these", "anyOf": "Any of these"}


def _branch_children(layer: _Layer) -> Iterator[tuple[str, str, tuple[str | int, ...], JSON]]:
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
    dependent = layer.schema.get("dependentSchemas")
    for name, child in dependent.items() if isinstance(dependent, dict) else ():
        yield "Depending on the value", f"With {name}", ("dependentSchemas", name), child


def _branch_label(schema: JSON, index: int) -> str:
    title = schema.get("title") if isinstance(schema, dict) else None
    return title if isinstance(title, str) and title.strip() else f"Option {index + 1}"


def _worth_describing(items: JSON) -> bool:
    """Whether there is more about an array's items than the array's type says."""
    return isinstance(items, dict) and bool(set(items) - {"type", "title"})


def _has_more(layers: list[_Layer]) -> bool:
    return any(
        True
        for layer in layers
        for _ in (*_named_children(layer.schema), *_item_children(layer.schema), *_branch_children(layer))
    )


def _other_than_null(branches: JSON) -> tuple[int, Schema] | None:
    """Of two branches, one of them null: the index and schema of the other."""
    if not isinstance(branches, list) or len(branches) != 2:
        return None
    nulls = [isinstance(branch, dict) and _type_names(branch) == ["null"] for branch in branches]
    if nulls.count(True) != 1:
        return None
    index = nulls.index(False)
    branch = branches[index]
    return (index, branch) if isinstance(branch, dict) else None


def _definition_name(schema: Schema) -> str:
    reference = schema.get("$ref")
    return _unquoted(reference.rsplit("/", 1)[-1]) if isinstance(reference, str) and "/" in reference else ""


def _unquoted(fragment: str) -> str:
    return re.sub(r"%([0-9A-Fa-f]{2})", lambda hit: chr(int(hit[1], 16)), fragment)


def _type_names(schema: Schema) -> list[str]:
    names = schema.get("type")
    return [names] if isinstance(names, str) else list(strings_in(names))


def _implied_types(layers: list[_Layer]) -> list[str]:
    """The types that the other keywords apply to."""
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
                kinds = [_type_names(branch) for branch in branches if isinstance(branch, dict)]
                if len(kinds) == len(branches) and all(kinds):
                    return list(dict.fromkeys(name for names in kinds for name in names))
    return ["any value"]


_TYPE_OF: Mapping[type, str] = {bool: "boolean", type(None): "null", str: "string", list: "array", dict: "object"}


def _type_of(value: JSON) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return "integer"
    return _TYPE_OF.get(type(value), "number")
