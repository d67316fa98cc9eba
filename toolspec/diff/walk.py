"""The differences of two schemas, found by walking through both side by side.

Each rule compares one kind of constraint in both directions: a difference has `lost` unless it is certain that every
value that was accepted still is, as far as this constraint is concerned, and `gained` unless the opposite is certain.
So if no difference has `lost`, the new schema accepts everything that the old one accepted. A rule may ignore
constraints of the side that accepts, because it then only finds more differences than necessary.

A pair of schemas that recurs inside itself has no further differences, because the first occurrence
has them all. That is not so under `not` and in alternatives of `oneOf` that overlap: there a wider
schema may refuse more (`turn_directions`).

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from typing import Final

from toolspec.diff import edits
from toolspec.diff.alternatives import pair_alternatives
from toolspec.diff.conjunction import Conjunction, are_same, conjoin, is_implied_by
from toolspec.diff.differences import (
    NOTHING,
    Differences,
    Effect,
    Nothing,
    SchemaDifference,
    effect_if,
    merge_cases,
    merge_positions,
)
from toolspec.diff.keywords import ANNOTATIONS, NUMBERS, TYPES
from toolspec.diff.rules import RULES
from toolspec.diff.unions import compare_one_sided_union, compare_unions
from toolspec.schema.formats import FORMATS
from toolspec.schema.validation import Budget, Subschema
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.reader import JSON, dumps

MAX_STEPS: Final = 10_000  # pairs of schemas, weighted by the number of their parts
MAX_CHECKS: Final = 200_000  # steps to check single values
MAX_DEPTH: Final = 40  # of schemas in schemas
FRAME_DISTANCE: Final = 3  # samples have optional members down to this depth
MAX_DECIDED: Final = 3  # unions that only one side has

_TYPING: Final = ("type", "enum", "const")
_LISTING: Final = ("enum", "const", "anyOf", "oneOf")
_TEXTS: Final = frozenset({"title", "description"})  # a model reads all of them


def find_differences(old: Subschema, new: Subschema) -> list[SchemaDifference]:
    """The differences between two schemas.

    Raises:
        Unchecked: they cannot be compared.
    """
    return Walk().compare(conjoin(old), conjoin(new))


@dataclass
class Walk:
    """One comparison, with everything found so far.

    Attributes:
        steps: how much more may be compared.
        budget: for checks of single values.
        sampling: for values made of schemas.
    """

    steps: int = MAX_STEPS
    budget: Budget = field(default_factory=lambda: Budget(steps=MAX_CHECKS, seconds=inf))
    sampling: Budget = field(default_factory=edits.sampling_budget)
    _found: dict[Hashable, list[SchemaDifference]] = field(default_factory=dict)
    _open: dict[Hashable, tuple[int, int]] = field(default_factory=dict)
    _recurring: set[Hashable] = field(default_factory=set)
    _depth: int = 0  # in the value
    _turns: int = 0  # schemas around in which a wider schema may refuse more

    # A pair of schemas.

    def compare(self, old: Conjunction, new: Conjunction) -> list[SchemaDifference]:
        """All differences, the annotations first.

        Raises:
            Unchecked: too many schemas apply to the whole value.
        """
        key = (old.key, new.key)
        if key in self._open:
            return self._recur(key, old, new)
        known = self._found.get((key, self._turns))
        if known is not None:
            return known
        self.steps -= 1 + len(old.subschemas) + len(new.subschemas)
        if self.steps < 0 or len(self._open) > MAX_DEPTH:
            return [self.unclear(old, new)]
        return self._examine(key, old, new)

    def _recur(self, key: Hashable, old: Conjunction, new: Conjunction) -> list[SchemaDifference]:
        """The pair is being compared: inside the value, its differences are found there."""
        depth, turns = self._open[key]
        if depth == self._depth or turns != self._turns:
            return [self.unclear(old, new)]
        self._recurring.add(key)
        return []

    def _examine(self, key: Hashable, old: Conjunction, new: Conjunction) -> list[SchemaDifference]:
        found_before = len(self._found)
        self._open[key] = (self._depth, self._turns)
        try:
            found = merge_positions([*self.annotations(old, new), *self.constraints(old, new)])
        except Unchecked:
            if not self._depth:
                raise
            found = [self.unclear(old, new)]
        finally:
            del self._open[key]
        if key in self._recurring:
            self._recurring.discard(key)
            for other in list(self._found)[found_before:] if found else ():
                del self._found[other]  # it was found on the assumption that this pair is equal
        self._found[key, self._turns] = found
        return found

    def unclear(self, old: Conjunction, new: Conjunction) -> SchemaDifference:
        return SchemaDifference("unclear", old, new, Effect.ANY, Effect.ANY)

    def inside(self, old: Conjunction, new: Conjunction) -> list[SchemaDifference]:
        """Like `compare`, for a member or an item of the value."""
        self._depth += 1
        try:
            found = self.compare(old, new)
        finally:
            self._depth -= 1
        return [self._add_frame(each, old, new) for each in found]

    def _add_frame(
        self, difference: SchemaDifference, old: Conjunction, new: Conjunction
    ) -> SchemaDifference:
        """`difference`, with the schemas here if samples of a schema further out may not reach it."""
        is_far = bool(difference.path) and len(difference.path) % FRAME_DISTANCE == 0
        return difference.within(old, new) if is_far else difference

    @contextmanager
    def turn_directions(self, is_turned: bool = True) -> Iterator[None]:
        """Inside, a schema that accepts more may make the whole refuse more."""
        self._turns += is_turned
        try:
            yield
        finally:
            self._turns -= is_turned

    def effects(self, old: Conjunction, new: Conjunction) -> tuple[bool, bool]:
        """(whether values may be lost, whether values may be gained)."""
        found = self.compare(old, new)
        return any(each.lost for each in found), any(each.gained for each in found)

    def effects_inside(self, old: Conjunction, new: Conjunction) -> tuple[bool, bool]:
        """Like `effects`, for a member or an item of the value."""
        self._depth += 1
        try:
            return self.effects(old, new)
        finally:
            self._depth -= 1

    def covers(self, wide: Conjunction, narrow: Conjunction) -> bool:
        """Whether `wide` certainly accepts everything that `narrow` accepts."""
        return not self.effects(narrow, wide)[0]

    # Annotations.

    def annotations(self, old: Conjunction, new: Conjunction) -> Differences:
        """The annotations that differ, also in alternatives; of several with the same name, the outermost new one."""
        for keyword in ANNOTATIONS:
            before, after = (_annotation_of(whole, keyword) for whole in (old, new))
            if keyword in _TEXTS and before == after:
                known = [dumps(value) for value in old.annotations(keyword)]
                added = [each for each in new.annotations(keyword) if dumps(each) not in known]
                after = dumps(added[0]) if added else after
            if before != after:
                yield _annotation_difference(keyword, old, new, before, after)
        for mine, theirs in zip(old.unions, new.unions, strict=False):
            before_all = list(map(conjoin, mine.branches))
            after_all = list(map(conjoin, theirs.branches))
            for one, other in pair_alternatives(before_all, after_all)[0]:
                if one.key != old.key:
                    yield from self.annotations(one, other)

    # Constraints.

    def constraints(self, old: Conjunction, new: Conjunction) -> Differences:
        if is_implied_by(old, new) and is_implied_by(new, old):
            return
        if old.accepts_nothing and new.accepts_nothing:
            return
        if old.has_unknown_parts or new.has_unknown_parts:
            yield self.unclear(old, new)
        elif old.accepts_nothing or new.accepts_nothing:
            yield self.compare_permission(old, new)
        elif old.is_anything or new.is_anything:
            if old.is_anything != new.is_anything:
                yield self._compare_description(old, new)
        else:
            yield from self._compare_types(old, new)

    def compare_permission(self, old: Conjunction, new: Conjunction) -> SchemaDifference:
        lost, gained = effect_if(new.accepts_nothing), effect_if(old.accepts_nothing)
        tried = (edits.leave, *edits.put_types(old.types | new.types))
        return SchemaDifference("forbidden", old, new, lost, gained, keywords=_TYPING, edits=tried)

    def _compare_description(self, old: Conjunction, new: Conjunction) -> SchemaDifference:
        lost, gained = effect_if(old.is_anything), effect_if(new.is_anything)
        tried = (edits.leave, *edits.put_types(TYPES))
        return SchemaDifference("described", old, new, lost, gained, keywords=_TYPING, edits=tried)

    def _compare_types(self, old: Conjunction, new: Conjunction) -> Differences:
        fewer, more = old.types - new.types, new.types - old.types
        if fewer or more:
            yield SchemaDifference(
                "type",
                old,
                new,
                effect_if(bool(fewer)),
                effect_if(bool(more)),
                keywords=_TYPING,
                edits=edits.put_types(fewer | more),
            )
        common = old.types & new.types
        groups = list(_type_groups(common)) if old.unions or new.unions else [common]
        found: list[SchemaDifference] = []
        for types in groups:
            one, other = (whole.restricted_to(types).resolved() for whole in (old, new))
            found += self._as_far_as_clear(self._of_types(one, other), one, other)
        yield from merge_cases(found)

    def _of_types(self, old: Conjunction, new: Conjunction) -> Differences:
        if not old.types and not new.types:
            return
        before, after = old.values_of(self.budget), new.values_of(self.budget)
        if before is not None or after is not None:
            yield from self._compare_lists(old, new, before, after)
            return
        old, new = _without_equal_unions(old, new)
        has_fewer = min(len(old.unions), len(new.unions))
        extra = [*old.unions[has_fewer:], *new.unions[has_fewer:]]
        if 0 < len(extra) <= MAX_DECIDED:
            yield from compare_one_sided_union(self, old, new, extra[0])
            return
        if extra:
            yield self.unclear(old, new)
        for mine, theirs in zip(old.unions, new.unions, strict=False):
            found = compare_unions(self, old, new, mine, theirs)
            yield from self._as_far_as_clear(found, old, new)
        for rule in RULES:
            yield from self._as_far_as_clear(rule(self, old, new), old, new)

    def _as_far_as_clear(
        self, differences: Differences, old: Conjunction, new: Conjunction
    ) -> list[SchemaDifference]:
        """The differences found until that takes too much work, and one for the rest."""
        found: list[SchemaDifference] = []
        try:
            found.extend(differences)
        except Unchecked:
            found.append(self.unclear(old, new))
        return found

    # Listed values.

    def _compare_lists(
        self,
        old: Conjunction,
        new: Conjunction,
        before: list[JSON] | None,
        after: list[JSON] | None,
    ) -> Differences:
        """Where a side lists its values (`before`, `after`), each is checked on the other side."""
        lost = self._find_refused(before, new)
        if lost:
            yield self._choice_difference(old, new, lost, is_removal=True)
        gained = self._find_refused(after, old)
        if gained:
            yield self._choice_difference(old, new, gained, is_removal=False)
        if before is None or after is None:
            lost_effect, gained_effect = effect_if(before is None), effect_if(after is None)
            known = (before if after is None else after) or []
            others = edits.put_each(("another value", 12345, edits.FRACTION))
            yield SchemaDifference(
                "listed",
                old,
                new,
                lost_effect,
                gained_effect,
                keywords=_LISTING,
                values=tuple(known),
                edits=(*edits.put_types(old.types | new.types), *others),
            )

    def _find_refused(self, values: list[JSON] | None, by: Conjunction) -> list[JSON]:
        """The values that `by` refuses.

        Raises:
            Unchecked: that is not known of one of them.
        """
        refused = []
        for value in values or ():
            is_accepted = by.accepts(value, self.budget)
            if is_accepted is None:
                raise Unchecked("A listed value cannot be checked.")
            if not is_accepted:
                refused.append(value)
        return refused

    def _choice_difference(
        self, old: Conjunction, new: Conjunction, values: list[JSON], *, is_removal: bool
    ) -> SchemaDifference:
        return SchemaDifference(
            "choice",
            old,
            new,
            effect_if(is_removal),
            effect_if(not is_removal),
            is_removal=is_removal,
            keywords=_LISTING,
            values=tuple(values),
            edits=edits.put_each(values[:5]),
        )


def _annotation_of(whole: Conjunction, keyword: str) -> str | None:
    """The text of an annotation; None if there is none, or if it is a format that is checked."""
    value = next(iter(whole.annotations(keyword)), NOTHING)
    if isinstance(value, Nothing) or (keyword == "format" and value in FORMATS):
        return None
    return dumps(value)


def _annotation_difference(
    keyword: str, old: Conjunction, new: Conjunction, before: str | None, after: str | None
) -> SchemaDifference:
    by_text = {
        dumps(value): value for value in (*old.annotations(keyword), *new.annotations(keyword))
    }
    return SchemaDifference(
        "annotation",
        old,
        new,
        subject=keyword,
        before=NOTHING if before is None else by_text[before],
        after=NOTHING if after is None else by_text[after],
    )


def _type_groups(types: frozenset[str]) -> Iterator[frozenset[str]]:
    """The types one by one, with all numbers in one group."""
    if types & NUMBERS:
        yield types & NUMBERS
    yield from (frozenset({kind}) for kind in sorted(types - NUMBERS))


def _without_equal_unions(old: Conjunction, new: Conjunction) -> tuple[Conjunction, Conjunction]:
    """Both sides without the unions that have the same text."""
    for mine in old.unions:
        for theirs in new.unions:
            if mine.keyword == theirs.keyword and _are_same_lists(mine.branches, theirs.branches):
                old, new = old.without(mine), new.without(theirs)
    return old, new


def _are_same_lists(some: list[Subschema], others: list[Subschema]) -> bool:
    if len(some) != len(others):
        return False
    return all(are_same(one, other) for one, other in zip(some, others, strict=True))
