"""Rules for keywords that combine schemas: unions, negations, conditions, unevaluated members and items.

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
from catalog.specs.diff.branches import labels
from catalog.specs.diff.conjunction import Conjunction, Union, conjoin, types_ruled_out
from catalog.specs.diff.containment import ContainmentProver
from catalog.specs.diff.disjointness import are_same, are_same_lists, is_implied_by
from catalog.specs.diff.keywords import NUMBERS, negated_of
from catalog.specs.diff.mutations import STRINGS, put_each, with_member
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import samples

MAX_CASES: Final = 12  # of a member
MAX_NEAR: Final = 4  # for each pair of them, a value is made that matches both
MAX_SIMILAR: Final = 2  # alternatives that are compared in full


def unions(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    for union in consumer.unions:
        if union.constants is not None:
            continue  # see `containment_scalars.choices`
        if any(
            known.keyword == union.keyword and are_same_lists(known.schemas, union.schemas)
            for known in producer.unions
        ):
            continue
        branches = union.branches
        exclusive = union.keyword == "oneOf" and not disjointness.all_disjoint(
            branches, prover.checks
        )
        if any(
            _implies(prover, known, branches, exclusive=exclusive) for known in producer.undecided
        ):
            continue
        near = [
            branch
            for branch in branches
            if not disjointness.are_disjoint(producer, branch, prover.checks)
        ]
        near = near or [
            branch for branch in branches if similarity(producer, branch) >= (len(branches) > 1)
        ]
        fit = next((branch for branch in near if prover.proves(producer, branch)), None)
        if (fit is None or (exclusive and near != [fit])) and not _proved_by_cases(
            prover, producer, union
        ):
            yield from _no_branch(prover, producer, consumer, union, near, exclusive=exclusive)


def _proved_by_cases(prover: ContainmentProver, producer: Conjunction, union: Union) -> bool:
    """Whether `union` is proved case by case: for each value, or each type, of a member that its branches declare."""
    whole = conjoin(union.subschema)
    for name in sorted(
        producer.required & {name for branch in union.branches for name in children.names(branch)}
    ):
        cases = _cases_of(prover, children.member(producer, name))
        if 1 < len(cases) <= MAX_CASES:
            having = (compile_schema({"properties": {name: case}}).root for case in cases)
            return all(prover.proves(producer.also(subschema), whole) for subschema in having)
    return False


def _cases_of(prover: ContainmentProver, member: Conjunction) -> list[JSON]:
    """Schemas that together cover every value that `member` accepts: one for each value, or else for each type."""
    values = prover.checks.values_of(member)
    if values is not None:
        return [{"const": value} for value in values]
    types = dict.fromkeys("number" if kind in NUMBERS else kind for kind in sorted(member.types))
    return [{"type": name} for name in types]


def _implies(
    prover: ContainmentProver, known: Union, branches: list[Conjunction], *, exclusive: bool
) -> bool:
    """Whether the producer's union `known` alone implies the consumer's `branches`."""
    having = known.branches
    if not exclusive:
        return all(any(_fits(prover, one, other) for other in branches) for one in having)
    if known.keyword != "oneOf" or len(having) != len(branches):
        return False
    left = list(branches)
    for one in having:
        twin = next(
            (other for other in left if prover.proves(one, other) and prover.proves(other, one)),
            None,
        )
        if twin is None:
            return False
        left.remove(twin)
    return True


def _fits(prover: ContainmentProver, one: Conjunction, other: Conjunction) -> bool:
    """Whether `other` accepts all of `one`; disjoint schemas are rejected first, which is fast."""
    return not disjointness.are_disjoint(one, other, prover.checks) and prover.proves(one, other)


def _no_branch(
    prover: ContainmentProver,
    producer: Conjunction,
    consumer: Conjunction,
    union: Union,
    near: list[Conjunction],
    *,
    exclusive: bool,
) -> Iterator[Obstacle]:
    """Why no branch accepts the producer's values: the obstacles of the most similar branch of those `near`.

    If that branch accepts all values without undeclared members and the union is `exclusive`, others may match, too.
    """
    keywords = (union.keyword,)
    if not near:
        yield Obstacle(
            "alternative", producer, consumer, keywords=keywords, edits=put_each(samples(producer))
        )
        return
    names = labels(producer)
    ranked = sorted(
        near, key=lambda one: (len(names & labels(one)), similarity(producer, one)), reverse=True
    )
    most_labels = len(names & labels(ranked[0]))
    similar = [branch for branch in ranked if len(names & labels(branch)) == most_labels][
        :MAX_SIMILAR
    ]
    found = [(branch, prover.obstacles(producer, branch)) for branch in similar]
    best_branch, best = min(found, key=lambda one: _severity(one[1]))
    yield from best
    if not best or (
        exclusive and near != [best_branch] and all(obstacle.undeclared for obstacle in best)
    ):
        several = [
            samples(one.also(*other.subschemas)) for one, other in combinations(near[:MAX_NEAR], 2)
        ]
        edits = put_each([*samples(producer), *chain.from_iterable(several)])
        yield Obstacle("exclusive", producer, consumer, keywords=keywords, edits=edits)


def _severity(obstacles: tuple[Obstacle, ...]) -> tuple[bool, int]:
    """Whether some obstacles concern declared members, and how many there are."""
    return any(not obstacle.undeclared for obstacle in obstacles), len(obstacles)


def similarity(one: Conjunction, other: Conjunction) -> float:
    """The number of equal members that both declare, minus half of those that only one declares."""
    some, others = set(children.names(one)), set(children.names(other))
    same = sum(
        is_implied_by(children.member(one, name), children.member(other, name))
        for name in some & others
    )
    return same - len(some ^ others) / 2


def negations(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """`not`: no value of the producer matches the negated schema; `types` already covers negated types."""
    known = producer.subs("not")
    for subschema in consumer.subschemas:
        if types_ruled_out(subschema) is not None:
            continue
        inner = subschema.sub("not")
        ruled_out = conjoin(inner)
        if disjointness.are_disjoint(producer, ruled_out, prover.checks):
            continue
        if any(
            are_same(inner, other) or prover.proves(ruled_out, conjoin(other)) for other in known
        ):
            continue
        edits = put_each(
            [*samples(ruled_out), *samples(producer.also(inner)), *STRINGS, *range(-1, 5)]
        )
        yield Obstacle("not", producer, consumer, keywords=("not",), edits=edits)


def conditions(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """`if`: values that match it are valid for `then`, all others for `else`."""
    for subschema in consumer.subschemas:
        keywords = subschema.keywords
        if "if" not in keywords or any(are_same(subschema, other) for other in producer.subschemas):
            continue
        condition = conjoin(subschema.sub("if"))
        if "then" in keywords and not disjointness.are_disjoint(producer, condition, prover.checks):
            known = _known_branches(prover, producer, condition, "then")
            yield from _conditionally(
                prover, producer.also(subschema.sub("if"), *known), conjoin(subschema.sub("then"))
            )
        if "else" in keywords and not prover.proves(producer, condition):
            known = [
                *_known_branches(prover, producer, condition, "else"),
                *negated_of(subschema.sub("if")),
            ]
            yield from _conditionally(prover, producer.also(*known), conjoin(subschema.sub("else")))


def _known_branches(
    prover: ContainmentProver, producer: Conjunction, condition: Conjunction, branch: str
) -> list[Subschema]:
    """The `then` (or `else`) schemas of the producer that apply whenever `condition` is (or is not) fulfilled."""
    found = []
    for subschema in producer.subschemas:
        if {"if", branch} <= subschema.keywords.keys():
            own = conjoin(subschema.sub("if"))
            if prover.proves(condition, own) if branch == "then" else prover.proves(own, condition):
                found.append(subschema.sub(branch))
    return found


def dependents(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """The schemas for objects that have a certain member."""
    if "object" not in producer.types:
        return
    for subschema in consumer.subschemas:
        for _, name, schema in dependent_schemas(subschema, subschema.keywords):
            yield from _conditionally(prover, producer.with_member(name), conjoin(schema))


def _conditionally(
    prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """The obstacles under a condition."""
    for obstacle in prover.obstacles(producer, consumer):
        yield replace(obstacle, conditional=True)


def unevaluated(
    _prover: ContainmentProver, producer: Conjunction, consumer: Conjunction
) -> Iterator[Obstacle]:
    """`unevaluated…` that depends on the branches that a value matches, and dangling references."""
    for subschema, keyword in children.undecidable(consumer):
        if not any(are_same(subschema, other) for other in producer.subschemas):
            edits = (
                with_member("undeclared_member"),
                lambda value: [*value, 1] if isinstance(value, list) else value,
            )
            yield Obstacle("unevaluated", producer, consumer, keywords=(keyword,), edits=edits)
    if consumer.has_unknown_parts:
        yield Obstacle("unclear", producer, consumer)
