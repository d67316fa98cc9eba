"""The rules for keywords that combine schemas. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by
their own keywords.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolspec.diff import edits
from toolspec.diff.alternatives import are_apart
from toolspec.diff.conjunction import Conjunction, conjoin, find_undecidable_keywords
from toolspec.diff.differences import Differences, SchemaDifference, effect_if
from toolspec.diff.keywords import assertions_of
from toolspec.diff.limits import edges_of
from toolspec.diff.subschemas import are_same
from toolspec.schema.applicable import dependent_schemas
from toolspec.schema.validation import Subschema, compile_schema
from toolspec.schema.validation.budget import Unchecked

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk


def compare_negations(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`not`: each schema that is excluded now was excluded before."""
    before = [conjoin(subschema) for subschema in old.subs("not")]
    after = [conjoin(subschema) for subschema in new.subs("not")]
    lost = not all(_is_excluded(walk, old, before, each) for each in after)
    gained = not all(_is_excluded(walk, new, after, each) for each in before)
    if lost or gained:
        excluded = [*before, *after]
        yield SchemaDifference(
            "not",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=("not",),
            edits=(
                *edits.put_samples(excluded, walk.sampling),
                *edits.put_numbers_near(edges_of(excluded), []),
                *edits.put_each(edits.STRINGS),
            ),
        )


def _is_excluded(
    walk: Walk, whole: Conjunction, excluded: list[Conjunction], candidate: Conjunction
) -> bool:
    """Whether `whole`, with `excluded` under its `not`, accepts nothing of `candidate`."""
    if are_apart(whole, candidate, walk.budget):
        return True
    with walk.turn_directions():
        return any(walk.covers(each, candidate) for each in excluded)


def compare_conditions(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`if`: where both sides have the same condition, its outcomes are compared."""
    before = [each for each in old.subschemas if "if" in assertions_of(each)]
    after = [each for each in new.subschemas if "if" in assertions_of(each)]
    for conditional in before:
        twin = None
        for index, other in enumerate(after):
            if _have_same_condition(walk, conditional, other):
                twin = after.pop(index)
                break
        yield from _compare_outcomes(walk, old, new, conditional, twin)
    for conditional in after:
        yield from _compare_outcomes(walk, old, new, None, conditional)


def _have_same_condition(walk: Walk, one: Subschema, other: Subschema) -> bool:
    with walk.turn_directions():
        return walk.find_effects(conjoin(one.sub("if")), conjoin(other.sub("if"))) == (False, False)


def _compare_outcomes(
    walk: Walk,
    old: Conjunction,
    new: Conjunction,
    old_conditional: Subschema | None,
    new_conditional: Subschema | None,
) -> Differences:
    conditional = old_conditional or new_conditional
    assert conditional is not None  # noqa: S101 - one side has it
    for outcome, given in (("then", [conditional.sub("if")]), ("else", [])):
        before = _outcome_of(old_conditional, outcome)
        after = _outcome_of(new_conditional, outcome)
        yield from _compare_under_condition(walk, old, new, before, after, given=given)


def _outcome_of(conditional: Subschema | None, outcome: str) -> Subschema | None:
    if conditional is None or outcome not in conditional.keywords:
        return None
    return conditional.sub(outcome)


def compare_dependents(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The schemas for objects that have a certain member."""
    if "object" not in old.types:
        return
    before, after = _dependents_of(old), _dependents_of(new)
    for name in dict.fromkeys([*before, *after]):
        given = [compile_schema({"required": [name]}).root]
        schemas = before.get(name), after.get(name)
        yield from _compare_under_condition(walk, old, new, *schemas, given=given)


def _dependents_of(conjunction: Conjunction) -> dict[str, Subschema]:
    """The schemas for objects with a certain member, by its name.

    Raises:
        Unchecked: a name has several.
    """
    by_name: dict[str, Subschema] = {}
    for subschema in conjunction.subschemas:
        for _, name, schema in dependent_schemas(subschema, subschema.keywords):
            if name in by_name:
                raise Unchecked("A member has several schemas for its presence.")
            by_name[name] = schema
    return by_name


def _compare_under_condition(
    walk: Walk,
    old: Conjunction,
    new: Conjunction,
    before: Subschema | None,
    after: Subschema | None,
    *,
    given: list[Subschema],
) -> Differences:
    """The differences of schemas that apply under a condition, before and now.

    `given` is known to hold then.
    """
    if before is not None and conjoin(before).is_anything:
        before = None
    if after is not None and conjoin(after).is_anything:
        after = None
    old, new = old.also(*given), new.also(*given)
    if before is not None and after is not None:
        differences = walk.compare(conjoin(before), conjoin(after))
    elif after is not None:
        differences = walk.compare(old, old.put_first(after))
    elif before is not None:
        differences = walk.compare(new.put_first(before), new)
    else:
        return
    for difference in differences:
        if not difference.is_annotation:
            yield replace(difference.within(old, new), is_conditional=True)


def compare_unevaluated(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`unevaluated…` that depends on the branches of a value: only an equal schema implies it."""
    before, after = list(find_undecidable_keywords(old)), list(find_undecidable_keywords(new))
    lost = not all(_is_among(subschema, old) for subschema, _ in after)
    gained = not all(_is_among(subschema, new) for subschema, _ in before)
    if lost or gained:
        yield SchemaDifference(
            "unevaluated",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=tuple(keyword for _, keyword in (*before, *after)),
            edits=(*edits.ADD_OTHER_NAMES, edits.add_item),
        )


def _is_among(subschema: Subschema, conjunction: Conjunction) -> bool:
    return any(are_same(subschema, other) for other in conjunction.subschemas)
