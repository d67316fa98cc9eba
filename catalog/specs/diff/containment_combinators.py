"""Rules for keywords that combine schemas: unions, negations, conditions, what is left unevaluated.

Sources: JSON Schema 2020-12 Core, sections 10.2 and 11.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations
from typing import Final

from catalog.json_schema.applicable import dependent_schemas
from catalog.json_schema.validation import Subschema, compile_schema
from catalog.jsontext.reader import JSON
from catalog.specs.diff import children, disjointness
from catalog.specs.diff.conjunction import Together, Union, kinds_ruled_out, together
from catalog.specs.diff.containment import Containment
from catalog.specs.diff.disjointness import are_same, are_same_lists, is_implied_by
from catalog.specs.diff.keywords import NUMBERS, denied_of
from catalog.specs.diff.mutations import TEXTS, put_each, with_member
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import sketches

MAX_CASES: Final = 12  # of a member
MAX_NEAR: Final = 4  # of which a value is made that fits two of them
MAX_ALIKE: Final = 2  # alternatives with which a value is compared in full


def unions(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    for union in taker.unions:
        if any(
            known.keyword == union.keyword and are_same_lists(known.schemas, union.schemas) for known in giver.unions
        ):
            continue
        branches = union.branches
        excluding = union.keyword == "oneOf" and not disjointness.all_apart(branches, walk.trial)
        if any(_implies(walk, known, branches, excluding=excluding) for known in giver.undecided):
            continue
        near = [branch for branch in branches if not disjointness.are_apart(giver, branch, walk.trial)]
        near = near or [branch for branch in branches if alikeness(giver, branch) >= (len(branches) > 1)]
        fit = next((branch for branch in near if walk.proves(giver, branch)), None)
        if (fit is None or (excluding and near != [fit])) and not _proved_by_cases(walk, giver, union):
            yield from _no_branch(walk, giver, taker, union, near)


def _proved_by_cases(walk: Containment, giver: Together, union: Union) -> bool:
    """Whether `union` holds for each value, or each type, that a member may have by which its branches are told."""
    whole = together(union.place)
    for name in sorted(giver.required & {name for branch in union.branches for name in children.names(branch)}):
        cases = _cases_of(walk, children.member(giver, name))
        if 1 < len(cases) <= MAX_CASES:
            having = (compile_schema({"properties": {name: case}}).root for case in cases)
            return all(walk.proves(giver.also(place), whole) for place in having)
    return False


def _cases_of(walk: Containment, member: Together) -> list[JSON]:
    """Schemas of which one holds for each value that `member` accepts: its values, else its types."""
    values = walk.trial.values_of(member)
    if values is not None:
        return [{"const": value} for value in values]
    types = dict.fromkeys("number" if kind in NUMBERS else kind for kind in sorted(member.kinds))
    return [{"type": name} for name in types]


def _implies(walk: Containment, known: Union, branches: list[Together], *, excluding: bool) -> bool:
    """Whether what fits the giver's union `known` fits the taker's `branches`, whatever else is said."""
    having = known.branches
    if not excluding:
        return all(any(_fits(walk, one, other) for other in branches) for one in having)
    if known.keyword != "oneOf" or len(having) != len(branches):
        return False
    left = list(branches)
    for one in having:
        twin = next((other for other in left if walk.proves(one, other) and walk.proves(other, one)), None)
        if twin is None:
            return False
        left.remove(twin)
    return True


def _fits(walk: Containment, one: Together, other: Together) -> bool:
    """Whether `one` fits into `other`; what has nothing in common with it is soon told."""
    return not disjointness.are_apart(one, other, walk.trial) and walk.proves(one, other)


def _no_branch(
    walk: Containment, giver: Together, taker: Together, union: Union, near: list[Together]
) -> Iterator[Obstacle]:
    """Why what the giver accepts fits no branch: what is wrong with the one that is most alike of those `near`."""
    keywords = (union.keyword,)
    if not near:
        yield Obstacle("alternative", giver, taker, keywords=keywords, edits=put_each(sketches(giver)))
        return
    alike = sorted(near, key=lambda branch: alikeness(giver, branch), reverse=True)[:MAX_ALIKE]
    best = min((walk.obstacles(giver, branch) for branch in alike), key=len)
    if not best:
        several = [sketches(one.also(*other.places)) for one, other in combinations(near[:MAX_NEAR], 2)]
        edits = put_each([*sketches(giver), *chain.from_iterable(several)])
        yield Obstacle("exclusive", giver, taker, keywords=keywords, edits=edits)
        return
    yield from best


def alikeness(one: Together, other: Together) -> float:
    """How much the members that both declare have in common, and less for each that only one declares."""
    some, others = set(children.names(one)), set(children.names(other))
    same = sum(is_implied_by(children.member(one, name), children.member(other, name)) for name in some & others)
    return same - len(some ^ others) / 2


def negations(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """`not`: no value of the giver has the form that is ruled out. Plain types are counted among the kinds."""
    known = giver.subs("not")
    for place in taker.places:
        if kinds_ruled_out(place) is not None:
            continue
        inner = place.sub("not")
        ruled_out = together(inner)
        if disjointness.are_apart(giver, ruled_out, walk.trial):
            continue
        if any(are_same(inner, other) or walk.proves(ruled_out, together(other)) for other in known):
            continue
        edits = put_each([*sketches(ruled_out), *sketches(giver.also(inner)), *TEXTS, *range(-1, 5)])
        yield Obstacle("not", giver, taker, keywords=("not",), edits=edits)


def conditions(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """`if`: what fits it fits `then`; what does not fits `else`."""
    for place in taker.places:
        keywords = place.keywords
        if "if" not in keywords or any(are_same(place, other) for other in giver.places):
            continue
        condition = together(place.sub("if"))
        if "then" in keywords and not disjointness.are_apart(giver, condition, walk.trial):
            known = _known_branches(walk, giver, condition, "then")
            yield from _under(walk, giver.also(place.sub("if"), *known), together(place.sub("then")))
        if "else" in keywords and not walk.proves(giver, condition):
            known = [*_known_branches(walk, giver, condition, "else"), *denied_of(place.sub("if"))]
            yield from _under(walk, giver.also(*known), together(place.sub("else")))


def _known_branches(walk: Containment, giver: Together, condition: Together, branch: str) -> list[Subschema]:
    """The `then` or `else` of the giver's conditions that hold where `condition` does, or where it does not."""
    found = []
    for place in giver.places:
        if {"if", branch} <= place.keywords.keys():
            own = together(place.sub("if"))
            if walk.proves(condition, own) if branch == "then" else walk.proves(own, condition):
                found.append(place.sub(branch))
    return found


def dependents(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """What an object has to fit where it has a certain member."""
    if "object" not in giver.kinds:
        return
    for place in taker.places:
        for _, name, schema in dependent_schemas(place, place.keywords):
            yield from _under(walk, giver.with_member(name), together(schema))


def _under(walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """What is in the way where a condition holds."""
    for obstacle in walk.obstacles(giver, taker):
        yield replace(obstacle, conditional=True)


def left_over(_walk: Containment, giver: Together, taker: Together) -> Iterator[Obstacle]:
    """`unevaluated…` that depends on which branches a value takes, and references that lead nowhere."""
    for place, keyword in children.undecidable(taker):
        if not any(are_same(place, other) for other in giver.places):
            edits = (with_member("undeclared_member"), lambda value: [*value, 1] if isinstance(value, list) else value)
            yield Obstacle("unevaluated", giver, taker, keywords=(keyword,), edits=edits)
    if taker.unclear:
        yield Obstacle("unclear", giver, taker)
