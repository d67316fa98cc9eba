"""Rules for constraints of arrays and objects.

Sources: JSON Schema 2020-12 Core, section 10.3; Validation, sections 6.4 and 6.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Final

from catalog.json_schema.children import needed_names
from catalog.json_schema.validation import Subschema, compile_schema
from catalog.specs.diff import children
from catalog.specs.diff.changes import Any
from catalog.specs.diff.conjunction import Conjunction, TooMuch, conjoin
from catalog.specs.diff.containment import ContainmentProver
from catalog.specs.diff.mutations import (
    drop,
    grow_distinct,
    one_without,
    put,
    put_each,
    twice,
    with_member,
)
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.ranges import contains_limits, least, most
from catalog.specs.diff.regex_automata import UnsupportedPattern, literal_pattern
from catalog.specs.diff.samples import names_like, samples
from catalog.specs.diff.string_sets import strings_of
from catalog.specs.diff.value_checks import ValueChecks

MAX_FIRST_ITEMS: Final = 2_000
MAX_PATTERNS: Final = 4  # of which every combination is tried

MAX_NAMES: Final = 30  # that a pattern is matched against

_TEXT: Final = compile_schema({"type": "string"}).root


def items(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if "array" not in producer.types:
        return
    first = max(children.first_items(producer), children.first_items(consumer))
    if first > MAX_FIRST_ITEMS:
        raise TooMuch
    longest = most(producer, "array")
    for index in range(first + 1):
        if longest is not None and longest <= index:
            return
        found = prover.obstacles_inside(
            children.item(producer, index), children.item(consumer, index)
        )
        yield from (obstacle.below(index if index < first else Any.ITEM) for obstacle in found)


def distinct_items(
    _prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if (
        "array" not in producer.types
        or True not in consumer.values("uniqueItems")
        or True in producer.values("uniqueItems")
    ):
        return
    longest = most(producer, "array")
    if longest is None or longest > 1:
        doubled = ([value, value] for value in samples(children.item(producer, 0)))
        yield Obstacle(
            "unique",
            producer,
            consumer,
            keywords=("uniqueItems",),
            edits=(twice, *put_each(doubled)),
        )


def contained_items(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if "array" not in producer.types:
        return
    known = [subschema for subschema in producer.subschemas if "contains" in subschema.keywords]
    for subschema in consumer.subschemas:
        if "contains" not in subschema.keywords:
            continue
        fewest, greatest = contains_limits(subschema)
        if fewest and not _has_enough(prover, producer, known, subschema, fewest):
            first = children.item(producer, 0)
            nearly = (
                [value] for other in known for value in samples(first.also(other.sub("contains")))
            )
            shorter = (put([]), grow_distinct(least(producer, "array")), *put_each(nearly))
            yield Obstacle(
                "contains", producer, consumer, keywords=("contains", "minContains"), edits=shorter
            )
        if greatest is not None and not _has_few(prover, producer, known, subschema, greatest):
            form = children.item(producer, 0).also(subschema.sub("contains"))
            longer = (
                grow_distinct(greatest + 1),
                *put_each([value] * (greatest + 1) for value in samples(form)),
            )
            yield Obstacle(
                "maxContains", producer, consumer, keywords=("maxContains",), edits=longer
            )


def _has_enough(
    prover: ContainmentProver,
    producer: Conjunction,
    known: list[Subschema],
    wanted: Subschema,
    fewest: int,
) -> bool:
    form = conjoin(wanted.sub("contains"))
    if any(
        contains_limits(k)[0] >= fewest and prover.proves_inside(conjoin(k.sub("contains")), form)
        for k in known
    ):
        return True
    if least(producer, "array") < fewest:
        return False
    return all(
        prover.proves_inside(children.item(producer, index), form)
        for index in range(children.first_items(producer) + 1)
    )


def _has_few(
    prover: ContainmentProver,
    producer: Conjunction,
    known: list[Subschema],
    wanted: Subschema,
    greatest: int,
) -> bool:
    longest = most(producer, "array")
    if longest is not None and longest <= greatest:
        return True
    form = conjoin(wanted.sub("contains"))
    return any(
        limit is not None
        and limit <= greatest
        and prover.proves_inside(form, conjoin(k.sub("contains")))
        for k in known
        for limit in [contains_limits(k)[1]]
    )


# Objects.


def required(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if "object" not in producer.types:
        return
    for name in sorted(consumer.required - producer.required):
        if prover.requires(producer, name):
            continue
        yield Obstacle(
            "required", producer, consumer, name, keywords=("required",), edits=(drop(name),)
        )
    for subschema in consumer.subschemas:
        for name, needed in needed_names(subschema.keywords):
            if children.member(producer, name).accepts_nothing or prover.requires(
                producer.with_member(name), needed
            ):
                continue
            keywords = ("dependentRequired", "dependencies")
            yield Obstacle(
                "needed",
                producer,
                consumer,
                f"{name} {needed}",
                keywords=keywords,
                edits=(one_without(name, needed),),
            )


def declared_members(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    if "object" not in producer.types:
        return
    listed = children.closed_names(producer) or []
    for name in dict.fromkeys([*children.names(producer), *children.names(consumer), *listed]):
        for obstacle in prover.obstacles_inside(
            children.member(producer, name), children.member(consumer, name)
        ):
            is_new = (
                obstacle.kind == "described"
                and not obstacle.path
                and not children.is_mentioned(producer, name)
            )
            yield replace(obstacle, undeclared=True).below(name) if is_new else obstacle.below(name)


def other_members(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """Undeclared members, grouped by the patterns that their names match."""
    if "object" not in producer.types or children.closed_names(producer) is not None:
        return
    for matched, examples in _name_classes(producer, consumer, prover.checks):
        found = prover.obstacles_inside(
            children.undeclared(producer, matched), children.undeclared(consumer, matched)
        )
        names = (*examples, *names_like(matched))
        yield from (
            replace(obstacle.below(Any.MEMBER), names=(*names, *obstacle.names))
            for obstacle in found
        )


def _name_classes(
    producer: Conjunction, consumer: Conjunction, checks: ValueChecks
) -> Iterator[tuple[frozenset[str], list[str]]]:
    """(patterns that a name may match without matching others, names that do if known)."""
    patterns = children.patterns(producer) | children.patterns(consumer)
    if patterns == children.patterns(producer) == children.patterns(consumer) and all(
        map(_is_single, (producer, consumer))
    ):
        yield from (
            (frozenset(some), []) for some in [(), *([pattern] for pattern in sorted(patterns))]
        )
        return
    if len(patterns) > MAX_PATTERNS:
        raise TooMuch
    sizes = range(len(patterns) + 1)
    declared = frozenset(
        map(literal_pattern, (*children.names(producer), *children.names(consumer))[:MAX_NAMES])
    )
    allowed = strings_of(*map(conjoin, producer.subs("propertyNames")))
    for matched in map(
        frozenset, chain.from_iterable(combinations(sorted(patterns), size) for size in sizes)
    ):
        try:
            name = (
                checks.strings.find(allowed.also(matched), missing=(patterns - matched) | declared)
                if patterns
                else ""
            )
        except UnsupportedPattern:
            yield matched, []
            continue
        if name is not None:
            yield matched, [name] if patterns else []


def _is_single(whole: Conjunction) -> bool:
    """Whether at most one schema has constraints for undeclared members; then each pattern only adds to them."""
    relevant = ("patternProperties", "additionalProperties", "unevaluatedProperties")
    return (
        sum(bool(subschema.keywords.keys() & set(relevant)) for subschema in whole.subschemas) < 2
    )


def member_names(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """Names of undeclared members; `declared_members` covers the others."""
    rules = consumer.subs("propertyNames")
    if "object" not in producer.types or not rules or children.closed_names(producer) is not None:
        return
    patterns = children.patterns(producer)
    possible = [frozenset({pattern}) for pattern in patterns]
    if not patterns or not children.undeclared(producer, frozenset()).accepts_nothing:
        possible = [frozenset()]
    names = [
        conjoin(_TEXT, *_matching(matched), *producer.subs("propertyNames")) for matched in possible
    ]
    if not all(prover.proves_inside(name, conjoin(rule)) for rule in rules for name in names):
        edits = tuple(with_member(name) for name in ("undeclared_member", "", "A b", "x" * 80, "1"))
        yield Obstacle("names", producer, consumer, keywords=("propertyNames",), edits=edits)


def _matching(patterns: frozenset[str]) -> list[Subschema]:
    return [compile_schema({"pattern": pattern}).root for pattern in patterns]
