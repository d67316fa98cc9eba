"""The combined bounds of a conjunction: of numbers, strings, arrays and objects."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.json_schema.validation.equality import is_numeric
from catalog.specs.diff import children
from catalog.specs.diff.conjunction import Conjunction
from catalog.specs.diff.keywords import NUMBERS, Edge, count_of

LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
MAX_DIGITS: Final = 12  # of bounds and steps, so that arithmetic with them is exact
MOST: Final = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}


def number_edge(whole: Conjunction, *, lowest: bool, integers: bool) -> Edge | None:
    """The bound of numbers; with `integers`, the nearest integer within it."""
    edge = whole.edge(lowest=lowest)
    if edge is None or not integers:
        return edge
    bound, excluded = edge
    near = bound.to_integral_value(ROUND_CEILING if lowest else ROUND_FLOOR)
    if excluded and near == bound:
        near = Decimal(int(near) + (1 if lowest else -1))
    return near, False


def is_integral(whole: Conjunction) -> bool:
    """Whether all accepted numbers are integers."""
    return whole.types & NUMBERS == {"integer"}


def step_of(whole: Conjunction, *, is_integral: bool) -> Decimal | None:
    """The number that all accepted numbers are multiples of; None if there is none, or if it is too large."""
    divisors = [Decimal(value) for value in whole.values("multipleOf") if is_numeric(value)]
    found = [divisor for divisor in divisors if divisor and abs(divisor.adjusted()) <= MAX_DIGITS]
    if not found and not is_integral:
        return None
    scale = max((max(-_exponent(divisor), 0) for divisor in found), default=0)
    if scale > MAX_DIGITS:
        return Decimal(1) if is_integral else None
    common = lcm(
        *(int(divisor.scaleb(scale)) for divisor in found), *([10**scale] if is_integral else [])
    )
    return Decimal(common).scaleb(-scale) if common < 10**MAX_DIGITS else found[0]


def _exponent(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def edge_of_multiples(whole: Conjunction, step: Decimal | None, *, lowest: bool) -> Edge | None:
    """The bound of numbers; with `step`, the nearest multiple within it."""
    edge = whole.edge(lowest=lowest)
    if edge is None or step is None or not -MAX_DIGITS <= edge[0].adjusted() <= MAX_DIGITS:
        return edge
    bound, excluded = Fraction(edge[0]), edge[1]
    near = (ceil if lowest else floor)(bound / Fraction(step))
    if excluded and near * Fraction(step) == bound:
        near += 1 if lowest else -1
    return near * step, False


def is_as_tight(edge: Edge | None, other: Edge | None, *, lowest: bool) -> bool:
    """Whether all numbers within `edge` are within `other`."""
    if other is None or edge is None:
        return other is None
    if edge[0] == other[0]:
        return edge[1] or not other[1]
    return edge[0] > other[0] if lowest else edge[0] < other[0]


def least(whole: Conjunction, type_name: str) -> int:
    """The least number of characters, items or members."""
    counts = [0, *whole.counts(LEAST[type_name])]
    if type_name == "array":
        counts += [
            contains_limits(subschema)[0]
            for subschema in whole.subschemas
            if "contains" in subschema.keywords
        ]
    if type_name == "object":
        counts.append(len(whole.required))
    return max(counts)


def most(whole: Conjunction, type_name: str) -> int | None:
    """The greatest number of characters, items or members; None if it is unlimited."""
    counts = whole.counts(MOST[type_name])
    if type_name == "array":
        counts += [
            index
            for index in range(children.first_items(whole) + 1)
            if children.item(whole, index).accepts_nothing
        ][:1]
    if type_name == "object" and (names := children.closed_names(whole)) is not None:
        counts.append(len(names))
    return min(counts, default=None)


def contains_limits(subschema: Subschema) -> tuple[int, int | None]:
    """The least and greatest number of items that match `contains`."""
    if "minContains" not in subschema.dialect.keywords:
        return 1, None
    fewest = count_of(subschema, "minContains")
    return 1 if fewest is None else fewest, count_of(subschema, "maxContains")
