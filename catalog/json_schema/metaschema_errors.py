"""The required form of each keyword's value, and a message for each value that does not have it.

`jsonschema-rs` decides in microseconds whether a schema is valid for the meta-schema of its draft; this module finds
out where and why it is not, in terms of the schema and not of the meta-schema, and in linear time, which neither engine
guarantees. A test ensures that both agree.

Sources: the meta-schemas of drafts 04, 06, 07, 2019-09 and 2020-12.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Final

from catalog.errors import Problem
from catalog.json_schema.dialects import TYPE_NAMES, Dialect, Holds, held, subschemas
from catalog.json_schema.index import Node
from catalog.jsontext.numbers import is_number
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON, Number

RULE: Final = "spec.schema"
MAX_COMPARED: Final = (
    2_000  # values of a list that are compared, because hashes of numbers can be made to collide
)

Check = Callable[[JSON, Dialect], str | None]
"""Checks a keyword's value: None if it is valid, else the end of a sentence that starts with the keyword."""

MAX_TYPE_CHARACTERS: Final = 20  # a longer unknown type is not compared with the known ones
_OTHER_TYPES: Final = {
    "bool": "boolean", "dict": "object", "double": "number", "float": "number", "int": "integer", "list": "array",
    "map": "object", "none": "null", "str": "string", "text": "string",
}  # fmt: skip
_ANCHOR_2019: Final = re.compile(r"[A-Za-z][-A-Za-z0-9.:_]*")
_ANCHOR_2020: Final = re.compile(r"[A-Za-z_][-A-Za-z0-9._]*")


def metaschema_problems(node: Node) -> Iterator[Problem]:
    """The malformed keywords of `node` itself, not of its subschemas; pointers are from the document's root."""
    schema, dialect = node.schema, node.dialect
    if not isinstance(schema, dict):
        if not _is_boolean_schema(node):
            form = "an object" if dialect.name == "04" else "an object, true or false"
            yield Problem(node.pointer, f"A schema is expected here: {form}.", RULE)
        return
    for keyword, value in schema.items():
        check = _check_of(keyword, dialect)
        violation = check(value, dialect) if check else None
        if violation:
            message = f"`{keyword}` {violation}" + "." * (not violation.endswith("?"))
            yield Problem(pointer_join(node.pointer, keyword), message, RULE, keyword=keyword)
    if dialect.name == "04":
        yield from _exclusives_without_limit(node, schema)
    if "dependencies" not in dialect.keywords:
        yield from _in_dependencies(node, schema)


def _check_of(keyword: str, dialect: Dialect) -> Check | None:
    if keyword not in dialect.keywords:
        return _CHECKS_OF_EARLIER.get((dialect.name, keyword))
    if keyword in _CHECKS:
        return _CHECKS[keyword]
    return _CHECKS_OF_HOLDS[dialect.holds[keyword]] if keyword in dialect.holds else None


def problems_from(start: Node) -> Iterator[Problem]:
    """The malformed keywords of `start` and of the subschemas below it."""
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        yield from metaschema_problems(node)
        waiting.extend(
            Node(inner, node, path, node.dialect)
            for path, inner in subschemas(node.schema, node.dialect)
        )


def _is_boolean_schema(node: Node) -> bool:
    """Whether the schema is true or false, where this is allowed; draft-04 allows it under two keywords."""
    allowed = node.dialect.name != "04" or node.path[:1] in {
        ("additionalItems",),
        ("additionalProperties",),
    }
    return isinstance(node.schema, bool) and allowed


def _exclusives_without_limit(node: Node, schema: dict[str, JSON]) -> Iterator[Problem]:
    for keyword, needed in (("exclusiveMaximum", "maximum"), ("exclusiveMinimum", "minimum")):
        if keyword in schema and needed not in schema:
            yield Problem(
                pointer_join(node.pointer, keyword),
                f"`{keyword}` requires `{needed}` in the same schema.",
                RULE,
                keyword=keyword,
            )


