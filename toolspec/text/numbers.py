"""JSON numbers without loss: the exact value, and the text that was written.

Integers in canonical form are Python's `int`; every other number is a `Number`.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Final, Self, TypeGuard

MAX_INTEGER_DIGITS: Final = 300
MAX_NUMBER_CHARACTERS: Final = 1_000
MIN_EXPONENT: Final = -1_000  # of the first significant digit: keeps exact arithmetic cheap

# RFC 8259, section 6
NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_ZERO: Final = re.compile(r"-?[0.]+(?:[eE].*)?")
_LARGEST_DOUBLE: Final = Decimal("1.7976931348623157e308")
_LARGEST_EXPONENT: Final = 308


class NumberError(ValueError):
    """A number that is refused. `rule` is "json.number-digits" or "json.number-range"."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(message)
        self.rule = rule


class Number(Decimal):
    """A JSON number that remembers its text, `lexeme`: "1.0", "1e5", "-0", "19.90".

    Equality, hash and arithmetic are those of its value. The value of a zero ignores the exponent
    that is written.
    """

    __slots__ = ("lexeme",)
    lexeme: str

    def __new__(cls, lexeme: str) -> Self:
        """The number written as `lexeme`, which follows JSON's grammar.

        Raises:
            NumberError: too many characters, or beyond the range of a double.
        """
        number = super().__new__(cls, _value_of(lexeme))
        number.lexeme = lexeme
        return number

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (self.lexeme,)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


def is_number(value: object) -> TypeGuard[int | Number]:
    """Whether a value read from JSON is a number, which true and false are not."""
    return isinstance(value, int | Number) and not isinstance(value, bool)


def number_from(lexeme: str) -> int | Number:
    """The number written as `lexeme` by JSON's grammar: an int if it is a canonical integer.

    Raises:
        NumberError: too many digits, or beyond the range of a double.
    """
    if "." in lexeme or "e" in lexeme or "E" in lexeme:
        return Number(lexeme)
    return integer_from(lexeme)


def integer_from(lexeme: str) -> int | Number:
    """The integer written as `lexeme`, which is digits only.

    "-0" is a `Number`, because an int would lose its sign.

    Raises:
        NumberError: too many digits.
    """
    if len(lexeme) > MAX_INTEGER_DIGITS:
        digits = len(lexeme.lstrip("-"))
        if digits > MAX_INTEGER_DIGITS:
            message = (
                f"This integer has {digits} digits; at most {MAX_INTEGER_DIGITS} are supported."
            )
            raise NumberError("json.number-digits", message)
    return Number(lexeme) if lexeme == "-0" else int(lexeme)


def _value_of(lexeme: str) -> Decimal:
    if len(lexeme) > MAX_NUMBER_CHARACTERS:
        message = (
            f"This number has {len(lexeme)} characters; "
            f"at most {MAX_NUMBER_CHARACTERS} are supported."
        )
        raise NumberError("json.number-digits", message)
    if _ZERO.fullmatch(lexeme):
        if lexeme.startswith("-"):
            return Decimal("-0")
        return Decimal(0)
    try:
        value = Decimal(lexeme)
    except InvalidOperation:
        raise _out_of_range(lexeme) from None
    exponent = value.adjusted()
    if not MIN_EXPONENT <= exponent <= _LARGEST_EXPONENT:
        raise _out_of_range(lexeme)
    if exponent == _LARGEST_EXPONENT and abs(value) > _LARGEST_DOUBLE:
        raise _out_of_range(lexeme)
    return value


def _out_of_range(lexeme: str) -> NumberError:
    if len(lexeme) > 40:
        lexeme = f"{lexeme[:40]}…"
    message = (
        f"{lexeme} is out of range; numbers must be between -1.8e308 and 1.8e308, "
        "and no closer to 0 than 1e-1000."
    )
    return NumberError("json.number-range", message)
