"""Edits that change one part of a value, to make a candidate for a proof.

An edit raises LookupError, TypeError or ValueError where it cannot make a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from math import inf
from typing import Final

from toolspec.diff.changes import Any, Edit, Path
from toolspec.diff.conjunction import Conjunction
from toolspec.diff.keywords import Edge, type_of
from toolspec.schema.sample_values import STRING_OF_FORMAT
from toolspec.schema.sampling import samples_of as sample_subschemas
from toolspec.schema.validation import Budget
from toolspec.text.reader import JSON, Number

MAX_REPEATED: Final = 10_000
MAX_TRIED_MEMBERS: Final = 4
MAX_EXPONENT: Final = 20  # of the numbers to try
MAX_SAMPLES: Final = 4  # of one schema
STEPS: Final = 20_000  # to make the samples of one schema
ALL_STEPS: Final = 100_000  # to make all samples of a comparison
FRACTION: Final = Number("0.25")
SAMPLE_OF_TYPE: Final[Mapping[str, JSON]] = {
    "array": [],
    "boolean": True,
    "fraction": Number("0.5"),
    "integer": 7,
    "null": None,
    "object": {},
    "string": "text",
}
STRINGS: Final = tuple(
    dict.fromkeys(
        (
            "text",
            "",
            "a b",
            "1",
            "A",
            "not a match!",
            "é",
            "a-b_c.d",
            "é@example.com",
            "\n",
            *STRING_OF_FORMAT.values(),
        )
    )
)
_SIGNS: Final = re.compile(r"\\[dwsDWSbB]|[\^$\\\[\](){}*+?|.]")


def sampling_budget() -> Budget:
    """The work to make all samples of one comparison."""
    return Budget(steps=ALL_STEPS, seconds=inf)


def samples_of(whole: Conjunction, budget: Budget) -> list[JSON]:
    """Values that `whole` may accept."""
    known: list[JSON] | None = whole.__dict__.get("_samples")
    if known is None:
        attempt = Budget(steps=min(STEPS, budget.steps), seconds=inf)
        budget.steps -= attempt.steps
        made = sample_subschemas(whole.subschemas, "diff", attempt)
        budget.steps += max(attempt.steps, 0)
        known = [value for value in made if type_of(value) in whole.types][:MAX_SAMPLES]
        whole.__dict__["_samples"] = known
    return known


# Edits of one part.


def put(value: JSON) -> Edit:
    """The edit that replaces the part with `value`."""
    return lambda _: value


def put_each(values: Iterable[JSON]) -> tuple[Edit, ...]:
    return tuple(map(put, values))


def put_types(types: Iterable[str]) -> tuple[Edit, ...]:
    """Edits that put a value of each type."""
    return put_each(SAMPLE_OF_TYPE[kind] for kind in sorted(types))


def put_samples(schemas: Iterable[Conjunction], budget: Budget) -> tuple[Edit, ...]:
    """Edits that put a value that one of `schemas` accepts; the values are made when they are needed."""
    indexes = range(MAX_SAMPLES)
    return tuple(_put_sample(whole, index, budget) for whole in schemas for index in indexes)


def _put_sample(whole: Conjunction, index: int, budget: Budget) -> Edit:
    return lambda _: samples_of(whole, budget)[index]


def leave(value: JSON) -> JSON:
    """The edit that changes nothing."""
    return value


def DROP(value: JSON) -> JSON:  # noqa: N802 - `apply_edit` handles it: it removes the part itself
    """The edit that removes the part from its object."""
    raise TypeError(value)


def drop(name: str) -> Edit:
    """The edit that removes the member `name`."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, dict):
            raise TypeError(name)
        return {key: member for key, member in value.items() if key != name}

    return edit


def one_without(name: str, other: str) -> Edit:
    """The edit that adds a member `name`, unless it is there, and removes `other`."""
    return lambda value: drop(other)(with_member(name)(value))


def with_member(name: str) -> Edit:
    """The edit that adds a member `name`, unless it is there."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, dict):
            raise TypeError(name)
        return {name: next(iter(value.values()), "text"), **value}

    return edit


OTHER_NAMES: Final = tuple(
    with_member(name) for name in ("undeclared_member", "", "A b", "x" * 80, "1")
)


def with_item(value: JSON) -> JSON:
    """The edit that appends an item."""
    if not isinstance(value, list):
        raise TypeError(value)
    return [*value, 1]


def resize(count: int) -> Edit:
    """The edit that gives a string, an array or an object the size `count`, repeating its contents."""

    def edit(value: JSON) -> JSON:
        if not 0 <= count <= MAX_REPEATED:
            raise ValueError(count)
        if isinstance(value, str):
            return (value * count + "a" * count)[:count]
        if isinstance(value, list):
            items = value or list(range(count))
            return [items[index % len(items)] for index in range(count)]
        if isinstance(value, dict):
            members = dict(list(value.items())[:count])
            return members | {f"member{n}": "text" for n in range(count - len(members))}
        raise TypeError(count)

    return edit


def resize_distinct(count: int) -> Edit:
    """The edit that gives an array the length `count` with different items, by their first one."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, list) or count > MAX_REPEATED:
            raise TypeError(count)
        items = value[:count]
        pattern = items[0] if items else 0
        for index in range(count - len(items)):
            items.append(f"{pattern}{index}" if isinstance(pattern, str) else index + 100)
        return items

    return edit


