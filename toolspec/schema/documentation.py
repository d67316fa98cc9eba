"""A JSON Schema as documentation: types and constraints in words, properties as a tree.

Documentation is for reading: it describes equivalent schemas in the same words, and where a schema is deeper than a
page should show, the tree ends with a note. `validation` decides whether a value is valid.

Source: JSON Schema 2020-12, Core and Validation; the older keywords of draft-04 to 2019-09.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from toolspec.schema.describe import Fact, facts_of, listed
from toolspec.schema.documentation_layers import (
    Layer,
    Layers,
    branch_children,
    definition_name,
    has_more,
    is_worth_describing,
    item_children,
    named_children,
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


@dataclass(frozen=True, slots=True)
class Branch:
    """One of several alternative schemas. `constant`: the discriminator's value that selects it, or ""."""

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
        same_as: the anchor of the node that already describes this schema, for a recursive schema, or "".
        children_title: "Properties", "Items" …
        branches_title: how many of `branches` must hold: "One of these", "Any of these", "Depending on the value".
        discriminator: the property whose constant selects one of `branches`, or "".
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
    discriminator: str = ""
    cut: bool = False

    @property
    def lead(self) -> str:
        """The first sentence of the description, for a line."""
        text = self.description.strip()
        end = _SENTENCE_END.search(text)
        text = text[: end.start() + 1].rstrip() if end else text
        return text if len(text) <= MAX_LEAD else f"{text[:MAX_LEAD].rsplit(' ', 1)[0]} …"

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
        """Whether the array's node can show these items' facts and properties as its own, with nothing lost."""
        more = (
            self.name,
            self.title,
            self.description,
            self.definition,
            self.same_as,
            self.branches,
            self.cut,
        )
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


_SENTENCE_END = re.compile(r"[.!?](?=\s)|\n\s*\n")


def document(schema: JSON, *, anchor: str, pointer: str) -> Node:
    """The documentation of `schema`, found at `pointer` in its spec; anchors of its nodes begin with `anchor`."""
    return _Writer(Layers(schema, pointer)).node(schema, _Position(anchor, pointer))


# -- positions --------------------------------------------------------------------------------------------------------


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
    described: frozenset[str] = frozenset()  # properties of a variant that its union describes

    def below(
        self,
        token: str,
        pointer: str,
        name: str = "",
        kind: Literal["name", "pattern", "other"] = "name",
        *,
        required: bool = False,
        described: frozenset[str] = frozenset(),
    ) -> _Position:
        """The position of a node below this one, whose anchor ends with `token`."""
        anchor, depth = f"{self.anchor}.{token}", self.depth + 1
        return _Position(anchor, pointer, name, kind, required, self.inside, depth, described)


