"""Convert a quantity from one unit to another, by the units that `pint` knows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from tokenize import TokenError

import pint

from playground.builtin.rounding import rounded
from playground.builtin.shipped import ShippedTool, shipped
from playground.tool import Tool

UNITS: pint.UnitRegistry[float] = pint.UnitRegistry()
UNIT_EXPRESSION = re.compile(r"[\w°Ω%*/^.()\s·⋅-]+")
HUGE_NUMBER = re.compile(r"\d{4}|\d[eE]\d|\d[\s)]*(\*\*|\^)")
"""Numbers that could take for ever to compute: 10000, 1e9, 9**9."""
SUPERSCRIPTS = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+")
PLAIN_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
NO_UNIT = (pint.UndefinedUnitError, pint.DefinitionSyntaxError, ArithmeticError, AssertionError, AttributeError)
NO_EXPRESSION = (SyntaxError, TokenError, TypeError, ValueError, IndexError, KeyError)


@dataclass(frozen=True)
class Conversion:
    value: float
    from_unit: str
    to_unit: str
    significant_digits: int = 12


@dataclass(frozen=True)
class Converted:
    value: int | float
    unit: str
    symbol: str
    dimension: str
    sentence: str


class ConvertUnits(ShippedTool):
    definition = shipped("convert_units")
    request_type = Conversion

    def call(self, request: Conversion) -> Converted:
        from_unit, to_unit = unit_of(request.from_unit), unit_of(request.to_unit)
        try:
            magnitude = UNITS.Quantity(request.value, from_unit).to(to_unit).magnitude
        except pint.DimensionalityError:
            raise ValueError(
                f"{request.from_unit} and {request.to_unit} do not measure the same thing: "
                f"one is {from_unit.dimensionality}, the other {to_unit.dimensionality}."
            ) from None
        except ArithmeticError:
            raise ValueError(f"{request.value} {request.from_unit} has no value in {request.to_unit}.") from None
        value = rounded(magnitude, significant_digits=request.significant_digits)
        given = rounded(request.value)
        return Converted(
            value=value,
            unit=str(to_unit),
            symbol=f"{to_unit:~}",
            dimension=str(to_unit.dimensionality),
            sentence=f"{given} {from_unit} = {value} {to_unit}",
        )


def unit_of(text: str) -> pint.Unit:
    """The unit that `text` names.

    Raises:
        ValueError: it names none.
    """
    plain = SUPERSCRIPTS.sub(lambda power: f"**{power[0].translate(PLAIN_DIGITS)}", text.strip())
    if not UNIT_EXPRESSION.fullmatch(plain) or HUGE_NUMBER.search(plain):
        raise ValueError(f"{text!r} is not a unit.")
    try:
        return UNITS.parse_units(plain)
    except (*NO_UNIT, *NO_EXPRESSION):
        raise ValueError(f"{text!r} is not a unit that is known here.") from None


class ConvertUnitsFactory:
    def tool_id(self) -> str:
        return ConvertUnits.definition.id

    def create(self) -> Tool[Conversion, Converted]:
        return ConvertUnits()
