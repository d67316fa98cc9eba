"""Finds a string that some regular expressions match and others do not, or proves that there is none.

Each pattern becomes an automaton over ranges of code points; one search simulates all automata together. Features that
are not regular (lookarounds, references to groups), modifiers and Unicode properties are not supported.

Sources: ECMA-262, "Pattern Semantics"; K. Thompson, "Regular Expression Search Algorithm" (1968).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import lru_cache, reduce
from typing import Final, Literal, TypeAlias

from catalog.json_schema.regex.characters import (
    CharacterSet,
    PatternSyntaxError,
    Range,
    SetEscape,
    complement,
)
from catalog.json_schema.regex.syntax import (
    Assertion,
    Character,
    Disjunction,
    Dot,
    Group,
    Node,
    Repetition,
    parse,
)

MAX_STATES: Final = 250  # of one pattern
EFFORT: Final = 50_000  # of one search, in states visited; some 50 ms
SMALL_EFFORT: Final = 2_000
COMPARISONS: Final = 20  # of a character with a range; as expensive as visiting one state
MAX_LENGTH: Final = 300  # of strings whose length is bounded

Ranges: TypeAlias = tuple[Range, ...]
States: TypeAlias = frozenset[int]

_NEVER_IN_STRINGS: Final[Ranges] = ((0, 0), (0xD800, 0xDFFF))  # the JSON reader refuses them
_LINE_ENDS: Final[Ranges] = ((0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029))
_READABLE: Final = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ -_.,:;/@#"


class _Outcome(Enum):
    UNSUPPORTED = 1


UNSUPPORTED: Final = _Outcome.UNSUPPORTED


class UnsupportedPattern(Exception):
    """A pattern is not regular, or the search takes too much work."""


def literal_pattern(text: str) -> str:
    """A pattern that matches `text` alone."""
    return "".join(["^", *(f"\\u{{{ord(character):x}}}" for character in text), "$"])


def find_string(
    matching: frozenset[str],
    missing: frozenset[str] = frozenset(),
    least: int = 0,
    most: int | None = None,
    *,
    effort: int = EFFORT,
) -> str | None:
    """One of the shortest strings that all of `matching` match, and none of `missing`; None if there is none.

    It has from `least` to `most` characters; bounds beyond `MAX_LENGTH` are not supported.

    Raises:
        UnsupportedPattern: the answer cannot be found.
    """
    found = _found(matching, missing, least, most, effort)
    if found is UNSUPPORTED:
        raise UnsupportedPattern
    return found


@lru_cache(maxsize=2_000)
def _found(
    matching: frozenset[str], missing: frozenset[str], least: int, most: int | None, effort: int
) -> str | Literal[_Outcome.UNSUPPORTED] | None:
    """The same, with the failure as a value, so that it is cached."""
    if max(least, most or 0) > MAX_LENGTH:
        return UNSUPPORTED
    required, forbidden = (
        [automaton_of(pattern) for pattern in sorted(patterns)] for patterns in (matching, missing)
    )
    understood = [automaton for automaton in (*required, *forbidden) if automaton is not None]
    if len(understood) < len(required) + len(forbidden):
        return UNSUPPORTED
    try:
        return _Search(
            understood[: len(required)], understood[len(required) :], least, most, effort
        ).find()
    except UnsupportedPattern:
        return UNSUPPORTED


# From patterns to automata.


@dataclass(slots=True)
class Automaton:
    """States with their transitions: `over` a character, or `free` of one, perhaps only where `^` or `$` matches."""

    over: list[list[tuple[Ranges, int]]] = field(default_factory=list)
    free: list[list[tuple[Literal["", "^", "$"], int]]] = field(default_factory=list)
    end: int = 0

    def state(self) -> int:
        if len(self.over) == MAX_STATES:
            raise UnsupportedPattern
        self.over.append([])
        self.free.append([])
        return len(self.over) - 1

    def reached(
        self, states: Iterable[int], *, at_start: bool = False, at_end: bool = False
    ) -> States:
        """`states`, and all states that free transitions lead to."""
        found = set(states)
        waiting = list(found)
        while waiting:
            for mark, target in self.free[waiting.pop()]:
                if target not in found and (not mark or (at_start if mark == "^" else at_end)):
                    found.add(target)
                    waiting.append(target)
        return frozenset(found)


@lru_cache(maxsize=2_000)
def automaton_of(pattern: str) -> Automaton | None:
    """The automaton that reaches its end once `pattern` has matched; None if it is not regular, or too large."""
    builder = _Builder()
    try:
        builder.made.end = builder.disjunction(builder.made.state(), parse(pattern))
    except (UnsupportedPattern, PatternSyntaxError):
        return None
    return builder.made


@dataclass(slots=True)
class _Builder:
    """Builds an automaton from a syntax tree. Methods append a node to a state and return the state after it."""

    made: Automaton = field(default_factory=Automaton)

    def disjunction(self, start: int, content: Disjunction) -> int:
        ends = [reduce(self.node, nodes, start) for nodes in content.alternatives]
        return ends[0] if len(ends) == 1 else self.joined(ends)

    def joined(self, ends: Iterable[int]) -> int:
        end = self.made.state()
        for one in ends:
            self.made.free[one].append(("", end))
        return end

    def node(self, start: int, node: Node) -> int:
        match node:
            case Repetition():
                return self.repetition(start, node)
            case Group("capture" | "plain", content):
                return self.disjunction(start, content)
            case Assertion("^" | "$" as sign, multiline=False):
                end = self.made.state()
                self.made.free[start].append((sign, end))
                return end
            case Character(code):
                return self.over(start, ((code, code),))
            case CharacterSet():
                return self.over(start, ranges_of(node))
            case Dot(dot_all=False):
                return self.over(start, complement(_LINE_ENDS))
        raise UnsupportedPattern

    def repetition(self, start: int, repetition: Repetition) -> int:
        """The node of a quantifier, built once for each repetition."""
        low, high = repetition.low, repetition.high
        if max(low, high or 0) > MAX_STATES:
            raise UnsupportedPattern
        if high == 0:
            return self.joined([start])
        ends: list[int] = []
        for number in range(max(low, 1 if high is None else high)):
            entry = self.joined([start])
            if number >= low:
                ends.append(entry)
            start = self.node(entry, repetition.node)
        if high is None:
            self.made.free[start].append(("", entry))
        return self.joined([*ends, start])

    def over(self, start: int, characters: Ranges) -> int:
        end = self.made.state()
        self.made.over[start].append((characters, end))
        return end


def ranges_of(characters: CharacterSet) -> Ranges:
    found: list[Range] = []
    for item in characters.items:
        ranges = item.ranges if isinstance(item, SetEscape) else (item,)
        if ranges is None:
            raise UnsupportedPattern
        found += ranges
    return complement(tuple(found)) if characters.negated else tuple(found)


# The search.

_SearchState: TypeAlias = tuple[tuple[States | None, ...], int]
"""The states of each automaton, None after a match; and the length of the string."""


@dataclass(slots=True)
class _Search:
    """Simulates all automata, on the shortest strings first."""

    required: list[Automaton]
    forbidden: list[Automaton]
    least: int
    most: int | None
    effort: int

    def find(self) -> str | None:
        automata = [*self.required, *self.forbidden]
        sets = {ranges for automaton in automata for ways in automaton.over for ranges, _ in ways}
        ranges = sum(map(len, sets))
        self.spend(ranges * (len(_READABLE) + 2 * ranges) // COMPARISONS)
        symbols = list(representatives(sets))
        begin: _SearchState = (
            tuple(self.settled(a, a.reached([0], at_start=True)) for a in automata),
            0,
        )
        origins: dict[_SearchState, tuple[_SearchState, str] | None] = {begin: None}
        waiting = [begin]
        for state in waiting:  # which grows
            if self.is_found(state, is_empty=state == begin):
                return spelled_out(state, origins)
            for character in symbols:
                after = self.after(automata, state, character)
                if after is not None and after not in origins:
                    origins[after] = (state, character)
                    waiting.append(after)
        return None

    def spend(self, effort: int) -> None:
        self.effort -= effort
        if self.effort < 0:
            raise UnsupportedPattern

    def settled(self, automaton: Automaton, states: States) -> States | None:
        return None if automaton.end in states else states

    def is_found(self, state: _SearchState, *, is_empty: bool) -> bool:
        states, length = state
        if length < self.least:
            return False
        automata = [*self.required, *self.forbidden]
        matched = [
            now is None or automaton.end in automaton.reached(now, at_start=is_empty, at_end=True)
            for automaton, now in zip(automata, states, strict=True)
        ]
        return all(matched[: len(self.required)]) and not any(matched[len(self.required) :])

    def after(
        self, automata: list[Automaton], state: _SearchState, character: str
    ) -> _SearchState | None:
        """The state after `character`; None if no wanted string can follow."""
        states, length = state
        if length == self.most:
            return None
        code = ord(character)
        found: list[States | None] = []
        for automaton, now in zip(automata, states, strict=True):
            if now is None:
                found.append(None)
                continue
            self.spend(1 + len(now))
            targets = [
                target
                for state in now
                for ranges, target in automaton.over[state]
                if any(low <= code <= high for low, high in ranges)
            ]
            found.append(self.settled(automaton, automaton.reached([0, *targets])))
        if any(now is None for now in found[len(self.required) :]):
            return None
        counted = length + 1 if self.most is not None else min(length + 1, self.least)
        return tuple(found), counted


def representatives(sets: Iterable[Ranges]) -> Iterator[str]:
    """One character for each group of characters that are in the same `sets`, a readable one if possible."""
    sets = [*sets, _NEVER_IN_STRINGS]
    edges = {edge for ranges in sets for low, high in ranges for edge in (low, high + 1)}
    seen = set()
    for code in [*map(ord, _READABLE), 0, *sorted(edges - {0x110000})]:
        mark = tuple(any(low <= code <= high for low, high in ranges) for ranges in sets)
        if not mark[-1] and mark not in seen:
            seen.add(mark)
            yield chr(code)


def spelled_out(
    state: _SearchState, origins: dict[_SearchState, tuple[_SearchState, str] | None]
) -> str:
    """The string that leads to `state`."""
    characters = []
    while (step := origins[state]) is not None:
        state, character = step
        characters.append(character)
    return "".join(reversed(characters))
