"""The rules for arrays and objects. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final

from toolspec.diff import edits
from toolspec.diff.changes import Any
from toolspec.diff.conjunction import Conjunction, conjoin
from toolspec.diff.differences import Differences, Effect, SchemaDifference, effect_if
from toolspec.diff.keywords import contains_limits
from toolspec.diff.rules_values import edges_of
from toolspec.schema.validation import Subschema
from toolspec.schema.validation.budget import Unchecked
from toolspec.text.containers import strings_of

if TYPE_CHECKING:
    from toolspec.diff.walk import Walk

MAX_FIRST_ITEMS: Final = 2_000
MAX_PATTERNS: Final = 4  # of which every combination is tried
MAX_NAMES: Final = 20  # that are listed in `propertyNames` and tried


def compare_items(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    first = max(old.prefix_length, new.prefix_length)
    if first > MAX_FIRST_ITEMS:
        raise Unchecked("Too many first items.")
    lengths = [whole.most("array") for whole in (old, new)]
    longest = min([length for length in lengths if length is not None], default=first + 1)
    for index in range(first + 1):
        step = index if index < first else Any.ITEM
        before, after = old.item(index), new.item(index)
        if index < longest:
            yield from (each.below(step) for each in _others(walk, before, after))
        elif before.accepts_nothing != after.accepts_nothing:
            yield walk.compare_permission(before, after).below(step)


def _others(walk: Walk, old: Conjunction, new: Conjunction) -> Iterator[SchemaDifference]:
    """The differences for items or undeclared members; without annotations where one side says nothing."""
    for each in walk.inside(old, new):
        if (old.subschemas and new.subschemas) or not each.is_annotation:
            yield each


def compare_distinct_items(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    before, after = (whole.keywords.flag("uniqueItems") for whole in (old, new))
    if before != after:
        yield SchemaDifference(
            "unique",
            old,
            new,
            effect_if(after and old.most("array") not in (0, 1)),
            effect_if(before and new.most("array") not in (0, 1)),
            keywords=("uniqueItems",),
            edits=edits.TWICE,
        )


def compare_contained_items(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    before = [each for each in old.subschemas if "contains" in each.keywords]
    after = [each for each in new.subschemas if "contains" in each.keywords]
    for kind, index in (("contains", 0), ("maxContains", 1)):
        lost = not all(_has_contained(walk, before, each, index) for each in after)
        gained = not all(_has_contained(walk, after, each, index) for each in before)
        if lost or gained:
            wanted = [each.sub("contains") for each in (*before, *after)]
            items = (old.item(old.prefix_length), new.item(new.prefix_length))
            forms = [item.also(each) for item in items for each in wanted]
            limits = [contains_limits(each)[index] or 0 for each in (*before, *after)]
            yield SchemaDifference(
                kind,
                old,
                new,
                effect_if(lost),
                effect_if(gained),
                keywords=("contains", "minContains", "maxContains"),
                edits=(
                    *edits.arrays_of(forms, limits, walk.sampling),
                    *edits.arrays_of_numbers(edges_of(forms), limits),
                ),
            )


def _has_contained(walk: Walk, known: list[Subschema], wanted: Subschema, index: int) -> bool:
    """Whether one of `known` implies the limit of `wanted`: the least number of items, or the greatest."""
    limit = contains_limits(wanted)[index]
    if limit is None or (index == 0 and limit == 0):
        return True
    form = conjoin(wanted.sub("contains"))
    for each in known:
        own, own_form = contains_limits(each)[index], conjoin(each.sub("contains"))
        if own is None or (own < limit if index == 0 else own > limit):
            continue
        with walk.turn_directions():
            lost, gained = walk.effects_inside(own_form, form)
        if not (lost if index == 0 else gained):
            return True
    return False


def compare_required(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """Required members that both sides declare or neither does; `members` has the others."""
    if "object" not in old.types:
        return
    for name in sorted(old.required ^ new.required):
        if (name in old.names) == (name in new.names):
            lost, gained = effect_if(name in new.required), effect_if(name in old.required)
            yield SchemaDifference(
                "required",
                old,
                new,
                lost,
                gained,
                subject=name,
                keywords=("required",),
                edits=(edits.drop(name),),
            )
    for name, other in sorted(old.needed ^ new.needed):
        is_lost = (name, other) in new.needed and other not in old.required
        is_gained = (name, other) in old.needed and other not in new.required
        if is_lost or is_gained:
            yield SchemaDifference(
                "needed",
                old,
                new,
                effect_if(is_lost),
                effect_if(is_gained),
                subject=f"{name} {other}",
                keywords=("dependentRequired", "dependencies"),
                edits=(edits.one_without(name, other),),
            )


def compare_members(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The members that a side declares by name."""
    if "object" not in old.types:
        return
    for name in dict.fromkeys([*old.names, *new.names]):
        try:
            yield from list(_of_member(walk, name, old, new))
        except Unchecked:
            yield walk.unclear(old, new).below(name)