def sizes_near(sizes: Iterable[int], kind: str) -> tuple[Edit, ...]:
    """Edits that give the part one of these sizes, or one more or less."""
    near = sorted({size + step for size in sizes for step in (-1, 0, 1)})
    made = [resize(size) for size in near if size >= 0]
    if kind == "array":
        made += [resize_distinct(size) for size in near if size >= 0]
    return (*made, *put_types({kind}))


def _twice(value: JSON) -> JSON:
    """The edit that makes an array of its first item, twice."""
    if not isinstance(value, list):
        raise TypeError(value)
    return [value[0] if value else 0] * 2


TWICE: Final = (_twice, *put_each([value, value] for value in SAMPLE_OF_TYPE.values()))


def arrays_of(
    schemas: Iterable[Conjunction], limits: Iterable[int], budget: Budget
) -> tuple[Edit, ...]:
    """Edits that put arrays with more or fewer items that one of `schemas` accepts than `limits`."""
    lengths = sorted({0, 1, *(limit + step for limit in limits for step in (-1, 0, 1))})
    lengths = [length for length in lengths if 0 <= length <= MAX_REPEATED]
    made = [_array_of(whole, length, budget) for whole in schemas for length in lengths]
    return (*made, *map(resize_distinct, lengths))


def _array_of(whole: Conjunction, length: int, budget: Budget) -> Edit:
    return lambda _: [samples_of(whole, budget)[0]] * length


def arrays_of_numbers(edges: Iterable[Edge], limits: Iterable[int]) -> tuple[Edit, ...]:
    """Edits that put arrays of numbers near the bounds, with one item more than `limits`."""
    lengths = sorted({1, *(limit + 1 for limit in limits if limit < MAX_REPEATED)})
    numbers = _near(edges)
    return put_each([as_number(number)] * length for length in lengths for number in numbers)


def _near(edges: Iterable[Edge]) -> list[Decimal]:
    """Numbers at, below and above the bounds."""
    distances = [Decimal(step) for step in ("0", "1", "-1", "0.5", "-0.5")]
    bounds = [bound for bound, _ in edges if _is_small(bound)]
    return [bound + distance for bound in bounds for distance in distances]


def numbers_near(edges: Iterable[Edge], steps: Iterable[Decimal]) -> tuple[Edit, ...]:
    """Edits that put numbers at, below and above the bounds, and multiples of `steps`."""
    near = _near(edges)
    for step in (*steps, Decimal(1)):
        near += [step * factor for factor in (1, 2, 3, -1, 5, 7)]
    near.append(Decimal("0.5"))
    return put_each(as_number(value) for value in dict.fromkeys(near) if _is_small(value))


def _is_small(value: Decimal) -> bool:
    return abs(value.adjusted()) < MAX_EXPONENT


def as_number(value: Decimal) -> JSON:
    return int(value) if value == value.to_integral_value() else Number(str(value))


def names_like(patterns: Iterable[str]) -> tuple[str, ...]:
    """Names that may match `patterns`: their literal characters."""
    found: list[str] = []
    for pattern in patterns:
        name = _SIGNS.sub("", pattern)
        found += [name, f"{name}a", f"{name}1", "a", "1"]
    return tuple(dict.fromkeys(found))


# Edits inside a value.


def apply_edit(value: JSON, path: Path, edit: Edit, names: Sequence[str] = ()) -> Iterator[JSON]:
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
        yield from _edit_items(value, token, rest, edit, names)
        return
    if value is not None and not isinstance(value, dict):
        return
    members = value or {}
    if edit is DROP and not rest:
        yield {name: member for name, member in members.items() if name != token}
        return
    others = [*list(members)[:MAX_TRIED_MEMBERS], *names, "undeclared_member"]
    tried = others if isinstance(token, Any) else [token]
    for name in tried:
        for inner in apply_edit(members.get(name), rest, edit, names):
            yield {**members, name: inner}


def _edit_items(
    value: JSON, token: int | Any, rest: Path, edit: Edit, names: Sequence[str]
) -> Iterator[JSON]:
    if value is not None and not isinstance(value, list):
        return
    items = value or []
    indexes = dict.fromkeys([max(len(items) - 1, 0), len(items)])
    for index in [token] if isinstance(token, int) else indexes:
        if index > MAX_REPEATED:
            return
        before = items[:index] + [None] * (index - len(items))
        part = items[index] if index < len(items) else None
        for inner in apply_edit(part, rest, edit, names):
            yield [*before, inner, *items[index + 1 :]]
