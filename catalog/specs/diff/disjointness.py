"""Whether two schemas are certainly equal or certainly disjoint, and whether a schema certainly accepts nothing.

The answer False means "not known".
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import islice
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import dumps
from catalog.specs.diff import children, ranges
from catalog.specs.diff.conjunction import Conjunction, Union, conjoin
from catalog.specs.diff.keywords import NUMBERS
from catalog.specs.diff.string_sets import strings_of
from catalog.specs.diff.value_checks import ValueChecks

MAX_DEPTH: Final = 4
MAX_NAMES: Final = 60
MAX_UNIONS: Final = 3  # whose branches are tried one by one
EFFORT_OF_A_PAIR: Final = 5
_REFERRING: Final = ('"$ref"', '"$dynamicRef"', '"$recursiveRef"', '"$id"', '"id"', '"$schema"')

# Equality, by text.


def are_same(one: Subschema, other: Subschema) -> bool:
    """Whether both have the same text in the same draft; False if they contain references, whose targets may differ."""
    if one.dialect is not other.dialect:
        return False
    text = text_of(one)
    return text is not None and text == text_of(other)


def are_same_lists(some: list[Subschema], others: list[Subschema]) -> bool:
    return len(some) == len(others) and all(
        are_same(one, other) for one, other in zip(some, others, strict=True)
    )


def text_of(subschema: Subschema) -> str | None:
    """The JSON text of `subschema`; None if it contains references."""
    text: str = subschema.built("text", lambda: _text_of(subschema))
    return text or None


def _text_of(subschema: Subschema) -> str:
    text = dumps(subschema.schema, sort_keys=True)
    return "" if any(word in text for word in _REFERRING) else text


def is_implied_by(producer: Conjunction, consumer: Conjunction) -> bool:
    """Whether each schema of `consumer` is, with the same text, a schema of `producer`."""
    if consumer.has_unknown_parts or consumer.accepts_nothing or not consumer.subschemas:
        return False
    texts = {(subschema.dialect.uri, text_of(subschema)) for subschema in producer.subschemas}
    return all(
        text_of(subschema) is not None and (subschema.dialect.uri, text_of(subschema)) in texts
        for subschema in consumer.subschemas
    )


# Disjointness.


def is_empty(
    whole: Conjunction,
    checks: ValueChecks,
    depth: int = MAX_DEPTH,
    above: frozenset[Hashable] = frozenset(),
) -> bool:
    """Whether `whole` certainly accepts nothing, even because it requires itself: `above` are the schemas around it."""
    if whole.accepts_nothing or not whole.types or checks.values_of(whole) == []:
        return True
    if all(_is_empty(type_name, whole, checks) for type_name in whole.types):
        return True
    if depth == 0 or whole.types != {"object"}:
        return False
    return whole.key in above or _has_impossible_member(whole, checks, depth, above | {whole.key})


def _is_empty(type_name: str, whole: Conjunction, checks: ValueChecks) -> bool:
    """Whether the bounds of `whole` contradict each other for values of this type."""
    if type_name in NUMBERS:
        return _bounds_disjoint(whole, whole)
    if type_name == "string":
        return checks.strings.is_empty(strings_of(whole))
    most = ranges.most(whole, type_name) if type_name in ranges.MOST else None
    return most is not None and ranges.least(whole, type_name) > most


def _has_impossible_member(
    whole: Conjunction, checks: ValueChecks, depth: int, above: frozenset[Hashable]
) -> bool:
    needed = sorted(whole.required)[:MAX_NAMES]
    return any(is_empty(children.member(whole, name), checks, depth - 1, above) for name in needed)


def are_disjoint(
    one: Conjunction, other: Conjunction, checks: ValueChecks, depth: int = MAX_DEPTH
) -> bool:
    """Whether they certainly have no value in common."""
    key = (one.key, other.key, depth)
    if key not in checks.disjoint:
        checks.spend(EFFORT_OF_A_PAIR + len(one.subschemas) + len(other.subschemas))
        checks.disjoint[key] = _are_disjoint(one, other, checks, depth)
    return checks.disjoint[key]


def _are_disjoint(one: Conjunction, other: Conjunction, checks: ValueChecks, depth: int) -> bool:
    if is_empty(one, checks, 1) or is_empty(other, checks, 1) or not one.types & other.types:
        return True
    for this, that in ((one, other), (other, one)):
        values = checks.values_of(this)
        if values is not None and all(checks.accepts(that, value) is False for value in values):
            return True
    if any(_rules_out(this, that) for this, that in ((one, other), (other, one))):
        return True
    if depth == 0:
        return False
    if all(
        _disjoint_in_type(type_name, one, other, checks, depth)
        for type_name in one.types & other.types
    ):
        return True
    for this, that in ((one, other), (other, one)):
        if any(
            _all_branches_disjoint(this, union, that, checks)
            for union in islice(this.undecided, MAX_UNIONS)
        ):
            return True
    return False


def _all_branches_disjoint(
    one: Conjunction, union: Union, other: Conjunction, checks: ValueChecks
) -> bool:
    return all(
        are_disjoint(one.with_branch(union, schema), other, checks, 0) for schema in union.schemas
    )


def _rules_out(one: Conjunction, other: Conjunction) -> bool:
    """Whether `one` excludes with `not`, in the same text, a schema that `other` contains."""
    return any(is_implied_by(other, conjoin(denied)) for denied in one.subs("not"))


def _disjoint_in_type(
    type_name: str, one: Conjunction, other: Conjunction, checks: ValueChecks, depth: int
) -> bool:
    """Whether both accept no common value of this type."""
    if type_name in NUMBERS:
        return _bounds_disjoint(one, other) or _bounds_disjoint(other, one)
    if type_name == "string":
        return checks.strings.is_empty(strings_of(one, other))
    if type_name not in ranges.LEAST:
        return False
    for this, that in ((one, other), (other, one)):
        most = ranges.most(that, type_name)
        if most is not None and ranges.least(this, type_name) > most:
            return True
    return type_name == "object" and _members_disjoint(one, other, checks, depth)


def _bounds_disjoint(one: Conjunction, other: Conjunction) -> bool:
    """Whether the greatest number of `one` is less than the least of `other`."""
    high, low = one.edge(lowest=False), other.edge(lowest=True)
    if high is None or low is None:
        return False
    return high[0] < low[0] or (high[0] == low[0] and (high[1] or low[1]))


def _members_disjoint(
    one: Conjunction, other: Conjunction, checks: ValueChecks, depth: int
) -> bool:
    """Whether both accept no common value for a member that one of them requires."""
    needed = sorted(one.required | other.required)[:MAX_NAMES]
    return any(
        are_disjoint(children.member(one, name), children.member(other, name), checks, depth - 1)
        for name in needed
    )


def all_disjoint(branches: list[Conjunction], checks: ValueChecks) -> bool:
    """Whether no two of `branches` have a value in common."""
    return all(
        are_disjoint(one, other, checks)
        for i, one in enumerate(branches)
        for other in branches[i + 1 :]
    )
