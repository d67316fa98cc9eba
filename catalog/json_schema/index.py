"""Where each subschema of a document stands, what it is called, and where its references lead.

Nothing is fetched. The map is made in one pass that neither recurses nor trusts the
document: what is misshapen is passed over (`schema_shapes` says it), what cannot be resolved is reported.

Sources: JSON Schema 2020-12 Core, sections 8 and 9; the like of the earlier drafts; RFC 3986; RFC 6901.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urldefrag, urljoin

from referencing.exceptions import Unresolvable

from catalog.errors import MAX_PROBLEMS, Problem
from catalog.json_schema.dialects import BUNDLED, DEFAULT_DIALECT, Dialect, dialect_named, dialect_of, held, is_standard
from catalog.jsontext.pointers import pointer_join, split_pointer
from catalog.jsontext.reader import JSON

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
MAX_URI_CHARACTERS: Final = 2_000
MAX_MEANINGS: Final = 10_000  # places that all dynamic references together may mean
MAX_TOKENS: Final = 200  # no pointer into a document of bounded depth has as many

_NAMES: Final = ("$anchor", "$dynamicAnchor")
_NAMING: Final = frozenset({"$schema", "$id", "id", "$recursiveAnchor", *_NAMES})
_REFERRING: Final = frozenset(REFERENCES)
_NOTHING: Final = object()
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")
_STANDARD_DRAFT_03: Final = "json-schema.org/draft-03/"


@dataclass(slots=True, eq=False)
class Node:
    """One subschema in its place.

    `keyword` and `path` lead from `parent` here; `base` is the URI that relative references start from, `resource` the
    root of the schema resource it belongs to; `references` are the references that stand in it and lead somewhere.
    """

    schema: JSON
    parent: Node | None
    path: tuple[str | int, ...]
    dialect: Dialect
    base: str = ""
    resource: Node | None = None
    children: list[Node] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)

    @property
    def pointer(self) -> str:
        tokens: list[str | int] = []
        node: Node | None = self
        while node is not None:
            tokens.extend(reversed(node.path))
            node = node.parent
        return pointer_join("", *reversed(tokens))

    @property
    def root(self) -> Node:
        """The root of its schema resource."""
        return self.resource or self


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference that resolves: to nodes of the document (a dynamic one: all it may mean), or to a bundled draft."""

    keyword: str
    targets: tuple[Node, ...]
    to_bundled: bool = False