@dataclass
class _Writer:
    layers: Layers
    left: int = MAX_SHOWN
    anchors: set[str] = field(default_factory=set)

    def node(self, schema: JSON, position: _Position) -> Node:
        """`schema` at `position`."""
        self.left -= 1
        anchor = self._anchor(position.anchor)
        if not isinstance(schema, dict):
            kind = "nothing: no value fits" if schema is False else "any value"
            return Node(
                position.name,
                position.kind,
                anchor,
                position.pointer,
                kind,
                required=position.required,
            )
        layers, nullable = self.layers.of(schema, position.pointer)
        summary = Summary([layer.keywords for layer in layers])
        node = Node(
            position.name,
            position.kind,
            anchor,
            position.pointer,
            self._type(layers, nullable=nullable),
            title=summary.text("title"),
            description=summary.text("description"),
            definition=next(
                (name for layer in layers if (name := definition_name(layer.schema))), ""
            ),
            required=position.required,
            deprecated=summary.flag("deprecated"),
            read_only=summary.flag("readOnly"),
            write_only=summary.flag("writeOnly"),
            facts=tuple(facts_of(summary)),
        )
        same_as = next(
            (
                position.inside[id(layer.schema)]
                for layer in layers
                if id(layer.schema) in position.inside
            ),
            "",
        )
        if same_as:
            return replace(node, same_as=same_as)
        if self.left <= 0 or position.depth >= MAX_DEPTH:
            return replace(node, cut=has_more(layers))
        inside = {**position.inside, **{id(layer.schema): anchor for layer in layers}}
        here = replace(position, anchor=anchor, inside=inside)
        children_title, children = self._children(layers, here)
        if children_title == "Items" and len(children) == 1 and children[0].fits_into_its_array:
            [item] = children
            of_items = tuple(
                replace(fact, label=f"Each item: {fact.label.lower()}") for fact in item.facts
            )
            node = replace(node, facts=node.facts + of_items)
            children_title, children = "Each item", list(item.children)
        branches_title, branches, union = self._branches(layers, here)
        if branches and union.shared:
            children_title, children = "Properties", children + self._shared(union, here, children)
        return replace(
            node,
            discriminator=union.discriminator,
            children_title=children_title,
            children=tuple(children),
            branches_title=branches_title,
            branches=tuple(branches),
            cut=self.left <= 0,
        )

    # -- the nodes below ----------------------------------------------------------------------------------------------

    def _children(self, layers: list[Layer], here: _Position) -> tuple[str, list[Node]]:
        required = Summary([layer.schema for layer in layers]).required()
        nodes: list[Node] = []
        named: set[str] = set()
        items = False
        for layer in layers:
            for keyword, name, child in named_children(layer.schema):
                if self.left <= 0 or (
                    keyword == "properties" and (name in named or name in here.described)
                ):
                    continue
                named.add(name)
                kind: Literal["name", "pattern", "other"] = "name"
                if keyword != "properties":
                    kind = "pattern" if keyword == "patternProperties" else "other"
                pointer = pointer_join(layer.pointer, keyword, *([] if kind == "other" else [name]))
                is_required = kind == "name" and name in required
                nodes.append(
                    self.node(
                        child,
                        here.below(name or "other", pointer, name, kind, required=is_required),
                    )
                )
            for tokens, name, child in item_children(layer.schema):
                if self.left > 0 and (name or is_worth_describing(child)):
                    items = True
                    pointer = pointer_join(layer.pointer, *tokens)
                    nodes.append(self.node(child, here.below(name or "items", pointer, name)))
        nodes.sort(key=lambda node: not node.required)
        return "Items" if items and not named else "Properties", nodes

    def _shared(self, union: Union, here: _Position, known: list[Node]) -> list[Node]:
        """The properties that all variants of a union have in common, except those that are `known`."""
        names = {node.name for node in known}
        nodes = []
        for name, (schema, required) in union.shared.items():
            if self.left <= 0 or name in names:
                continue
            nodes.append(self.node(schema, here.below(name, here.pointer, name, required=required)))
        return sorted(nodes, key=lambda node: not node.required)

    def _type(self, layers: list[Layer], *, nullable: bool) -> str:
        """The type in words; a union without a declared type is named by its variants."""
        words = self.layers.type_name(layers, nullable=nullable)
        if words != "any value":
            return words
        for layer in layers:
            names = name_variants(layer.schema, self.layers)
            if names and all(names):
                few = [*names, "null"] if nullable else names
                return listed(few) if len(few) <= MAX_WORDS else f"one of {len(names)} variants"
        return words

    def _branches(self, layers: list[Layer], here: _Position) -> tuple[str, list[Branch], Union]:
        found: list[Branch] = []
        titles: list[str] = []
        union = Union(())
        for layer in layers:
            listed_here = list(branch_children(layer))
            alternatives = [
                child for _, _, tokens, child in listed_here if tokens[0] in ("oneOf", "anyOf")
            ]
            if len(alternatives) == len(listed_here) > 0 and not found:
                union = describe_union(alternatives, self.layers)
            for title, label, tokens, child in listed_here:
                if self.left <= 0:
                    break
                titles.append(title)
                index = len(found)
                is_variant = index < len(union.names)
                constant = union.constants[index] if is_variant and union.constants else ""
                described = (
                    {*union.shared, *filter(None, [union.discriminator])} if is_variant else set()
                )
                pointer = pointer_join(layer.pointer, *tokens)
                node = self.node(
                    child, here.below(str(index + 1), pointer, described=frozenset(described))
                )
                name = union.names[index] if is_variant else ""
                found.append(
                    Branch(name or (_by_type(node) if is_variant else "") or label, node, constant)
                )
        objects = [index for index, branch in enumerate(found) if branch.node.is_plain_object]
        if len(objects) == 1 and len(union.names) == len(found) and not union.names[objects[0]]:
            found[objects[0]] = replace(found[objects[0]], title="object")
        return (titles[0] if titles else ""), found, union

    def _anchor(self, wanted: str) -> str:
        wanted = re.sub(r"[^A-Za-z0-9._~-]+", "-", wanted)[:MAX_ANCHOR_CHARS]
        anchor, number = wanted, 1
        while anchor in self.anchors:
            number += 1
            anchor = f"{wanted}~{number}"
        self.anchors.add(anchor)
        return anchor


def _by_type(node: Node) -> str:
    """The type of a variant that nothing else names, if it says something: "string", but not "object"."""
    return "" if node.type in ("object", "any value") else node.type
