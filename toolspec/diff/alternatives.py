"""The alternatives of a union: which are the same before and now, and which are apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import combinations
from typing import Final

from toolspec.diff.conjunction import Conjunction
from toolspec.diff.keywords import NUMBERS, annotations_of, choices_of
from toolspec.diff.limits import edge_of
from toolspec.diff.listed_values import listed_values, refuses_in_branch
from toolspec.schema.validation import Budget
from toolspec.text.reader import dumps

MAX_NAMES: Final = 60
MAX_DEPTH: Final = 2
Labels = frozenset[tuple[str, ...]]
Pairs = list[tuple[Conjunction, Conjunction]]


# Which are the same.


def constants_of(alternative: Conjunction) -> Labels:
    """The constant, and the members with a constant."""
    labels: set[tuple[str, ...]] = set()
    for text in _constant_texts(alternative):
        labels.add(("const", text))
    for name in alternative.members.names:
        for text in _constant_texts(alternative.members.member(name)):
            labels.add(("member", name, text))
    return frozenset(labels)


def _constant_texts(conjunction: Conjunction) -> list[str]:
    texts = []
    for subschema in conjunction.subschemas:
        for values in choices_of(subschema):
            if len(values) == 1:
                texts.append(dumps(values[0]))
    return texts


def names_of(alternative: Conjunction) -> Labels:
    """The titles and references."""
    labels: set[tuple[str, ...]] = set()
    for subschema in alternative.subschemas:
        annotations = annotations_of(subschema)
        for keyword in ("title", "$ref"):
            if keyword in annotations:
                labels.add((keyword, dumps(annotations[keyword])))
    return frozenset(labels)


def _text_of(alternative: Conjunction) -> str:
    return dumps(alternative.subschemas[0].schema) if alternative.subschemas else ""


def _members_of(alternative: Conjunction) -> frozenset[str]:
    return frozenset(alternative.members.names)


def _only_type_of(alternative: Conjunction) -> str:
    types = alternative.types
    return "".join(types) if len(types) == 1 else ""


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

    They have the same constants, else the same names, text, members or type, which no other
    alternative has. If one alternative is left on each side, they are a pair.
    """
    pairs: Pairs = []
    before, after = list(old), list(new)
    for key_of in _KEYS:
        old_by_key = _unique_by_key(before, key_of)
        new_by_key = _unique_by_key(after, key_of)
        for key, alternative in old_by_key.items():
            twin = new_by_key.get(key)
            if twin is not None:
                pairs.append((alternative, twin))
                before.remove(alternative)
                after.remove(twin)
    if len(before) == len(after) == 1:
        pairs.append((before.pop(), after.pop()))
    return pairs, before, after


def _unique_by_key(
    alternatives: list[Conjunction], key_of: Callable[[Conjunction], Hashable]
) -> dict[Hashable, Conjunction]:
    """The alternatives by their key, without those that have none or share it."""
    groups: dict[Hashable, list[Conjunction]] = {}
    for alternative in alternatives:
        groups.setdefault(key_of(alternative), []).append(alternative)
    return {key: group[0] for key, group in groups.items() if key and len(group) == 1}


def similarity(one: Conjunction, other: Conjunction) -> float:
    """Twice the number of common constants, titles and members, minus half of the other members."""
    labels = (constants_of(one) | names_of(one)) & (constants_of(other) | names_of(other))
    names, other_names = _members_of(one), _members_of(other)
    return 2 * len(labels) + 2 * len(names & other_names) - len(names ^ other_names) / 2


# Which have nothing in common.


def all_apart(alternatives: list[Conjunction], budget: Budget) -> bool:
    """Whether certainly no two of them have a value in common."""
    return all(are_apart(one, other, budget) for one, other in combinations(alternatives, 2))


def are_apart(one: Conjunction, other: Conjunction, budget: Budget, depth: int = 0) -> bool:
    """Whether certainly no value is valid for both: by types, values, bounds or members."""
    budget.steps -= 1
    common = one.types & other.types
    if not common or one.accepts_nothing or other.accepts_nothing:
        return True
    if budget.steps < 0:
        return False
    values = listed_values(one)
    if values is None:
        values = listed_values(other)
    if values is not None:
        for value in values:
            is_refused = refuses_in_branch(one, value, budget)
            if not is_refused and not refuses_in_branch(other, value, budget):
                return False
        return True
    if common <= NUMBERS:
        return _are_bounds_apart(one, other) or _are_bounds_apart(other, one)
    if common != {"object"} or depth > MAX_DEPTH:
        return False
    required = sorted(one.members.required | other.members.required)
    for name in required[:MAX_NAMES]:
        member, other_member = one.members.member(name), other.members.member(name)
        if are_apart(member, other_member, budget, depth + 1):
            return True
    return False


def _are_bounds_apart(one: Conjunction, other: Conjunction) -> bool:
    """Whether the greatest number of `one` is less than the least of `other`."""
    high, low = edge_of(one, lowest=False), edge_of(other, lowest=True)
    if high is None or low is None:
        return False
    return high[0] < low[0] or (high[0] == low[0] and (high[1] or low[1]))
