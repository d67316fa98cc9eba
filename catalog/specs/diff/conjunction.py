"""Schemas that hold together for one value, read as one.

A subschema, what its `$ref` and `allOf` lead to, and what other schemas ask of the same value: all of it has to hold,
so it makes no difference where it stands. `Together` is that list, with what may be assumed besides.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from catalog.json_schema.validation import Subschema
from catalog.jsontext.reader import JSON
from catalog.specs.diff import keywords as reading
from catalog.specs.diff.keywords import KINDS, Edge

MAX_CONDITIONS: Final = 6  # of which each is decided
MAX_PLACES: Final = 400  # that hold together
_PLAIN: Final = frozenset({"$dynamicRef", "$recursiveRef", "$ref", "allOf", "false", "type"})


class TooMuch(Exception):
    """The schemas are too large, or too entangled, to be compared."""


@dataclass(frozen=True, slots=True)
class Union:
    """One `anyOf` or `oneOf`; or one `if`, whose alternatives are what holds with it and without."""

    place: Subschema
    keyword: str

    @property
    def key(self) -> Hashable:
        return (self.place.identity, self.keyword)

    @property
    def schemas(self) -> list[Subschema]:
        return self.place.listed(self.keyword)

    @property
    def branches(self) -> list[Together]:
        return [together(schema) for schema in self.schemas]

    @property
    def cases(self) -> list[tuple[Subschema, ...]]:
        """What holds in each case, of which one is there for every value."""
        if self.keyword != "if":
            return [(schema,) for schema in self.schemas]
        keywords = self.place.keywords
        fulfilled, not_fulfilled = (
            tuple(self.place.sub(branch) for branch in (branch,) if branch in keywords) for branch in ("then", "else")
        )
        return [(self.place.sub("if"), *fulfilled), (*reading.denied_of(self.place.sub("if")), *not_fulfilled)]


@dataclass(frozen=True, eq=False)
class Together:
    """What holds for one value.

    Attributes:
        places: the schemas, references and `allOf` followed.
        nothing: one of them is `false`.
        unclear: a reference leads nowhere, or round in place; what it asks for is not known.
        decided: the unions of which one branch was taken; it is among the places.
        only: the kinds that are looked at.
        given: members that are taken to be there.
    """

    places: tuple[Subschema, ...]
    nothing: bool = False
    unclear: bool = False
    decided: frozenset[Hashable] = frozenset()
    only: frozenset[str] = KINDS
    given: frozenset[str] = frozenset()

    @cached_property
    def key(self) -> Hashable:
        """Equal for what accepts the same for the same reasons."""
        identities = frozenset(place.identity for place in self.places)
        return (identities, self.nothing, self.unclear, self.decided, self.only, self.given)

    # The same, and more.

    def also(self, *places: Subschema) -> Together:
        """This and `places`."""
        found, nothing, unclear = flattened((*self.places, *places))
        return replace(self, places=found, nothing=nothing or self.nothing, unclear=unclear or self.unclear)

    def taking(self, union: Union, *branch: Subschema) -> Together:
        """This where `branch` of `union` holds."""
        return replace(self.also(*branch), decided=self.decided | {union.key})

    def only_of(self, kinds: frozenset[str]) -> Together:
        """This for values of certain kinds."""
        return self if self.only <= kinds else replace(self, only=self.only & kinds)

    def with_member(self, name: str) -> Together:
        """This for objects that have the member `name`."""
        return replace(self.only_of(frozenset({"object"})), given=self.given | {name})

    # What it says.

    @cached_property
    def is_anything(self) -> bool:
        """Whether every value is accepted, as far as is plain to see."""
        if self.nothing or self.unclear or self.only != KINDS or self.given:
            return False
        return all(map(reading.asks_nothing, self.places))

    @cached_property
    def kinds(self) -> frozenset[str]:
        """The kinds of values that may be accepted; none other is."""
        if self.nothing:
            return frozenset()
        self.__dict__["kinds"] = self.only  # what it is taken for by a union that leads back here
        return self.only.intersection(*self._kinds())

    def _kinds(self) -> Iterator[frozenset[str]]:
        """The kinds that each keyword lets through."""
        for place in self.places:
            yield reading.kinds_of(place)
            yield KINDS - (kinds_ruled_out(place) or frozenset())
            if reading.is_whole(place):
                yield KINDS - {"fraction"}
        for choices in self.choices:
            yield frozenset(map(reading.kind_of, choices))
        for union in self.unions:
            yield frozenset().union(*(branch.kinds for branch in union.branches))

    @cached_property
    def unions(self) -> list[Union]:
        """Every `anyOf` and `oneOf`."""
        return [
            Union(place, keyword)
            for place in self.places
            for keyword in ("anyOf", "oneOf")
            if keyword in place.keywords
        ]

    @property
    def undecided(self) -> Iterator[Union]:
        return (union for union in self.unions if union.key not in self.decided)

    @cached_property
    def conditions(self) -> list[Union]:
        """Every `if` that is not decided and has an outcome; none where there are too many to look at."""
        found = [Union(place, "if") for place in self.places if "if" in reading.asked(place)]
        return [one for one in found if one.key not in self.decided] if len(found) <= MAX_CONDITIONS else []

    @cached_property
    def choices(self) -> list[list[JSON]]:
        """The lists of `enum` and `const`; a value is in all of them."""
        return [choices for place in self.places for choices in reading.choices_of(place)]

    @property
    def fitting_choices(self) -> list[JSON]:
        """The shortest of the lists, without what is of another kind; there has to be one."""
        return [choice for choice in min(self.choices, key=len) if reading.kind_of(choice) in self.kinds]

    @cached_property
    def required(self) -> frozenset[str]:
        """The members that are needed, and those that these need."""
        names = set(self.given).union(*map(reading.required_of, self.places))
        needs = [pair for place in self.places for pair in reading.needs_of(place)]
        while more := {needed for name, needed in needs if name in names} - names:
            names |= more
        return frozenset(names)

    def edge(self, *, lowest: bool) -> Edge | None:
        """The tightest lower or upper bound of numbers."""
        edges = (reading.edge_of(place, lowest=lowest) for place in self.places)
        return reading.tightest([edge for edge in edges if edge is not None], lowest=lowest)

    def counts(self, keyword: str) -> list[int]:
        """What `maxItems` and the like say, each time."""
        counts = (reading.count_of(place, keyword) for place in self.places)
        return [count for count in counts if count is not None]

    def values(self, keyword: str) -> list[JSON]:
        """What `keyword` says, each time."""
        return [place.keywords[keyword] for place in self.places if keyword in place.keywords]

    def subs(self, keyword: str) -> list[Subschema]:
        """The subschema under `keyword`, each time."""
        return [place.sub(keyword) for place in self.places if keyword in place.keywords]

    def annotations(self, keyword: str) -> list[JSON]:
        """What the annotation `keyword` says, each time, the outermost first."""
        found = (reading.annotations_of(place) for place in self.places)
        return [keywords[keyword] for keywords in found if keyword in keywords]

    # Where it stands.

    def pointer(self, *keywords: str) -> str | None:
        """Where the first of `keywords` stands, else the first schema; None where there is none."""
        for keyword in keywords:
            for place in self.places:
                if keyword in place.keywords:
                    return place.pointer_to(keyword)
        return self.places[0].pointer if self.places else None


def together(*places: Subschema) -> Together:
    """`places` as one."""
    if len(places) == 1:
        place = places[0]
        return place.built("together", lambda: Together(*flattened([place])))
    return Together(*flattened(places))


def flattened(places: Iterable[Subschema]) -> tuple[tuple[Subschema, ...], bool, bool]:
    """(all that holds where `places` do, whether that accepts nothing, whether some of it is not known).

    Raises:
        TooMuch: there are more than `MAX_PLACES`.
    """
    found: dict[Hashable, Subschema] = {}
    nothing = unclear = False
    open_now: set[Hashable] = set()
    waiting: list[tuple[Subschema, bool]] = [(place, False) for place in reversed(list(places))]
    while waiting:
        place, leaving = waiting.pop()
        if leaving:
            open_now.discard(place.identity)
        elif place.identity in open_now:
            unclear = True
        elif place.schema is False:
            found[place.identity], nothing = place, True
        elif place.identity not in found:
            found[place.identity] = place
            open_now.add(place.identity)
            unclear = unclear or place.has_dangling_reference
            waiting.append((place, True))
            inside = [*place.references(), *place.listed("allOf"), *twice_denied(place)]
            waiting += [(inner, False) for inner in reversed(inside)]
            if len(found) > MAX_PLACES:
                raise TooMuch
    return tuple(found.values()), nothing, unclear


def kinds_ruled_out(place: Subschema) -> frozenset[str] | None:
    """The kinds that the `not` of `place` rules out; None where it says more than types."""
    if "not" not in place.keywords:
        return frozenset()
    inner = together(place.sub("not"))
    return inner.kinds if is_of_types_alone(inner) else None


def is_of_types_alone(whole: Together) -> bool:
    """Whether all that `whole` asks for is said by its kinds."""
    if whole.unclear or not all(reading.asked(place) <= _PLAIN | {"anyOf"} for place in whole.places):
        return False
    return all(is_of_types_alone(branch) for union in whole.unions for branch in union.branches)


def twice_denied(place: Subschema) -> list[Subschema]:
    """What holds because it is denied that it does not."""
    return reading.denied_of(place.sub("not")) if "not" in place.keywords else []
