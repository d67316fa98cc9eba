"""Turn a query into a plan: the alternatives of each word that this catalog contains, and their weights."""

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

MAX_WORDS: Final = 16  # that are searched; of more, the most distinctive ones
MAX_CORRECTED: Final = 3  # words of a query that are checked for typos; sentences are not checked
BEGINNING_WEIGHT: Final = 0.8  # of a word that begins with the typed text, relative to the exact word
TYPO_WEIGHT: Final = 0.7
ALIKE: Final = 0.7  # with at least this weight an alternative is a form of the word, not a synonym

Weights = dict[str, float]


@dataclass(frozen=True, slots=True)
class Alternative:
    """A token, or two adjacent ones, that may match instead of a word.

    Attributes:
        weight: its weight relative to the word itself.
        documents: the number of tools that contain it, at most.
        score: its weight, times its inverse document frequency.
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
        same: equivalent tokens: the word itself, its completions, its synonyms; () if no tool contains any of them.
        related: tokens of the same subject.
        importance: the word's inverse document frequency, times its weight.
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
        """The number of tools that contain it, at most."""
        return sum(alternative.documents for alternative in self.same)


@dataclass(frozen=True)
class Plan:
    """How to search a query in this catalog.

    Attributes:
        terms: its words for which any tool contains the word or an alternative; at most `MAX_WORDS`.
        unknown: whether there are words for which no tool contains the word or an equivalent.
        corrections: (as typed, as searched), for each corrected typo.
        actions: the actions that the query asks for (see verbs.py).
    """

    query: Query
    terms: tuple[Term, ...]
    unknown: bool
    corrections: tuple[tuple[str, str], ...]
    actions: frozenset[str]

    @cached_property
    def wanted(self) -> tuple[Expression, ...]:
        """The conditions and phrases that a tool must match besides the words."""
        wanted: list[Expression] = [_expression(one) for one in self.query.conditions if one.holds]
        return (*wanted, *map(adjacent, self.query.phrases))

    @cached_property
    def unwanted(self) -> tuple[Expression, ...]:
        """The conditions, words and phrases that a tool must not match."""
        refused: list[Expression] = [_expression(one) for one in self.query.conditions if not one.holds]
        return (*refused, *map(adjacent, self.query.unwanted))

    @cached_property
    def strictly(self) -> Expression | None:
        """Matches every word or an equivalent; None if no tool contains one of them, or if there are no words."""
        if self.unknown or not self.terms:
            return None
        return all_of(any_of(one.expression for one in term.same) for term in self.terms)

    @cached_property
    def importance(self) -> float:
        return sum(term.importance for term in self.terms)


def plan_of(query: Query) -> Plan:
    """Plan the search for `query`: takes one or two database queries, and one more for each unknown word."""
    same = {word: _equivalents(word, query) for word in query.words}
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
            same[word] |= {token: TYPO_WEIGHT for _, token in meant}
            if meant:
                corrections[word.typed] = meant[0][0]
    terms = [_term(word, same[word], related[word], counts) for word in query.words]
    known = sorted((term for term in terms if term.alternatives), key=lambda term: -term.importance)
    return Plan(
        query=query,
        terms=tuple(known[:MAX_WORDS]),
        unknown=any(not term.same for term in terms),
        corrections=tuple(corrections.items()),
        actions=first_action_of(query.all_tokens),
    )


class _Counts:
    """The number of tools that contain a token; an upper bound for two adjacent tokens."""

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

    def inverse_frequency(self, documents: int) -> float:
        """BM25's inverse document frequency of a token in so many documents."""
        total = max(self.known.get(vocabulary.ALL, 0), documents)
        return math.log(1 + (total - documents + 0.5) / (documents + 0.5))


def _equivalents(word: Word, query: Query) -> Weights:
    """The tokens equivalent to `word` with their weights, whether or not the catalog contains them."""
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
    documents = [own] if own else [one.documents for one in (*good, *near)]
    return Term(word, good, near, word.weight * max(map(counts.inverse_frequency, documents), default=0))


def _alternatives(word: Word, weights: Weights, counts: _Counts) -> tuple[Alternative, ...]:
    found = [
        Alternative(token, weight, documents, word.weight * weight * counts.inverse_frequency(documents))
        for token, weight in weights.items()
        if (documents := counts.of(token))
    ]
    return tuple(sorted(found, key=lambda one: -one.score))


def _expression(condition: Condition) -> Expression:
    return any_of(map(Token, (condition.key, *condition.others)))
