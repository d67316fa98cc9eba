"""Why no value can be checked against a schema.

This is for schemas that `policy` has not accepted; accepted schemas can always be checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from catalog.json_schema.dialects import Dialect, dialect_of
from catalog.json_schema.index import SchemaMap, parts_by_draft
from catalog.jsontext.reader import JSON

MAX_SCHEMA_DEPTH: Final = 200
MAX_SUBSCHEMAS: Final = 20_000  # of one document
MAX_IDENTIFIERS_CHARACTERS: Final = 4_000_000  # of all identifiers, each joined with those around it


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
            base += sum(len(name) for name in (value.get("$id"), value.get("id")) if isinstance(name, str))
            characters += base if "$id" in value or "id" in value else 0
            if characters > MAX_IDENTIFIERS_CHARACTERS:
                return "The identifiers in the schema are too long."
        waiting += [(child, depth + 1, base) for child in _children(value) if isinstance(child, (dict, list))]
    if not has_parts:
        return None if dialect.accepts(schema) else _invalid(dialect)
    document = SchemaMap(schema, max_nodes=MAX_SUBSCHEMAS, default=dialect)
    if not document.complete:
        return f"The schema has more than {MAX_SUBSCHEMAS:,} subschemas."
    refused = (part.dialect for part, alone in parts_by_draft(document) if not part.dialect.accepts(alone))
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
