"""Parts of hand-written SQL."""

from __future__ import annotations

from collections.abc import Collection


def placeholders(values: Collection[object]) -> str:
    """One placeholder for each value: "%s, %s"."""
    return ", ".join(["%s"] * len(values))
