"""The rules for keywords that combine schemas. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from toolspec.diff import edits
from toolspec.diff.alternatives import are_apart
from toolspec.diff.conjunction import Conjunction, are_same, conjoin
from toolspec.diff.differences import Differences, SchemaDifference, effect_if
from toolspec.diff.keywords import assertions_of
from toolspec.diff.rules_values import edges_of
from toolspec.schema.applicable import dependent_schemas
from toolspec.schema.validation import Subschema, compile_schema
from toolspec.schema.validation.budget import Unchecked

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk


def compare_negations(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`not`: what is excluded now was excluded before."""
    before, after = old.subs("not"), new.subs("not")
    lost = not all(_is_excluded(walk, old, before, each) for each in after)
    gained = not all(_is_excluded(walk, new, after, each) for each in before)
    if lost or gained:
        excluded = [conjoin(each) for each in (*before, *after)]
        yield SchemaDifference(
            "not",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=("not",),
            edits=(
                *edits.put_samples(excluded, walk.sampling),
                *edits.numbers_near(edges_of(excluded), []),
                *edits.put_each(edits.STRINGS),
            ),
        )


def _is_excluded(walk: Walk, whole: Conjunction, known: list[Subschema], wanted: Subschema) -> bool:
    """Whether `whole`, which has `known` under `not`, certainly accepts nothing of `wanted`."""
    excluded = conjoin(wanted)
    if are_apart(whole, excluded, walk.budget):
        return True
    with walk.turn_directions():
        return any(walk.covers(conjoin(each), excluded) for each in known)


def compare_conditions(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`if`: where both sides have the same condition, its outcomes are compared."""
    before = [each for each in old.subschemas if "if" in assertions_of(each)]
    after = [each for each in new.subschemas if "if" in assertions_of(each)]
    pairs: list[tuple[Subschema | None, Subschema | None]] = []
    for each in before:
        twin = next((other for other in after if _have_same_condition(walk, each, other)), None)
        pairs.append((each, twin))
        after = [other for other in after if other is not twin]
    pairs += [(None, other) for other in after]
    for mine, theirs in pairs:
        yield from _outcomes(walk, old, new, mine, theirs)


def _have_same_condition(walk: Walk, one: Subschema, other: Subschema) -> bool:
    with walk.turn_directions():
        return walk.effects(conjoin(one.sub("if")), conjoin(other.sub("if"))) == (False, False)


def _outcomes(
    walk: Walk, old: Conjunction, new: Conjunction, mine: Subschema | None, theirs: Subschema | None
) -> Differences:
    for outcome in ("then", "else"):
        before, after = (
            each.sub(outcome) if each and outcome in each.keywords else None
            for each in (mine, theirs)
        )
        condition = [each.sub("if") for each in (mine or theirs,) if each]
        given = condition if outcome == "then" else []
        yield from _under_condition(walk, old, new, (before, after), given)


def compare_dependents(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The schemas for objects that have a certain member."""
    if "object" not in old.types:
        return
    before, after = _dependents_of(old), _dependents_of(new)
    for name in dict.fromkeys([*before, *after]):
        given = [compile_schema({"required": [name]}).root]
        yield from _under_condition(walk, old, new, (before.get(name), after.get(name)), given)


def _dependents_of(whole: Conjunction) -> dict[str, Subschema]:
    """The schemas for objects with a certain member, by its name.

    Raises:
        Unchecked: a name has several.
    """
    found: dict[str, Subschema] = {}
    for subschema in whole.subschemas:
        for _, name, schema in dependent_schemas(subschema, subschema.keywords):
            if name in found:
                raise Unchecked("A member has several schemas for its presence.")
            found[name] = schema
    return found


def _under_condition(
    walk: Walk,
    old: Conjunction,
    new: Conjunction,
    schemas: tuple[Subschema | None, Subschema | None],
    given: list[Subschema],
) -> Differences:
    """The differences of schemas that apply under a condition, before and now; `given` is known to hold then."""
    before, after = schemas
    if before is not None and conjoin(before).is_anything:
        before = None
    if after is not None and conjoin(after).is_anything:
        after = None
    if before is not None and after is not None:
        found = walk.compare(conjoin(before), conjoin(after))
    elif after is not None:
        given_old = old.also(*given)
        found = walk.compare(given_old, given_old.put_first(after))
    elif before is not None:
        given_new = new.also(*given)
        found = walk.compare(given_new.put_first(before), given_new)
    else:
        return
    for each in found:
        framed = each.within(old.also(*given), new.also(*given))
        if not each.is_annotation:
            yield replace(framed, is_conditional=True)


def compare_unevaluated(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """`unevaluated…` that depends on the branches that a value matches: only an equal schema implies it."""
    before, after = list(old.undecidable()), list(new.undecidable())
    lost = not all(_is_among(each, old) for each, _ in after)
    gained = not all(_is_among(each, new) for each, _ in before)
    if lost or gained:
        yield SchemaDifference(
            "unevaluated",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=tuple(keyword for _, keyword in (*before, *after)),
            edits=(*edits.OTHER_NAMES, edits.with_item),
        )


def _is_among(subschema: Subschema, whole: Conjunction) -> bool:
    return any(are_same(subschema, other) for other in whole.subschemas)
