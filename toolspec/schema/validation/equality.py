"""Equality of JSON values, and exact arithmetic on numbers.

1 equals 1.0, and neither equals true. Numbers are `int` and `Decimal` (`reader.Number`); a `float`
stands for its shortest decimal. Nothing here rounds, and no exponent is ever written out as zeros.

Source: JSON Schema 2020-12 Core, section 4.2.2 (equality), and 4.2.1 (numbers).
"""

from __future__ import annotations

from decimal import Decimal
from json.encoder import encode_basestring
from typing import Final, TypeGuard

from toolspec.schema.validation.budget import Run, Unchecked
from toolspec.schema.validation.messages import Numeric
from toolspec.text.reader import JSON

MAX_DIGITS: Final = 4_000
_MAX_DEPTH: Final = 200


def is_numeric(value: object) -> TypeGuard[Numeric]:
    """Whether `value` is a JSON number; unlike in `text.numbers`, also one computed by Python."""
    return isinstance(value, (int, Decimal, float)) and not isinstance(value, bool)


def is_integer(value: object) -> bool:
    """Whether `value` is a JSON number without fractional part; 1.0 is."""
    if isinstance(value, int):
        return not isinstance(value, bool)
    if isinstance(value, float):
        return value.is_integer()
    if not isinstance(value, Decimal):
        return False
    _, exponent = _normalize(value)
    return exponent >= 0


def is_multiple(value: Numeric, divisor: Numeric) -> bool:
    """Whether `value` is an integer times `divisor`, exactly. Cheap for any exponents."""
    if isinstance(value, int) and isinstance(divisor, int):
        return divisor != 0 and value % divisor == 0
    coefficient, exponent = _normalize(value)
    divisor_coefficient, divisor_exponent = _normalize(divisor)
    if coefficient == 0 or divisor_coefficient == 0:
        return coefficient == 0
    # 10 divides the divisor once more than the value: coefficients do not end in 0.
    if exponent < divisor_exponent:
        return False
    shift = pow(10, exponent - divisor_exponent, abs(divisor_coefficient))
    return coefficient * shift % divisor_coefficient == 0


def _normalize(value: Numeric) -> tuple[int, int]:
    """(coefficient without trailing zeros, exponent) of a number; zero is (0, 0)."""
    if isinstance(value, float):
        value = Decimal(repr(value))
    if isinstance(value, Decimal):
        sign, digits, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            raise Unchecked("A number is infinite.")
        if len(digits) > MAX_DIGITS:
            raise Unchecked("A number has too many digits.")
        text = "".join(map(str, digits))
    else:
        if value.bit_length() > MAX_DIGITS * 3:
            raise Unchecked("A number has too many digits.")
        sign = value < 0
        text = str(abs(value))
        exponent = 0
    significant = text.rstrip("0")
    if not significant:
        return 0, 0
    coefficient = int(significant)
    if sign:
        coefficient = -coefficient
    return coefficient, exponent + len(text) - len(significant)


def canonical(value: JSON, run: Run | None = None) -> str:
    """A string that only equal values share.

    Unlike with numbers, an attacker cannot choose its hash. `run` counts the work; without it, the
    value must already be bounded.
    """
    parts: list[str] = []
    _write(value, parts, run, 0)
    return "".join(parts)


def _write(value: JSON, parts: list[str], run: Run | None, depth: int) -> None:
    if run is not None:
        steps = 1
        if isinstance(value, str):
            steps += len(value) // 256
        run.spend(steps)
    if isinstance(value, str):
        parts.append(encode_basestring(value))
    elif value is None or isinstance(value, bool):
        parts.append(repr(value))
    elif is_numeric(value):
        coefficient, exponent = _normalize(value)
        parts.append(f"{coefficient}e{exponent}")
    elif depth > _MAX_DEPTH:
        raise Unchecked("The value is nested too deeply to be compared.")
    elif isinstance(value, list):
        parts.append("[")
        for item in value:
            _write(item, parts, run, depth + 1)
            parts.append(",")
        parts.append("]")
    elif isinstance(value, dict):
        parts.append("{")
        for name in sorted(value):
            parts.append(encode_basestring(name))
            _write(value[name], parts, run, depth + 1)
            parts.append(",")
        parts.append("}")


def equal(first: JSON, second: JSON) -> bool:
    """Whether two values are equal, compared directly: for values that are bounded in depth."""
    if type(first) is type(second) and isinstance(first, (int, str)):
        return first == second
    if isinstance(first, bool) or isinstance(second, bool):
        return first is second
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(equal, first, second))
    if isinstance(first, dict) and isinstance(second, dict):
        if first.keys() != second.keys():
            return False
        return all(equal(member, second[name]) for name, member in first.items())
    return is_numeric(first) == is_numeric(second) and first == second
