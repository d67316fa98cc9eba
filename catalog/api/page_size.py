"""The size of a page of a list: texts of users, above all descriptions, can be up to 256 KiB each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from catalog.api.renderer import text_of

MAX_PAGE_BYTES: Final = 1024 * 1024  # UTF-8; a single item may exceed it


def number_that_fits(items: Iterable[object]) -> int:
    """How many of `items`, from the first on, fit into `MAX_PAGE_BYTES` as JSON; at least 1."""
    total = number = 0
    for item in items:
        total += len(text_of(item).encode())
        if total > MAX_PAGE_BYTES:
            break
        number += 1
    return max(1, number)
