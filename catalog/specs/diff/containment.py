"""Whether one schema accepts everything that another one accepts, and what stands in the way.

`Containment.obstacles(giver, taker)` is empty only where that is proved: every value that the giver accepts, the taker
accepts. Each rule looks at one sort of constraint of the taker, and either finds it implied by the giver or yields an
obstacle. What a rule does not understand in the giver, it may leave out: then it is proved for more values than there
are. What it does not understand in the taker is an obstacle. An obstacle proves nothing: only a value does that is
accepted by the one and refused by the other.

A recursive pair of schemas is taken to be proved while it is looked at: a value is finite, and the pair comes back only
for a part of it. What was proved by that assumption is forgotten where it turns out to be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from catalog.json_schema.applicable import dependent_schemas
from catalog.json_schema.validation import Subschema
from catalog.specs.diff import children, disjointness, ranges
from catalog.specs.diff.attempts import Trial
from catalog.specs.diff.conjunction import Together, together
from catalog.specs.diff.disjointness import is_implied_by
from catalog.specs.diff.keywords import KINDS, NUMBERS
from catalog.specs.diff.mutations import SAMPLES, put_each
from catalog.specs.diff.obstacles import Obstacle
from catalog.specs.diff.samples import sketches

EFFORT_OF_A_PAIR: Final = 20
MAX_DEPTH: Final = 40  # of schemas in schemas; Python has up to sixteen frames for each
MAX_DECIDED: Final = 8  # unions and conditions whose cases are looked at one by one
MAX_ROUNDS: Final = 100  # of finding what follows from what follows
MAX_OBSTACLES: Final = 300  # of one pair

Key = tuple[Hashable, Hashable]
Rule = Callable[["Containment", Together, Together], Iterator[Obstacle]]


@dataclass
class Containment:
    """One comparison, with all that was found out in it.

    Attributes:
        rules: one for each sort of constraint.
        trial: answers about single values.
    """

    rules: tuple[Rule, ...]
    trial: Trial
    _known: dict[Key, tuple[Obstacle, ...]] = field(default_factory=dict)
    _refuted: dict[Key, Obstacle] = field(default_factory=dict)  # the first obstacle, of which there may be more
    _proved: list[Key] = field(default_factory=list)
    _open: dict[Key, int] = field(default_factory=dict)  # the pairs that are looked at, and how deep in the value
    _assumed: set[Key] = field(default_factory=set)
    _followed: dict[Hashable, Together] = field(default_factory=dict)
    _one_will_do: bool = False
    _depth: int = 0

    def proves(self, giver: Together, taker: Together) -> bool:
        """Whether `taker` accepts everything that `giver` does."""
        before, self._one_will_do = self._one_will_do, True
        try:
            return not self.obstacles(giver, taker)
        finally:
            self._one_will_do = before

    def obstacles(self, giver: Together, taker: Together) -> tuple[Obstacle, ...]:
        """What keeps `taker` from accepting everything that `giver` does; nothing where it is proved that it does.

        Raises:
            TooMuch: the schemas are too large, or too entangled.
        """
        if taker.is_anything or is_implied_by(giver, taker):
            return ()
        key = (giver.key, taker.key)
        if key in self._known:
            return self._known[key]
        if key in self._refuted and self._one_will_do:
            return (self._refuted[key],)
        if key in self._open:
            return self._again(key, giver, taker)
        if len(self._open) > MAX_DEPTH:
            return (Obstacle("unclear", giver, taker),)
        self.trial.spend(EFFORT_OF_A_PAIR + len(giver.places) + len(taker.places))
        return self._look(key, giver, taker)

    def _again(self, key: Key, giver: Together, taker: Together) -> tuple[Obstacle, ...]:
        """The pair that is looked at comes back; only for a part of the value may it be taken to be proved."""
        if self._open[key] == self._depth:
            return (Obstacle("unclear", giver, taker),)
        self._assumed.add(key)
        return ()

    def _look(self, key: Key, giver: Together, taker: Together) -> tuple[Obstacle, ...]:
        self._open[key] = self._depth
        proved_before = len(self._proved)
        one_will_do = self._one_will_do
        try:
            found = self._found(self._find(giver, taker))
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

    def _found(self, obstacles: Iterable[Obstacle]) -> tuple[Obstacle, ...]:
        """The obstacles that are asked for: all, or the first."""
        return tuple(islice(obstacles, 1) if self._one_will_do else without_doubles(obstacles)[:MAX_OBSTACLES])

    def obstacles_inside(self, giver: Together, taker: Together) -> tuple[Obstacle, ...]:
        """The obstacles for what is a part of the value, a member or an item."""
        self._depth += 1
        try:
            return self.obstacles(giver, taker)
        finally:
            self._depth -= 1

    def proves_inside(self, giver: Together, taker: Together) -> bool:
        """Whether `taker` accepts everything that `giver` does, for a part of the value."""
        self._depth += 1
        try:
            return self.proves(giver, taker)
        finally:
            self._depth -= 1

    def _find(self, giver: Together, taker: Together) -> Iterator[Obstacle]:
        if disjointness.is_empty(giver, self.trial):
            return
        if taker.nothing:
            yield self._of_values("forbidden", giver, taker, giver.kinds)
        elif giver.is_anything:
            if any(True for _ in self._of_kinds(giver, taker)):
                yield self._of_values("described", giver, taker, KINDS)
        else:
            yield from self._of_kinds(giver, taker)

    def _of_values(self, kind: str, giver: Together, taker: Together, kinds: frozenset[str]) -> Obstacle:
        """An obstacle for values of `kinds`."""
        if self._one_will_do:
            return Obstacle(kind, giver, taker)
        made = [value for name in sorted(kinds) for value in sketches(giver.only_of(frozenset({name})))]
        tried = [*(SAMPLES[name] for name in sorted(kinds)), *made]
        edits = (lambda value: value, *put_each(tried))
        return Obstacle(kind, giver, taker, keywords=("type", "enum", "const"), edits=edits)

    def _of_kinds(self, giver: Together, taker: Together) -> Iterator[Obstacle]:
        giver = self._with_what_follows(giver)
        common = giver.kinds & taker.kinds
        lost = frozenset(kind for kind in giver.kinds - common if not self._has_none(giver.only_of(frozenset({kind}))))
        if lost:
            yield self._of_values("type", giver, taker, lost)
        if not common:
            return
        giver = giver.only_of(common)
        values = self.trial.values_of(giver)
        if values is None:
            yield from self._by_rules(giver, taker)
            return
        answers = [(value, self.trial.accepts(taker, value)) for value in values]
        refused = tuple(value for value, accepted in answers if accepted is False)
        if refused:
            keywords = ("enum", "const")
            yield Obstacle("choice", giver, taker, keywords=keywords, values=refused, edits=put_each(refused[:5]))
        if any(accepted is None for _, accepted in answers):
            yield Obstacle("unclear", giver, taker)

    def requires(self, giver: Together, name: str) -> bool:
        """Whether everything that `giver` accepts has the member `name`."""
        names = children.closed_names(giver) or []
        if name in names and ranges.least(giver, "object") >= len(names):
            return True
        return name in giver.required or name in self._with_what_follows(giver).required

    def _has_none(self, giver: Together) -> bool:
        """Whether `giver` accepts nothing: by itself, or as it is ruled out, or fits two of a `oneOf`."""
        if disjointness.is_empty(giver, self.trial):
            return True
        if any(self.proves(giver, together(denied)) for denied in giver.subs("not")):
            return True
        exclusive = (union.branches for union in giver.undecided if union.keyword == "oneOf")
        return any(sum(self.proves(giver, branch) for branch in branches) > 1 for branches in exclusive)

    def _with_what_follows(self, giver: Together) -> Together:
        """`giver` with what holds because of what it asks for: of members it needs, of conditions it fulfils."""
        known = self._followed.setdefault(giver.key, giver)  # itself, while that is found out
        if known is not giver:
            return known
        whole = giver
        for _ in range(MAX_ROUNDS):
            found = [*self._needed_by_members(whole), *self._outcomes(whole)]
            more = whole.also(*found) if found else whole
            if len(more.places) == len(whole.places) and more.nothing == whole.nothing:
                break
            whole = more
        self._followed[giver.key] = whole
        return whole

    def _needed_by_members(self, giver: Together) -> Iterator[Subschema]:
        """What holds because of the members that the giver needs."""
        for place in giver.places:
            yield from (
                schema for _, name, schema in dependent_schemas(place, place.keywords) if name in giver.required
            )

    def _outcomes(self, giver: Together) -> Iterator[Subschema]:
        """What the giver's conditions lead to, where it is plain whether they hold."""
        for condition in giver.conditions:
            place = condition.place
            keywords, whole = place.keywords, together(place.sub("if"))
            if "then" in keywords and self.proves(giver, whole):
                yield place.sub("then")
            elif "else" in keywords and disjointness.are_apart(giver, whole, self.trial):
                yield place.sub("else")

    def _by_rules(self, giver: Together, taker: Together) -> Iterator[Obstacle]:
        found = self._found(obstacle for rule in self.rules for obstacle in rule(self, giver, taker))
        if not found:
            return
        union = next(giver.undecided, None) or next(iter(giver.conditions), None)
        if union is not None and len(giver.decided) < MAX_DECIDED:
            for case in union.cases:
                yield from self.obstacles(giver.taking(union, *case), taker)
        elif taker.unions and len(sorts := list(sorts_of(giver.kinds))) > 1:
            for sort in sorts:
                yield from self.obstacles(giver.only_of(sort), taker)
        else:
            yield from found


def sorts_of(kinds: frozenset[str]) -> Iterator[frozenset[str]]:
    """The kinds one by one, numbers as one."""
    if kinds & NUMBERS:
        yield kinds & NUMBERS
    yield from (frozenset({kind}) for kind in sorted(kinds - NUMBERS))


def without_doubles(obstacles: Iterable[Obstacle]) -> list[Obstacle]:
    """One of each; the cases of a union come upon the same."""
    found: dict[Hashable, Obstacle] = {}
    for obstacle in obstacles:
        mark = (obstacle.path, obstacle.kind, obstacle.subject, repr(obstacle.values))
        found.setdefault(mark, obstacle)
    return list(found.values())
