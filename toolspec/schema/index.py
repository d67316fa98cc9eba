"""The index of a schema document: the pointers and names of subschemas, the targets of references.

Nothing is fetched. The index is built in one pass that neither recurses nor trusts the document:
malformed parts are skipped (`metaschema_errors` reports them), and references without a target are
reported.

Sources: JSON Schema 2020-12 Core, sections 8 and 9; the same sections of the earlier drafts; RFC
3986; RFC 6901.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final, cast
from urllib.parse import unquote, urldefrag, urljoin

from referencing.exceptions import Unresolvable

from toolspec.errors import MAX_PROBLEMS, Problem
from toolspec.schema.dialects import (
    BUNDLED,
    DEFAULT_DIALECT,
    Dialect,
    dialect_of,
    find_dialect,
    is_standard,
    list_held,
)
from toolspec.text.pointers import pointer_join, resolve_pointer, split_pointer
from toolspec.text.reader import JSON

REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
MAX_URI_CHARACTERS: Final = 2_000
MAX_DYNAMIC_TARGETS: Final = 10_000  # possible targets of all dynamic references together
MAX_TOKENS: Final = 200  # more than any pointer into a document of limited depth has

_NAMES: Final = ("$anchor", "$dynamicAnchor")
_NAMING: Final = frozenset({"$schema", "$id", "id", "$recursiveAnchor", *_NAMES})
_REFERRING: Final = frozenset(REFERENCES)
_STANDARD_DRAFT_03: Final = "json-schema.org/draft-03/"


@dataclass(slots=True, eq=False)
class Node:
    """One subschema of the document.

    Attributes:
        path: the tokens from `parent`.
        base: the URI that relative references are resolved against.
        resource: the root of its schema resource; None for the root itself.
        references: its references that can be resolved.
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
    def tokens(self) -> list[str | int]:
        """The path from the document's root."""
        tokens: list[str | int] = []
        node: Node | None = self
        while node is not None:
            tokens.extend(reversed(node.path))
            node = node.parent
        return tokens[::-1]

    @property
    def pointer(self) -> str:
        return pointer_join("", *self.tokens)

    @property
    def root(self) -> Node:
        """The root of its schema resource."""
        return self.resource or self


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A resolved reference, to a node of the document or to a bundled draft.

    A dynamic one has several targets.
    """

    keyword: str
    targets: tuple[Node, ...]
    to_bundled: bool = False


class SchemaMap:
    """The index of one document.

    Attributes:
        nodes: every subschema, parents before children; the document itself first.
        unforeseen: those of `nodes` that are schemas only because of a reference, not because of a
            keyword above them.
        problems: unacceptable names and references, with pointers from the document's root.
        complete: False if there are more than `max_nodes` subschemas; the rest is left out.
    """

    def __init__(
        self, document: JSON, *, max_nodes: int, default: Dialect = DEFAULT_DIALECT
    ) -> None:
        self.unforeseen: list[Node] = []
        self.problems: list[Problem] = []
        self.complete = True
        self._max_nodes = max_nodes
        self._resources: dict[str, Node] = {}
        self._twice: dict[
            str, Node
        ] = {}  # the second resource of each identifier that several have
        self._anchors: dict[tuple[str, str], Node] = {}
        self._dynamic: dict[str, list[Node]] = {}
        self._recursive: list[Node] = []
        self._unresolved: deque[tuple[Node, str]] = deque()
        self._children: dict[tuple[Node | str, ...], Node] = {}
        self._possible = 0

        root = Node(document, None, (), dialect_of(document, default) or default)
        self._resources[""] = root
        self.nodes: list[Node] = []
        self._walk(root)
        if self.complete and self._unresolved:
            self._resolve_all()

    @property
    def root(self) -> Node:
        return self.nodes[0]

    def _walk(self, start: Node) -> None:
        """Add `start` and everything below it."""
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
                        for path, subschema in list_held(how, value):
                            child = Node(
                                subschema,
                                node,
                                (keyword, *path),
                                node.dialect,
                                node.base,
                                node.resource or node,
                            )
                            node.children.append(child)
                            waiting.append(child)
                    elif keyword in _REFERRING and keyword in node.dialect.keywords:
                        self._unresolved.append((node, keyword))

    # Names: $schema, $id, anchors

    def _name(self, node: Node, schema: dict[str, JSON]) -> None:
        dialect = dialect_of(schema, node.dialect) or node.dialect
        identifier = schema.get(dialect.id_keyword)
        if dialect.ref_stands_alone and isinstance(schema.get("$ref"), str):
            identifier = None
        if "$schema" in schema:
            self._set_dialect(node, schema["$schema"])
        if isinstance(identifier, str):
            self._set_identifier(node, identifier)
        for keyword in _NAMES:
            if keyword in schema and keyword in node.dialect.keywords:
                self._add_anchor(node, keyword, schema[keyword])
        if schema.get("$recursiveAnchor") is True and node.dialect.name == "2019-09":
            self._recursive.append(node)

    def _set_dialect(self, node: Node, uri: JSON) -> None:
        """Read `node` in the draft that it names.

        Even if it is not the root of a resource: real schemas do this.
        """
        dialect = find_dialect(uri)
        if dialect is None:
            message = "`$schema` is not a known draft; use draft-04, -06, -07, 2019-09 or 2020-12."
            self._report(node, "$schema", "gate.dialect", message)
        else:
            node.dialect = dialect

    def _set_identifier(self, node: Node, identifier: str) -> None:
        keyword = node.dialect.id_keyword
        is_early = node.dialect.ref_stands_alone
        if is_early and identifier.startswith("#"):  # an anchor
            self._add_anchor(node, keyword, identifier[1:])
            return
        uri, fragment = _join_uri(node.base, identifier)
        if uri is None:
            self._report(node, keyword, "gate.id", f"`{keyword}` is not a URI, or is too long.")
            return
        if fragment and not is_early:
            message = f"`{keyword}` has a fragment; use `$anchor` to name a subschema."
            self._report(node, keyword, "gate.id", message)
        elif is_standard(uri):
            message = f"`{keyword}` is the identifier of a published standard; choose your own."
            self._report(node, keyword, "gate.id-standard", message)
        if not fragment or uri != node.base:
            first = self._resources.setdefault(uri, node)
            is_unnamed_root = node.parent is None and not uri
            if first is not node and not is_unnamed_root:
                self._twice.setdefault(uri, node)
            node.base = uri
            node.resource = None
        if fragment:  # in the early drafts, it names a subschema, as `$anchor` does later
            self._add_anchor(node, keyword, fragment)

    def _add_anchor(self, node: Node, keyword: str, name: JSON) -> None:
        if not isinstance(name, str):
            return
        first = self._anchors.setdefault((node.base, name), node)
        if first is not node and keyword in _NAMES:
            message = f"`{keyword}` is used twice in this schema; anchors must be unique."
            self._report(node, keyword, "gate.anchor-twice", message)
        if keyword == "$dynamicAnchor":
            self._dynamic.setdefault(name, []).append(node)

    # References

    def resource(self, uri: str) -> Node | None:
        """The root of the schema resource `uri` in the document; the first if there are several."""
        return self._resources.get(uri)

    def anchor(self, uri: str, name: str) -> Node | None:
        """The subschema with the anchor `name` in the resource `uri`."""
        return self._anchors.get((uri, name))

    def _resolve_all(self) -> None:
        while self._unresolved and self.complete:
            node, keyword = self._unresolved.popleft()
            value = node.schema[keyword] if isinstance(node.schema, dict) else None
            if isinstance(value, str):
                self._resolve(node, keyword, value)
            elif node.dialect.name == "04":  # the other meta-schemas check this
                self._report(node, keyword, "gate.ref", f"`{keyword}` must be a string.")

    def _resolve(self, node: Node, keyword: str, reference: str) -> None:
        uri: str | None = node.base
        fragment = reference[1:]
        if not reference.startswith("#"):
            uri, fragment = _join_uri(node.base, reference)
        if uri is None:
            message = f"`{keyword}` is not a URI reference, or is too long."
            self._report(node, keyword, "gate.ref", message)
            return
        resource = self._resources.get(uri)
        if resource is None:
            self._resolve_outside(node, keyword, uri, fragment)
            return
        if uri in self._twice:
            self._report_twice(self._twice.pop(uri))
        target = self._find_target(node, keyword, resource, unquote(fragment))
        if target is not None:
            targets = self._list_possible_targets(node, keyword, fragment, target)
            node.references.append(Reference(keyword, targets))

    def _report_twice(self, second: Node) -> None:
        keyword = second.dialect.id_keyword
        message = (
            f"Another schema in this document has the same `{keyword}`, and a reference uses "
            "it; rename one of them."
        )
        self._report(second, keyword, "gate.id-twice", message)

    def _resolve_outside(self, node: Node, keyword: str, uri: str, fragment: str) -> None:
        if BUNDLED.get(uri) is None or _STANDARD_DRAFT_03 in uri:
            message = (
                f"`{keyword}` refers to another document, which is not fetched; "
                "copy the schema into `$defs`."
            )
            self._report(node, keyword, "gate.ref-remote", message)
            return
        try:
            target = BUNDLED.resolver(uri).lookup(f"#{fragment}").contents
        except (Unresolvable, LookupError, ValueError, TypeError):
            target = None
        if isinstance(target, dict | bool):
            node.references.append(Reference(keyword, (), to_bundled=True))
        else:
            self._report(node, keyword, "gate.ref-missing", f"`{keyword}` does not exist in {uri}.")

    def _find_target(self, node: Node, keyword: str, resource: Node, fragment: str) -> Node | None:
        """The node that `fragment` names in `resource`; None, after a report, if there is none."""
        if not fragment:
            return resource
        if not fragment.startswith("/"):
            anchor = self._anchors.get((resource.base, fragment))
            if anchor is None:
                message = f"`{keyword}` names an anchor that does not exist."
                self._report(node, keyword, "gate.ref-missing", message)
            return anchor
        parent, rest = self._descend(resource, split_pointer(fragment))
        if rest:
            return self._add_target_below(node, keyword, parent, rest)
        return parent

    def _descend(self, node: Node, tokens: list[str]) -> tuple[Node, list[str]]:
        """The last node from `node` along `tokens`, and the tokens that are left."""
        if not self._children:
            self._children = {_find_address(child): child for child in self.nodes[1:]}
        start = 0
        while start < len(tokens):
            end = start + 1
            child = self._children.get((node, *tokens[start:end]))
            if child is None:
                end = start + 2
                child = self._children.get((node, *tokens[start:end]))
            if child is None:
                break
            node = child
            start = end
        return node, tokens[start:]

    def _add_target_below(
        self, node: Node, keyword: str, parent: Node, rest: list[str]
    ) -> Node | None:
        """A schema below a member that is not a keyword of the draft; it is added to the index."""
        address: tuple[Node | str, ...] = (parent, *rest[:MAX_TOKENS])
        if address in self._children:
            return self._children[address]
        try:
            schema = cast("JSON", resolve_pointer(parent.schema, pointer_join("", *rest)))
        except LookupError:
            message = f"`{keyword}` points to a value that does not exist."
            self._report(node, keyword, "gate.ref-missing", message)
            return None
        if not isinstance(schema, dict | bool) or rest[0] in parent.dialect.keywords:
            message = f"`{keyword}` points to a value that is not a schema."
            self._report(node, keyword, "gate.ref-not-schema", message)
            return None
        target = Node(schema, parent, tuple(rest), parent.dialect, parent.base, parent.root)
        self.unforeseen.append(target)
        nodes_before = len(self.nodes)
        self._walk(target)
        for new in self.nodes[nodes_before:]:
            self._children[_find_address(new)] = new
        return target

    def _list_possible_targets(
        self, node: Node, keyword: str, fragment: str, target: Node
    ) -> tuple[Node, ...]:
        """The target, and the other possible targets of a dynamic reference."""
        others: list[Node] = []
        if keyword == "$dynamicRef":
            others = self._dynamic.get(fragment, [])
        elif keyword == "$recursiveRef" and target in self._recursive:
            others = self._recursive
        self._possible += len(others)
        if self._possible > MAX_DYNAMIC_TARGETS:
            message = (
                f"`{keyword}` and other dynamic references have too many possible targets; "
                "use fewer."
            )
            self._report(node, keyword, "gate.work", message)
            others = []
        return (target, *(other for other in others if other is not target))

    def _report(self, node: Node, keyword: str, rule: str, message: str) -> None:
        if len(self.problems) >= MAX_PROBLEMS:
            return
        pointer = pointer_join(node.pointer, keyword)
        self.problems.append(Problem(pointer=pointer, message=message, rule=rule, keyword=keyword))


def parts_by_draft(document: SchemaMap) -> list[tuple[Node, JSON]]:
    """The parts of `document` that are written in one draft: each with its top node and its schema.

    In the schema of a part, each inner part in another draft is replaced by an empty schema. Takes
    linear time.
    """
    inner: dict[int, Node] = {}
    for node in document.nodes[1:]:
        if node.parent and node.dialect is not node.parent.dialect:
            inner[id(node.schema)] = node
    tops = dict.fromkeys([document.root, *document.unforeseen, *inner.values()])
    if not inner:
        return [(top, top.schema) for top in tops]
    return [(top, _empty_parts(top.schema, inner)) for top in tops]


def _empty_parts(schema: JSON, inner: dict[int, Node]) -> JSON:
    """`schema` with an empty schema in place of each of the `inner` ones below it."""

    def empty(part: JSON) -> JSON:
        if id(part) in inner:
            return {}
        return _empty_parts(part, inner)

    if isinstance(schema, dict):
        return {name: empty(member) for name, member in schema.items()}
    if isinstance(schema, list):
        return [empty(item) for item in schema]
    return schema


def base_within(base: str, schema: JSON, dialect: Dialect) -> str:
    """The base URI inside `schema`, which is itself in a resource with the base URI `base`."""
    identifier = schema.get(dialect.id_keyword) if isinstance(schema, dict) else None
    if not isinstance(schema, dict) or not isinstance(identifier, str):
        return base
    if dialect.ref_stands_alone:
        is_anchor = identifier.startswith("#")
        if is_anchor or isinstance(schema.get("$ref"), str):
            return base
    uri, _ = _join_uri(base, identifier)
    return base if uri is None else uri


def _join_uri(base: str, reference: str) -> tuple[str | None, str]:
    """`reference` resolved against `base`, as URI and fragment.

    The URI is None if it is invalid or too long.
    """
    before_fragment = reference.partition("#")[0]
    if len(before_fragment) > MAX_URI_CHARACTERS:
        return None, ""
    try:
        uri, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        return None, ""
    if len(uri) > MAX_URI_CHARACTERS:
        return None, fragment
    return uri, fragment


def _find_address(node: Node) -> tuple[Node | str, ...]:
    """The address of `node`: its parent and the tokens from there."""
    return (node.parent or "", *map(str, node.path))
