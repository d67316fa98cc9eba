"""Members whose names suggest a secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolspec.lint.context import Part, SchemaRule, in_place, keywords_of, property_name
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import make_finding
from toolspec.schema.index import Node
from toolspec.schema.types import type_names
from toolspec.secret_names import is_secret_name
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join

# The "key" in a dictionary, or of a piece of music, is not a secret.
_OFTEN_PLAIN: Final = frozenset({"key", "keys"})


def check_secret(part: Part, node: Node) -> Iterator[Finding]:
    name = property_name(node)
    if name is None or not is_secret_name(name) or not _may_be_string(node):
        return
    pointer = part.pointer_to(node)
    if part.name == "parameters" and name.casefold() not in _OFTEN_PLAIN:
        message = f"`{name[:80]}` looks like a secret, and the model would see it;"
        message += " move it to `configuration`."
        yield make_finding("secret-in-parameters", pointer, message)
    elif part.name == "configuration":
        yield from _check_setting(name, node, pointer)


def _check_setting(name: str, node: Node, pointer: str) -> Iterator[Finding]:
    if not any(map(_is_marked, in_place(node))):
        operation = Operation("add", pointer_join(pointer, "writeOnly"), True)
        fix = Fix("Mark it as write-only", (operation,), safe=True)
        message = f"`{name[:80]}` looks like a secret but is not marked as one."
        yield make_finding("secret-not-marked", pointer, message, fix)
    default = keywords_of(node).get("default")
    if isinstance(default, str) and default:
        place = pointer_join(pointer, "default")
        fix = Fix("Remove the default", (Operation("remove", place),))
        message = f"`{name[:80]}` looks like a secret, and the spec reveals it."
        yield make_finding("secret-with-default", place, message, fix)


def _is_marked(node: Node) -> bool:
    schema = keywords_of(node)
    if schema.get("writeOnly") is True or schema.get("x-secret") is True:
        return True
    return schema.get("format") == "password"


def _may_be_string(node: Node) -> bool:
    """Whether the value may be a string; booleans and numbers are not secrets."""
    declared: set[str] = set()
    for schema in map(keywords_of, in_place(node)):
        declared.update(type_names(schema.get("type")))
    return not declared or "string" in declared


OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (check_secret,)
