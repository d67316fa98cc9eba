"""A few simple values that a conjunction of schemas may accept, to try as counterexamples.

`catalog.json_schema.sampling` makes more varied values, which are valid; this takes half of its time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Final, TypeVar

from catalog.json_schema.sample_values import STRING_OF_FORMAT
from catalog.json_schema.validation import Subschema
from catalog.json_schema.validation.budget import Unchecked
from catalog.jsontext.reader import JSON
from catalog.specs.diff import children, ranges
from catalog.specs.diff.conjunction import Conjunction, TooMuch, Union, conjoin
from catalog.specs.diff.keywords import NUMBERS, type_of
from catalog.specs.diff.mutations import SAMPLE_OF_TYPE, as_number
from catalog.specs.diff.string_sets import strings_of

MAX_DEPTH: Final = 9
MAX_STEPS: Final = 200
MAX_MEMBERS: Final = 30
MAX_ITEMS: Final = 5
TURNS: Final = 3
Choice = TypeVar("Choice")
MAX_CHARACTERS: Final = 5_000
_SIGNS: Final = re.compile(r"\\[dwsDWSbB]|[\^$\\\[\](){}*+?|.]")
_LIKELY: Final = ("object", "array", "string", "integer", "fraction", "boolean", "null")


def samples_of(subschema: Subschema) -> list[JSON]:
    """Like `samples`, for one schema; [] if the schema is too large or too complex."""
    try:
        return samples(conjoin(subschema))
    except (TooMuch, Unchecked):
        return []


def samples(whole: Conjunction) -> list[JSON]:
    """Values that `whole` may accept: with all declared members or only the required ones, for several branches.

    Values that take too much work to build are left out.
    """
    found: list[JSON] = []
    for turn, everything in product(range(TURNS), (False, True)):
        try:
            value = _Sampler(turn, everything).of(whole, MAX_DEPTH)
        except (_NothingFits, TooMuch, Unchecked):
            continue
        if value not in found:
            found.append(value)
    return found


class _NothingFits(Exception):
    pass


@dataclass(slots=True)
class _Sampler:
    """One attempt: `turn` selects among branches; with `everything`, it makes optional members and an item."""

    turn: int
    everything: bool
    steps: int = MAX_STEPS

    def of(self, whole: Conjunction, depth: int) -> JSON:
        self.steps -= 1
        if whole.accepts_nothing or depth < 0 or self.steps < 0:
            raise _NothingFits
        if (union := next(whole.undecided, None)) is not None:
            return self.of_union(whole, union, depth)
        if whole.choices:
            return self.one_of(whole.valid_choices)
        if (hints := list(_hints(whole))) and not self.turn:
            return hints[0]
        type_name = self.one_of([type_name for type_name in _LIKELY if type_name in whole.types])
        if type_name == "object":
            return self.an_object(whole, depth)
        if type_name == "array":
            return self.an_array(whole, depth)
        return (
            _string(whole)
            if type_name == "string"
            else _number(whole)
            if type_name in NUMBERS
            else SAMPLE_OF_TYPE[type_name]
        )

    def one_of(self, choices: list[Choice]) -> Choice:
        if not choices:
            raise _NothingFits
        return choices[self.turn % len(choices)]

    def of_union(self, whole: Conjunction, union: Union, depth: int) -> JSON:
        schemas = union.schemas
        for index in range(len(schemas)):
            schema = schemas[(index + self.turn) % len(schemas)]
            try:
                return self.of(whole.with_branch(union, schema), depth)
            except _NothingFits:
                continue
        raise _NothingFits

    def an_object(self, whole: Conjunction, depth: int) -> JSON:
        names = children.names(whole)[:MAX_MEMBERS] if self.everything else []
        made: dict[str, JSON] = {}
        for name in dict.fromkeys([*sorted(whole.required), *names]):
            try:
                made[name] = self.of(children.member(whole, name), depth - 1)
            except _NothingFits:
                if name in whole.required:
                    raise
        return made

    def an_array(self, whole: Conjunction, depth: int) -> JSON:
        length = max(ranges.least(whole, "array"), int(self.everything))
        return [
            self.of(children.item(whole, index), depth - 1)
            for index in range(min(length, MAX_ITEMS))
        ]


def _hints(whole: Conjunction) -> Iterator[JSON]:
    """The values of `examples` and `default` that have an allowed type."""
    for examples in whole.annotations("examples"):
        if isinstance(examples, list):
            yield from (value for value in examples if type_of(value) in whole.types)
    yield from (value for value in whole.annotations("default") if type_of(value) in whole.types)


def _string(whole: Conjunction) -> JSON:
    formats = [name for name in whole.values("format") if name in STRING_OF_FORMAT]
    if whole.values("pattern") and not formats and (sample := strings_of(whole).sample) is not None:
        return sample
    text = STRING_OF_FORMAT[str(formats[0])] if formats else "text"
    least, most = ranges.least(whole, "string"), ranges.most(whole, "string")
    text += "x" * min(max(least - len(text), 0), MAX_CHARACTERS)
    return text if most is None else text[:most]


def names_like(patterns: Iterable[str]) -> list[str]:
    """Names that may match `patterns`: their literal characters."""
    plain = [_SIGNS.sub("", pattern) for pattern in patterns]
    return list(
        dict.fromkeys(text for name in plain for text in (name, f"{name}a", f"{name}1", "a", "1"))
    )


def _number(whole: Conjunction) -> JSON:
    step = ranges.step_of(whole, is_integral="integer" in whole.types)
    low, high = (ranges.edge_of_multiples(whole, step, lowest=lowest) for lowest in (True, False))
    edge = low or high
    if step is None:
        return as_number(
            (edge[0] if edge else Decimal(0))
            + (Decimal("-0.5") if edge is high else Decimal("0.5"))
        )
    if edge is None:
        return as_number(step) if whole.values("multipleOf") else SAMPLE_OF_TYPE["integer"]
    return as_number(edge[0])
