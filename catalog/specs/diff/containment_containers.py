"""Rules for constraints of arrays and objects.

Sources: JSON Schema 2020-12 Core, section 10.3; Validation, sections 6.4 and 6.5.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Final

from catalog.json_schema.validation import Subschema, compile_schema
from catalog.specs.diff import children
from catalog.specs.diff.attempts import Trial
from catalog.specs.diff.changes import Any
from catalog.specs.diff.conjunction import Together, TooMuch, together
from catalog.specs.diff.containment import Containment
from catalog.specs.diff.keywords import needs_of
from catalog.specs.diff.mutations import drop, grow_distinct, one_without, put, put_each, twice, with_member
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.ranges import asked_items, least, most
from catalog.specs.diff.regex_automata import NotUnderstood, literally
from catalog.specs.diff.samples import names_like, sketches
from catalog.specs.diff.string_sets import texts_of

MAX_FIRST_ITEMS: Final = 2_000
MAX_PATTERNS: Final = 4  # of which every combination is looked at

MAX_NAMES: Final = 30  # that a pattern is held against

_TEXT: Final = compile_schema({"type": "string"}).root


def items(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "array" not in giver.kinds:
        return
    first = max(children.first_items(giver), children.first_items(taker))
    if first > MAX_FIRST_ITEMS:
        raise TooMuch
    longest = most(giver, "array")
    for index in range(first + 1):
        if longest is not None and longest <= index:
            return
        found = walk.obstacles_inside(children.item(giver, index), children.item(taker, index))
        yield from (obstacle.below(index if index < first else Any.ITEM) for obstacle in found)


def distinct_items(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "array" not in giver.kinds or True not in taker.values("uniqueItems") or True in giver.values("uniqueItems"):
        return
    longest = most(giver, "array")
    if longest is None or longest > 1:
        doubled = ([value, value] for value in sketches(children.item(giver, 0)))
        yield Obstacle("unique", giver, taker, keywords=("uniqueItems",), edits=(twice, *put_each(doubled)))


def contained_items(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "array" not in giver.kinds:
        return
    known = [place for place in giver.places if "contains" in place.keywords]
    for place in taker.places:
        if "contains" not in place.keywords:
            continue
        fewest, greatest = asked_items(place)
        if fewest and not _has_enough(walk, giver, known, place, fewest):
            first = children.item(giver, 0)
            nearly = ([value] for other in known for value in sketches(first.also(other.sub("contains"))))
            shorter = (put([]), grow_distinct(least(giver, "array")), *put_each(nearly))
            yield Obstacle("contains", giver, taker, keywords=("contains", "minContains"), edits=shorter)
        if greatest is not None and not _has_few(walk, giver, known, place, greatest):
            form = children.item(giver, 0).also(place.sub("contains"))
            longer = (grow_distinct(greatest + 1), *put_each([value] * (greatest + 1) for value in sketches(form)))
            yield Obstacle("maxContains", giver, taker, keywords=("maxContains",), edits=longer)


def _has_enough(walk: Containment, giver: Together, known: list[Subschema], asked: Subschema, fewest: int) -> bool:
    form = together(asked.sub("contains"))
    if any(asked_items(k)[0] >= fewest and walk.proves_inside(together(k.sub("contains")), form) for k in known):
        return True
    if least(giver, "array") < fewest:
        return False
    return all(
        walk.proves_inside(children.item(giver, index), form) for index in range(children.first_items(giver) + 1)
    )


def _has_few(walk: Containment, giver: Together, known: list[Subschema], asked: Subschema, greatest: int) -> bool:
    longest = most(giver, "array")
    if longest is not None and longest <= greatest:
        return True
    form = together(asked.sub("contains"))
    return any(
        limit is not None and limit <= greatest and walk.proves_inside(form, together(k.sub("contains")))
        for k in known
        for limit in [asked_items(k)[1]]
    )


# Objects.


def required(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "object" not in giver.kinds:
        return
    for name in sorted(taker.required - giver.required):
        if walk.requires(giver, name):
            continue
        yield Obstacle("required", giver, taker, name, keywords=("required",), edits=(drop(name),))
    for place in taker.places:
        for name, needed in needs_of(place):
            if children.member(giver, name).nothing or walk.requires(giver.with_member(name), needed):
                continue
            keywords = ("dependentRequired", "dependencies")
            yield Obstacle(
                "needed", giver, taker, f"{name} {needed}", keywords=keywords, edits=(one_without(name, needed),)
            )


def declared_members(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    if "object" not in giver.kinds:
        return
    known = set(children.names(giver))
    listed = children.closed_names(giver) or []
    for name in dict.fromkeys([*children.names(giver), *children.names(taker), *listed]):
        for obstacle in walk.obstacles_inside(children.member(giver, name), children.member(taker, name)):
            is_new = obstacle.kind == "described" and not obstacle.path and name not in known
            yield replace(obstacle, undeclared=True).below(name) if is_new else obstacle.below(name)


def other_members(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """Members whose names are not declared, by the patterns that their names may match."""
    if "object" not in giver.kinds or children.closed_names(giver) is not None:
        return
    for matched, examples in _classes(giver, taker, walk.trial):
        found = walk.obstacles_inside(children.undeclared(giver, matched), children.undeclared(taker, matched))
        names = (*examples, *names_like(matched))
        yield from (replace(obstacle.below(Any.MEMBER), names=(*names, *obstacle.names)) for obstacle in found)


def _classes(giver: Together, taker: Together, trial: Trial) -> Iterator[tuple[frozenset[str], list[str]]]:
    """The patterns that a name may match, and no others; with names that do, where one is known."""
    patterns = children.patterns(giver) | children.patterns(taker)
    if patterns == children.patterns(giver) == children.patterns(taker) and all(map(_is_single, (giver, taker))):
        yield from ((frozenset(some), []) for some in [(), *([pattern] for pattern in sorted(patterns))])
        return
    if len(patterns) > MAX_PATTERNS:
        raise TooMuch
    sizes = range(len(patterns) + 1)
    declared = frozenset(map(literally, (*children.names(giver), *children.names(taker))[:MAX_NAMES]))
    allowed = texts_of(*map(together, giver.subs("propertyNames")))
    for matched in map(frozenset, chain.from_iterable(combinations(sorted(patterns), size) for size in sizes)):
        try:
            name = trial.puzzles.one(allowed.also(matched), missing=(patterns - matched) | declared) if patterns else ""
        except NotUnderstood:
            yield matched, []
            continue
        if name is not None:
            yield matched, [name] if patterns else []


def _is_single(whole: Together) -> bool:
    """Whether one schema alone speaks of members that are not declared: then each pattern adds to what it asks."""
    speaking = ("patternProperties", "additionalProperties", "unevaluatedProperties")
    return sum(bool(place.keywords.keys() & set(speaking)) for place in whole.places) < 2


def member_names(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """Names that are not declared; of the declared ones, members say it."""
    rules = taker.subs("propertyNames")
    if "object" not in giver.kinds or not rules or children.closed_names(giver) is not None:
        return
    patterns = children.patterns(giver)
    possible = [frozenset({pattern}) for pattern in patterns]
    if not patterns or not children.undeclared(giver, frozenset()).nothing:
        possible = [frozenset()]
    names = [together(_TEXT, *_matching(matched), *giver.subs("propertyNames")) for matched in possible]
    if not all(walk.proves_inside(name, together(rule)) for rule in rules for name in names):
        edits = tuple(with_member(name) for name in ("undeclared_member", "", "A b", "x" * 80, "1"))
        yield Obstacle("names", giver, taker, keywords=("propertyNames",), edits=edits)


def _matching(patterns: frozenset[str]) -> list[Subschema]:
    return [compile_schema({"pattern": pattern}).root for pattern in patterns]
