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
from toolspec.schema.validation import compile_schema

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk

MAX_CANDIDATES: Final = 6  # alternatives that may accept the values of one that is gone
MAX_OVERLAPPING: Final = 4  # alternatives of which two may accept the same value
MAX_TRIED: Final = 5  # listed values of one alternative


def compare_unions(
    walk: Walk, old: Conjunction, new: Conjunction, mine: Union, theirs: Union
) -> Differences:
    """A union on each side: the same alternatives are compared, and the others are gone or new."""
    before, after = _alternatives(old, mine), _alternatives(new, theirs)
    overlaps_before, overlaps_after = _overlap(walk, mine, before), _overlap(walk, theirs, after)
    if mine.keyword != theirs.keyword and (overlaps_before or overlaps_after):
        tried = _in_two(walk, [*before.values(), *after.values()])
        yield _exclusive(old, new, tried, lost=overlaps_after, gained=overlaps_before)
    with walk.turn_directions(overlaps_before or overlaps_after):
        pairs, gone, come = pair_alternatives(list(before), list(after))
        for one, other in pairs:
            for each in _without_own_annotations(walk.compare(one, other)):
                framed = each.within(before[one], after[other])
                if overlaps_after and _meets_others(walk, each, other, after):
                    framed = replace(framed, lost=max(each.lost, each.gained))
                if overlaps_before and _meets_others(walk, each, one, before):
                    framed = replace(framed, gained=max(each.lost, each.gained))
                yield framed
        for one in gone:
            if overlaps_before or not _is_covered(walk, one, list(after)):
                yield _gone(before[one], new, theirs.keyword, gained=overlaps_before)
        for other in come:
            if overlaps_after or not _is_covered(walk, other, list(before)):
                yield _come(old, after[other], mine.keyword, lost=overlaps_after)


def _alternatives(whole: Conjunction, union: Union) -> dict[Conjunction, Conjunction]:
    """Each alternative, and together with the schemas around it."""
    branches = whole.possible_branches(union)
    return {whole.alone(branch): whole.with_branch(union, branch) for branch in branches}


def _overlap(walk: Walk, union: Union, alternatives: dict[Conjunction, Conjunction]) -> bool:
    """Whether a value may match several alternatives of `oneOf`, which refuses it then."""
    wholes = list(alternatives.values())
    return union.keyword == "oneOf" and not all_apart(wholes, walk.budget)


def _in_two(walk: Walk, alternatives: list[Conjunction]) -> tuple[Edit, ...]:
    """Edits that put a value which two of the first alternatives may accept."""
    first = alternatives[:MAX_OVERLAPPING]
    listed = [value for one in first for value in (one.listed_values or [])[:MAX_TRIED]]
    both = [one.also(*other.subschemas) for one, other in combinations(first, 2)]
    return (*edits.put_each(listed), *edits.put_samples(both, walk.sampling))


def _meets_others(
    walk: Walk,
    difference: SchemaDifference,
    alternative: Conjunction,
    alternatives: dict[Conjunction, Conjunction],
) -> bool:
    """Whether a value that `difference` concerns may match another alternative too."""
    if difference.is_annotation:
        return False
    whole = alternatives[alternative]
    path = difference.path
    is_about_presence = len(path) == 1 and difference.subject != ""
    if path and isinstance(path[0], str) and not is_about_presence:
        whole = whole.also(compile_schema({"required": [path[0]]}).root)
    others = [each for each in alternatives if each is not alternative]
    return not all(are_apart(whole, alternatives[each], walk.budget) for each in others)


def compare_one_sided_union(
    walk: Walk, old: Conjunction, new: Conjunction, union: Union
) -> Differences:
    """A union that only one side has: the other side is compared with each alternative."""
    is_new = union in new.unions
    whole, plain = (new, old) if is_new else (old, new)
    alternatives = _alternatives(whole, union)
    cases = list(alternatives.values())
    twin = _twin_of(walk, plain, cases)
    one, other = (plain, twin) if is_new else (twin, plain)
    for each in _without_own_annotations(walk.compare(one, other)):
        yield each.within(one, other)
    for case in cases:
        if case is twin or walk.covers(plain, case):
            continue
        if is_new:
            yield _come(old, case, union.keyword)
        else:
            yield _gone(case, new, union.keyword)
    if _overlap(walk, union, alternatives):
        tried = _in_two(walk, cases)
        yield _exclusive(old, new, tried, lost=is_new, gained=not is_new)


def _twin_of(walk: Walk, plain: Conjunction, cases: list[Conjunction]) -> Conjunction:
    """The case that accepts all of `plain`, else the most similar one."""
    ranked = sorted(cases, key=lambda case: -similarity(plain, case))
    for case in ranked[:MAX_CANDIDATES]:
        if walk.covers(case, plain):
            return case
    return ranked[0]


def _is_covered(walk: Walk, alternative: Conjunction, others: list[Conjunction]) -> bool:
    """Whether one of `others` certainly accepts everything that `alternative` accepts."""
    values = alternative.values_of(walk.budget)
    if values is not None:
        return all(any(each.accepts(v, walk.budget) for each in others) for v in values)
    ranked = sorted(others, key=lambda other: -similarity(alternative, other))
    return any(walk.covers(other, alternative) for other in ranked[:MAX_CANDIDATES])


def _gone(
    old: Conjunction, new: Conjunction, keyword: str, *, gained: bool = False
) -> SchemaDifference:
    return SchemaDifference(
        "alternative",
        old,
        new,
        Effect.ANY,
        effect_if(gained),
        is_removal=True,
        keywords=(keyword,),
    )


def _come(
    old: Conjunction, new: Conjunction, keyword: str, *, lost: bool = False
) -> SchemaDifference:
    return SchemaDifference(
        "alternative", old, new, effect_if(lost), Effect.ANY, keywords=(keyword,)
    )


def _exclusive(
    old: Conjunction,
    new: Conjunction,
    tried: tuple[Edit, ...],
    *,
    lost: bool,
    gained: bool,
) -> SchemaDifference:
    return SchemaDifference(
        "exclusive",
        old,
        new,
        effect_if(lost),
        effect_if(gained),
        keywords=("oneOf",),
        edits=tried,
    )


def _without_own_annotations(differences: list[SchemaDifference]) -> list[SchemaDifference]:
    """Those of an alternative; `Walk.annotations` lists its own annotations."""
    return [each for each in differences if each.path or not each.is_annotation]
