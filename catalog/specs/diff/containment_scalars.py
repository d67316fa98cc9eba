"""Rules for constraints of scalar values: choices, numbers, strings, and for sizes.

Source: JSON Schema 2020-12 Validation, sections 6.1 to 6.3 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Final, TypeAlias

from catalog.json_schema.formats import FORMATS
from catalog.json_schema.sample_values import STRING_OF_FORMAT
from catalog.json_schema.validation.equality import is_multiple, is_numeric
from catalog.jsontext.reader import Number
from catalog.specs.diff import children
from catalog.specs.diff.changes import Edit
from catalog.specs.diff.conjunction import Conjunction
from catalog.specs.diff.containment import ContainmentProver
from catalog.specs.diff.keywords import NUMBERS, assertions_of
from catalog.specs.diff.mutations import (
    MAX_REPEATED,
    STRINGS,
    as_number,
    numbers_near,
    put,
    put_each,
    put_types,
    resize,
)
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.ranges import (
    LEAST,
    MOST,
    edge_of_multiples,
    is_as_tight,
    is_integral,
    least,
    most,
    step_of,
)
from catalog.specs.diff.regex_automata import UnsupportedPattern
from catalog.specs.diff.string_sets import StringSearch, strings_of

# (kind, subject, a function that finds a string that may be refused, edits that make others)
_StringRule: TypeAlias = tuple[str, str, Callable[[], str | None], tuple[Edit, ...]]

EFFORT_OF_A_PATTERN: Final = 200
LISTING: Final = ("enum", "const", "anyOf", "oneOf")
_SIZES: Final = ("minLength", "maxLength")
MAX_EXPONENT: Final = 20  # of the numbers to try
FREE_PATTERNS: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$"})  # every string matches them
# Every string of the format on the left also has the formats on the right.
WIDER_FORMATS: Final = {
    "email": {"idn-email"},
    "iri": {"iri-reference"},
    "uri": {"iri", "iri-reference", "uri-reference"},
    "uri-reference": {"iri-reference"},
}


def choices(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """Values that cannot be listed are not contained in a list, unless patterns allow only the listed strings."""
    if consumer.choices and not (
        producer.types == {"string"} and _are_listed(producer, consumer, prover.checks.strings)
    ):
        edits = (*put_types(producer.types), *put_each(("another value", 12345, Number("0.25"))))
        values = tuple(consumer.valid_choices)
        yield Obstacle("listed", producer, consumer, keywords=LISTING, values=values, edits=edits)


def _are_listed(producer: Conjunction, consumer: Conjunction, strings: StringSearch) -> bool:
    strings_allowed = strings_of(producer)
    return all(
        strings.are_among(strings_allowed, [value for value in listed if isinstance(value, str)])
        for listed in consumer.choices
    )


def numbers(
    _prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if not producer.types & NUMBERS:
        return
    step = step_of(producer, is_integral=is_integral(producer))
    for lowest, kind in ((True, "minimum"), (False, "maximum")):
        given, wanted = (
            edge_of_multiples(whole, step, lowest=lowest) for whole in (producer, consumer)
        )
        if is_as_tight(given, wanted, lowest=lowest):
            continue
        keywords = (kind, f"exclusive{kind.capitalize()}")
        edits = (*numbers_near(given, wanted, producer.edge(lowest=not lowest)), *_multiples(step))
        yield Obstacle(kind, producer, consumer, keywords=keywords, edits=edits)
    for divisor in consumer.values("multipleOf"):
        if is_numeric(divisor) and not (step and is_multiple(step, divisor)):
            yield Obstacle(
                "multiple", producer, consumer, keywords=("multipleOf",), edits=_multiples(step)
            )


def _multiples(step: Decimal | None) -> tuple[Edit, ...]:
    """Multiples of `step`, and a number that is rarely a multiple of anything."""
    base = step or Decimal(1)
    near = [*(base * step for step in (1, 2, 3, -1, 5, 7)), Decimal("0.5")]
    return put_each(as_number(value) for value in near if abs(value.adjusted()) < MAX_EXPONENT)


def sizes(
    _prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """The sizes of arrays and objects."""
    for kind, keyword in LEAST.items():
        if kind not in producer.types or kind == "string":
            continue
        wanted, given = max(consumer.counts(keyword), default=0), least(producer, kind)
        if given < wanted:
            edits = (*map(resize, (given, wanted - 1)), *put_types({kind}))
            certain = _is_certain(producer, kind, given)
            yield Obstacle(
                keyword, producer, consumer, keywords=(keyword,), edits=edits, certain=certain
            )
        limit, longest = min(consumer.counts(MOST[kind]), default=None), most(producer, kind)
        if limit is not None and (longest is None or longest > limit):
            sizes = [limit + 1, *([] if longest is None else [longest])]
            edits = tuple(map(resize, sizes))
            certain = _is_certain(producer, kind, limit + 1)
            yield Obstacle(
                MOST[kind], producer, consumer, keywords=(MOST[kind],), edits=edits, certain=certain
            )


def _is_certain(producer: Conjunction, kind: str, size: int) -> bool:
    """Whether `producer` certainly accepts a value of this size, which is too large to be shown as a witness.

    Only if sizes are all that it asks for, and the items, if any, need only have a type.
    """
    if size <= MAX_REPEATED:
        return False
    asked = frozenset().union(*map(assertions_of, producer.subschemas))
    if kind != "array":
        return asked <= {"type", LEAST[kind], MOST[kind]}
    items = children.item(producer, 0)
    is_plain_item = bool(items.types) and all(
        assertions_of(each) <= {"type"} for each in items.subschemas
    )
    return asked <= {"type", "items", "minItems", "maxItems"} and is_plain_item


def strings_allowed(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if "string" not in producer.types:
        return
    for kind, subject, refused, edits in _string_rules(producer, consumer, prover.checks.strings):
        prover.checks.spend(EFFORT_OF_A_PATTERN)
        try:
            string = refused()
        except UnsupportedPattern:
            string = "text"
        if string is not None:
            tried = (
                put(string),
                *edits,
                *put_each((*STRINGS, *dict.fromkeys(STRING_OF_FORMAT.values()))),
            )
            certain = kind in _SIZES and _is_certain(
                producer, "string", _refused_length(kind, producer, consumer)
            )
            yield Obstacle(
                kind, producer, consumer, subject, keywords=(kind,), edits=tried, certain=certain
            )


def _refused_length(kind: str, producer: Conjunction, consumer: Conjunction) -> int:
    """The length of a string that the bound `kind` of the consumer refuses."""
    return (
        least(producer, "string") if kind == "minLength" else min(consumer.counts("maxLength")) + 1
    )


def _string_rules(
    producer: Conjunction, consumer: Conjunction, strings: StringSearch
) -> Iterator[_StringRule]:
    given = strings_of(producer)
    one = partial(strings.find, given)
    wanted, limit = (
        max(consumer.counts("minLength"), default=0),
        min(consumer.counts("maxLength"), default=None),
    )
    if wanted > given.least:
        yield (
            "minLength",
            "",
            partial(one, most=wanted - 1),
            tuple(map(resize, (given.least, wanted - 1))),
        )
    if limit is not None and (given.most is None or given.most > limit):
        sizes = [limit + 1, *([] if given.most is None else [given.most])]
        yield "maxLength", "", partial(one, least=limit + 1), tuple(map(resize, sizes))
    for pattern in sorted(
        _strings_under(consumer, "pattern") - _strings_under(producer, "pattern") - FREE_PATTERNS
    ):
        yield "pattern", pattern, partial(one, missing=frozenset({pattern})), ()
    formats = _strings_under(producer, "format") & FORMATS.keys()
    implied = formats.union(*(WIDER_FORMATS.get(name, ()) for name in formats))
    for name in sorted((_strings_under(consumer, "format") & FORMATS.keys()) - implied):
        yield "format", name, one, ()


def _strings_under(whole: Conjunction, keyword: str) -> set[str]:
    return {value for value in whole.values(keyword) if isinstance(value, str)}
