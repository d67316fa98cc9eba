"""The contents of JSON objects and arrays, where any other value counts as empty."""

from __future__ import annotations

from collections.abc import Iterator

from toolspec.text.reader import JSON


def members_of(value: JSON) -> dict[str, JSON]:
    """`value` itself if it is an object, else {}."""
    if isinstance(value, dict):
        return value
    return {}


def items_of(value: JSON) -> list[JSON]:
    """`value` itself if it is an array, else []."""
    if isinstance(value, list):
        return value
    return []


def strings_of(value: JSON) -> list[str]:
    """The strings among the items of `value`."""
    return [item for item in items_of(value) if isinstance(item, str)]


def children_of(value: JSON) -> Iterator[tuple[str | int, JSON]]:
    """The members of an object by their names, or the items of an array by their indexes."""
    yield from members_of(value).items()
    yield from enumerate(items_of(value))
