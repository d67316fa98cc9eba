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
_NULL: Final[Schema] = {"type": "null"}

ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly"}
)
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]"
)
_BRANCHES: Final = ("anyOf", "oneOf")
_CONDITIONS: Final = ANNOTATIONS | {"required", "not"}


def make_reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def make_array(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def make_map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def is_map(flat: Flat) -> bool:
    """Whether an object has a type for members that it does not name."""
    values = flat.members.get("additionalProperties")
    has_type = isinstance(values, dict) and bool(values)
    return has_type or bool(flat.members.get("patternProperties"))


def make_union(alternatives: list[Schema]) -> Schema:
    """One type for `alternatives`, without duplicates.

    If one alternative is any value, the union is any value.
    """
    if not alternatives or ANYTHING in alternatives:
        return ANYTHING
    types: list[Schema] = []
    for alternative in alternatives:
        if alternative not in types:
            types.append(alternative)
    if len(types) == 1:
        return types[0]
    values = [type_ for type_ in types if type_ != _NULL]
    if len(values) == 1 and values[0].get("type", "object") != "object":
        [value] = values
        result = {**value, "type": [value["type"], "null"]}
        if isinstance(value.get("enum"), list):
            result["enum"] = [*items_of(value["enum"]), None]
        return result
    if len(values) < len(types):
        values.append(_NULL)
    return {"anyOf": [*values]}


def add_annotations(
    type_: Schema, schema: JSON, flattener: Flattener, *, is_required: bool
) -> Schema:
    """The type of a member with its description, and its default if it is a scalar of this type.

    A class has its own description.
    """
    if not isinstance(schema, dict) or "$ref" in type_:
        return type_
    try:
        annotations = flattener.flat(schema).members
    except TooLarge:
        annotations = schema
    result = dict(type_)
    if description := description_of(annotations.get("description")):
        result["description"] = description
    default = annotations.get("default")
    if not is_required and default is not None and _has_value(type_, default):
        result["default"] = _as_python(default, type_)
    return result


def _has_value(type_: Schema, value: JSON) -> bool:
    """Whether `value` is one of a scalar type without a format; constraints are not checked."""
    if "enum" in type_:
        same_type = [choice for choice in items_of(type_["enum"]) if type(choice) is type(value)]
        return isinstance(value, str | int) and value in same_type
    if type_.get("format") in STRING_FORMATS:
        return False
    scalars = {"string", "integer", "number", "boolean"}.intersection(type_names(type_.get("type")))
    return not scalars.isdisjoint(types_of_value(value))


def _as_python(value: JSON, type_: Schema) -> Any:
    """A scalar as a value of Python, which has no exact fractions."""
    if not isinstance(value, Number):
        return value
    names = type_names(type_.get("type"))
    is_integer = "integer" in names and "number" not in names
    if is_integer:
        return int(value)
    return float(value)


def description_of(value: JSON) -> str:
    """A description without characters that are invisible or change the direction of text."""
    if not isinstance(value, str):
        return ""
    return _UNPRINTABLE.sub("", value.replace("\r\n", "\n")).strip()


def has_choices(flat: Flat) -> bool:
    return "enum" in flat.members or "const" in flat.members


def find_union_keyword(flat: Flat) -> str | None:
    """The keyword of alternatives that differ in type.

    Alternatives that only require members are constraints.
    """
    for keyword in _BRANCHES:
        branches = flat.members.get(keyword)
        if isinstance(branches, list) and not all(map(_is_condition, branches)):
            return keyword
    return None


def _is_condition(branch: JSON) -> bool:
    return isinstance(branch, dict) and branch.keys() <= _CONDITIONS


# Constraints


def constraints_of(name: str, flat: Flat) -> Schema:
    """The constraints of a string or a number that pydantic checks as the schema means them."""
    if name == "string":
        constraints = bounds_of(flat, "minLength", "maxLength")
        pattern = flat.members.get("pattern")
        if isinstance(pattern, str) and _is_portable(pattern):
            constraints["pattern"] = pattern
        return constraints
    numbers: dict[str, int | float] = {}
    for keyword in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"):
        bound = flat.members.get(keyword)
        if not is_number(bound) or not -MAX_NUMBER < bound < MAX_NUMBER:
            continue
        if bound == int(bound):
            numbers[keyword] = int(bound)
        elif name == "number":
            numbers[keyword] = float(bound)
    step = flat.members.get("multipleOf")
    # Of floats, pydantic's answer depends on their rounding.
    if name == "integer" and is_number(step) and step == int(step) and 0 < step < MAX_BOUND:
        numbers["multipleOf"] = int(step)
    return cast("Schema", numbers)


def bounds_of(flat: Flat, *keywords: str) -> Schema:
    bounds: Schema = {}
    for keyword in keywords:
        bound = flat.members.get(keyword)
        if is_number(bound) and 0 <= bound < MAX_BOUND:
            bounds[keyword] = int(bound)
    return bounds


# Syntax that has another meaning in Rust's regular expressions, which pydantic uses, than in those
# of ECMA-262: lookaround, back references, classes that are complements of Unicode's, operators
# within a class.
_DIFFERENT: Final = re.compile(r"\(\?|\\[1-9DWSBbpPukc]|&&|--|~~|\[[^\]]*\[|\[\^?\]")


def _is_portable(pattern: str) -> bool:
    """Whether pydantic can match `pattern`, and does it as the schema means it."""
    if len(pattern) > MAX_PATTERN or _DIFFERENT.search(pattern):
        return False
    if not pattern.isascii() or not pattern.isprintable():
        return False
    try:
        SchemaValidator(core_schema.str_schema(pattern=pattern))
    except SchemaError:
        return False
    return True
