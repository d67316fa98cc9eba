"""One schema document: its identifiers and anchors, and everything that its subschemas share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from toolspec.schema.dialects import BUNDLED, Dialect, dialect_of
from toolspec.schema.index import SchemaMap, base_within, parts_by_draft
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.containers import children_of
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema

MAX_SCHEMA_DEPTH: Final = 200
MAX_SUBSCHEMAS: Final = 20_000  # of one document
MAX_IDENTIFIERS_CHARACTERS: Final = 4_000_000  # of all, each joined with those around it
MAX_SCOPE: Final = 50  # resources in one dynamic scope

_SCOPE_KEYWORDS: Final = frozenset({"$dynamicRef", "$recursiveRef"})


class Document:
    """One schema document, with everything that its subschemas share."""

    def __init__(self, schema: JSON, dialect: Dialect, *, asserts_formats: bool) -> None:
        self.schema = schema
        self.dialect = dialect
        self.asserts_formats = asserts_formats
        self.uri = base_within("", schema, dialect)
        self._subschemas: dict[tuple[int, tuple[str, ...]], Subschema] = {}

    @cached_property
    def flaw(self) -> str | None:
        """Why no value can be checked against the document; None if it is sound."""
        return find_flaw(self.schema, self.dialect)

    @cached_property
    def _names(self) -> SchemaMap:
        """The identifiers and anchors of the document.

        Raises:
            Unchecked: there are too many subschemas.
        """
        names = SchemaMap(self.schema, max_nodes=MAX_SUBSCHEMAS, default=self.dialect)
        if not names.complete:
            raise Unchecked(f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas.")
        return names

    def resource(self, uri: str) -> tuple[JSON, Dialect]:
        """The contents and the draft of the resource `uri`: of the document, or a bundled draft.

        Raises:
            Unresolvable: there is none. Nothing is fetched.
            Unchecked: there are too many subschemas.
        """
        node = self._names.resource(uri)
        if node is not None:
            return node.schema, node.dialect
        contents = cast("JSON", BUNDLED.get_or_retrieve(uri).value.contents)
        return contents, dialect_of(contents, self.dialect) or self.dialect

    def anchor(self, uri: str, name: str) -> tuple[JSON, Dialect]:
        """The contents and the draft of the subschema with the anchor `name` in `uri`.

        Raises:
            Unresolvable, LookupError: there is none.
            Unchecked: there are too many subschemas.
        """
        if self._names.resource(uri) is None:
            contents = BUNDLED.anchor(uri, name).value.resource.contents
            return contents, self.resource(uri)[1]
        node = self._names.anchor(uri, name)
        if node is None:
            raise LookupError(name)
        return node.schema, node.dialect

    def share(self, subschema: Subschema) -> Subschema:
        """The first subschema for this object in this dynamic scope, which shares its results."""
        if not isinstance(subschema.schema, dict):
            return subschema
        key = (id(subschema.schema), subschema.scope)
        known = self._subschemas.get(key)
        if known is not None:
            return known
        if len(self._subschemas) < MAX_SUBSCHEMAS:
            self._subschemas[key] = subschema
        return subschema

    def enter(self, scope: tuple[str, ...], uri: str) -> tuple[str, ...]:
        """The dynamic scope after entering the resource `uri`, unless it is already in the scope.

        Raises:
            Unchecked: the scope is too long.
        """
        if uri in scope or not (self._has_dynamic_scope or uri in BUNDLED):
            return scope
        if len(scope) >= MAX_SCOPE:
            raise Unchecked("The schema's resources refer to each other too deeply.")
        return (*scope, uri)

    @cached_property
    def _has_dynamic_scope(self) -> bool:
        """Whether the path to a subschema affects its meaning."""
        return not all(map(_SCOPE_KEYWORDS.isdisjoint, list_objects(self.schema)))

    def tokens_to(self, schema: JSON) -> list[str | int] | None:
        """The path to `schema` in the document; None if it is not in it."""
        tokens: list[str | int] = []
        identity = id(schema)
        while identity != id(self.schema):
            if identity not in self._parents:
                return None
            identity, token = self._parents[identity]
            tokens.append(token)
        return tokens[::-1]

    @cached_property
    def _parents(self) -> dict[int, tuple[int, str | int]]:
        """The identity of each object and array -> the identity of its parent, and its token."""
        parents: dict[int, tuple[int, str | int]] = {}
        waiting = [self.schema]
        while waiting:
            value = waiting.pop()
            for token, child in children_of(value):
                if isinstance(child, (dict, list)):
                    parents[id(child)] = (id(value), token)
                    waiting.append(child)
        return parents


# Flaws: only for schemas that `policy` has not checked; values can always be checked against
# accepted schemas.


def find_flaw(schema: JSON, dialect: Dialect) -> str | None:
    """Why no value can be checked against `schema`; None if it is sound. Linear."""
    has_parts = False
    characters = 0
    waiting: list[tuple[JSON, int, int]] = [(schema, 0, 0)]
    while waiting:
        value, depth, base = waiting.pop()
        if depth > MAX_SCHEMA_DEPTH:
            return "The schema is nested too deeply."
        if isinstance(value, dict):
            has_parts = has_parts or dialect_of(value, dialect) not in {dialect, None}
            names = [value[keyword] for keyword in ("$id", "id") if keyword in value]
            base += sum(len(name) for name in names if isinstance(name, str))
            if names:
                characters += base
            if characters > MAX_IDENTIFIERS_CHARACTERS:
                return "The identifiers in the schema are too long."
        for _, child in children_of(value):
            if isinstance(child, (dict, list)):
                waiting.append((child, depth + 1, base))
    if not has_parts:
        if dialect.accepts(schema):
            return None
        return _explain_invalid(dialect)
    return _find_flaw_of_parts(schema, dialect)


def _find_flaw_of_parts(schema: JSON, dialect: Dialect) -> str | None:
    document = SchemaMap(schema, max_nodes=MAX_SUBSCHEMAS, default=dialect)
    if not document.complete:
        return f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas."
    for node, part in parts_by_draft(document):
        if not node.dialect.accepts(part):
            return _explain_invalid(node.dialect)
    return None


def _explain_invalid(dialect: Dialect) -> str:
    return f"The schema is not valid in draft {dialect.name}."


def list_objects(value: JSON) -> Iterator[dict[str, JSON]]:
    """Every object in `value`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
