"""Bounds, as all the schemas say them together: of numbers, of texts, of arrays and of objects."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.json_schema.validation.equality import is_number
from catalog.specs.diff import children
from catalog.specs.diff.conjunction import Together
from catalog.specs.diff.keywords import NUMBERS, Edge, count_of

LEAST: Final = {"string": "minLength", "array": "minItems", "object": "minProperties"}
MAX_DIGITS: Final = 12  # of bounds and steps, so that what is reckoned with them is exact
MOST: Final = {"string": "maxLength", "array": "maxItems", "object": "maxProperties"}


def number_edge(whole: Together, *, lowest: bool, integers: bool) -> Edge | None:
    """The bound of numbers; with `integers`, the least or greatest integer within it."""
    edge = whole.edge(lowest=lowest)
    if edge is None or not integers:
        return edge
    bound, excluded = edge
    near = bound.to_integral_value(ROUND_CEILING if lowest else ROUND_FLOOR)
    if excluded and near == bound:
        near = Decimal(int(near) + (1 if lowest else -1))
    return near, False


def is_integral(whole: Together) -> bool:
    """Whether all numbers that are accepted are integers."""
    return whole.kinds & NUMBERS == {"integer"}


def step_of(whole: Together, *, is_integral: bool) -> Decimal | None:
    """What all numbers are multiples of; None where that is nothing, or too large to reckon with."""
    divisors = [Decimal(value) for value in whole.values("multipleOf") if is_number(value)]
    found = [divisor for divisor in divisors if divisor and abs(divisor.adjusted()) <= MAX_DIGITS]
    if not found and not is_integral:
        return None
    scale = max((max(-_exponent(divisor), 0) for divisor in found), default=0)
    if scale > MAX_DIGITS:
        return Decimal(1) if is_integral else None
    common = lcm(*(int(divisor.scaleb(scale)) for divisor in found), *([10**scale] if is_integral else []))
    return Decimal(common).scaleb(-scale) if common < 10**MAX_DIGITS else found[0]


def _exponent(number: Decimal) -> int:
    exponent = number.normalize().as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0


def edge_of_multiples(whole: Together, step: Decimal | None, *, lowest: bool) -> Edge | None:
    """The bound of numbers; the least or greatest multiple of `step` within it."""
    edge = whole.edge(lowest=lowest)
    if edge is None or step is None or not -MAX_DIGITS <= edge[0].adjusted() <= MAX_DIGITS:
        return edge
    bound, excluded = Fraction(edge[0]), edge[1]
    near = (ceil if lowest else floor)(bound / Fraction(step))
    if excluded and near * Fraction(step) == bound:
        near += 1 if lowest else -1
    return near * step, False


def is_as_tight(edge: Edge | None, asked: Edge | None, *, lowest: bool) -> bool:
    """Whether all numbers within `edge` are within `asked`."""
    if asked is None or edge is None:
        return asked is None
    if edge[0] == asked[0]:
        return edge[1] or not asked[1]
    return edge[0] > asked[0] if lowest else edge[0] < asked[0]


def least(whole: Together, kind: str) -> int:
    """How many characters, items or members there are at least."""
    counts = [0, *whole.counts(LEAST[kind])]
    if kind == "array":
        counts += [asked_items(place)[0] for place in whole.places if "contains" in place.keywords]
    if kind == "object":
        counts.append(len(whole.required))
    return max(counts)


def most(whole: Together, kind: str) -> int | None:
    """How many characters, items or members there are at most."""
    counts = whole.counts(MOST[kind])
    if kind == "array":
        counts += [index for index in range(children.first_items(whole) + 1) if children.item(whole, index).nothing][:1]
    if kind == "object" and (names := children.closed_names(whole)) is not None:
        counts.append(len(names))
    return min(counts, default=None)


def asked_items(place: Subschema) -> tuple[int, int | None]:
    """How many items `contains` asks for, at least and at most."""
    if "minContains" not in place.dialect.keywords:
        return 1, None
    fewest = count_of(place, "minContains")
    return 1 if fewest is None else fewest, count_of(place, "maxContains")