def _in_dependencies(node: Node, schema: dict[str, JSON]) -> Iterator[Problem]:
    """Later drafts do not evaluate `dependencies`, but their meta-schemas check it."""
    for path, inner in held(Holds.MEMBERS_OR_NAMES, schema.get("dependencies")):
        yield from problems_from(Node(inner, node, ("dependencies", *path), node.dialect))


# Checks of one value.


def _text(value: JSON, _: Dialect) -> str | None:
    return None if isinstance(value, str) else "must be a string"


def _flag(value: JSON, _: Dialect) -> str | None:
    return None if isinstance(value, bool) else "must be true or false"


def _number(value: JSON, _: Dialect) -> str | None:
    return None if is_number(value) else "must be a number"


def _bound(value: JSON, dialect: Dialect) -> str | None:
    """The value of `exclusiveMinimum` or `exclusiveMaximum`."""
    if dialect.name == "04":
        return _flag(value, dialect)
    if isinstance(value, bool):
        return "must be a number; true and false are from draft-04"
    return _number(value, dialect)


def _positive(value: JSON, _: Dialect) -> str | None:
    return None if is_number(value) and value > 0 else "must be a number greater than 0"


def _count(value: JSON, dialect: Dialect) -> str | None:
    whole = isinstance(value, int) or (
        isinstance(value, Number)
        and (value.lexeme == "-0" if dialect.name == "04" else value == value.to_integral_value())
    )
    return None if whole and is_number(value) and value >= 0 else "must be an integer of at least 0"


def _type(value: JSON, _: Dialect) -> str | None:
    names = value if isinstance(value, list) and value else [value]
    distinct = all(isinstance(name, str) for name in names) and len(set(map(str, names))) == len(
        names
    )
    if distinct and all(name in TYPE_NAMES for name in names):
        return None
    meant = closest_type(value) if isinstance(value, str) else None
    if meant:
        return f"cannot be `{value}`. Did you mean `{meant}`?"
    return f"must be one of {', '.join(TYPE_NAMES)}, or a list of them without duplicates"


def closest_type(name: str) -> str | None:
    """The type that the unknown `name` probably means: "string" for "sting" and for "str"; None if it is unclear."""
    plain = name[:MAX_TYPE_CHARACTERS].lower()
    return _OTHER_TYPES.get(plain) or next(
        iter(get_close_matches(plain, TYPE_NAMES, n=1, cutoff=0.7)), None
    )


def _values(value: JSON, dialect: Dialect) -> str | None:
    """The value of `enum`."""
    if not isinstance(value, list):
        return "must be a list of values"
    if dialect.name == "04" and (not value or not _are_distinct(value[:MAX_COMPARED])):
        return "must be a list of at least one value, without duplicates"
    return None


def _list(value: JSON, _: Dialect) -> str | None:
    return None if isinstance(value, list) else "must be a list of values"


def _names(value: JSON, dialect: Dialect) -> str | None:
    """The value of `required`."""
    if dialect.name == "04" and value == []:
        return "must be a list of at least one property name, without duplicates"
    return None if _is_name_list(value) else "must be a list of property names without duplicates"


def _name_lists(value: JSON, _: Dialect) -> str | None:
    """The value of `dependentRequired`."""
    if isinstance(value, dict) and all(_is_name_list(names) for names in value.values()):
        return None
    return "must be an object whose values are lists of property names without duplicates"


def _schema(value: JSON, _: Dialect) -> str | None:
    """The value of a keyword with one schema; the schema is a node of its own, unless it is a list."""
    return "must be one schema, not a list" if isinstance(value, list) else None


def _items(value: JSON, dialect: Dialect) -> str | None:
    if dialect.holds["items"] is Holds.SCHEMA_OR_ARRAY:
        return "must be a schema, or a list of at least one" if value == [] else None
    return (
        "must be one schema; use `prefixItems` for a list of schemas"
        if isinstance(value, list)
        else None
    )


