"""How a schema marks secrets: `writeOnly`, `x-secret` or `format: password`.

Everything below is secret, too.
"""

from __future__ import annotations

from collections.abc import Sequence

from toolspec.schema.index import SchemaMap
from toolspec.schema.normalize import MAX_NODES
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.documents import list_objects
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON


def is_marked_secret(subschemas: Sequence[Subschema]) -> bool:
    """Whether one of the subschemas that apply together marks the value as secret."""
    return any(_is_marked(subschema.all_keywords) for subschema in subschemas)


def mentions_secrets(schema: JSON) -> bool:
    """Whether a schema may mark anything as secret.

    Cheap; may be True although nothing is secret, but never False if something is.
    """
    return any(map(_is_marked, list_objects(schema)))


def secret_names(schema: JSON) -> frozenset[str]:
    """The names of members that a schema marks as secret, anywhere in it."""
    marked = _find_around_marks(schema)
    referring = set()
    for node in SchemaMap(schema, max_nodes=MAX_NODES).nodes:
        for reference in node.references:
            if any(id(target.schema) in marked for target in reference.targets):
                referring.add(id(node.schema))
    marked |= referring
    names = set()
    for part in list_objects(schema):
        for name, member in members_of(part.get("properties")).items():
            if id(member) in marked:
                names.add(name)
    return frozenset(names)


def _is_marked(schema: dict[str, JSON]) -> bool:
    return (
        schema.get("writeOnly") is True
        or schema.get("x-secret") is True
        or schema.get("format") == "password"
    )


def _find_around_marks(schema: JSON) -> set[int]:
    """The identities of the objects and arrays in `schema` that contain a mark at any depth."""
    marked: set[int] = set()
    walked: list[tuple[JSON, JSON]] = [(schema, None)]  # containers and their parents, outer first
    for part, _parent in walked:
        if isinstance(part, dict | list):
            inner = part.values() if isinstance(part, dict) else part
            walked += [(below, part) for below in inner if isinstance(below, dict | list)]
    for part, parent in reversed(walked):
        if id(part) in marked or (isinstance(part, dict) and _is_marked(part)):
            marked |= {id(part), id(parent)}
    return marked
