"""One schema document: its identifiers and anchors, and what all places in it share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from jsonschema.protocols import Validator
from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped]
from referencing.jsonschema import SchemaRegistry

from catalog.json_schema.dialects import Dialect
from catalog.json_schema.validation.budget import Unchecked
from catalog.json_schema.validation.unsupported import flaw_of, objects_in
from catalog.jsontext.reader import JSON

if TYPE_CHECKING:
    from catalog.json_schema.validation.subschema import Subschema

MAX_PLACES: Final = 20_000  # that one document remembers
MAX_SCOPE: Final = 50  # resources in one dynamic scope

_DRAFTS: SchemaRegistry = REGISTRY
_SCOPE_KEYWORDS = ("$dynamicRef", "$recursiveRef")


class Document:
    """One schema document, with all that its places share."""

    def __init__(
        self,
        schema: JSON,
        dialect: Dialect,
        make_validator: Callable[[Subschema], Validator],
        *,
        asserts_formats: bool = True,
    ) -> None:
        self.schema = schema
        self.dialect = dialect
        self.make_validator = make_validator
        self.asserts_formats = asserts_formats
        self.uri = identifier_of(schema, dialect) or ""
        self._places: dict[tuple[int, tuple[str, ...]], Subschema] = {}

    @cached_property
    def flaw(self) -> str | None:
        """Why no value can be checked against the document; None where nothing is wrong with it."""
        return flaw_of(self.schema, self.dialect)

    @cached_property
    def registry(self) -> SchemaRegistry:
        """The document beside the bundled drafts, its identifiers and anchors found. It never fetches.

        Raises:
            Unchecked: they cannot be read.
        """
        resource = self.dialect.specification.create_resource(self.schema)  # type: ignore[arg-type]
        try:
            crawled: SchemaRegistry = _DRAFTS.with_resource(self.uri, resource).crawl()
        except (AttributeError, TypeError, ValueError) as error:
            raise Unchecked("The schema is malformed: its identifiers cannot be read.") from error
        return crawled

    def remembered(self, place: Subschema) -> Subschema:
        """The first place that had this object in this dynamic scope, so that answers about it are kept."""
        if not isinstance(place.schema, dict):
            return place
        key = (id(place.schema), place.scope)
        known = self._places.get(key)
        if known is not None:
            return known
        if len(self._places) < MAX_PLACES:
            self._places[key] = place
        return place

    def entered(self, scope: tuple[str, ...], uri: str) -> tuple[str, ...]:
        """The dynamic scope after entering the resource `uri`; only the first time counts.

        Raises:
            Unchecked: it grows too long.
        """
        if uri in scope or not (self._has_dynamic_scope or uri in _DRAFTS):
            return scope
        if len(scope) >= MAX_SCOPE:
            raise Unchecked("The schema's resources refer to each other too deeply.")
        return (*scope, uri)

    @cached_property
    def _has_dynamic_scope(self) -> bool:
        """Whether it matters on which way a place was reached."""
        return any(keyword in schema for schema in objects_in(self.schema) for keyword in _SCOPE_KEYWORDS)

    def tokens_to(self, schema: JSON) -> list[str | int] | None:
        """Where in the document `schema` stands; None where it does not."""
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
        """The identity of each object and array -> that of what it stands in, and under which token."""
        found: dict[int, tuple[int, str | int]] = {}
        waiting: list[Any] = [self.schema]
        while waiting:
            value = waiting.pop()
            for token, child in value.items() if isinstance(value, dict) else enumerate(value):
                if isinstance(child, (dict, list)):
                    found[id(child)] = (id(value), token)
                    waiting.append(child)
        return found


def identifier_of(schema: JSON, dialect: Dialect) -> str | None:
    """The URI that a subschema gives itself, not yet joined with that of what it stands in."""
    if not isinstance(schema, dict) or not isinstance(schema.get(dialect.id_keyword), str):
        return None
    identifier = dialect.specification.id_of(schema)
    return None if identifier is None else identifier.rstrip("#")
