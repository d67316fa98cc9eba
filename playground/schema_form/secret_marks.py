"""How a schema marks secrets: `writeOnly`, `x-secret` or `format: password`; everything below is secret, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import unquote

from catalog.json_schema.validation import Subschema
from catalog.jsontext.pointers import resolve_pointer
from catalog.jsontext.reader import JSON


def is_secret_place(places: Sequence[Subschema]) -> bool:
    """Whether one of the subschemas that apply together marks the value as secret."""
    return any(_calls_secret(place.all_keywords) for place in places)


def mentions_secrets(schema: JSON) -> bool:
    """Whether a schema may mark anything as secret. Cheap; it errs only on the safe side."""
    return any(_calls_secret(part) for part in _objects(schema))


def secret_names(schema: JSON) -> frozenset[str]:
    """The names of members that a schema marks as secret, anywhere in it."""
    marked = _around_marks(schema)
    found = set()
    for part in _objects(schema):
        properties = part.get("properties")
        for name, member in properties.items() if isinstance(properties, dict) else ():
            if id(member) in marked or id(_target(member, schema)) in marked:
                found.add(name)
    return frozenset(found)


def _calls_secret(schema: dict[str, JSON]) -> bool:
    return schema.get("writeOnly") is True or schema.get("x-secret") is True or schema.get("format") == "password"


def _around_marks(schema: JSON) -> set[int]:
    """The identities of the objects and arrays in `schema` that contain a mark, directly or somewhere below."""
    found: set[int] = set()
    walked: list[tuple[JSON, JSON]] = [(schema, None)]  # each container with the one around it, outer ones first
    for part, _around in walked:
        if isinstance(part, dict | list):
            inner = part.values() if isinstance(part, dict) else part
            walked += ((below, part) for below in inner if isinstance(below, dict | list))
    for part, around in reversed(walked):
        if id(part) in found or (isinstance(part, dict) and _calls_secret(part)):
            found |= {id(part), id(around)}
    return found


def _target(member: JSON, schema: JSON) -> object:
    """The target of `member` inside the document; `member` itself if it has none there."""
    reference = member.get("$ref") if isinstance(member, dict) else None
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return member
    try:
        return resolve_pointer(schema, unquote(reference[1:]))
    except LookupError:
        return member


def _objects(schema: JSON) -> Iterator[dict[str, JSON]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
