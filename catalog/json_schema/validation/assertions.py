"""The keywords that check one value without subschemas. Each returns a message, or None if the value is valid.

Source: JSON Schema 2020-12 Validation, sections 6 and 7; the validation documents of drafts 04 to 2019-09.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import ge, gt, le, lt
from typing import Any, Final, TypeAlias

from catalog.json_schema.formats import FORMATS
from catalog.json_schema.validation.budget import Run, Unchecked
from catalog.json_schema.validation.equality import (
    Options,
    canonical,
    is_integer,
    is_multiple,
    is_numeric,
)
from catalog.json_schema.validation.messages import (
    a_format,
    choice,
    limit,
    show,
    show_source,
    types,
)
from catalog.json_schema.validation.pattern_search import found_in
from catalog.json_schema.validation.subschema import Subschema
from catalog.jsontext.reader import JSON, Number

MAX_REGEX_CHARACTERS: Final = 50_000

# (the subschema with the keyword, the run, the keyword's value, the value to check) -> message, None if valid
Assertion: TypeAlias = Callable[[Subschema, Run, Any, JSON], str | None]

_TYPE_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "array": lambda value: isinstance(value, list),
    "boolean": lambda value: isinstance(value, bool),
    "integer": is_integer,
    "null": lambda value: value is None,
    "number": is_numeric,
    "object": lambda value: isinstance(value, dict),
    "string": lambda value: isinstance(value, str),
}


def _type(_subschema: Subschema, _run: Run, wanted: Any, instance: JSON) -> str | None:
    if isinstance(wanted, str):
        return None if _TYPE_CHECKS[wanted](instance) else f"must be {types([wanted])}"
    if any(_TYPE_CHECKS[name](instance) for name in wanted):
        return None
    return f"must be {types(wanted)}"


def _type_04(subschema: Subschema, run: Run, wanted: Any, instance: JSON) -> str | None:
    """In draft-04, an integer is written without fraction and exponent: 1.0 is none."""
    if not isinstance(instance, Number) or instance.lexeme.lstrip("-").isdecimal():
        return _type(subschema, run, wanted, instance)
    names = [wanted] if isinstance(wanted, str) else wanted
    return None if "number" in names else f"must be {types(names)}"


def _enum(subschema: Subschema, run: Run, values: Any, instance: JSON) -> str | None:
    if subschema.built("enum", lambda: Options(values, run)).contain(instance, run):
        return None
    return (
        f"must be {choice(values)}"
        if values
        else "cannot have any value: the list of allowed values is empty"
    )


def _const(subschema: Subschema, run: Run, value: Any, instance: JSON) -> str | None:
    if subschema.built("const", lambda: Options([value], run)).contain(instance, run):
        return None
    return f"must be {show(value)}"


def _bound(keyword: str, is_within: Callable[[Any, Any], bool]) -> Assertion:
    """A bound of numbers; `is_within` gets the number and the bound."""

    def check(_subschema: Subschema, _run: Run, bound: Any, instance: JSON) -> str | None:
        return (
            None
            if not is_numeric(instance) or is_within(instance, bound)
            else f"must be {limit(keyword, bound)}"
        )

    return check


_minimum, _maximum = _bound("minimum", ge), _bound("maximum", le)
_exclusive_minimum, _exclusive_maximum = (
    _bound("exclusiveMinimum", gt),
    _bound("exclusiveMaximum", lt),
)


def _bound_04(inclusive: Assertion, exclusive: Assertion, flag: str) -> Assertion:
    """A bound of numbers in draft-04, where `flag` beside it makes it exclusive."""

    def check(subschema: Subschema, run: Run, bound: Any, instance: JSON) -> str | None:
        is_exclusive = isinstance(subschema.schema, dict) and subschema.schema.get(flag) is True
        return (exclusive if is_exclusive else inclusive)(subschema, run, bound, instance)

    return check


def _multiple_of(_subschema: Subschema, _run: Run, divisor: Any, instance: JSON) -> str | None:
    if not is_numeric(instance) or is_multiple(instance, divisor):
        return None
    return f"must be a multiple of {show(divisor)}"


def _min_length(_subschema: Subschema, _run: Run, least: Any, instance: JSON) -> str | None:
    if not isinstance(instance, str) or len(instance) >= least:
        return None
    return "must not be empty" if least == 1 else f"must have {limit('minLength', least)}"


def _size(
    keyword: str,
    kind: type[str | list[JSON] | dict[str, JSON]],
    is_within: Callable[[int, Any], bool],
) -> Assertion:
    """A limit of the characters, items or members of values of one type; `is_within` gets the number and the limit."""

    def check(_subschema: Subschema, _run: Run, most: Any, instance: JSON) -> str | None:
        if not isinstance(instance, kind) or is_within(len(instance), most):
            return None
        return f"must have {limit(keyword, most)}"

    return check


def _pattern(_subschema: Subschema, run: Run, source: Any, instance: JSON) -> str | None:
    if not isinstance(instance, str) or found_in(source, instance, run):
        return None
    return f"must match the pattern {show_source(source)}"


def _format(subschema: Subschema, run: Run, name: Any, instance: JSON) -> str | None:
    check = FORMATS.get(name) if isinstance(name, str) else None
    if check is None or not isinstance(instance, str) or not subschema.document.asserts_formats:
        return None
    run.spend(len(instance) // 64)
    if name == "regex" and len(instance) > MAX_REGEX_CHARACTERS:
        raise Unchecked("A string is too long to check whether it is a regular expression.")
    return None if check(instance) else f"must be {a_format(name)}"


def _unique_items(_subschema: Subschema, run: Run, wanted: Any, instance: JSON) -> str | None:
    if wanted is not True or not isinstance(instance, list):
        return None
    seen: dict[str, int] = {}
    for index, item in enumerate(instance):
        first = seen.setdefault(canonical(item, run), index)
        if first != index:
            return (
                f"must have no duplicates: the items {first} and {index} are equal (counted from 0)"
            )
    return None


ASSERTIONS_04: Mapping[str, Assertion] = {
    "enum": _enum,
    "format": _format,
    "maxItems": _size("maxItems", list, le),
    "maxLength": _size("maxLength", str, le),
    "maxProperties": _size("maxProperties", dict, le),
    "maximum": _bound_04(_maximum, _exclusive_maximum, "exclusiveMaximum"),
    "minItems": _size("minItems", list, ge),
    "minLength": _min_length,
    "minProperties": _size("minProperties", dict, ge),
    "minimum": _bound_04(_minimum, _exclusive_minimum, "exclusiveMinimum"),
    "multipleOf": _multiple_of,
    "pattern": _pattern,
    "type": _type_04,
    "uniqueItems": _unique_items,
}
ASSERTIONS: Mapping[str, Assertion] = {
    **ASSERTIONS_04,
    "const": _const,
    "exclusiveMaximum": _exclusive_maximum,
    "exclusiveMinimum": _exclusive_minimum,
    "maximum": _maximum,
    "minimum": _minimum,
    "type": _type,
}
