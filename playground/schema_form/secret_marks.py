"""How a schema marks secrets: `writeOnly`, `x-secret` or `format: password`.

Everything below is secret, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolspec.schema.index import SchemaMap
from toolspec.schema.normalize import MAX_NODES
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.documents import objects_in
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON


def is_marked_secret(subschemas: Sequence[Subschema]) -> bool:
    """Whether one of the subschemas that apply together marks the value as secret."""
    return any(_calls_secret(subschema.all_keywords) for subschema in subschemas)


def mentions_secrets(schema: JSON) -> bool:
    """Whether a schema may mark anything as secret.

    Cheap; may be True although nothing is secret, but never False.
    """
    return any(_calls_secret(part) for part in objects_in(schema))


def secret_names(schema: JSON) -> frozenset[str]:
    """The names of members that a schema marks as secret, anywhere in it."""
    marked = _around_marks(schema)
    nodes = SchemaMap(schema, max_nodes=MAX_NODES).nodes
    targets = {
        id(node.schema): {id(to.schema) for ref in node.references for to in ref.targets}
        for node in nodes
    }
    found = set()
    for part in objects_in(schema):
        for name, member in members_of(part.get("properties")).items():
            if id(member) in marked or not marked.isdisjoint(targets.get(id(member), ())):
                found.add(name)
    return frozenset(found)


def _calls_secret(schema: dict[str, JSON]) -> bool:
    return (
        schema.get("writeOnly") is True
        or schema.get("x-secret") is True
        or schema.get("format") == "password"
    )


def _around_marks(schema: JSON) -> set[int]:
    """The identities of the objects and arrays in `schema` that contain a mark, directly or somewhere below."""
    found: set[int] = set()
    walked: list[tuple[JSON, JSON]] = [
        (schema, None)
    ]  # each container and its parent, outer ones first
    for part, _around in walked:
        if isinstance(part, dict | list):
            inner = part.values() if isinstance(part, dict) else part
            walked += ((below, part) for below in inner if isinstance(below, dict | list))
    for part, around in reversed(walked):
        if id(part) in found or (isinstance(part, dict) and _calls_secret(part)):
            found |= {id(part), id(around)}
    return found
