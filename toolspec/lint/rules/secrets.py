"""Members whose names suggest a secret."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolspec.lint.context import Part, SchemaRule, in_place, keywords_of, property_name
from toolspec.lint.findings import Finding, Fix
from toolspec.lint.registry import found
from toolspec.schema.index import Node
from toolspec.schema.types import type_names
from toolspec.secret_names import is_secret_name
from toolspec.text.patch import Operation
from toolspec.text.pointers import pointer_join

_OFTEN_PLAIN: Final = frozenset(
    {"key", "keys"}
)  # "key" in a dictionary or a piece of music is not a secret


def secrets(part: Part, node: Node) -> Iterator[Finding]:
    name = property_name(node)
    if name is None or not is_secret_name(name) or not _may_be_string(node):
        return
    pointer = part.pointer_to(node)
    if part.name == "parameters" and name.casefold() not in _OFTEN_PLAIN:
        message = f"`{name[:80]}` looks like a secret, and the model would see it; move it to `configuration`."
        yield found("secret-in-parameters", pointer, message)
    elif part.name == "configuration":
        yield from _setting(name, node, pointer)


def _setting(name: str, node: Node, pointer: str) -> Iterator[Finding]:
    if not any(_is_marked(one) for one in in_place(node)):
        fix = Fix(
            "Mark it as write-only",
            (Operation("add", pointer_join(pointer, "writeOnly"), True),),
            safe=True,
        )
        yield found(
            "secret-not-marked",
            pointer,
            f"`{name[:80]}` looks like a secret but is not marked as one.",
            fix,
        )
    if isinstance(text := keywords_of(node).get("default"), str) and text:
        default = pointer_join(pointer, "default")
        fix = Fix("Remove the default", (Operation("remove", default),))
        yield found(
            "secret-with-default",
            default,
            f"`{name[:80]}` looks like a secret, and the spec reveals it.",
            fix,
        )


def _is_marked(node: Node) -> bool:
    schema = keywords_of(node)
    return (
        schema.get("writeOnly") is True
        or schema.get("x-secret") is True
        or schema.get("format") == "password"
    )


def _may_be_string(node: Node) -> bool:
    """Whether the value may be a string; booleans and numbers are not secrets."""
    declared = {name for one in in_place(node) for name in type_names(keywords_of(one).get("type"))}
    return not declared or "string" in declared


OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = (secrets,)
