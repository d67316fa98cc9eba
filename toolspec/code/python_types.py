"""The types of Python as schemas: references, maps, unions, and constraints."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from pydantic_core import SchemaError, SchemaValidator, core_schema

from toolspec.exports.merge_all_of import Flat, Flattener, TooLarge
from toolspec.exports.type_mapping import types_of_value
from toolspec.schema.normalize import Schema
from toolspec.schema.types import type_names
from toolspec.text.containers import items_of
from toolspec.text.numbers import is_number
from toolspec.text.reader import JSON, Number

STRING_FORMATS: Final = ("date", "date-time", "uuid")  # that are types of Python
MAX_PATTERN: Final = 200  # characters
MAX_BOUND: Final = 2**31  # of lengths and steps
MAX_NUMBER: Final = 2**63  # of bounds of numbers

ANYTHING: Final[Schema] = {}

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_BRANCHES: Final = ("anyOf", "oneOf")
_CONDITIONS: Final = ANNOTATIONS | {"required", "not"}


def reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def map_of(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def is_map(flat: Flat) -> bool:
    """Whether an object has a type for members that it does not name."""
    values = flat.members.get("additionalProperties")
    return bool(flat.members.get("patternProperties")) or (
        isinstance(values, dict) and bool(values)
    )


def union(alternatives: list[Schema]) -> Schema:
    """One type for `alternatives`, without duplicates. If one alternative is any value, the union is any value."""
    if ANYTHING in alternatives:
        return ANYTHING
    found = [each for index, each in enumerate(alternatives) if each not in alternatives[:index]]
    values = [each for each in found if each != {"type": "null"}]
    if len(found) == 1 or not values:
        return found[0] if found else ANYTHING
    if len(values) == 1 and values[0].get("type", "object") != "object":
        enum = values[0].get("enum")
        choices: Schema = {"enum": [*enum, None]} if isinstance(enum, list) else {}
        return {**values[0], "type": [values[0]["type"], "null"], **choices}
    null: list[Schema] = [{"type": "null"}] if len(values) < len(found) else []
    return {"anyOf": [*values, *null]}


def documented(written: Schema, schema: JSON, flattener: Flattener, *, is_required: bool) -> Schema:
    """The type of a member with its description, and its default if the type is a scalar that has this value.

    A class has its own description.
    """
    if not isinstance(schema, dict) or "$ref" in written:
        return written
    try:
        annotations = flattener.flat(schema).members
    except TooLarge:
        annotations = schema
    out = dict(written)
    if description := description_of(annotations.get("description")):
        out["description"] = description
    default = annotations.get("default")
    if not is_required and default is not None and _has_value(written, default):
        out["default"] = int(default) if _only_integer(written) else _as_json(default)  # type: ignore[arg-type]
    return out


def _has_value(written: Schema, value: JSON) -> bool:
    """Whether `value` is one of a scalar type without a format; constraints are not checked."""
    if "enum" in written:
        return isinstance(value, str | int) and any(
            type(one) is type(value) and one == value for one in items_of(written["enum"])
        )
    names = [
        name
        for name in type_names(written.get("type"))
        if name in {"string", "integer", "number", "boolean"}
    ]
    if written.get("format") in STRING_FORMATS:
        return False
    return any(name in types_of_value(value) for name in names)


def _as_json(value: JSON) -> Any:
    """A scalar as a value of Python, which has no exact fractions."""
    return float(value) if isinstance(value, Number) else value


def _only_integer(written: Schema) -> bool:
    names = type_names(written.get("type"))
    return "integer" in names and "number" not in names


def description_of(value: JSON) -> str:
    """A description without characters that are invisible or change the direction of text."""
    return (
        _UNPRINTABLE.sub("", value.replace("\r\n", "\n")).strip() if isinstance(value, str) else ""
    )


def has_choices(flat: Flat) -> bool:
    return "enum" in flat.members or "const" in flat.members


def union_keyword(flat: Flat) -> str | None:
    """The keyword of alternatives that differ in type; those that only require members are constraints."""
    for keyword in _BRANCHES:
        branches = flat.members.get(keyword)
        if not isinstance(branches, list):
            continue
        if all(isinstance(branch, dict) and branch.keys() <= _CONDITIONS for branch in branches):
            continue
        return keyword
    return None


# Constraints


def constraints_of(name: str, flat: Flat) -> Schema:
    """The constraints of a string or a number that pydantic checks as the schema means them."""
    if name == "string":
        pattern = flat.members.get("pattern")
        out = bounds_of(flat, "minLength", "maxLength")
        return (
            {**out, "pattern": pattern}
            if isinstance(pattern, str) and _means_the_same(pattern)
            else out
        )
    numbers: dict[str, int | float] = {}
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        value = _number(flat.members.get(keyword))
        if (
            value is not None
            and -MAX_NUMBER < value < MAX_NUMBER
            and (name == "number" or value == int(value))
        ):
            numbers[keyword] = int(value) if value == int(value) else float(value)
    step = _number(flat.members.get("multipleOf"))
    if name == "integer" and step is not None and step == int(step) and 0 < step < MAX_BOUND:
        numbers["multipleOf"] = int(step)  # of floats, pydantic's answer depends on their rounding
    return cast("Schema", numbers)


def bounds_of(flat: Flat, *keywords: str) -> Schema:
    found = ((keyword, _number(flat.members.get(keyword))) for keyword in keywords)
    return {
        keyword: int(value)
        for keyword, value in found
        if value is not None and 0 <= value < MAX_BOUND
    }


def _number(value: JSON) -> int | Number | None:
    return value if is_number(value) else None


# Syntax that has another meaning in Rust's regular expressions, which pydantic uses, than in those of ECMA-262:
# lookaround, back references, classes that are complements of Unicode's, operators within a class.
_DIFFERENT: Final = re.compile(r"\(\?|\\[1-9DWSBbpPukc]|&&|--|~~|\[[^\]]*\[|\[\^?\]")


def _means_the_same(pattern: str) -> bool:
    """Whether pydantic can match `pattern`, and does it as the schema means it."""
    if (
        len(pattern) > MAX_PATTERN
        or not pattern.isascii()
        or not pattern.isprintable()
        or _DIFFERENT.search(pattern)
    ):
        return False
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True
