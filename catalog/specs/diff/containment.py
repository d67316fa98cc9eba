"""Whether one schema accepts everything that another accepts, and if not, why.

`obstacles(producer, consumer)` is empty only if it is proved that the consumer accepts every value that the producer
accepts. Each rule examines one type of constraint of the consumer, and either finds that the producer implies
it or yields an obstacle. A rule may ignore constraints of the producer that it does not understand, because it then
proves more than is needed. A constraint of the consumer that it does not understand is an obstacle. An obstacle is no
proof of the opposite; only a value that one schema accepts and the other refuses is.

While a pair of schemas is being examined, a recursive occurrence of the pair counts as proved: values are finite, and
the pair recurs only for a part of the value. If the assumption turns out to be wrong, whatever was proved with it is
discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from catalog.json_schema.applicable import dependent_schemas
from catalog.json_schema.validation import Subschema
from catalog.specs.diff import children, disjointness, ranges
from catalog.specs.diff.conjunction import Conjunction, TooMuch, conjoin
from catalog.specs.diff.disjointness import is_implied_by
from catalog.specs.diff.keywords import NUMBERS, TYPES
from catalog.specs.diff.mutations import SAMPLE_OF_TYPE, put_each
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import samples
from catalog.specs.diff.value_checks import ValueChecks

EFFORT_OF_A_PAIR: Final = 20
MAX_DEPTH: Final = 40  # of schemas in schemas; Python has up to sixteen frames for each
MAX_DECIDED: Final = 8  # unions and conditions that are split into cases
MAX_ROUNDS: Final = 100  # of adding implied schemas
MAX_OBSTACLES: Final = 300  # of one pair

Key = tuple[Hashable, Hashable]
Rule = Callable[["ContainmentProver", Conjunction, Conjunction], Iterator[Obstacle]]


@dataclass
class ContainmentProver:
    """One comparison, with everything found so far.

    Attributes:
        rules: one for each type of constraint.
        checks: answers about single values.
    """

    rules: tuple[Rule, ...]
    checks: ValueChecks
    _known: dict[Key, tuple[Obstacle, ...]] = field(default_factory=dict)
    _refuted: dict[Key, Obstacle] = field(
        default_factory=dict
    )  # the first obstacle; there may be more
    _proved: list[Key] = field(default_factory=list)
    _open: dict[Key, int] = field(
        default_factory=dict
    )  # the pairs being examined, and their depth in the value
    _assumed: set[Key] = field(default_factory=set)
    _implied: dict[Hashable, Conjunction] = field(default_factory=dict)
    _first_only: bool = False
    _depth: int = 0

    def proves(self, producer: Conjunction, consumer: Conjunction) -> bool:
        """Whether it is proved that `consumer` accepts everything that `producer` accepts."""
        before, self._first_only = self._first_only, True
        try:
            return not self.obstacles(producer, consumer)
        finally:
            self._first_only = before

    def obstacles(self, producer: Conjunction, consumer: Conjunction) -> tuple[Obstacle, ...]:
        """Why `consumer` may refuse a value that `producer` accepts; () if it is proved that it accepts them all.

        Raises:
            TooMuch: the schemas are too large or too complex.
        """
        if consumer.is_anything or is_implied_by(producer, consumer):
            return ()
        key = (producer.key, consumer.key)
        if key in self._known:
            return self._known[key]
        if key in self._refuted and self._first_only:
            return (self._refuted[key],)
        if key in self._open:
            return self._recur(key, producer, consumer)
        if len(self._open) > MAX_DEPTH:
            return (Obstacle("unclear", producer, consumer),)
        return self._examine(key, producer, consumer)

    def _recur(
        self, key: Key, producer: Conjunction, consumer: Conjunction
    ) -> tuple[Obstacle, ...]:
        """A pair that is being examined recurs; it counts as proved only for a part of the value."""
        if self._open[key] == self._depth:
            return (Obstacle("unclear", producer, consumer),)
        self._assumed.add(key)
        return ()

    def _examine(
        self, key: Key, producer: Conjunction, consumer: Conjunction
    ) -> tuple[Obstacle, ...]:
        self._open[key] = self._depth
        proved_before = len(self._proved)
        one_will_do = self._first_only
        try:
            self.checks.spend(
                EFFORT_OF_A_PAIR + len(producer.subschemas) + len(consumer.subschemas)
            )
            found = self._wanted(self._find(producer, consumer))
        except TooMuch:
            if not self._depth:
                raise
            found = (
                Obstacle("unclear", producer, consumer),
            )  # other parts of the value may still be compared
        finally:
            del self._open[key]
        if found and key in self._assumed:
            for other in self._proved[proved_before:]:
                del self._known[other]
            del self._proved[proved_before:]
        self._assumed.discard(key)
        if not found:
            self._proved.append(key)
        if found and one_will_do:
            self._refuted[key] = found[0]
        else:
            self._known[key] = found
        return found

    def _wanted(self, obstacles: Iterable[Obstacle]) -> tuple[Obstacle, ...]:
        """The wanted obstacles: all, or only the first."""
        return tuple(
            islice(obstacles, 1) if self._first_only else _most_certain(deduplicated(obstacles))
        )

    def obstacles_inside(
        self, producer: Conjunction, consumer: Conjunction
    ) -> tuple[Obstacle, ...]:
        """Like `obstacles`, for a member or an item of the value."""
        self._depth += 1
        try:
            return self.obstacles(producer, consumer)
        finally:
            self._depth -= 1

    def proves_inside(self, producer: Conjunction, consumer: Conjunction) -> bool:
        """Like `proves`, for a member or an item of the value."""
        self._depth += 1
        try:
            return self.proves(producer, consumer)
        finally:
            self._depth -= 1

    def _find(self, producer: Conjunction, consumer: Conjunction) -> Iterator[Obstacle]:
        if disjointness.is_empty(producer, self.checks):
            return
        if consumer.accepts_nothing:
            yield self._value_obstacle("forbidden", producer, consumer, producer.types)
        elif producer.is_anything:
            if any(True for _ in self._by_type(producer, consumer)):
                yield self._value_obstacle("described", producer, consumer, TYPES)
        else:
            yield from self._by_type(producer, consumer)

    def _value_obstacle(
        self, kind: str, producer: Conjunction, consumer: Conjunction, types: frozenset[str]
    ) -> Obstacle:
        """An obstacle for values of these types."""
        if self._first_only:
            return Obstacle(kind, producer, consumer)
        made = [
            value
            for name in sorted(types)
            for value in samples(producer.restricted_to(frozenset({name})))
        ]
        tried = [*(SAMPLE_OF_TYPE[name] for name in sorted(types)), *made]
        edits = (lambda value: value, *put_each(tried))
        return Obstacle(kind, producer, consumer, keywords=("type", "enum", "const"), edits=edits)

    def _by_type(self, producer: Conjunction, consumer: Conjunction) -> Iterator[Obstacle]:
        producer = self._with_implied(producer)
        common = producer.types & consumer.types
        lost = frozenset(
            kind
            for kind in producer.types - common
            if not self._is_empty(producer.restricted_to(frozenset({kind})))
        )
        if lost:
            yield self._value_obstacle("type", producer, consumer, lost)
        if not common:
            return
        producer = producer.restricted_to(common)
        values = self.checks.values_of(producer)
        if values is None:
            yield from self._by_rules(producer, consumer)
            return
        answers = [(value, self.checks.accepts(consumer, value)) for value in values]
        refused = tuple(value for value, accepted in answers if accepted is False)
        if refused:
            keywords = ("enum", "const", "anyOf", "oneOf")
            yield Obstacle(
                "choice",
                producer,
                consumer,
                keywords=keywords,
                values=refused,
                edits=put_each(refused[:5]),
            )
        if any(accepted is None for _, accepted in answers):
            yield Obstacle("unclear", producer, consumer)

    def requires(self, producer: Conjunction, name: str) -> bool:
        """Whether every object that `producer` accepts has the member `name`."""
        names = children.closed_names(producer) or []
        if name in names and ranges.least(producer, "object") >= len(names):
            return True
        return name in producer.required or name in self._with_implied(producer).required

    def _is_empty(self, producer: Conjunction) -> bool:
        """Whether `producer` accepts nothing: by itself, by its `not`, or as two options of `oneOf` always match."""
        if disjointness.is_empty(producer, self.checks):
            return True
        if any(self.proves(producer, conjoin(denied)) for denied in producer.subs("not")):
            return True
        exclusive = (union.branches for union in producer.undecided if union.keyword == "oneOf")
        return any(
            sum(self.proves(producer, branch) for branch in branches) > 1 for branches in exclusive
        )

    def _with_implied(self, producer: Conjunction) -> Conjunction:
        """`producer` with the schemas implied by its required members and by the conditions that it fulfils."""
        known = self._implied.setdefault(producer.key, producer)  # itself, while this is computed
        if known is not producer:
            return known
        whole = producer
        for _ in range(MAX_ROUNDS):
            found = [*self._needed_by_required(whole), *self._outcomes(whole)]
            more = whole.also(*found) if found else whole
            if (
                len(more.subschemas) == len(whole.subschemas)
                and more.accepts_nothing == whole.accepts_nothing
            ):
                break
            whole = more
        self._implied[producer.key] = whole
        return whole

    def _needed_by_required(self, producer: Conjunction) -> Iterator[Subschema]:
        """The dependent schemas of its required members, if it accepts objects only."""
        if not producer.types <= {"object"}:
            return
        for subschema in producer.subschemas:
            yield from (
                schema
                for _, name, schema in dependent_schemas(subschema, subschema.keywords)
                if name in producer.required
            )

    def _outcomes(self, producer: Conjunction) -> Iterator[Subschema]:
        """The `then` and `else` of its conditions, if it is known which of them applies."""
        for condition in producer.conditions:
            subschema = condition.subschema
            keywords, whole = subschema.keywords, conjoin(subschema.sub("if"))
            if "then" in keywords and self.proves(producer, whole):
                yield subschema.sub("then")
            elif "else" in keywords and disjointness.are_disjoint(producer, whole, self.checks):
                yield subschema.sub("else")

    def _by_rules(self, producer: Conjunction, consumer: Conjunction) -> Iterator[Obstacle]:
        found = self._wanted(
            obstacle for rule in self.rules for obstacle in rule(self, producer, consumer)
        )
        if not found:
            return
        union = next(producer.undecided, None) or next(iter(producer.conditions), None)
        if union is not None and len(producer.decided) < MAX_DECIDED:
            for case in union.cases:
                yield from self.obstacles(producer.with_branch(union, *case), consumer)
        elif consumer.unions and len(groups := list(type_groups(producer.types))) > 1:
            for group in groups:
                yield from self.obstacles(producer.restricted_to(group), consumer)
        else:
            yield from found


def type_groups(types: frozenset[str]) -> Iterator[frozenset[str]]:
    """The types one by one, with all numbers in one group."""
    if types & NUMBERS:
        yield types & NUMBERS
    yield from (frozenset({kind}) for kind in sorted(types - NUMBERS))


def _most_certain(obstacles: list[Obstacle]) -> list[Obstacle]:
    """All of them, or as many as allowed, without those about undeclared members first."""
    if len(obstacles) > MAX_OBSTACLES:
        obstacles = sorted(obstacles, key=lambda obstacle: obstacle.undeclared)
    return obstacles[:MAX_OBSTACLES]


def deduplicated(obstacles: Iterable[Obstacle]) -> list[Obstacle]:
    """The obstacles without duplicates, which different cases of a union find."""
    found: dict[Hashable, Obstacle] = {}
    for obstacle in obstacles:
        mark = (
            obstacle.path,
            obstacle.kind,
            obstacle.subject,
            repr(obstacle.values),
            obstacle.undeclared,
        )
        found.setdefault(mark, obstacle)
    return list(found.values())
