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
_OF_FORMATS: Final = {
    "int8": range(-(2**7), 2**7),
    "int16": range(-(2**15), 2**15),
    "int32": _INT,
    "int64": _LONG,
    "uint8": range(2**8),
    "uint16": range(2**16),
    "uint32": range(2**32),
}
_LIMITS: Final = (
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "default",
)


def _numbers(flats: Iterable[Flat]) -> Iterable[JSON]:
    for flat in flats:
        yield from (
            flat.members[keyword] for keyword in _LIMITS if is_number(flat.members.get(keyword))
        )
        yield from (value for value in values_of(flat.members) if is_number(value))


def integer_type(flats: list[Flat]) -> str:
    """The type of the integers that any of `flats` accepts."""
    if not all(_is_within(number, _LONG) for number in _numbers(flats)):
        return "BigInteger"
    if all(_has_range(flat, _INT) for flat in flats):
        return "Integer"
    has_long = all(_has_range(flat, _LONG) or _has_values(flat) for flat in flats)
    return "Long" if has_long else "BigInteger"


def _has_range(flat: Flat, limits: range) -> bool:
    """Whether the bounds or the format of `flat` allow only integers within `limits`."""
    form = flat.members.get("format")
    usual = _OF_FORMATS.get(form) if isinstance(form, str) else None
    if usual is not None and _is_within(usual[0], limits) and _is_within(usual[-1], limits):
        return True
    lows = [flat.members.get(keyword) for keyword in ("minimum", "exclusiveMinimum")]
    highs = [flat.members.get(keyword) for keyword in ("maximum", "exclusiveMaximum")]
    return _has_one_within(lows, limits) and _has_one_within(highs, limits)


def _has_one_within(bounds: Iterable[JSON], limits: range) -> bool:
    return any(is_number(bound) and _is_within(bound, limits) for bound in bounds)


def _has_values(flat: Flat) -> bool:
    return any(map(is_number, values_of(flat.members)))


def _is_within(number: JSON, limits: range) -> bool:
    return limits[0] <= number <= limits[-1]  # type: ignore[operator]


def number_type(flats: list[Flat]) -> str:
    """The type of the numbers that any of `flats` accepts."""
    is_float = all(flat.members.get("format") in ("float", "double") for flat in flats)
    return "Double" if is_float else "BigDecimal"
