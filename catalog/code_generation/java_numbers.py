"""Java types for numbers: the smallest that has all values of a schema."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from catalog.json_schema.describe import values_of
from catalog.jsontext.numbers import is_number
from catalog.jsontext.reader import JSON
from catalog.specs.exporters.merge_all_of import Flat

_LONG: Final = range(-(2**63), 2**63)
_INT: Final = range(-(2**31), 2**31)
_LIMITS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "default")


def _numbers(flats: Iterable[Flat]) -> Iterable[JSON]:
    for flat in flats:
        yield from (flat.members[keyword] for keyword in _LIMITS if is_number(flat.members.get(keyword)))
        yield from (value for value in values_of(flat.members) if is_number(value))


def integer_type(flats: list[Flat]) -> str:
    """The type of the integers that any of `flats` accepts."""
    formats = {flat.members.get("format") for flat in flats if isinstance(flat.members.get("format"), str)}
    numbers = list(_numbers(flats))
    if "uint64" in formats or any(not _is_within(number, _LONG) for number in numbers):
        return "BigInteger"
    return "Integer" if all(_is_small(flat) for flat in flats) else "Long"


def _is_small(flat: Flat) -> bool:
    """Whether a Java int has all values."""
    low, high = flat.members.get("minimum"), flat.members.get("maximum")
    limited = is_number(low) and is_number(high) and _is_within(low, _INT) and _is_within(high, _INT)
    return limited or flat.members.get("format") == "int32"


def _is_within(number: JSON, limits: range) -> bool:
    return limits[0] <= number <= limits[-1]  # type: ignore[operator]


def number_type(flats: list[Flat]) -> str:
    """The type of the numbers that any of `flats` accepts."""
    is_float = all(flat.members.get("format") in ("float", "double") for flat in flats)
    return "Double" if is_float else "BigDecimal"
