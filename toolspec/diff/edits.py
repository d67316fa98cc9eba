"""Edits that change one part of a value, to make a candidate for a proof.

An edit raises LookupError, TypeError or ValueError where it cannot make a value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
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
_DISTANCES: Final = tuple(map(Decimal, ("0", "1", "-1", "0.5", "-0.5")))
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
_STRINGS: Final = (
    "text", "", "a b", "1", "A", "not a match!", "é", "a-b_c.d", "é@example.com", "\n",
)  # fmt: skip
STRINGS: Final = tuple(dict.fromkeys((*_STRINGS, *STRING_OF_FORMAT.values())))
_SIGNS: Final = re.compile(r"\\[dwsDWSbB]|[\^$\\\[\](){}*+?|.]")


def sampling_budget() -> Budget:
    """The work to make all samples of one comparison."""
    return Budget(steps=ALL_STEPS, seconds=inf)


def samples_of(conjunction: Conjunction, budget: Budget) -> list[JSON]:
    """Values that `conjunction` may accept."""

    def make_samples() -> list[JSON]:
        attempt = Budget(steps=min(STEPS, budget.steps), seconds=inf)
        budget.steps -= attempt.steps
        samples = sample_subschemas(conjunction.subschemas, "diff", attempt)
        budget.steps += max(attempt.steps, 0)
        types = conjunction.types
        return [sample for sample in samples if type_of(sample) in types][:MAX_SAMPLES]

    return conjunction.built("samples", make_samples)


# Edits of one part.


def put(value: JSON) -> Edit:
    """The edit that replaces the part with `value`."""
    return lambda _: value


def put_each(values: Iterable[JSON]) -> tuple[Edit, ...]:
    return tuple(map(put, values))


def put_types(types: Iterable[str]) -> tuple[Edit, ...]:
    """Edits that put a value of each type."""
    return put_each(SAMPLE_OF_TYPE[kind] for kind in sorted(types))


def put_samples(conjunctions: Iterable[Conjunction], budget: Budget) -> tuple[Edit, ...]:
    """Edits that put a value that one of `conjunctions` accepts.

    The values are made when they are needed.
    """
    edits: list[Edit] = []
    for conjunction in conjunctions:
        for index in range(MAX_SAMPLES):
            edits.append(partial(_sample_at, conjunction, index, budget))
    return tuple(edits)


def _sample_at(conjunction: Conjunction, index: int, budget: Budget, _: JSON) -> JSON:
    return samples_of(conjunction, budget)[index]


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


def add_without(name: str, other: str) -> Edit:
    """The edit that adds a member `name`, unless it is there, and removes `other`."""
    add, remove = add_member(name), drop(other)
    return lambda value: remove(add(value))


def add_member(name: str) -> Edit:
    """The edit that adds a member `name`, unless it is there."""

    def edit(value: JSON) -> JSON:
        if not isinstance(value, dict):
            raise TypeError(name)
        return {name: next(iter(value.values()), "text"), **value}

    return edit


ADD_OTHER_NAMES: Final = tuple(map(add_member, ("undeclared_member", "", "A b", "x" * 80, "1")))


def add_item(value: JSON) -> JSON:
    """The edit that appends an item."""
    if not isinstance(value, list):
        raise TypeError(value)
    return [*value, 1]


def resize(count: int) -> Edit:
    """The edit that gives a string, array or object the size `count`, repeating its contents."""

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
            for index in range(count - len(members)):
                members[f"member{index}"] = "text"
            return members
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


def resize_near(sizes: Iterable[int], kind: str) -> tuple[Edit, ...]:
    """Edits that give the part one of these sizes, or one more or less."""
    near = _counts_near(sizes)
    edits = [*map(resize, near)]
    if kind == "array":
        edits += map(resize_distinct, near)
    return (*edits, put(SAMPLE_OF_TYPE[kind]))


def _counts_near(counts: Iterable[int]) -> list[int]:
    """The counts, and one more and less."""
    near: set[int] = set()
    for count in counts:
        near.update((count - 1, count, count + 1))
    return sorted(count for count in near if count >= 0)


def _repeat_first_item(value: JSON) -> JSON:
    """The edit that makes an array of its first item, twice."""
    if not isinstance(value, list):
        raise TypeError(value)
    return [value[0] if value else 0] * 2


TWICE: Final = (_repeat_first_item, *put_each([value] * 2 for value in SAMPLE_OF_TYPE.values()))


def put_arrays(
    conjunctions: Iterable[Conjunction], limits: Iterable[int], budget: Budget
) -> tuple[Edit, ...]:
    """Edits that put arrays with more or fewer items than `limits`; the items are samples."""
    lengths = [length for length in _counts_near([0, *limits]) if length <= MAX_REPEATED]
    edits: list[Edit] = []
    for conjunction in conjunctions:
        for length in lengths:
            edits.append(partial(_repeat_sample, conjunction, length, budget))
    return (*edits, *map(resize_distinct, lengths))


def _repeat_sample(conjunction: Conjunction, length: int, budget: Budget, _: JSON) -> JSON:
    return [samples_of(conjunction, budget)[0]] * length


def put_arrays_of_numbers(edges: Iterable[Edge], limits: Iterable[int]) -> tuple[Edit, ...]:
    """Edits that put arrays of numbers near the bounds, with one item more than `limits`."""
    lengths = sorted({1, *(limit + 1 for limit in limits if limit < MAX_REPEATED)})
    numbers = list(map(as_number, _numbers_around(edges)))
    return put_each([number] * length for length in lengths for number in numbers)


def _numbers_around(edges: Iterable[Edge]) -> list[Decimal]:
    """Numbers at, below and above the bounds."""
    numbers = []
    for bound, _ in edges:
        if _is_small(bound):
            numbers += [bound + distance for distance in _DISTANCES]
    return numbers


def put_numbers_near(edges: Iterable[Edge], steps: Iterable[Decimal]) -> tuple[Edit, ...]:
    """Edits that put numbers at, below and above the bounds, and multiples of `steps`."""
    numbers = _numbers_around(edges)
    for step in (*steps, Decimal(1)):
        numbers += [step * factor for factor in (1, 2, 3, -1, 5, 7)]
    numbers.append(Decimal("0.5"))
    return put_each(map(as_number, filter(_is_small, dict.fromkeys(numbers))))


def _is_small(value: Decimal) -> bool:
    return abs(value.adjusted()) < MAX_EXPONENT


def as_number(value: Decimal) -> JSON:
    return int(value) if value == value.to_integral_value() else Number(str(value))


def guess_names(patterns: Iterable[str]) -> tuple[str, ...]:
    """Names that may match `patterns`: their literal characters."""
    names: list[str] = []
    for pattern in patterns:
        name = _SIGNS.sub("", pattern)
        names += [name, f"{name}a", f"{name}1", "a", "1"]
    return tuple(dict.fromkeys(names))


# Edits inside a value.


def apply_edit(value: JSON, path: Path, edit: Edit, names: Sequence[str] = ()) -> Iterator[JSON]:
    """`value` with the part at `path` changed by `edit`.

    Missing objects and arrays on the way are created.

    There are several results if the path stands for any member or item, and none if the value has a
    different shape.

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
    tried = [*list(members)[:MAX_TRIED_MEMBERS], *names, "undeclared_member"]
    if isinstance(token, str):
        tried = [token]
    for name in tried:
        for part in apply_edit(members.get(name), rest, edit, names):
            yield {**members, name: part}


def _edit_items(
    value: JSON, token: int | Any, rest: Path, edit: Edit, names: Sequence[str]
) -> Iterator[JSON]:
    if value is not None and not isinstance(value, list):
        return
    items = value or []
    length = len(items)
    indexes = [token] if isinstance(token, int) else sorted({max(length - 1, 0), length})
    for index in indexes:
        if index > MAX_REPEATED:
            return
        before = items[:index] + [None] * (index - length)
        item = items[index] if index < length else None
        for part in apply_edit(item, rest, edit, names):
            yield [*before, part, *items[index + 1 :]]