class SchemaMap:
    """The map of one document.

    Attributes:
        nodes: every subschema, parents before children; the document itself first.
        unforeseen: those of `nodes` that only a reference knows to be schemas: they stand below no keyword.
        problems: names and references that are not acceptable, with pointers from the document's root.
        complete: False when there were more than `max_nodes` subschemas, and the rest is left out.
    """

    def __init__(self, document: JSON, *, max_nodes: int) -> None:
        self.unforeseen: list[Node] = []
        self.problems: list[Problem] = []
        self.complete = True
        self._max_nodes = max_nodes
        self._resources: dict[str, Node] = {}
        self._anchors: dict[tuple[str, str], Node] = {}
        self._dynamic: dict[str, list[Node]] = {}
        self._recursive: list[Node] = []
        self._refer: deque[tuple[Node, str]] = deque()
        self._children: dict[tuple[Node | str, ...], Node] = {}
        self._meanings = 0

        root = Node(document, None, (), dialect_of(document, DEFAULT_DIALECT) or DEFAULT_DIALECT)
        self._resources[""] = root
        self.nodes: list[Node] = []
        self._walk(root)
        if self.complete and self._refer:
            self._resolve_all()

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def _walk(self, start: Node) -> None:
        """Add `start` and all that stands below it."""
        waiting = deque([start])
        while waiting:
            if len(self.nodes) + len(waiting) > self._max_nodes:
                self.complete = False
                return
            node = waiting.popleft()
            self.nodes.append(node)
            schema = node.schema
            if isinstance(schema, dict):
                if not _NAMING.isdisjoint(schema):
                    self._name(node, schema)
                holds = node.dialect.holds
                for keyword, value in schema.items():
                    if (how := holds.get(keyword)) is not None:
                        for path, subschema in held(how, value):
                            child = Node(
                                subschema, node, (keyword, *path), node.dialect, node.base, node.resource or node
                            )
                            node.children.append(child)
                            waiting.append(child)
                    elif keyword in _REFERRING and keyword in node.dialect.keywords:
                        self._refer.append((node, keyword))

    # Names: $schema, $id, anchors

    def _name(self, node: Node, schema: dict[str, JSON]) -> None:
        dialect = dialect_of(schema, node.dialect) or node.dialect
        identifier = schema.get(dialect.id_keyword)
        if dialect.ref_stands_alone and isinstance(schema.get("$ref"), str):
            identifier = None
        if "$schema" in schema:
            self._take_dialect(node, schema["$schema"], starts_resource=isinstance(identifier, str))
        if isinstance(identifier, str):
            self._take_identifier(node, identifier)
        for keyword in _NAMES:
            if keyword in schema and keyword in node.dialect.keywords:
                self._take_anchor(node, keyword, schema[keyword])
        if schema.get("$recursiveAnchor") is True and node.dialect.name == "2019-09":
            self._recursive.append(node)

    def _take_dialect(self, node: Node, uri: JSON, *, starts_resource: bool) -> None:
        dialect = dialect_named(uri)
        if dialect is None:
            self._report(
                node,
                "$schema",
                "gate.dialect",
                "`$schema` names no draft that is known here: not draft-04, -06, -07, 2019-09 or 2020-12.",
            )
        elif starts_resource or node.parent is None:
            node.dialect = dialect
        elif dialect is not node.dialect:
            self._report(
                node,
                "$schema",
                "gate.dialect-nested",
                "`$schema` names another draft in the middle of a schema; that needs an `$id` beside it.",
            )

    def _take_identifier(self, node: Node, identifier: str) -> None:
        keyword = node.dialect.id_keyword
        if identifier.startswith("#") and node.dialect.ref_stands_alone:  # how the early drafts write an anchor
            self._take_anchor(node, keyword, identifier[1:])
            return
        uri, fragment = _joined(node.base, identifier)
        if uri is None:
            self._report(node, keyword, "gate.id", f"`{keyword}` is no URI, or too long a one.")
            return
        if fragment:
            self._report(node, keyword, "gate.id", f"`{keyword}` carries a fragment; only references do.")
        elif is_standard(uri):
            self._report(
                node, keyword, "gate.id-standard", f"`{keyword}` is the name of a published standard; choose your own."
            )
        elif self._resources.setdefault(uri, node) is not node and not (node.parent is None and not uri):
            self._report(
                node, keyword, "gate.id-twice", f"`{keyword}` is the name of another schema here; each has its own."
            )
        node.base = uri
        node.resource = None

    def _take_anchor(self, node: Node, keyword: str, name: JSON) -> None:
        if not isinstance(name, str):
            return
        if self._anchors.setdefault((node.base, name), node) is not node:
            self._report(
                node, keyword, "gate.anchor-twice", f"`{keyword}` is the name of another place in this schema."
            )
        if keyword == "$dynamicAnchor":
            self._dynamic.setdefault(name, []).append(node)

    # References

    def _resolve_all(self) -> None:
        while self._refer and self.complete:
            node, keyword = self._refer.popleft()
            value = node.schema[keyword] if isinstance(node.schema, dict) else None
            if isinstance(value, str):
                self._resolve(node, keyword, value)
            elif keyword not in node.dialect.keywords or node.dialect.name == "04":  # the other meta-schemas say so
                self._report(node, keyword, "gate.ref", f"`{keyword}` must be a text.")

    def _resolve(self, node: Node, keyword: str, reference: str) -> None:
        uri, fragment = (node.base, reference[1:]) if reference.startswith("#") else _joined(node.base, reference)
        if uri is None:
            self._report(node, keyword, "gate.ref", f"`{keyword}` is no URI reference, or too long a one.")
            return
        resource = self._resources.get(uri)
        if resource is None:
            self._resolve_outside(node, keyword, uri, fragment)
            return
        target = self._target(node, keyword, resource, unquote(fragment))
        if target is not None:
            node.references.append(Reference(keyword, self._meant(node, keyword, fragment, target)))

    def _resolve_outside(self, node: Node, keyword: str, uri: str, fragment: str) -> None:
        if BUNDLED.get(uri) is None or _STANDARD_DRAFT_03 in uri:
            self._report(
                node,
                keyword,
                "gate.ref-remote",
                f"`{keyword}` leads out of this document, and nothing is fetched; copy what it names into `$defs`.",
            )
            return
        try:
            target = BUNDLED.resolver(uri).lookup(f"#{fragment}").contents
        except (Unresolvable, LookupError, ValueError, TypeError):
            target = None
        if isinstance(target, dict | bool):
            node.references.append(Reference(keyword, (), to_bundled=True))
        else:
            self._report(node, keyword, "gate.ref-missing", f"`{keyword}` names nothing in {uri}.")

    def _target(self, node: Node, keyword: str, resource: Node, fragment: str) -> Node | None:
        """The node that `fragment` names in `resource`; reported and None where there is none."""
        if not fragment:
            return resource
        if not fragment.startswith("/"):
            anchor = self._anchors.get((resource.base, fragment))
            if anchor is None:
                self._report(node, keyword, "gate.ref-missing", f"`{keyword}` names an anchor that is not here.")
            return anchor
        around, rest = self._descend(resource, split_pointer(fragment))
        return around if not rest else self._target_below(node, keyword, around, rest)

    def _descend(self, node: Node, tokens: list[str]) -> tuple[Node, list[str]]:
        """From `node` along `tokens` as far as there are nodes: the last one, and the tokens that are left."""
        if not self._children:
            self._children = {_address(child): child for child in self.nodes[1:]}
        at = 0
        while at < len(tokens):
            for length in (1, 2):
                address: tuple[Node | str, ...] = (node, *tokens[at : at + length])
                child = self._children.get(address)
                if child is not None:
                    node, at = child, at + length
                    break
            else:
                break
        return node, tokens[at:]

    def _target_below(self, node: Node, keyword: str, around: Node, rest: list[str]) -> Node | None:
        """A schema in a place where the draft knows of none, below a member that is no keyword; it joins the map."""
        address: tuple[Node | str, ...] = (around, *rest[:MAX_TOKENS])
        if address in self._children:
            return self._children[address]
        schema = _value_at(around.schema, rest)
        if schema is _NOTHING:
            self._report(node, keyword, "gate.ref-missing", f"`{keyword}` points to a place that is not here.")
            return None
        if not isinstance(schema, dict | bool) or rest[0] in around.dialect.keywords:
            self._report(node, keyword, "gate.ref-not-schema", f"`{keyword}` points to what is not a schema.")
            return None
        target = Node(schema, around, tuple(rest), around.dialect, around.base, around.root)
        self.unforeseen.append(target)
        before = len(self.nodes)
        self._walk(target)
        self._children |= {_address(added): added for added in self.nodes[before:]}
        return target

    def _meant(self, node: Node, keyword: str, fragment: str, target: Node) -> tuple[Node, ...]:
        """The target, and all that a dynamic reference may mean instead."""
        others: list[Node] = []
        if keyword == "$dynamicRef":
            others = self._dynamic.get(fragment, [])
        elif keyword == "$recursiveRef" and target in self._recursive:
            others = self._recursive
        self._meanings += len(others)
        if self._meanings > MAX_MEANINGS:
            self._report(node, keyword, "gate.work", f"`{keyword}` and others may mean too many places; name fewer.")
            others = []
        return (target, *(other for other in others if other is not target))

    def _report(self, node: Node, keyword: str, rule: str, message: str) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            return
        pointer = pointer_join(node.pointer, keyword)
        self.problems.append(Problem(pointer=pointer, message=message, rule=rule, keyword=keyword))


def _joined(base: str, reference: str) -> tuple[str | None, str]:
    """`reference` from `base`, as URI and fragment; None for what is no URI, or longer than `MAX_URI_CHARACTERS`."""
    before_fragment = reference.partition("#")[0]
    if len(before_fragment) > MAX_URI_CHARACTERS:
        return None, ""
    try:
        uri, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return None, ""
    return (uri if len(uri) <= MAX_URI_CHARACTERS else None), fragment


def _address(node: Node) -> tuple[Node | str, ...]:
    """Where `node` stands, as its parent and the tokens from there."""
    return (node.parent or "", *map(str, node.path))


def _value_at(value: JSON, tokens: list[str]) -> JSON | object:
    """What stands at `tokens` in `value`, or `_NOTHING`."""
    for token in tokens:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and _INDEX.fullmatch(token) and int(token) < len(value):
            value = value[int(token)]
        else:
            return _NOTHING
    return value
