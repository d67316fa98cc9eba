"""Lists of values in SQL, of but a few lengths, so that a database meets the same few statements again and again.

Nothing here knows Django or a database.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

Value = TypeVar("Value")


def padded(values: Collection[Value]) -> list[Value]:
    """`values` with the last one again and again, until there are 1, 2, 4, 8 … of them; none stays none.

    In `x IN (…)` it makes no difference that a value comes twice.
    """
    all_of_them = list(values)
    length = 1 << (len(all_of_them) - 1).bit_length() if all_of_them else 0
    return all_of_them + all_of_them[-1:] * (length - len(all_of_them))


def placeholders(values: Collection[object]) -> str:
    """As many as there are values: "%s, %s"."""
    return ", ".join(["%s"] * len(values))
