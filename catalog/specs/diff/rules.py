"""The rules: how two schemas of a value compare in each of their keywords.

A rule lists the differences of one kind of constraint, each with its direction; both sides accept the same types.

Source: JSON Schema 2020-12 Core, sections 10 and 11; Validation, section 6; the earlier drafts by their own keywords.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import chain, combinations
from typing import TYPE_CHECKING, Final

from catalog.json_schema.applicable import dependent_schemas
from catalog.json_schema.describe import strings_in
from catalog.json_schema.formats import FORMATS
from catalog.json_schema.validation import Subschema, compile_schema
from catalog.json_schema.validation.budget import Unchecked
from catalog.json_schema.validation.equality import is_multiple, is_numeric
from catalog.specs.diff import edits
from catalog.specs.diff.alternatives import are_apart
from catalog.specs.diff.changes import Any
from catalog.specs.diff.conjunction import LEAST, MOST, Conjunction, TooMuch, are_same, conjoin
from catalog.specs.diff.differences import NOTHING, Differences, Effect, SchemaDifference, effect_if
from catalog.specs.diff.keywords import NUMBERS, Edge, assertions_of, contains_limits, is_as_tight

if TYPE_CHECKING:
    from catalog.specs.diff.walk import Walk

MAX_FIRST_ITEMS: Final = 2_000
MAX_PATTERNS: Final = 4  # of which every combination is tried
MAX_NAMES: Final = 20  # that are listed in `propertyNames` and tried
FREE_PATTERNS: Final = frozenset({"", "^", "$", ".*", "^.*", ".*$"})  # every string matches them
# Every string of the format on the left also has the formats on the right.
WIDER_FORMATS: Final = {
    "email": {"idn-email"},
    "iri": {"iri-reference"},
    "uri": {"iri", "iri-reference", "uri-reference"},
    "uri-reference": {"iri-reference"},
}

Rule = Callable[["Walk", Conjunction, Conjunction], Differences]


# Scalar values and sizes.


def compare_numbers(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if not old.types & NUMBERS:
        return
    before = [value for value in old.values("multipleOf") if is_numeric(value)]
    after = [value for value in new.values("multipleOf") if is_numeric(value)]
    steps = [Decimal(value) for value in (*before, *after)]
    tried = edits.numbers_near(_edges_of([old, new]), steps)
    for lowest, kind in ((True, "minimum"), (False, "maximum")):
        one, other = old.edge(lowest=lowest), new.edge(lowest=lowest)
        lost = effect_if(not is_as_tight(one, other, lowest=lowest))
        gained = effect_if(not is_as_tight(other, one, lowest=lowest))
        if lost or gained:
            keywords = (kind, f"exclusive{kind.capitalize()}")
            yield SchemaDifference(kind, old, new, lost, gained, keywords=keywords, edits=tried)
    if old.types & NUMBERS == {"integer"}:
        before, after = [*before, 1], [*after, 1]
    lost, gained = effect_if(_adds_step(before, after)), effect_if(_adds_step(after, before))
    if lost or gained:
        yield SchemaDifference(
            "multiple", old, new, lost, gained, keywords=("multipleOf",), edits=tried
        )


def compare_sizes(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    """The lengths of strings and arrays, and the number of members."""
    for kind in LEAST:
        if kind not in old.types:
            continue
        for keyword in (LEAST[kind], MOST[kind]):
            lost, gained = _size_change(old, new, keyword), _size_change(new, old, keyword)
            if lost or gained:
                near = [*old.counts(keyword), *new.counts(keyword), old.least(kind)]
                yield SchemaDifference(
                    keyword,
                    old,
                    new,
                    effect_if(lost),
                    effect_if(gained),
                    keywords=(keyword,),
                    edits=edits.sizes_near(near, kind),
                )


def compare_strings(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "string" not in old.types:
        return
    for keyword, allowed in (("pattern", _patterns_of), ("format", _formats_of)):
        before, after = allowed(old), allowed(new)
        come = sorted(after - _implied(before))
        gone = sorted(before - _implied(after))
        if come or gone:
            yield SchemaDifference(
                keyword,
                old,
                new,
                effect_if(bool(come)),
                effect_if(bool(gone)),
                keywords=(keyword,),
                before=gone[0] if gone else NOTHING,
                after=come[0] if come else NOTHING,
                edits=edits.put_each(edits.STRINGS),
            )


# Arrays.


def compare_items(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    first = max(old.prefix_length, new.prefix_length)
    if first > MAX_FIRST_ITEMS:
        raise TooMuch
    lengths = [whole.most("array") for whole in (old, new)]
    longest = min([length for length in lengths if length is not None], default=first + 1)
    for index in range(first + 1):
        step = index if index < first else Any.ITEM
        before, after = old.item(index), new.item(index)
        if index < longest:
            yield from (each.below(step) for each in _others(walk, before, after))
        elif before.accepts_nothing != after.accepts_nothing:
            yield walk.allowed_or_not(before, after).below(step)


def _others(walk: Walk, old: Conjunction, new: Conjunction) -> Iterator[SchemaDifference]:
    """The differences for items or undeclared members; without annotations where one side says nothing."""
    for each in walk.inside(old, new):
        if (old.subschemas and new.subschemas) or not each.is_annotation:
            yield each


def compare_distinct_items(_walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "array" not in old.types:
        return
    before, after = (True in whole.values("uniqueItems") for whole in (old, new))
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
                    *edits.arrays_of_numbers(_edges_of(forms), limits),
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
        with walk.turned():
            lost, gained = walk.effects_inside(own_form, form)
        if not (lost if index == 0 else gained):
            return True
    return False


# Objects.


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
        except (TooMuch, Unchecked):
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
        raise TooMuch
    groups = chain.from_iterable(combinations(patterns, size) for size in sizes)
    for matched in groups:
        found = _others(walk, old.undeclared(matched), new.undeclared(matched))
        names = edits.names_like(matched)
        yield from (each.below(Any.MEMBER, names=names) for each in found)


def compare_member_names(walk: Walk, old: Conjunction, new: Conjunction) -> Differences:
    if "object" not in old.types:
        return
    before, after = old.subs("propertyNames"), new.subs("propertyNames")
    if not before and not after:
        return
    lost, gained = walk.effects_inside(conjoin(*before), conjoin(*after))
    listed: set[str] = set()
    for values in (*conjoin(*before).choices, *conjoin(*after).choices):
        listed.update(strings_in(values))
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


# Keywords that combine schemas.


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
                *edits.numbers_near(_edges_of(excluded), []),
                *edits.put_each(edits.STRINGS),
            ),
        )


def _is_excluded(walk: Walk, whole: Conjunction, known: list[Subschema], wanted: Subschema) -> bool:
    """Whether `whole`, which has `known` under `not`, certainly accepts nothing of `wanted`."""
    excluded = conjoin(wanted)
    if are_apart(whole, excluded, walk.budget):
        return True
    with walk.turned():
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
    with walk.turned():
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
        found = walk.compare(given_old, given_old.led_by(after))
    elif before is not None:
        given_new = new.also(*given)
        found = walk.compare(given_new.led_by(before), given_new)
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


# The rules with the simplest messages first.
RULES: Final[tuple[Rule, ...]] = (
    compare_numbers,
    compare_strings,
    compare_sizes,
    compare_required,
    compare_members,
    compare_other_members,
    compare_member_names,
    compare_items,
    compare_distinct_items,
    compare_contained_items,
    compare_negations,
    compare_conditions,
    compare_dependents,
    compare_unevaluated,
)


def _edges_of(schemas: list[Conjunction]) -> list[Edge]:
    """The bounds of numbers."""
    edges = [whole.edge(lowest=lowest) for whole in schemas for lowest in (True, False)]
    return [edge for edge in edges if edge is not None]


def _adds_step(before: list[int | Decimal | float], after: list[int | Decimal | float]) -> bool:
    """Whether `after` has a divisor that no divisor of `before` implies."""
    return not all(any(is_multiple(mine, each) for mine in before) for each in after)


def _size_change(producer: Conjunction, consumer: Conjunction, keyword: str) -> bool:
    """Whether the producer may accept a size that the consumer refuses by `keyword`."""
    limits = consumer.counts(keyword)
    if not limits:
        return False
    for kind, name in LEAST.items():
        if name == keyword:
            return max(limits) > producer.least(kind)
    [kind] = [kind for kind, name in MOST.items() if name == keyword]
    most = producer.most(kind)
    return most is None or most > min(limits)


def _patterns_of(whole: Conjunction) -> set[str]:
    found = {value for value in whole.values("pattern") if isinstance(value, str)}
    return found - FREE_PATTERNS


def _formats_of(whole: Conjunction) -> set[str]:
    found = {value for value in whole.values("format") if isinstance(value, str)}
    return found & FORMATS.keys()


def _implied(names: set[str]) -> set[str]:
    """The patterns or formats, and the wider formats that they imply."""
    return names.union(*(WIDER_FORMATS.get(name, ()) for name in names))


def _is_single(whole: Conjunction) -> bool:
    """Whether at most one schema has constraints for undeclared members."""
    relevant = {"patternProperties", "additionalProperties", "unevaluatedProperties"}
    return sum(bool(each.keywords.keys() & relevant) for each in whole.subschemas) < 2


def _dependents_of(whole: Conjunction) -> dict[str, Subschema]:
    """The schemas for objects with a certain member, by its name.

    Raises:
        TooMuch: a name has several.
    """
    found: dict[str, Subschema] = {}
    for subschema in whole.subschemas:
        for _, name, schema in dependent_schemas(subschema, subschema.keywords):
            if name in found:
                raise TooMuch
            found[name] = schema
    return found


def _is_among(subschema: Subschema, whole: Conjunction) -> bool:
    return any(are_same(subschema, other) for other in whole.subschemas)
