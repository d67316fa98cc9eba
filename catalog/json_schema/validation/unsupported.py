"""What keeps a schema from being checked against at all.

What the gate accepts has no flaw; this is for schemas that never passed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from catalog.json_schema.dialects import Dialect, dialect_of
from catalog.jsontext.reader import JSON

MAX_SCHEMA_DEPTH: Final = 200
MAX_IDENTIFIERS_CHARACTERS: Final = 4_000_000  # of all identifiers, each joined with those around it


def flaw_of(schema: JSON, dialect: Dialect) -> str | None:
    """Why no value can be checked against `schema`; None where nothing is wrong with it. Linear."""
    parts: list[tuple[JSON, Dialect]] = [(schema, dialect)]
    characters = 0
    waiting: list[tuple[JSON, int, int]] = [(schema, 0, 0)]
    while waiting:
        value, depth, base = waiting.pop()
        if depth > MAX_SCHEMA_DEPTH:
            return "The schema is nested too deeply."
        if isinstance(value, dict):
            other = _other_dialect(value, dialect)
            if other is not None:
                parts.append((value, other))
            base += sum(len(name) for name in (value.get("$id"), value.get("id")) if isinstance(name, str))
            characters += base if "$id" in value or "id" in value else 0
            if characters > MAX_IDENTIFIERS_CHARACTERS:
                return "The identifiers in the schema are too long."
        waiting += [(child, depth + 1, base) for child in _children(value) if isinstance(child, (dict, list))]
    for part, its_dialect in parts:
        if not its_dialect.accepts(part if len(parts) == 1 else _without_others(part, its_dialect)):
            return f"The schema is not valid by draft {its_dialect.name}."
    return None


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


def _other_dialect(value: JSON, dialect: Dialect) -> Dialect | None:
    """The dialect that `value` names, where it is another one."""
    found = dialect_of(value, dialect)
    return None if found is dialect else found


def _without_others(part: JSON, dialect: Dialect) -> JSON:
    """`part`, with an empty schema for each that is in another dialect."""
    if isinstance(part, dict):
        return {
            name: {} if _other_dialect(child, dialect) else _without_others(child, dialect)
            for name, child in part.items()
        }
    return [_without_others(child, dialect) for child in part] if isinstance(part, list) else part
