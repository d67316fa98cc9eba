"""A JSON Schema as documentation: types and constraints in words, properties as a tree.

Documentation is for reading: it describes equivalent schemas in the same words, and where a schema
is deeper than a page should show, the tree ends with a note. `validation` decides whether a value
is valid.

Source: JSON Schema 2020-12, Core and Validation; the older keywords of draft-04 to 2019-09.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from toolspec.schema.describe import Fact, facts_of, join_words
from toolspec.schema.documentation_layers import (
    Layer,
    Layers,
    definition_name,
    has_more,
    is_worth_describing,
    list_branch_children,
    list_item_children,
    list_named_children,
)
from toolspec.schema.summary import Summary
from toolspec.schema.variants import Union, describe_union, name_variants
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

MAX_SHOWN = 400  # nodes
MAX_DEPTH = 12
MAX_ANCHOR_CHARS = 120
OPEN_SIZE = 12
MAX_LEAD = 160  # characters of the first sentence on a property's line
MAX_WORDS = 6  # variants that a type names

Kind: TypeAlias = Literal["name", "pattern", "other"]


@dataclass(frozen=True, slots=True)
class Branch:
    """One of several alternative schemas.

    `constant` is the discriminator's value that selects it, or "".
    """

    title: str
    node: Node
    constant: str = ""


@dataclass(frozen=True, slots=True)
class Node:
    """The documentation of one value.

    Attributes:
        name: of the property; "" for a whole schema, an array's items, or a branch.
        kind: whether `name` is a name, a pattern for names, or a placeholder for all other names.
        anchor: the HTML id, unique in its page.
        pointer: of the schema, in the spec.
        type: in words: "array of strings", "string or null".
        definition: the name of the `$defs` entry that the schema refers to, or "".
        same_as: the anchor of the node that already describes this recursive schema, or "".
        children_title: "Properties", "Items" …
        branches_title: how many of `branches` must hold: "One of these", "Any of these",
            "Depending on the value".
        discriminator: the property whose constant selects one of `branches`, or "".
        cut: more follows than a page should show.
    """

    name: str
    kind: Kind
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
    discriminator: str = ""
    cut: bool = False

    @property
    def lead(self) -> str:
        """The first sentence of the description, for a line."""
        text = self.description.strip()
        end = _SENTENCE_END.search(text)
        if end:
            text = text[: end.start() + 1].rstrip()
        if len(text) <= MAX_LEAD:
            return text
        words, *_ = text[:MAX_LEAD].rsplit(" ", 1)
        return f"{words} …"

    @property
    def has_details(self) -> bool:
        """Whether there is more than its line."""
        more = (self.facts, self.children, self.branches, self.cut, self.title)
        return any(more) or self.has_more_text

    @property
    def has_more_text(self) -> bool:
        return self.description.strip() != self.lead

    @property
    def is_plain_object(self) -> bool:
        return self.type == "object"

    @property
    def fits_into_its_array(self) -> bool:
        """Whether the array's node can show these items' facts and properties as its own."""
        has_nested_items = self.type.startswith(("array", "tuple")) and bool(self.children)
        more = (
            self.name,
            self.title,
            self.description,
            self.definition,
            self.same_as,
            self.branches,
            self.cut,
            self.deprecated,
            self.read_only,
            self.write_only,
            has_nested_items,
        )
        return not any(more)

    @property
    def opens(self) -> bool:
        """Whether its content is small enough to be shown unfolded."""
        return self.size <= OPEN_SIZE

    @property
    def size(self) -> int:
        """The number of nodes, itself included."""
        children = sum(node.size for node in self.children)
        branches = sum(branch.node.size for branch in self.branches)
        return 1 + children + branches


_KINDS: Mapping[str, Kind] = {"properties": "name", "patternProperties": "pattern"}
_UNIONS = ("oneOf", "anyOf")
_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n")


def document(schema: JSON, *, anchor: str, pointer: str) -> Node:
    """The documentation of `schema`, found at `pointer` in its spec.

    The anchors of its nodes begin with `anchor`.
    """
    return _Writer(Layers(schema, pointer)).document(schema, _Position(anchor, pointer))


# -- positions -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Position:
    """The position of a node.

    Attributes:
        inside: the anchors of the schemas around it, by identity.
        described: the properties of a variant that its union describes.
    """

    anchor: str
    pointer: str
    name: str = ""
    kind: Kind = "name"
    required: bool = False
    inside: Mapping[int, str] = field(default_factory=dict)
    depth: int = 0
    described: frozenset[str] = frozenset()

    def below(
        self,
        token: str,
        pointer: str,
        name: str = "",
        kind: Kind = "name",
        *,
        required: bool = False,
        described: frozenset[str] = frozenset(),
    ) -> _Position:
        """The position of a node below this one, whose anchor ends with `token`."""
        anchor = f"{self.anchor}.{token}"
        depth = self.depth + 1
        return _Position(anchor, pointer, name, kind, required, self.inside, depth, described)


@dataclass
class _Writer:
    layers: Layers
    left: int = MAX_SHOWN
    anchors: set[str] = field(default_factory=set)

    def document(self, schema: JSON, position: _Position) -> Node:
        """`schema` at `position`."""
        self.left -= 1
        anchor = self._make_anchor(position.anchor)
        if not isinstance(schema, dict):
            return Node(
                position.name,
                position.kind,
                anchor,
                position.pointer,
                type="nothing: no value fits" if schema is False else "any value",
                required=position.required,
            )
        layers, nullable = self.layers.of(schema, position.pointer)
        summary = Summary([layer.keywords for layer in layers])
        definitions = [definition_name(layer.schema) for layer in layers]
        node = Node(
            position.name,
            position.kind,
            anchor,
            position.pointer,
            type=self._describe_type(layers, nullable=nullable),
            title=summary.text("title"),
            description=summary.text("description"),
            definition=next(filter(None, definitions), ""),
            required=position.required,
            deprecated=summary.flag("deprecated"),
            read_only=summary.flag("readOnly"),
            write_only=summary.flag("writeOnly"),
            facts=tuple(facts_of(summary)),
        )
        for layer in layers:
            if id(layer.schema) in position.inside:
                return replace(node, same_as=position.inside[id(layer.schema)])
        if self.left <= 0 or position.depth >= MAX_DEPTH:
            return replace(node, cut=has_more(layers))
        inside = dict(position.inside)
        for layer in layers:
            inside[id(layer.schema)] = anchor
        return self._add_parts(node, layers, replace(position, anchor=anchor, inside=inside))

    def _add_parts(self, node: Node, layers: list[Layer], here: _Position) -> Node:
        """`node` with its children and branches."""
        children_title, children = self._document_children(layers, here)
        if children_title == "Items" and len(children) == 1 and children[0].fits_into_its_array:
            [item] = children
            facts = [replace(fact, label=f"Each item: {fact.label.lower()}") for fact in item.facts]
            node = replace(node, facts=(*node.facts, *facts))
            children_title = "Each item"
            children = list(item.children)
        branches_title, branches, union = self._document_branches(layers, here)
        if branches and union.shared:
            children_title = "Properties"
            children += self._document_shared(union, here, children)
        return replace(
            node,
            discriminator=union.discriminator,
            children_title=children_title,
            children=tuple(children),
            branches_title=branches_title,
            branches=tuple(branches),
            cut=self.left <= 0,
        )

    # -- the nodes below ---------------------------------------------------------------------------

    def _document_children(self, layers: list[Layer], here: _Position) -> tuple[str, list[Node]]:
        required = Summary([layer.schema for layer in layers]).required()
        nodes: list[Node] = []
        known = set(here.described)
        has_members = False
        has_items = False
        for layer in layers:
            for keyword, name, child in list_named_children(layer.schema):
                if self.left <= 0 or (keyword == "properties" and name in known):
                    continue
                known.add(name)
                has_members = True
                kind = _KINDS.get(keyword, "other")
                pointer = pointer_join(layer.pointer, keyword)
                if kind != "other":
                    pointer = pointer_join(pointer, name)
                is_required = kind == "name" and name in required
                position = here.below(name or "other", pointer, name, kind, required=is_required)
                nodes.append(self.document(child, position))
            for tokens, name, child in list_item_children(layer.schema):
                if self.left > 0 and (name or is_worth_describing(child)):
                    has_items = True
                    pointer = pointer_join(layer.pointer, *tokens)
                    position = here.below(name or "items", pointer, name)
                    nodes.append(self.document(child, position))
        nodes.sort(key=lambda node: not node.required)
        return "Items" if has_items and not has_members else "Properties", nodes

    def _document_shared(self, union: Union, here: _Position, known: list[Node]) -> list[Node]:
        """The properties that all variants of a union have in common, without those `known`."""
        names = {node.name for node in known}
        nodes = []
        for name, (schema, required) in union.shared.items():
            if self.left > 0 and name not in names:
                position = here.below(name, here.pointer, name, required=required)
                nodes.append(self.document(schema, position))
        return sorted(nodes, key=lambda node: not node.required)

    def _describe_type(self, layers: list[Layer], *, nullable: bool) -> str:
        """The type in words; a union without a declared type is named by its variants."""
        words = self.layers.describe_type(layers, nullable=nullable)
        if words != "any value":
            return words
        for layer in layers:
            names = name_variants(layer.schema, self.layers)
            if names and all(names):
                variants = f"one of {len(names)} variants"
                if nullable:
                    names.append("null")
                if len(names) <= MAX_WORDS:
                    return join_words(names)
                return variants
        return words

    def _document_branches(
        self, layers: list[Layer], here: _Position
    ) -> tuple[str, list[Branch], Union]:
        branches: list[Branch] = []
        first_title = ""
        union = Union(())
        for layer in layers:
            listed = list(list_branch_children(layer))
            alternatives = [child for _, _, (keyword, *_), child in listed if keyword in _UNIONS]
            if alternatives and len(alternatives) == len(listed) and not branches:
                union = describe_union(alternatives, self.layers)
            for title, label, tokens, child in listed:
                if self.left <= 0:
                    break
                first_title = first_title or title
                index = len(branches)
                is_variant = index < len(union.names)
                described = set(union.shared) if is_variant else set()
                if is_variant and union.discriminator:
                    described.add(union.discriminator)
                pointer = pointer_join(layer.pointer, *tokens)
                position = here.below(str(index + 1), pointer, described=frozenset(described))
                node = self.document(child, position)
                if not is_variant:
                    branches.append(Branch(label, node))
                    continue
                name = union.names[index] or _name_by_type(node) or label
                constant = union.constants[index] if union.constants else ""
                branches.append(Branch(name, node, constant))
        objects = [index for index, branch in enumerate(branches) if branch.node.is_plain_object]
        if len(objects) == 1 and len(union.names) == len(branches):
            [index] = objects
            if not union.names[index]:
                branches[index] = replace(branches[index], title="object")
        return first_title, branches, union

    def _make_anchor(self, text: str) -> str:
        base = re.sub(r"[^A-Za-z0-9._~-]+", "-", text)[:MAX_ANCHOR_CHARS]
        anchor = base
        number = 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{base}~{number}"
        self.anchors.add(anchor)
        return anchor


def _name_by_type(node: Node) -> str:
    """The type of a variant without a name, if it says something: "string", not "object"."""
    if node.type in ("object", "any value"):
        return ""
    return node.type
