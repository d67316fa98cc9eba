"""Convert a quantity from one unit to another, with the units of `pint`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from tokenize import TokenError

import pint

from playground.builtin.rounding import rounded
from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

UNITS: pint.UnitRegistry[float] = pint.UnitRegistry()
UNIT_EXPRESSION = re.compile(r"[\w°Ω%*/^.()\s·⋅-]+")
HUGE_NUMBER = re.compile(r"\d{4}|\d[eE]\d|\d[\s)]*(\*\*|\^)")
"""Numbers that could take forever to compute: 10000, 1e9, 9**9."""
SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NO_UNIT = (
    pint.UndefinedUnitError,
    pint.DefinitionSyntaxError,
    ArithmeticError,
    AssertionError,
    AttributeError,
)
NO_EXPRESSION = (SyntaxError, TokenError, TypeError, ValueError, IndexError, KeyError)


@dataclass(frozen=True)
class Converted:
    value: int | float
    unit: str
    symbol: str
    dimension: str
    sentence: str


@tool(spec=SPECS / "convert_units.json")
def convert_units(
    value: float, from_unit: str, to_unit: str, significant_digits: int = 12
) -> Converted:
    source, target = unit_of(from_unit), unit_of(to_unit)
    try:
        magnitude = UNITS.Quantity(value, source).to(target).magnitude
    except pint.DimensionalityError:
        raise ValueError(
            f"{from_unit} and {to_unit} do not measure the same thing: "
            f"one is {source.dimensionality}, the other {target.dimensionality}."
        ) from None
    except ArithmeticError:
        raise ValueError(f"{value} {from_unit} has no value in {to_unit}.") from None
    converted = rounded(magnitude, significant_digits=significant_digits)
    return Converted(
        value=converted,
        unit=str(target),
        symbol=f"{target:~}",
        dimension=str(target.dimensionality),
        sentence=f"{rounded(value)} {source} = {converted} {target}",
    )


def unit_of(text: str) -> pint.Unit:
    """The unit that `text` names.

    Raises:
        ValueError: it is not a unit.
    """
    plain = SUPERSCRIPTS.sub(lambda power: f"**{power[0].translate(PLAIN_DIGITS)}", text.strip())
    if not UNIT_EXPRESSION.fullmatch(plain) or HUGE_NUMBER.search(plain):
        raise ValueError(f"{text!r} is not a unit.")
    try:
        return UNITS.parse_units(plain)
    except (*NO_UNIT, *NO_EXPRESSION):
        raise ValueError(f"{text!r} is not a unit that pint knows.") from None
