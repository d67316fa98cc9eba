"""Whether two schemas certainly mean the same, or have no value in common; whether one has none at all.

"No" only means that it is not plain to see.
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import islice
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import dumps
from catalog.specs.diff import children, ranges
from catalog.specs.diff.attempts import Trial
from catalog.specs.diff.conjunction import Together, Union, together
from catalog.specs.diff.keywords import NUMBERS
from catalog.specs.diff.string_sets import texts_of

MAX_DEPTH: Final = 4
MAX_NAMES: Final = 60
MAX_UNIONS: Final = 3  # whose branches are looked at one by one
EFFORT_OF_A_PAIR: Final = 5
_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')

# The same, by their text.


def are_same(one: Subschema, other: Subschema) -> bool:
    """Whether both say the same in the same draft; never where they refer elsewhere, which may differ."""
    if one.dialect is not other.dialect:
        return False
    text = text_of(one)
    return text is not None and text == text_of(other)


def are_same_lists(some: list[Subschema], others: list[Subschema]) -> bool:
    return len(some) == len(others) and all(are_same(one, other) for one, other in zip(some, others, strict=True))


def text_of(place: Subschema) -> str | None:
    """The text of what `place` says; None where it refers elsewhere."""
    text: str = place.built("text", lambda: _text_of(place))
    return text or None


def _text_of(place: Subschema) -> str:
    text = dumps(place.schema, sort_keys=True)
    return "" if any(word in text for word in _REFERRING) else text


def is_implied_by(giver: Together, taker: Together) -> bool:
    """Whether all that `taker` asks for is asked for by `giver`, word for word."""
    if taker.unclear or taker.nothing or not taker.places:
        return False
    texts = {(place.dialect.uri, text_of(place)) for place in giver.places}
    return all(text_of(place) is not None and (place.dialect.uri, text_of(place)) in texts for place in taker.places)


# Nothing in common.


def is_empty(whole: Together, trial: Trial, depth: int = MAX_DEPTH, above: frozenset[Hashable] = frozenset()) -> bool:
    """Whether `whole` certainly accepts nothing: one more of what stands `above` it, without end, cannot be."""
    if whole.nothing or not whole.kinds or trial.values_of(whole) == []:
        return True
    if all(_has_none(kind, whole, trial) for kind in whole.kinds):
        return True
    if depth == 0 or whole.kinds != {"object"}:
        return False
    return whole.key in above or _lacks_a_member(whole, trial, depth, above | {whole.key})


def _has_none(kind: str, whole: Together, trial: Trial) -> bool:
    """Whether bounds of `whole` contradict each other for values of `kind`."""
    if kind in NUMBERS:
        return _bounds_apart(whole, whole)
    if kind == "string":
        return trial.puzzles.are_none(texts_of(whole))
    most = ranges.most(whole, kind) if kind in ranges.MOST else None
    return most is not None and ranges.least(whole, kind) > most


def _lacks_a_member(whole: Together, trial: Trial, depth: int, above: frozenset[Hashable]) -> bool:
    needed = sorted(whole.required)[:MAX_NAMES]
    return any(is_empty(children.member(whole, name), trial, depth - 1, above) for name in needed)


def are_apart(one: Together, other: Together, trial: Trial, depth: int = MAX_DEPTH) -> bool:
    """Whether certainly no value is accepted by both."""
    key = (one.key, other.key, depth)
    if key not in trial.apart:
        trial.spend(EFFORT_OF_A_PAIR + len(one.places) + len(other.places))
        trial.apart[key] = _are_apart(one, other, trial, depth)
    return trial.apart[key]


def _are_apart(one: Together, other: Together, trial: Trial, depth: int) -> bool:
    if is_empty(one, trial, 1) or is_empty(other, trial, 1) or not one.kinds & other.kinds:
        return True
    for this, that in ((one, other), (other, one)):
        values = trial.values_of(this)
        if values is not None and all(trial.accepts(that, value) is False for value in values):
            return True
    if any(_denies(this, that) for this, that in ((one, other), (other, one))):
        return True
    if depth == 0:
        return False
    if all(_apart_as(kind, one, other, trial, depth) for kind in one.kinds & other.kinds):
        return True
    for this, that in ((one, other), (other, one)):
        if any(_all_apart(this, union, that, trial) for union in islice(this.undecided, MAX_UNIONS)):
            return True
    return False


def _all_apart(one: Together, union: Union, other: Together, trial: Trial) -> bool:
    return all(are_apart(one.taking(union, schema), other, trial, 0) for schema in union.schemas)


def _denies(one: Together, other: Together) -> bool:
    """Whether `other` says all that `one` rules out, word for word."""
    return any(is_implied_by(other, together(denied)) for denied in one.subs("not"))


def _apart_as(kind: str, one: Together, other: Together, trial: Trial, depth: int) -> bool:
    """Whether no value of `kind` is accepted by both."""
    if kind in NUMBERS:
        return _bounds_apart(one, other) or _bounds_apart(other, one)
    if kind == "string":
        return trial.puzzles.are_none(texts_of(one, other))
    if kind not in ranges.LEAST:
        return False
    for this, that in ((one, other), (other, one)):
        most = ranges.most(that, kind)
        if most is not None and ranges.least(this, kind) > most:
            return True
    return kind == "object" and _members_apart(one, other, trial, depth)


def _bounds_apart(one: Together, other: Together) -> bool:
    """Whether the greatest number of `one` is less than the least of `other`."""
    high, low = one.edge(lowest=False), other.edge(lowest=True)
    if high is None or low is None:
        return False
    return high[0] < low[0] or (high[0] == low[0] and (high[1] or low[1]))


def _members_apart(one: Together, other: Together, trial: Trial, depth: int) -> bool:
    """Whether a member that one of them needs is not what the other takes."""
    needed = sorted(one.required | other.required)[:MAX_NAMES]
    return any(are_apart(children.member(one, name), children.member(other, name), trial, depth - 1) for name in needed)


def all_apart(branches: list[Together], trial: Trial) -> bool:
    """Whether no two of `branches` have a value in common."""
    return all(are_apart(one, other, trial) for i, one in enumerate(branches) for other in branches[i + 1 :])
