"""Rules for constraints of values without parts: choices, numbers, texts.

Source: JSON Schema 2020-12 Validation, sections 6.1 to 6.3 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Final, TypeAlias

from catalog.json_schema.formats import FORMATS
from catalog.json_schema.sample_values import STRING_OF_FORMAT
from catalog.json_schema.validation.equality import is_multiple, is_number
from catalog.jsontext.reader import Number
from catalog.specs.diff.changes import Edit
from catalog.specs.diff.conjunction import Together
from catalog.specs.diff.containment import Containment
from catalog.specs.diff.keywords import NUMBERS
from catalog.specs.diff.mutations import TEXTS, as_number, numbers_near, put, put_each, put_kinds, resize
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.ranges import LEAST, MOST, edge_of_multiples, is_as_tight, is_integral, least, most, step_of
from catalog.specs.diff.regex_automata import NotUnderstood
from catalog.specs.diff.string_sets import Puzzles, texts_of

# (kind, subject, what finds a text that may be refused, edits that make others)
_Asked: TypeAlias = tuple[str, str, Callable[[], str | None], tuple[Edit, ...]]

EFFORT_OF_A_PATTERN: Final = 200
MAX_EXPONENT: Final = 20  # of numbers that are tried
FREE_PATTERNS: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$"})  # they are found in every text
# Every text of the one format is one of the others.
WIDER_FORMATS: Final = {
    "email": {"idn-email"},
    "iri": {"iri-reference"},
    "uri": {"iri", "iri-reference", "uri-reference"},
    "uri-reference": {"iri-reference"},
}


def choices(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """Values that cannot be listed do not fit into a list, unless a pattern lets only these through."""
    if taker.choices and not (giver.kinds == {"string"} and _are_listed(giver, taker, walk.trial.puzzles)):
        edits = (*put_kinds(giver.kinds), *put_each(("another value", 12345, Number("0.25"))))
        yield Obstacle("listed", giver, taker, keywords=("enum", "const"), edits=edits)


def _are_listed(giver: Together, taker: Together, puzzles: Puzzles) -> bool:
    texts = texts_of(giver)
    return all(
        puzzles.are_among(texts, [value for value in listed if isinstance(value, str)]) for listed in taker.choices
    )


def numbers(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if not giver.kinds & NUMBERS:
        return
    step = step_of(giver, is_integral=is_integral(giver))
    for lowest, kind in ((True, "minimum"), (False, "maximum")):
        has, asked = (edge_of_multiples(whole, step, lowest=lowest) for whole in (giver, taker))
        if is_as_tight(has, asked, lowest=lowest):
            continue
        keywords = (kind, f"exclusive{kind.capitalize()}")
        edits = (*numbers_near(has, asked, giver.edge(lowest=not lowest)), *_multiples(step))
        yield Obstacle(kind, giver, taker, keywords=keywords, edits=edits)
    for divisor in taker.values("multipleOf"):
        if is_number(divisor) and not (step and is_multiple(step, divisor)):
            yield Obstacle("multiple", giver, taker, keywords=("multipleOf",), edits=_multiples(step))


def _multiples(step: Decimal | None) -> tuple[Edit, ...]:
    """Multiples of what divides already, and what is rarely a multiple."""
    base = step or Decimal(1)
    near = [*(base * step for step in (1, 2, 3, -1, 5, 7)), Decimal("0.5")]
    return put_each(as_number(value) for value in near if abs(value.adjusted()) < MAX_EXPONENT)


def sizes(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """How long arrays and objects are."""
    for kind, keyword in LEAST.items():
        if kind not in giver.kinds or kind == "string":
            continue
        asked, has = max(taker.counts(keyword), default=0), least(giver, kind)
        if has < asked:
            edits = (*map(resize, (has, asked - 1)), *put_kinds({kind}))
            yield Obstacle(keyword, giver, taker, keywords=(keyword,), edits=edits)
        limit, longest = min(taker.counts(MOST[kind]), default=None), most(giver, kind)
        if limit is not None and (longest is None or longest > limit):
            sizes = [limit + 1, *([] if longest is None else [longest])]
            edits = tuple(map(resize, sizes))
            yield Obstacle(MOST[kind], giver, taker, keywords=(MOST[kind],), edits=edits)


def texts(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "string" not in giver.kinds:
        return
    for kind, subject, refused, edits in _asked_of_texts(giver, taker, walk.trial.puzzles):
        walk.trial.spend(EFFORT_OF_A_PATTERN)
        try:
            text = refused()
        except NotUnderstood:
            text = "text"
        if text is not None:
            tried = (put(text), *edits, *put_each((*TEXTS, *dict.fromkeys(STRING_OF_FORMAT.values()))))
            yield Obstacle(kind, giver, taker, subject, keywords=(kind,), edits=tried)


def _asked_of_texts(giver: Together, taker: Together, puzzles: Puzzles) -> Iterator[_Asked]:
    has = texts_of(giver)
    one = partial(puzzles.one, has)
    asked, limit = max(taker.counts("minLength"), default=0), min(taker.counts("maxLength"), default=None)
    if asked > has.least:
        yield "minLength", "", partial(one, most=asked - 1), tuple(map(resize, (has.least, asked - 1)))
    if limit is not None and (has.most is None or has.most > limit):
        sizes = [limit + 1, *([] if has.most is None else [has.most])]
        yield "maxLength", "", partial(one, least=limit + 1), tuple(map(resize, sizes))
    for pattern in sorted(_texts(taker, "pattern") - _texts(giver, "pattern") - FREE_PATTERNS):
        yield "pattern", pattern, partial(one, missing=frozenset({pattern})), ()
    formats = _texts(giver, "format") & FORMATS.keys()
    implied = formats.union(*(WIDER_FORMATS.get(name, ()) for name in formats))
    for name in sorted((_texts(taker, "format") & FORMATS.keys()) - implied):
        yield "format", name, one, ()


def _texts(whole: Together, keyword: str) -> set[str]:
    return {value for value in whole.values(keyword) if isinstance(value, str)}
