"""One schema document: its identifiers and anchors, and everything that its subschemas share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from toolspec.schema.dialects import BUNDLED, Dialect, dialect_of
from toolspec.schema.index import SchemaMap, base_within, parts_by_draft
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema

MAX_SCHEMA_DEPTH: Final = 200
MAX_SUBSCHEMAS: Final = 20_000  # of one document
MAX_IDENTIFIERS_CHARACTERS: Final = (
    4_000_000  # of all identifiers, each joined with those around it
)
MAX_SCOPE: Final = 50  # resources in one dynamic scope

_SCOPE_KEYWORDS = ("$dynamicRef", "$recursiveRef")


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
        return flaw_of(self.schema, self.dialect)

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
        """The contents and the draft of the schema resource `uri`: a part of the document, or a bundled draft.

        Raises:
            Unresolvable: there is none. Nothing is fetched.
            Unchecked: there are too many subschemas.
        """
        node = self._names.resource(uri)
        if node is not None:
            return node.schema, node.dialect
        contents = BUNDLED.get_or_retrieve(uri).value.contents
        return contents, dialect_of(contents, self.dialect) or self.dialect  # type: ignore[arg-type, return-value]

    def anchor(self, uri: str, name: str) -> tuple[JSON, Dialect]:
        """The contents and the draft of the subschema with the anchor `name` in the resource `uri`.

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

    def cached(self, subschema: Subschema) -> Subschema:
        """The first subschema for this object in this dynamic scope, so that its cached results are shared."""
        if not isinstance(subschema.schema, dict):
            return subschema
        key = (id(subschema.schema), subschema.scope)
        known = self._subschemas.get(key)
        if known is not None:
            return known
        if len(self._subschemas) < MAX_SUBSCHEMAS:
            self._subschemas[key] = subschema
        return subschema

    def entered(self, scope: tuple[str, ...], uri: str) -> tuple[str, ...]:
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
        return any(
            keyword in schema for schema in objects_in(self.schema) for keyword in _SCOPE_KEYWORDS
        )

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
        """The identity of each object and array -> the identity of its parent, and the token in it."""
        found: dict[int, tuple[int, str | int]] = {}
        waiting: list[Any] = [self.schema]
        while waiting:
            value = waiting.pop()
            for token, child in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(child, (dict, list)):
                    found[id(child)] = (id(value), token)
                    waiting.append(child)
        return found


# Flaws: only for schemas that `policy` has not checked; values can always be checked against accepted schemas.


def flaw_of(schema: JSON, dialect: Dialect) -> str | None:
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
            base += sum(
                len(name) for name in (value.get("$id"), value.get("id")) if isinstance(name, str)
            )
            characters += base if "$id" in value or "id" in value else 0
            if characters > MAX_IDENTIFIERS_CHARACTERS:
                return "The identifiers in the schema are too long."
        waiting += [
            (child, depth + 1, base)
            for child in _children(value)
            if isinstance(child, (dict, list))
        ]
    if not has_parts:
        return None if dialect.accepts(schema) else _invalid(dialect)
    document = SchemaMap(schema, max_nodes=MAX_SUBSCHEMAS, default=dialect)
    if not document.complete:
        return f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas."
    refused = (
        part.dialect for part, alone in parts_by_draft(document) if not part.dialect.accepts(alone)
    )
    return next(map(_invalid, refused), None)


def _invalid(dialect: Dialect) -> str:
    return f"The schema is not valid in draft {dialect.name}."


def objects_in(value: JSON) -> Iterator[dict[str, JSON]]:
    """Every object in `value`."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
        waiting += _children(part)


def _children(value: JSON) -> Iterable[JSON]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