def _of_member(walk: Walk, name: str, old: Conjunction, new: Conjunction) -> Differences:
    found = walk.inside(old.member(name), new.member(name))
    if name in old.names and name in new.names:
        yield from (each.below(name) for each in found)
        return
    yield _declaration(name, old, new, found)
    yield from (each.below(name) for each in found if each.path)


def _declaration(
    name: str, old: Conjunction, new: Conjunction, found: list[SchemaDifference]
) -> SchemaDifference:
    """The difference that only one side declares the member `name`; `found` are those of its schemas."""
    own = [each for each in found if not each.path and not each.is_annotation]
    lost = max([each.lost for each in own], default=Effect.NONE)
    gained = max([each.gained for each in own], default=Effect.NONE)
    before, after = old.member(name), new.member(name)
    is_added = name in new.names
    if is_added and before.is_anything and not old.mentions(name):
        lost = min(lost, Effect.UNDECLARED)
    if not is_added and after.is_anything and not new.mentions(name):
        gained = min(gained, Effect.UNDECLARED)
    subject = ""
    tried = tuple(chain.from_iterable(each.edits for each in own))
    if (name in old.required) != (name in new.required):
        subject, tried = name, (edits.DROP, *tried)
        lost = Effect.ANY if name in new.required else lost
        gained = Effect.ANY if name in old.required else gained
    by_schema = bool(own) and (not subject or after.accepts_nothing)
    return SchemaDifference(
        "member-added" if is_added else "member-removed",
        before,
        after,
        lost,
        gained,
        path=(name,),
        subject=subject,
        keywords=("type", "enum", "const") if by_schema else (),
        edits=tried,
    )


def compare_other_members(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """Undeclared members, grouped by the patterns that their names match."""
    if "object" not in old.types:
        return
    patterns = sorted(old.patterns | new.patterns)
    sizes = range(len(patterns) + 1)
    if old.patterns == new.patterns and _is_single(old) and _is_single(new):
        sizes = range(2)  # each pattern only adds to the constraints
    elif len(patterns) > MAX_PATTERNS:
        raise Unchecked("Too many patterns.")
    groups = chain.from_iterable(combinations(patterns, size) for size in sizes)
    for matched in groups:
        found = _others(walk, old.undeclared(matched), new.undeclared(matched))
        names = edits.names_like(matched)
        yield from (each.below(Any.MEMBER, names=names) for each in found)


def _is_single(whole: Conjunction) -> bool:
    """Whether at most one schema has constraints for undeclared members."""
    relevant = {"patternProperties", "additionalProperties", "unevaluatedProperties"}
    return sum(bool(each.keywords.keys() & relevant) for each in whole.subschemas) < 2


def compare_member_names(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "object" not in old.types:
        return
    before, after = old.subs("propertyNames"), new.subs("propertyNames")
    if not before and not after:
        return
    lost, gained = walk.effects_inside(conjoin(*before), conjoin(*after))
    listed: set[str] = set()
    for values in (*conjoin(*before).choices, *conjoin(*after).choices):
        listed.update(strings_of(values))
    if lost or gained:
        yield SchemaDifference(
            "names",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=("propertyNames",),
            edits=(*edits.OTHER_NAMES, *map(edits.with_member, sorted(listed)[:MAX_NAMES])),
        )
