"""From a query to a plan: what each of its words may stand for in this catalog, and how much each counts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from catalog.search import vocabulary
from catalog.search.boolean_query import Expression, Token, adjacent, all_of, any_of
from catalog.search.parser import Condition, Query, Word
from catalog.search.synonyms import kin_of
from catalog.search.verbs import first_action_of

MAX_WORDS: Final = 16  # that are looked for; of more, the most telling
MAX_CORRECTED: Final = 3  # words of a query in which a slip is looked for; in a sentence it is not missed
BEGINNING_WEIGHT: Final = 0.8  # of a word that begins as was typed, beside one that is just that
SLIP_WEIGHT: Final = 0.7
ALIKE: Final = 0.7  # from this weight on an alternative is a form of the word, and not another word for it

Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token, or two side by side, that may stand for a word.

    Attributes:
        weight: what it counts beside the word itself.
        documents: how many tools hold it, at most.
        score: its weight, times how telling it is.
    """

    token: str
    weight: float
    documents: int
    score: float

    @property
    def expression(self) -> Expression:
        return adjacent(tuple(self.token.split(" ")))


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query in this catalog.

    Attributes:
        same: what is as good as the word: itself, what it may become, its synonyms; () where nobody says any of them.
        related: what is about the same.
        importance: how telling the word is, times its weight.
    """

    word: Word
    same: tuple[Alternative, ...]
    related: tuple[Alternative, ...]
    importance: float

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        return (*self.same, *self.related)

    @property
    def documents(self) -> int:
        """In how many tools it stands, at most."""
        return sum(alternative.documents for alternative in self.same)


@dataclass(frozen=True)
class Plan:
    """A query as it is looked for in this catalog.

    Attributes:
        terms: its words, as far as any tool holds them or what may stand for them; at most `MAX_WORDS`.
        unknown: whether it has words that no tool holds, nor what is as good.
        corrections: (as typed, as looked for), where a slip was mended.
        actions: what the query wants to be done (see actions.py).
    """

    query: Query
    terms: tuple[Term, ...]
    unknown: bool
    corrections: tuple[tuple[str, str], ...]
    actions: frozenset[str]

    @cached_property
    def wanted(self) -> tuple[Expression, ...]:
        """What must hold whatever the words are."""
        wanted: list[Expression] = [_expression(one) for one in self.query.conditions if one.holds]
        return (*wanted, *map(adjacent, self.query.phrases))

    @cached_property
    def unwanted(self) -> tuple[Expression, ...]:
        """What must not hold."""
        refused: list[Expression] = [_expression(one) for one in self.query.conditions if not one.holds]
        return (*refused, *map(adjacent, self.query.unwanted))

    @cached_property
    def strictly(self) -> Expression | None:
        """Every word, or what is as good; None where nobody says one of them, or where there is none."""
        if self.unknown or not self.terms:
            return None
        return all_of(any_of(one.expression for one in term.same) for term in self.terms)

    @cached_property
    def importance(self) -> float:
        return sum(term.importance for term in self.terms)


def plan_of(query: Query) -> Plan:
    """Look up what the words of `query` mean here: a question or two to the database, one more for an unknown word."""
    same = {word: _as_good(word, query) for word in query.words}
    related = {word: _related(word, same[word]) for word in query.words}
    counts = _Counts()
    counts.look_up(chain(*same.values(), *related.values()))
    for word in query.words:
        if word.open_ended:
            beginnings = dict.fromkeys(vocabulary.beginning_with(word.typed), BEGINNING_WEIGHT)
            counts.look_up(beginnings)
            same[word] = beginnings | same[word]
    corrections: dict[str, str] = {}
    for word in () if query.sentence else query.words:
        if len(corrections) < MAX_CORRECTED and not word.exact and not any(map(counts.of, same[word])):
            meant = vocabulary.meant_by(word.typed)
            counts.look_up(token for _, token in meant)
            same[word] |= {token: SLIP_WEIGHT for _, token in meant}
            if meant:
                corrections[word.typed] = meant[0][0]
    terms = [_term(word, same[word], related[word], counts) for word in query.words]
    known = sorted((term for term in terms if term.alternatives), key=lambda term: -term.importance)
    return Plan(
        query=query,
        terms=tuple(known[:MAX_WORDS]),
        unknown=any(not term.same for term in terms),
        corrections=tuple(corrections.items()),
        actions=first_action_of(query.spoken),
    )


class _Counts:
    """How many tools hold a token; of two side by side, at most."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.asked: set[str] = set()

    def look_up(self, tokens: Iterable[str]) -> None:
        new = {part for token in tokens for part in token.split(" ")} | {vocabulary.ALL}
        new -= self.asked
        self.asked |= new
        self.known |= vocabulary.counts_of(new) if new else {}

    def of(self, token: str) -> int:
        return min(self.known.get(part, 0) for part in token.split(" "))

    def telling(self, documents: int) -> float:
        """How much it says of a tool that it holds what so many hold (BM25's inverse document frequency)."""
        total = max(self.known.get(vocabulary.ALL, 0), documents)
        return math.log(1 + (total - documents + 0.5) / (documents + 0.5))


def _as_good(word: Word, query: Query) -> Weights:
    """What is as good as `word`, if the catalog has it, and how much it counts."""
    found = {word.token: 1.0}
    if word.exact:
        return found
    if word.joined:
        found[word.joined] = 1.0
    around = [pair for pair in query.pairs if word.token in {pair.first, pair.second}]
    found |= {pair.joined: 1.0 for pair in around}
    for token in [*found, *(f"{pair.first} {pair.second}" for pair in around)]:
        found |= {other: weight for other, weight in kin_of(token).same if other not in found}
    return found


def _related(word: Word, same: Weights) -> Weights:
    if word.exact:
        return {}
    return {token: weight for token, weight in kin_of(word.token).related if token not in same}


def _term(word: Word, same: Weights, related: Weights, counts: _Counts) -> Term:
    good, near = _alternatives(word, same, counts), _alternatives(word, related, counts)
    own = counts.of(word.token)
    telling = counts.telling(own) if own else max((counts.telling(one.documents) for one in (*good, *near)), default=0)
    return Term(word, good, near, word.weight * telling)


def _alternatives(word: Word, weights: Weights, counts: _Counts) -> tuple[Alternative, ...]:
    found = [
        Alternative(token, weight, documents, word.weight * weight * counts.telling(documents))
        for token, weight in weights.items()
        if (documents := counts.of(token))
    ]
    return tuple(sorted(found, key=lambda one: -one.score))


def _expression(condition: Condition) -> Expression:
    return any_of(map(Token, (condition.key, *condition.others)))
