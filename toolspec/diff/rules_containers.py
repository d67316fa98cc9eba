"""The rules for arrays and objects. See `rules`.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by
their own keywords.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, Final

from toolspec.diff import edits
from toolspec.diff.changes import Any, Edit
from toolspec.diff.conjunction import Conjunction, Members, conjoin
from toolspec.diff.differences import Differences, Effect, SchemaDifference, effect_if
from toolspec.diff.keywords import contains_limits
from toolspec.diff.limits import edges_of, greatest_size
from toolspec.schema.children import prefix_length
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
    first = max(prefix_length(old.subschemas), prefix_length(new.subschemas))
    if first > MAX_FIRST_ITEMS:
        raise Unchecked("Too many first items.")
    longest = _longest_array(old, new)
    for index in range(first + 1):
        step = index if index < first else Any.ITEM
        before, after = old.item(index), new.item(index)
        if longest is None or index < longest:
            yield from _compare_others(walk, before, after, step)
        elif before.accepts_nothing != after.accepts_nothing:
            yield walk.compare_permission(before, after).below(step)


def _longest_array(old: Conjunction, new: Conjunction) -> int | None:
    """The greatest length that both sides accept; None if it is unlimited."""
    longest, other = greatest_size(old, "array"), greatest_size(new, "array")
    if longest is None or other is None:
        return other if longest is None else longest
    return min(longest, other)


def _compare_others(
    walk: Walk, old: Conjunction, new: Conjunction, step: int | Any, names: tuple[str, ...] = ()
) -> Differences:
    """The differences for items or undeclared members.

    Without annotations where one side says nothing.
    """
    has_both = bool(old.subschemas and new.subschemas)
    for difference in walk.compare_inside(old, new):
        if has_both or not difference.is_annotation:
            yield difference.below(step, names=names)


def compare_distinct_items(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    before, after = old.keywords.flag("uniqueItems"), new.keywords.flag("uniqueItems")
    if before != after:
        yield SchemaDifference(
            "unique",
            old,
            new,
            effect_if(after and _allows_two_items(old)),
            effect_if(before and _allows_two_items(new)),
            keywords=("uniqueItems",),
            edits=edits.TWICE,
        )


def _allows_two_items(conjunction: Conjunction) -> bool:
    return greatest_size(conjunction, "array") not in (0, 1)


def compare_contained_items(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    before = [each for each in old.subschemas if "contains" in each.keywords]
    after = [each for each in new.subschemas if "contains" in each.keywords]
    for kind, index in (("contains", 0), ("maxContains", 1)):
        lost = not all(_implies_contained(walk, before, each, index) for each in after)
        gained = not all(_implies_contained(walk, after, each, index) for each in before)
        if lost or gained:
            contained, limits = [], []
            for subschema in (*before, *after):
                contained.append(subschema.sub("contains"))
                limits.append(contains_limits(subschema)[index] or 0)
            items = [
                conjunction.item(prefix_length(conjunction.subschemas))
                for conjunction in (old, new)
            ]
            forms = [item.also(each) for item, each in product(items, contained)]
            yield SchemaDifference(
                kind,
                old,
                new,
                effect_if(lost),
                effect_if(gained),
                keywords=("contains", "minContains", "maxContains"),
                edits=(
                    *edits.put_arrays(forms, limits, walk.sampling),
                    *edits.put_arrays_of_numbers(edges_of(forms), limits),
                ),
            )


def _implies_contained(walk: Walk, known: list[Subschema], claim: Subschema, index: int) -> bool:
    """Whether one of `known` implies the limit of `claim`.

    `index` is 0 for the least number of items, 1 for the greatest.
    """
    is_least = index == 0
    limit = contains_limits(claim)[index]
    if limit is None or (is_least and limit == 0):
        return True
    contained = conjoin(claim.sub("contains"))
    for subschema in known:
        known_limit = contains_limits(subschema)[index]
        if known_limit is None:
            continue
        if known_limit != limit and (known_limit > limit) is not is_least:
            continue
        with walk.turn_directions():
            effects = walk.find_effects_inside(conjoin(subschema.sub("contains")), contained)
        if not effects[index]:
            return True
    return False


def compare_required(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """Required members that both sides declare or neither does.

    `compare_members` has the others.
    """
    if "object" not in old.types:
        return
    before, after = old.members, new.members
    for name in sorted(before.required ^ after.required):
        if (name in before.names) == (name in after.names):
            yield SchemaDifference(
                "required",
                old,
                new,
                effect_if(name in after.required),
                effect_if(name in before.required),
                subject=name,
                keywords=("required",),
                edits=(edits.drop(name),),
            )
    for name, other in sorted(before.needed ^ after.needed):
        is_lost = (name, other) in after.needed and other not in before.required
        is_gained = (name, other) in before.needed and other not in after.required
        if is_lost or is_gained:
            yield SchemaDifference(
                "needed",
                old,
                new,
                effect_if(is_lost),
                effect_if(is_gained),
                subject=f"{name} {other}",
                keywords=("dependentRequired", "dependencies"),
                edits=(edits.add_without(name, other),),
            )


def compare_members(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The members that a side declares by name."""
    if "object" not in old.types:
        return
    before, after = old.members, new.members
    for name in dict.fromkeys([*before.names, *after.names]):
        try:
            differences = walk.compare_inside(before.member(name), after.member(name))
            if name not in before.names or name not in after.names:
                declaration = _compare_declarations(name, before, after, differences)
                differences = [declaration, *(each for each in differences if each.path)]
        except Unchecked:
            differences = [walk.unclear(old, new)]
        for difference in differences:
            yield difference.below(name)


