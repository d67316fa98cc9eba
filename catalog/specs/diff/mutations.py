"""Edits that change one part of a value, to make a candidate for a proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from catalog.jsontext.reader import JSON, Number
from catalog.specs.diff.changes import Any, Edit, Path
from catalog.specs.diff.keywords import Edge

MAX_REPEATED: Final = 10_000
MAX_TRIED_MEMBERS: Final = 4
SAMPLE_OF_TYPE: Final[Mapping[str, JSON]] = {
    "array": [],
    "boolean": True,
    "fraction": Number("0.5"),
    "integer": 7,
    "null": None,
    "object": {},
    "string": "text",
}
STRINGS: Final = (
    "text",
    "",
    "a b",
    "1",
    "A",
    "2025-03-14",
    "ada@example.com",
    "not a match!",
    "é",
    "a-b_c.d",
    "é@example.com",
)


def put(value: JSON) -> Edit:
    """The edit that replaces the part with `value`."""
    return lambda _: value


def put_each(values: Iterable[JSON]) -> tuple[Edit, ...]:
    return tuple(map(put, values))


def put_types(types: Iterable[str]) -> tuple[Edit, ...]:
    """Edits that put a value of each type."""
    return put_each(SAMPLE_OF_TYPE[kind] for kind in sorted(types))


def drop(name: str) -> Edit:
    """The edit that removes the member `name`."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, dict):
            raise TypeError(name)
        return {key: member for key, member in value.items() if key != name}

    return edit


def one_without(name: str, other: str) -> Edit:
    """The edit that adds a member `name`, unless it is there, and removes `other`."""

    def edit(value: JSON) -> JSON:
        members = with_member(name)(value)
        return drop(other)(members)

    return edit


def with_member(name: str) -> Edit:
    """The edit that adds a member `name`, unless it is there."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, dict):
            raise TypeError(name)
        return {name: next(iter(value.values()), "text"), **value}

    return edit


def resize(count: int) -> Edit:
    """The edit that gives a string, an array or an object the size `count`, repeating its contents."""

    def edit(value: JSON) -> JSON:
        if count > MAX_REPEATED:
            raise ValueError(count)
        if isinstance(value, str):
            return (value * count + "a" * count)[:count]
        if isinstance(value, list):
            return (
                [value[index % len(value)] for index in range(count)]
                if value
                else list(range(count))
            )
        if isinstance(value, dict):
            members = dict(list(value.items())[:count])
            members |= {f"member{index}": "text" for index in range(count - len(members))}
            return members
        raise TypeError(count)

    return edit


def grow_distinct(count: int) -> Edit:
    """The edit that extends an array with different items to the length `count`."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, list) or count > MAX_REPEATED:
            raise TypeError(count)
        first = value[:count]
        pattern = first[0] if first else 0
        is_string = isinstance(pattern, str)
        return first + [
            f"{pattern}{index}" if is_string else index + 100 for index in range(count - len(first))
        ]

    return edit


def twice(value: JSON) -> JSON:
    """The edit that makes an array of its first item, twice."""
    if not isinstance(value, list):
        raise TypeError
    first = value[0] if value else 0
    return [first, first]


def numbers_near(*edges: Edge | None) -> tuple[Edit, ...]:
    """Numbers at, below and above the bounds."""
    steps = [Decimal(step) for step in ("0", "1", "-1", "0.5", "-0.5")]
    near = [
        edge[0] + step
        for edge in edges
        if edge is not None and abs(edge[0].adjusted()) < 20
        for step in steps
    ]
    return put_each(map(as_number, near))


def as_number(value: Decimal) -> JSON:
    return int(value) if value == value.to_integral_value() else Number(str(value))


def edited(value: JSON, path: Path, edit: Edit, names: Sequence[str] = ()) -> Iterator[JSON]:
    """`value` with the part at `path` changed by `edit`; missing objects and arrays on the way are created.

    There are several results if the path stands for any member or item, and none if the value has a different shape.

    Args:
        value: the value to change.
        path: the position of the part.
        edit: changes the part.
        names: to try for undeclared members in the path.
    """
    if not path:
        try:
            yield edit(value)
        except (LookupError, TypeError, ValueError):
            return
        return
    token, rest = path[0], path[1:]
    if isinstance(token, int) or token is Any.ITEM:
        yield from _edited_items(value, token, rest, edit, names)
    elif value is None or isinstance(value, dict):
        members = value or {}
        tried = (
            [*list(members)[:MAX_TRIED_MEMBERS], *names, "undeclared_member"]
            if isinstance(token, Any)
            else [token]
        )
        for name in tried:
            yield from (
                {**members, name: inner} for inner in edited(members.get(name), rest, edit, names)
            )


def _edited_items(
    value: JSON, token: int | Any, rest: Path, edit: Edit, names: Sequence[str]
) -> Iterator[JSON]:
    if value is not None and not isinstance(value, list):
        return
    items = value or []
    for index in (
        (token,) if isinstance(token, int) else dict.fromkeys((max(len(items) - 1, 0), len(items)))
    ):
        if index > MAX_REPEATED:
            return
        before = items[:index] + [None] * (index - len(items))
        for inner in edited(items[index] if index < len(items) else None, rest, edit, names):
            yield [*before, inner, *items[index + 1 :]]
