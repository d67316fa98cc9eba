"""Numbers rounded as people expect them in a response: 68 rather than 67.99999999999993."""

from __future__ import annotations

MAX_EXACT_INTEGER = 2**53
"""Up to here a double represents every integer, so writing one without a fraction changes nothing."""


def rounded(value: float, *, significant_digits: int = 15) -> int | float:
    """`value` rounded to `significant_digits`; an `int` if the result is an integer.

    Raises:
        ValueError: it is infinite or not a number, which JSON cannot represent.
    """
    result = float(f"{value:.{significant_digits}g}")
    if result - result != 0:
        raise ValueError("The result is not a finite number.")
    return int(result) if result.is_integer() and abs(result) <= MAX_EXACT_INTEGER else result