def _schemas(value: JSON, _: Dialect) -> str | None:
    return None if isinstance(value, list) and value else "must be a list of at least one schema"


def _members(value: JSON, _: Dialect) -> str | None:
    return None if isinstance(value, dict) else "must be an object whose values are schemas"


def _dependencies(value: JSON, dialect: Dialect) -> str | None:
    if isinstance(value, dict) and all(
        _is_name_list(member) and (member or dialect.name != "04")
        for member in value.values()
        if isinstance(member, list)
    ):
        return None
    return (
        "must be an object whose values are schemas, or lists of property names without duplicates"
    )


def _vocabulary(value: JSON, _: Dialect) -> str | None:
    if isinstance(value, dict) and all(isinstance(member, bool) for member in value.values()):
        return None
    return "must be an object whose values are true or false"


def _identifier(value: JSON, dialect: Dialect) -> str | None:
    if not isinstance(value, str):
        return "must be a string"
    with_fragment = not dialect.ref_stands_alone and "#" in value.removesuffix("#")
    return (
        "must not have a fragment; use `$anchor` to name a schema inside this one"
        if with_fragment
        else None
    )


def _anchor(value: JSON, dialect: Dialect) -> str | None:
    form = _ANCHOR_2019 if dialect.name == "2019-09" else _ANCHOR_2020
    if isinstance(value, str) and form.fullmatch(value):
        return None
    return "must be a word: a letter, then letters, digits, '.', '-' or '_'"


def _is_name_list(value: JSON) -> bool:
    return (
        isinstance(value, list)
        and all(isinstance(name, str) for name in value)
        and len(set(map(str, value))) == len(value)
    )


def _are_distinct(values: list[JSON]) -> bool:
    return len({_identity(value) for value in values}) == len(values)


def _identity(value: JSON) -> object:
    """Equal for values that are equal in JSON, where 1 is 1.0 and true is not 1."""
    if isinstance(value, list):
        return ("array", *map(_identity, value))
    if isinstance(value, dict):
        return ("object", frozenset((name, _identity(member)) for name, member in value.items()))
    return (isinstance(value, bool), value)


_CHECKS: Final[dict[str, Check]] = {
    "$anchor": _anchor,
    "$comment": _text,
    "$dynamicAnchor": _anchor,
    "$dynamicRef": _text,
    "$id": _identifier,
    "$recursiveAnchor": _flag,
    "$recursiveRef": _text,
    "$ref": _text,
    "$schema": _text,
    "$vocabulary": _vocabulary,
    "contentEncoding": _text,
    "contentMediaType": _text,
    "dependencies": _dependencies,
    "dependentRequired": _name_lists,
    "deprecated": _flag,
    "description": _text,
    "enum": _values,
    "examples": _list,
    "exclusiveMaximum": _bound,
    "exclusiveMinimum": _bound,
    "format": _text,
    "id": _text,
    "items": _items,
    "maxContains": _count,
    "maxItems": _count,
    "maxLength": _count,
    "maxProperties": _count,
    "maximum": _number,
    "minContains": _count,
    "minItems": _count,
    "minLength": _count,
    "minProperties": _count,
    "minimum": _number,
    "multipleOf": _positive,
    "pattern": _text,
    "readOnly": _flag,
    "required": _names,
    "title": _text,
    "type": _type,
    "uniqueItems": _flag,
    "writeOnly": _flag,
}

# All other keywords that contain subschemas.
_CHECKS_OF_HOLDS: Final[dict[Holds, Check]] = {
    Holds.SCHEMA: _schema,
    Holds.ARRAY: _schemas,
    Holds.MEMBERS: _members,
}

# Keywords of an earlier draft that a later meta-schema still checks.
_CHECKS_OF_EARLIER: Final[dict[tuple[str, str], Check]] = {
    ("2019-09", "dependencies"): _dependencies,
    ("2020-12", "dependencies"): _dependencies,
    ("2020-12", "$recursiveAnchor"): _anchor,
    ("2020-12", "$recursiveRef"): _text,
}
