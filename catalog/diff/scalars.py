"""Rules for constraints of values without parts: choices, numbers, texts.

Source: JSON Schema 2020-12 Validation, sections 6.1 to 6.3 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from catalog.diff.changes import Edit
from catalog.diff.containing import Containment
from catalog.diff.edits import TEXTS, as_number, numbers_near, put_each, put_kinds, resize
from catalog.diff.obstacles import Obstacle
from catalog.diff.ranges import LEAST, MOST, is_as_tight, is_integral, least, most, number_edge
from catalog.diff.reading import NUMBERS
from catalog.diff.together import Together
from catalog.formats import FORMATS
from catalog.strict_json import Number
from catalog.validation.equality import is_multiple, is_number
from catalog.validation.wording import Numeric

MAX_EXPONENT: Final = 20  # of numbers that are tried
FREE_PATTERNS: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$"})  # they are found in every text
# Every text of the one format is one of the others.
WIDER_FORMATS: Final = {
    "email": {"idn-email"},
    "iri": {"iri-reference"},
    "uri": {"iri", "iri-reference", "uri-reference"},
    "uri-reference": {"iri-reference"},
}


def choices(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """Values that cannot be listed do not fit into a list."""
    if taker.choices:
        edits = (*put_kinds(giver.kinds), *put_each(("another value", 12345, Number("0.25"))))
        yield Obstacle("listed", giver, taker, keywords=("enum", "const"), edits=edits)


def numbers(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if not giver.kinds & NUMBERS:
        return
    integers = is_integral(giver)
    divisors: list[Numeric] = [value for value in giver.values("multipleOf") if is_number(value)]
    for lowest, kind in ((True, "minimum"), (False, "maximum")):
        has, asked = (number_edge(whole, lowest=lowest, integers=integers) for whole in (giver, taker))
        if is_as_tight(has, asked, lowest=lowest):
            continue
        keywords = (kind, f"exclusive{kind.capitalize()}")
        edits = numbers_near(has, asked, giver.edge(lowest=not lowest))
        yield Obstacle(kind, giver, taker, keywords=keywords, certain=not divisors, edits=edits)
    known = [*divisors, 1] if integers else divisors
    for divisor in taker.values("multipleOf"):
        if is_number(divisor) and not any(is_multiple(other, divisor) for other in known):
            yield Obstacle("multiple", giver, taker, keywords=("multipleOf",), edits=_multiples(known))


def _multiples(known: Sequence[Numeric]) -> tuple[Edit, ...]:
    """Multiples of what divides already, and what is rarely a multiple."""
    base = Decimal(next(iter(known), 1))
    near = [*(base * step for step in (1, 2, 3, -1, 5, 7)), Decimal("0.5")]
    return put_each(as_number(value) for value in near if abs(value.adjusted()) < MAX_EXPONENT)


def sizes(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """How long texts, arrays and objects are."""
    for kind, keyword in LEAST.items():
        if kind not in giver.kinds:
            continue
        asked, has = max(taker.counts(keyword), default=0), least(giver, kind)
        if has < asked:
            edits = (*map(resize, (has, asked - 1)), *put_kinds({kind}))
            yield Obstacle(keyword, giver, taker, keywords=(keyword,), certain=_is_free(giver, kind), edits=edits)
        limit, longest = min(taker.counts(MOST[kind]), default=None), most(giver, kind)
        if limit is not None and (longest is None or longest > limit):
            sizes = [limit + 1, *([] if longest is None else [longest])]
            edits = tuple(map(resize, sizes))
            yield Obstacle(MOST[kind], giver, taker, keywords=(MOST[kind],), certain=_is_free(giver, kind), edits=edits)


def _is_free(giver: Together, kind: str) -> bool:
    """Whether nothing but a count bounds the size."""
    bounding = {"string": ("pattern", "format"), "array": ("uniqueItems", "contains"), "object": ("propertyNames",)}
    return not any(giver.values(keyword) for keyword in bounding[kind])


def texts(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "string" not in giver.kinds:
        return
    patterns, formats = _texts(giver, "pattern"), _texts(giver, "format") & FORMATS.keys()
    is_free = not patterns and not formats
    probes = put_each(TEXTS)
    for pattern in sorted(_texts(taker, "pattern") - patterns - FREE_PATTERNS):
        yield Obstacle("pattern", giver, taker, pattern, keywords=("pattern",), certain=is_free, edits=probes)
    implied = formats.union(*(WIDER_FORMATS.get(name, ()) for name in formats))
    for name in sorted((_texts(taker, "format") & FORMATS.keys()) - implied):
        yield Obstacle("format", giver, taker, name, keywords=("format",), certain=is_free, edits=probes)


def _texts(whole: Together, keyword: str) -> set[str]:
    return {value for value in whole.values(keyword) if isinstance(value, str)}
