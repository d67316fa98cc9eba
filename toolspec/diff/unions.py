"""How unions compare: the alternatives of `anyOf` and `oneOf` before and now."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from toolspec.diff import edits
from toolspec.diff.alternatives import all_apart, are_apart, pair_alternatives, similarity
from toolspec.diff.changes import Edit
from toolspec.diff.conjunction import Conjunction, Union
from toolspec.diff.differences import Differences, Effect, SchemaDifference, effect_if
from toolspec.diff.listed_values import accepted_values, accepts, listed_values
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk

MAX_CANDIDATES: Final = 6  # alternatives that may accept the values of one that is gone
MAX_OVERLAPPING: Final = 4  # alternatives of which two may accept the same value
MAX_TRIED: Final = 5  # listed values of one alternative


def compare_unions(
    walk: Walk, old: Conjunction, new: Conjunction, old_union: Union, new_union: Union
) -> Differences:
    """A union on each side: equal alternatives are compared, the others are removed or added."""
    before, after = _list_alternatives(old, old_union), _list_alternatives(new, new_union)
    old_overlaps = _may_overlap(walk, old_union, before)
    new_overlaps = _may_overlap(walk, new_union, after)
    overlaps = old_overlaps or new_overlaps
    if overlaps and old_union.keyword != new_union.keyword:
        tried = _put_in_two(walk, [*before.values(), *after.values()])
        yield _make_exclusion(old, new, tried, lost=new_overlaps, gained=old_overlaps)
    with walk.turn_directions(overlaps):
        pairs, removed, added = pair_alternatives(list(before), list(after))
        for one, other in pairs:
            for difference in _without_own_annotations(walk.compare(one, other)):
                framed = difference.within(before[one], after[other])
                if new_overlaps and _meets_others(walk, difference, other, after):
                    framed = replace(framed, lost=max(difference.lost, difference.gained))
                if old_overlaps and _meets_others(walk, difference, one, before):
                    framed = replace(framed, gained=max(difference.lost, difference.gained))
                yield framed
        for one in removed:
            if old_overlaps or not _is_covered(walk, one, list(after)):
                yield _make_removal(before[one], new, new_union.keyword, gained=old_overlaps)
        for other in added:
            if new_overlaps or not _is_covered(walk, other, list(before)):
                yield _make_addition(old, after[other], old_union.keyword, lost=new_overlaps)


def _list_alternatives(conjunction: Conjunction, union: Union) -> dict[Conjunction, Conjunction]:
    """Each alternative, and together with the schemas around it."""
    alternatives = {}
    for branch in conjunction.possible_branches(union):
        alternatives[conjunction.alone(branch)] = conjunction.with_branch(union, branch)
    return alternatives


def _may_overlap(walk: Walk, union: Union, alternatives: dict[Conjunction, Conjunction]) -> bool:
    """Whether a value may match several alternatives of `oneOf`, which refuses it then."""
    return union.keyword == "oneOf" and not all_apart(list(alternatives.values()), walk.budget)


def _put_in_two(walk: Walk, alternatives: list[Conjunction]) -> tuple[Edit, ...]:
    """Edits that put a value which two of the first alternatives may accept."""
    first = alternatives[:MAX_OVERLAPPING]
    values: list[JSON] = []
    for alternative in first:
        values += (listed_values(alternative) or [])[:MAX_TRIED]
    pairs = [one.also(*other.subschemas) for one, other in combinations(first, 2)]
    return (*edits.put_each(values), *edits.put_samples(pairs, walk.sampling))


def _meets_others(
    walk: Walk,
    difference: SchemaDifference,
    alternative: Conjunction,
    alternatives: dict[Conjunction, Conjunction],
) -> bool:
    """Whether a value that `difference` concerns may match another alternative too."""
    if difference.is_annotation:
        return False
    concerned = alternatives[alternative]
    path = difference.path
    is_about_presence = len(path) == 1 and difference.subject != ""
    if path and isinstance(path[0], str) and not is_about_presence:
        concerned = concerned.also(compile_schema({"required": [path[0]]}).root)
    for other, case in alternatives.items():
        if other is not alternative and not are_apart(concerned, case, walk.budget):
            return True
    return False


def compare_one_sided_union(
    walk: Walk, old: Conjunction, new: Conjunction, union: Union
) -> Differences:
    """A union that only one side has: the other side is compared with each alternative."""
    is_new = union in new.unions
    conjunction, plain = (new, old) if is_new else (old, new)
    alternatives = _list_alternatives(conjunction, union)
    cases = list(alternatives.values())
    twin = _find_twin(walk, plain, cases)
    one, other = (plain, twin) if is_new else (twin, plain)
    for difference in _without_own_annotations(walk.compare(one, other)):
        yield difference.within(one, other)
    for case in cases:
        if case is twin or walk.covers(plain, case):
            continue
        if is_new:
            yield _make_addition(old, case, union.keyword)
        else:
            yield _make_removal(case, new, union.keyword)
    if _may_overlap(walk, union, alternatives):
        yield _make_exclusion(old, new, _put_in_two(walk, cases), lost=is_new, gained=not is_new)


def _find_twin(walk: Walk, plain: Conjunction, cases: list[Conjunction]) -> Conjunction:
    """The case that accepts all of `plain`, else the most similar one."""
    ranked = _rank(cases, plain)
    for case in ranked[:MAX_CANDIDATES]:
        if walk.covers(case, plain):
            return case
    return ranked[0]


def _is_covered(walk: Walk, alternative: Conjunction, others: list[Conjunction]) -> bool:
    """Whether one of `others` certainly accepts everything that `alternative` accepts."""
    values = accepted_values(alternative, walk.budget)
    if values is None:
        ranked = _rank(others, alternative)
        return any(walk.covers(other, alternative) for other in ranked[:MAX_CANDIDATES])
    for value in values:
        if not any(accepts(other, value, walk.budget) for other in others):
            return False
    return True


def _rank(candidates: list[Conjunction], model: Conjunction) -> list[Conjunction]:
    """The candidates, the most similar to `model` first."""
    return sorted(candidates, key=lambda candidate: -similarity(model, candidate))


def _make_removal(
    old: Conjunction, new: Conjunction, keyword: str, *, gained: bool = False
) -> SchemaDifference:
    """The difference that the alternative `old` is gone."""
    addition = _make_addition(old, new, keyword)
    return replace(addition, lost=Effect.ANY, gained=effect_if(gained), is_removal=True)


def _make_addition(
    old: Conjunction, new: Conjunction, keyword: str, *, lost: bool = False
) -> SchemaDifference:
    """The difference that there is the new alternative `new`."""
    effect = effect_if(lost)
    return SchemaDifference("alternative", old, new, effect, Effect.ANY, keywords=(keyword,))


def _make_exclusion(
    old: Conjunction, new: Conjunction, tried: tuple[Edit, ...], *, lost: bool, gained: bool
) -> SchemaDifference:
    """The difference that only one side refuses values of two alternatives."""
    effects = effect_if(lost), effect_if(gained)
    return SchemaDifference("exclusive", old, new, *effects, keywords=("oneOf",), edits=tried)


def _without_own_annotations(differences: list[SchemaDifference]) -> list[SchemaDifference]:
    """Those of an alternative; `Walk.compare_annotations` lists its own annotations."""
    return [each for each in differences if each.path or not each.is_annotation]
