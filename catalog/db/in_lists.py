"""Pad lists of values in SQL to a few lengths, so that a database gets only a few different statements."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

Value = TypeVar("Value")


def padded(values: Collection[Value]) -> list[Value]:
    """`values` with the last one repeated until there are 1, 2, 4, 8 … of them; an empty list stays empty.

    In `x IN (…)`, a repeated value makes no difference.
    """
    all_of_them = list(values)
    length = 1 << (len(all_of_them) - 1).bit_length() if all_of_them else 0
    return all_of_them + all_of_them[-1:] * (length - len(all_of_them))


def placeholders(values: Collection[object]) -> str:
    """One placeholder for each value: "%s, %s"."""
    return ", ".join(["%s"] * len(values))