def _compare_declarations(
    name: str, before: Members, after: Members, differences: list[SchemaDifference]
) -> SchemaDifference:
    """The difference that only one side declares the member `name`.

    `differences` are those of its schemas.
    """
    is_added = name in after.names
    lost = gained = Effect.NONE
    tried: tuple[Edit, ...] = ()
    by_schema = False
    for difference in differences:
        if not difference.path and not difference.is_annotation:
            lost, gained = max(lost, difference.lost), max(gained, difference.gained)
            tried += difference.edits
            by_schema = True
    old, new = before.member(name), after.member(name)
    if is_added and old.is_anything and not before.mentions(name):
        lost = min(lost, Effect.UNDECLARED)
    if not is_added and new.is_anything and not after.mentions(name):
        gained = min(gained, Effect.UNDECLARED)
    subject = ""
    if (name in before.required) != (name in after.required):
        subject = name
        tried = (edits.DROP, *tried)
        by_schema = by_schema and new.accepts_nothing
        if name in after.required:
            lost = Effect.ANY
        else:
            gained = Effect.ANY
    return SchemaDifference(
        "member-added" if is_added else "member-removed",
        old,
        new,
        lost,
        gained,
        subject=subject,
        keywords=("type", "enum", "const") if by_schema else (),
        edits=tried,
    )


def compare_other_members(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """Undeclared members, grouped by the patterns that their names match."""
    if "object" not in old.types:
        return
    before, after = old.members, new.members
    patterns = sorted(before.patterns | after.patterns)
    sizes = range(len(patterns) + 1)
    if before.patterns == after.patterns and _is_single(old) and _is_single(new):
        sizes = range(2)  # each pattern only adds to the constraints
    elif len(patterns) > MAX_PATTERNS:
        raise Unchecked("Too many patterns.")
    for size in sizes:
        for matching in combinations(patterns, size):
            one, other = before.undeclared(matching), after.undeclared(matching)
            names = edits.guess_names(matching)
            yield from _compare_others(walk, one, other, Any.MEMBER, names)


def _is_single(conjunction: Conjunction) -> bool:
    """Whether at most one schema has constraints for undeclared members."""
    relevant = {"patternProperties", "additionalProperties", "unevaluatedProperties"}
    return sum(bool(each.keywords.keys() & relevant) for each in conjunction.subschemas) < 2


def compare_member_names(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "object" not in old.types:
        return
    before, after = conjoin(*old.subs("propertyNames")), conjoin(*new.subs("propertyNames"))
    if not before.subschemas and not after.subschemas:
        return
    lost, gained = walk.find_effects_inside(before, after)
    names: set[str] = set()
    for values in (*before.choices, *after.choices):
        names.update(strings_of(values))
    if lost or gained:
        yield SchemaDifference(
            "names",
            old,
            new,
            effect_if(lost),
            effect_if(gained),
            keywords=("propertyNames",),
            edits=(*edits.ADD_OTHER_NAMES, *map(edits.add_member, sorted(names)[:MAX_NAMES])),
        )
