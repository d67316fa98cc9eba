"""The alternatives of a union: which are the same ones before and now, and which have no value in common."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Final

from toolspec.diff.conjunction import Conjunction
from toolspec.diff.keywords import NUMBERS, annotations_of, choices_of
from toolspec.schema.validation import Budget
from toolspec.text.reader import dumps

MAX_NAMES: Final = 60
MAX_DEPTH: Final = 2
Labels = frozenset[tuple[str, ...]]
Pairs = list[tuple[Conjunction, Conjunction]]


# Which are the same.


def constants_of(whole: Conjunction) -> Labels:
    """The constant, and the members with a constant."""
    found: set[tuple[str, ...]] = {("const", text) for text in _constant_texts(whole)}
    for name in whole.names:
        found |= {("member", name, text) for text in _constant_texts(whole.member(name))}
    return frozenset(found)


def _constant_texts(whole: Conjunction) -> Iterator[str]:
    for subschema in whole.subschemas:
        yield from (dumps(values[0]) for values in choices_of(subschema) if len(values) == 1)


def names_of(whole: Conjunction) -> Labels:
    """The titles and references."""
    found: set[tuple[str, ...]] = set()
    for subschema in whole.subschemas:
        annotations = annotations_of(subschema)
        for keyword in ("title", "$ref"):
            if keyword in annotations:
                found.add((keyword, dumps(annotations[keyword])))
    return frozenset(found)


def _text_of(whole: Conjunction) -> str:
    return dumps(whole.subschemas[0].schema) if whole.subschemas else ""


def _members_of(whole: Conjunction) -> frozenset[str]:
    return frozenset(whole.names)


def _only_type_of(whole: Conjunction) -> str:
    return "".join(whole.types) if len(whole.types) == 1 else ""


# Keys that identify an alternative, the most certain first.
_KEYS: Final[tuple[Callable[[Conjunction], Hashable], ...]] = (
    constants_of,
    names_of,
    _text_of,
    _members_of,
    _only_type_of,
)


def pair_alternatives(
    old: list[Conjunction], new: list[Conjunction]
) -> tuple[Pairs, list[Conjunction], list[Conjunction]]:
    """(pairs of an alternative before and the same one now, the others before, the others now).

    They have the same constants, else the same names, text, members or type, which no other alternative has. If one
    alternative is left on each side, they are a pair.
    """
    pairs: Pairs = []
    before, after = list(old), list(new)
    for key_of in _KEYS:
        by_key, twins = _unique_by_key(before, key_of), _unique_by_key(after, key_of)
        for key, alternative in by_key.items():
            if key in twins:
                pairs.append((alternative, twins[key]))
                before.remove(alternative)
                after.remove(twins[key])
    if len(before) == len(after) == 1:
        pairs.append((before.pop(), after.pop()))
    return pairs, before, after


def _unique_by_key(
    alternatives: list[Conjunction], key_of: Callable[[Conjunction], Hashable]
) -> dict[Hashable, Conjunction]:
    """The alternatives by their key, without those that have none or share it."""
    found: dict[Hashable, list[Conjunction]] = {}
    for alternative in alternatives:
        found.setdefault(key_of(alternative), []).append(alternative)
    return {key: some[0] for key, some in found.items() if key and len(some) == 1}


def similarity(one: Conjunction, other: Conjunction) -> float:
    """Twice the number of common constants, titles and members, minus half of the members of only one."""
    labels = (constants_of(one) | names_of(one)) & (constants_of(other) | names_of(other))
    some, others = set(one.names), set(other.names)
    return 2 * len(labels) + 2 * len(some & others) - len(some ^ others) / 2


# Which have nothing in common.


def all_apart(alternatives: list[Conjunction], budget: Budget) -> bool:
    """Whether certainly no two of them have a value in common."""
    for index, one in enumerate(alternatives):
        if not all(are_apart(one, other, budget) for other in alternatives[index + 1 :]):
            return False
    return True


def are_apart(one: Conjunction, other: Conjunction, budget: Budget, depth: int = 0) -> bool:
    """Whether certainly no value is valid for both: by types, listed values, bounds, or a required member."""
    budget.steps -= 1
    common = one.types & other.types
    if not common or one.accepts_nothing or other.accepts_nothing:
        return True
    if budget.steps < 0:
        return False
    for this, that in ((one, other), (other, one)):
        values = this.listed_values
        if values is not None:
            return all(
                this.refuses_in_branch(value, budget) or that.refuses_in_branch(value, budget)
                for value in values
            )
    if common <= NUMBERS:
        return _bounds_apart(one, other) or _bounds_apart(other, one)
    if common != {"object"} or depth > MAX_DEPTH:
        return False
    for name in sorted(one.required | other.required)[:MAX_NAMES]:
        if are_apart(one.member(name), other.member(name), budget, depth + 1):
            return True
    return False


def _bounds_apart(one: Conjunction, other: Conjunction) -> bool:
    """Whether the greatest number of `one` is less than the least of `other`."""
    high, low = one.edge(lowest=False), other.edge(lowest=True)
    if high is None or low is None:
        return False
    return high[0] < low[0] or (high[0] == low[0] and (high[1] or low[1]))
