"""The differences of two schemas, found by walking through both side by side.

Each rule compares one kind of constraint in both directions: a difference has `lost` unless it is
certain that every value that was accepted still is, as far as this constraint is concerned, and
`gained` unless the opposite is certain. So if no difference has `lost`, the new schema accepts
everything that the old one accepted. A rule may ignore constraints of the side that accepts,
because it then only finds more differences than necessary.

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
from toolspec.diff.conjunction import Conjunction, Union, conjoin, is_implied_by
from toolspec.diff.differences import (
    NOTHING,
    Differences,
    Effect,
    SchemaDifference,
    effect_if,
    merge_cases,
    merge_positions,
)
from toolspec.diff.keywords import ANNOTATIONS, NUMBERS, TYPES, find_annotations
from toolspec.diff.listed_values import accepted_values, accepts
from toolspec.diff.rules import RULES
from toolspec.diff.subschemas import are_same
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
        count_before = len(self._found)
        self._open[key] = (self._depth, self._turns)
        try:
            differences = merge_positions(
                [
                    *self.compare_annotations(old, new),
                    *self._compare_constraints(old, new),
                ]
            )
        except Unchecked:
            if not self._depth:
                raise
            differences = [self.unclear(old, new)]
        finally:
            del self._open[key]
        if key in self._recurring:
            self._recurring.discard(key)
            if differences:
                self._forget_since(count_before)
        self._found[key, self._turns] = differences
        return differences

    def _forget_since(self, count: int) -> None:
        """Forget all but `count` pairs: the others rely on the assumption that a pair is equal."""
        for key in list(self._found)[count:]:
            del self._found[key]

    def unclear(self, old: Conjunction, new: Conjunction) -> SchemaDifference:
        return SchemaDifference("unclear", old, new, Effect.ANY, Effect.ANY)

    def compare_inside(self, old: Conjunction, new: Conjunction) -> list[SchemaDifference]:
        """Like `compare`, for a member or an item of the value."""
        with self._go_down():
            differences = self.compare(old, new)
        framed = []
        for difference in differences:
            # samples of a schema further out may not reach it
            is_far = bool(difference.path) and len(difference.path) % FRAME_DISTANCE == 0
            framed.append(difference.within(old, new) if is_far else difference)
        return framed

    @contextmanager
    def _go_down(self) -> Iterator[None]:
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1

    @contextmanager
    def turn_directions(self, is_turned: bool = True) -> Iterator[None]:
        """Inside, a schema that accepts more may make the whole refuse more."""
        self._turns += is_turned
        try:
            yield
        finally:
            self._turns -= is_turned

    def find_effects(self, old: Conjunction, new: Conjunction) -> tuple[bool, bool]:
        """(whether values may be lost, whether values may be gained)."""
        differences = self.compare(old, new)
        lost = any(difference.lost for difference in differences)
        gained = any(difference.gained for difference in differences)
        return lost, gained

    def find_effects_inside(self, old: Conjunction, new: Conjunction) -> tuple[bool, bool]:
        """Like `effects`, for a member or an item of the value."""
        with self._go_down():
            return self.find_effects(old, new)

    def covers(self, wide: Conjunction, narrow: Conjunction) -> bool:
        """Whether `wide` certainly accepts everything that `narrow` accepts."""
        return not self.find_effects(narrow, wide)[0]

    # Annotations.

    def compare_annotations(self, old: Conjunction, new: Conjunction) -> Differences:
        """The annotations that differ, also in alternatives.

        Of several with the same name, the outermost new one.
        """
        for keyword in ANNOTATIONS:
            yield from _compare_annotation(keyword, old, new)
        for old_union, new_union in zip(old.unions, new.unions, strict=False):
            before = list(map(conjoin, old_union.branches))
            after = list(map(conjoin, new_union.branches))
            for one, other in pair_alternatives(before, after)[0]:
                if one.key != old.key:
                    yield from self.compare_annotations(one, other)

    # Constraints.

    def _compare_constraints(self, old: Conjunction, new: Conjunction) -> Differences:
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
        removed, added = old.types - new.types, new.types - old.types
        if removed or added:
            lost, gained = effect_if(bool(removed)), effect_if(bool(added))
            tried = edits.put_types(removed | added)
            yield SchemaDifference("type", old, new, lost, gained, keywords=_TYPING, edits=tried)
        common = old.types & new.types
        groups = list(_type_groups(common)) if old.unions or new.unions else [common]
        differences: list[SchemaDifference] = []
        for types in groups:
            one = _take_only_branches(old.restricted_to(types))
            other = _take_only_branches(new.restricted_to(types))
            differences += self._as_far_as_clear(self._compare_values(one, other), one, other)
        yield from merge_cases(differences)

    def _compare_values(self, old: Conjunction, new: Conjunction) -> Differences:
        """The differences of two sides that accept the same types."""
        if not old.types and not new.types:
            return
        before, after = accepted_values(old, self.budget), accepted_values(new, self.budget)
        if before is not None or after is not None:
            yield from self._compare_lists(old, new, before, after)
            return
        old, new = _without_equal_unions(old, new)
        common_count = min(len(old.unions), len(new.unions))
        extra = [*old.unions[common_count:], *new.unions[common_count:]]
        if 0 < len(extra) <= MAX_DECIDED:
            yield from compare_one_sided_union(self, old, new, extra[0])
            return
        if extra:
            yield self.unclear(old, new)
        for unions in zip(old.unions, new.unions, strict=False):
            yield from self._as_far_as_clear(compare_unions(self, old, new, *unions), old, new)
        for rule in RULES:
            yield from self._as_far_as_clear(rule(self, old, new), old, new)

    def _as_far_as_clear(
        self, differences: Differences, old: Conjunction, new: Conjunction
    ) -> list[SchemaDifference]:
        """The differences found until that takes too much work, and one for the rest."""
        clear: list[SchemaDifference] = []
        try:
            clear.extend(differences)
        except Unchecked:
            clear.append(self.unclear(old, new))
        return clear

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
            yield _make_choice_difference(old, new, lost, is_removal=True)
        gained = self._find_refused(after, old)
        if gained:
            yield _make_choice_difference(old, new, gained, is_removal=False)
        if before is None or after is None:
            values = (before if after is None else after) or []
            others = edits.put_each(("another value", 12345, edits.FRACTION))
            yield SchemaDifference(
                "listed",
                old,
                new,
                effect_if(before is None),
                effect_if(after is None),
                keywords=_LISTING,
                values=tuple(values),
                edits=(*edits.put_types(old.types | new.types), *others),
            )

    def _find_refused(self, values: list[JSON] | None, by: Conjunction) -> list[JSON]:
        """The values that `by` refuses.

        Raises:
            Unchecked: that is not known of one of them.
        """
        refused = []
        for value in values or ():
            is_accepted = accepts(by, value, self.budget)
            if is_accepted is None:
                raise Unchecked("A listed value cannot be checked.")
            if not is_accepted:
                refused.append(value)
        return refused


def _make_choice_difference(
    old: Conjunction, new: Conjunction, values: list[JSON], *, is_removal: bool
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


def _compare_annotation(keyword: str, old: Conjunction, new: Conjunction) -> Differences:
    old_values, new_values = _annotations_by_text(keyword, old), _annotations_by_text(keyword, new)
    before, after = next(iter(old_values), None), next(iter(new_values), None)
    if keyword in _TEXTS and before == after:
        added = [text for text in new_values if text not in old_values]
        after = added[0] if added else after
    if before != after:
        yield SchemaDifference(
            "annotation",
            old,
            new,
            subject=keyword,
            before=NOTHING if before is None else old_values[before],
            after=NOTHING if after is None else new_values[after],
        )


def _annotations_by_text(keyword: str, conjunction: Conjunction) -> dict[str, JSON]:
    """The values of an annotation by their text, the outermost first.

    {} if it is a format that is checked.
    """
    values: dict[str, JSON] = {}
    for value in find_annotations(conjunction.subschemas, keyword):
        if not values and keyword == "format" and value in FORMATS:
            return {}
        values[dumps(value)] = value
    return values


def _type_groups(types: frozenset[str]) -> Iterator[frozenset[str]]:
    """The types one by one, with all numbers in one group."""
    if types & NUMBERS:
        yield types & NUMBERS
    for kind in sorted(types - NUMBERS):
        yield frozenset({kind})


def _take_only_branches(conjunction: Conjunction) -> Conjunction:
    """`conjunction` with the branch of each union that has only one for the considered types."""
    for union in conjunction.unions:
        possible = conjunction.possible_branches(union)
        if len(possible) == 1:
            return _take_only_branches(conjunction.with_branch(union, possible[0]))
    return conjunction


def _without_equal_unions(old: Conjunction, new: Conjunction) -> tuple[Conjunction, Conjunction]:
    """Both sides without the unions that have the same text."""
    for old_union in old.unions:
        for new_union in new.unions:
            if _are_same_unions(old_union, new_union):
                old, new = old.without(old_union), new.without(new_union)
    return old, new


def _are_same_unions(one: Union, other: Union) -> bool:
    if one.keyword != other.keyword or len(one.branches) != len(other.branches):
        return False
    return all(map(are_same, one.branches, other.branches))
