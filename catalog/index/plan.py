"""Turn a query into a plan: the alternatives of each word that this catalog contains, and their weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

from catalog.index import Match, search_index, typos, vocabulary
from catalog.index.boolean_query import Expression, Token, adjacent, all_of, any_of
from catalog.index.filters import Condition
from catalog.index.parser import Query, Word
from catalog.index.synonyms import alternatives_of
from catalog.index.tokenizer import halves_of
from catalog.index.verbs import first_action_of
from catalog.index.visibility import ALL_TOOLS, Visibility

MAX_WORDS: Final = 64  # words that are searched: the most distinctive ones
FEW_WORDS: Final = 20  # with more words, synonyms and the action count less, because the query is specific by itself
MAX_CORRECTED: Final = 3  # words of a query that are checked for typos; sentences are not checked
BEGINNING_WEIGHT: Final = (
    0.8  # of a word that begins with the typed text, relative to the exact word
)
TYPO_WEIGHT: Final = 0.7
MAX_SPLITS: Final = 3  # ways to split a word that are tried
COMPOUND_WEIGHT: Final = 0.9  # of two adjacent words that make up the word together
MAX_COMPOUNDS: Final = 8  # words of a query that are split
RARE_COMPOUND: Final = 50  # a compound that more tools contain as one word is not split
VERB_SHARE: Final = 0.7  # of the weight of the verb that asks for an action, beside other words
FOREIGN_WORDS: Final = 4  # a shorter query is not examined for its language
GRAMMAR_SHARE: Final = (
    0.2  # of the words of a query in another language that are also grammatical words of English
)
FOREIGN_SHARE: Final = (
    0.2  # of the weight of a word that one tool contains, in a query in another language
)
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
        same: equivalent tokens: the word itself, its completions, its synonyms; () if no tool
            contains any of them.
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


@dataclass(frozen=True)
class Plan:
    """How to search a query in this catalog.

    Attributes:
        terms: its words for which any tool contains the word or an alternative; at most
            `MAX_WORDS`.
        unknown: whether there are words for which no tool contains the word or an equivalent.
        corrections: (as typed, as searched), for each corrected typo.
        actions: the action that the query asks for (see verbs.py).
        share: the weight of synonyms and of the action; less than 1 for a long request.
    """

    query: Query
    terms: tuple[Term, ...]
    unknown: bool
    corrections: tuple[tuple[str, str], ...]
    actions: frozenset[str]
    share: float = 1.0

    @cached_property
    def wanted(self) -> tuple[Expression, ...]:
        """The conditions of the index that a tool must match besides words and phrases."""
        return tuple(_expression(one) for one in self._indexed if one.holds)

    @cached_property
    def phrases(self) -> tuple[Expression, ...]:
        """The quoted phrases."""
        return tuple(map(adjacent, self.query.phrases))

    @cached_property
    def unwanted(self) -> tuple[Expression, ...]:
        """The conditions, words and phrases that a tool must not match."""
        refused = [_expression(one) for one in self._indexed if not one.holds]
        return (*refused, *map(adjacent, self.query.unwanted))

    @property
    def missing_words(self) -> list[str]:
        """The words, as typed, that no tool contains, nor an equivalent of them; [] for a long query."""
        if len(self.query.words) > FEW_WORDS:
            return []
        known = {term.word.typed for term in self.terms if term.same}
        return [word.typed for word in self.query.words if word.typed not in known]

    @property
    def _indexed(self) -> list[Condition]:
        return [condition for condition in self.query.conditions if condition.is_indexed]

    @cached_property
    def strictly(self) -> Expression | None:
        """Matches every word or an equivalent; None if no tool contains one of them, or if there are no words."""
        if self.unknown or not self.terms:
            return None
        return all_of(any_of(one.expression for one in term.same) for term in self.terms)

    @cached_property
    def importance(self) -> float:
        return sum(term.importance for term in self.terms)


def plan_of(query: Query, visibility: Visibility = ALL_TOOLS) -> Plan:
    """Plan the search for `query`: takes one or two database queries, and a few more for each unknown word.

    Words that only hidden tools contain are unknown, so that no correction or completion reveals
    them.
    """
    share = min(1.0, FEW_WORDS / max(1, len(query.words)))
    if len(query.words) > MAX_WORDS:
        same = {word: {word.token: 1.0} for word in query.words}
        related: dict[Word, Weights] = {word: {} for word in query.words}
    else:
        same = {word: _equivalents(word, query, share) for word in query.words}
        related = {word: _related(word, same[word], share) for word in query.words}
    counts = _Counts(visibility)
    counts.look_up(chain(*same.values(), *related.values()))
    for word in query.words:
        if word.open_ended:
            beginnings = dict.fromkeys(vocabulary.beginning_with(word.typed), BEGINNING_WEIGHT)
            counts.look_up(beginnings)
            same[word] = beginnings | same[word]
    for word, compound in _compounds(query.words, counts):
        same[word][compound] = COMPOUND_WEIGHT
    corrections: dict[str, str] = {}
    for word in () if query.sentence else query.words:
        if (
            len(corrections) < MAX_CORRECTED
            and not word.exact
            and not any(map(counts.of, same[word]))
        ):
            meant = typos.meant_by(word.typed)
            counts.look_up(token for _, token in meant)
            same[word] |= {token: TYPO_WEIGHT for _, token in meant}
            if any(counts.of(token) for _, token in meant):
                corrections[word.typed] = next(text for text, token in meant if counts.of(token))
    weighted = _weigh_words(query, counts)
    terms = [_term(weighted[word], same[word], related[word], counts) for word in query.words]
    known = sorted((term for term in terms if term.alternatives), key=lambda term: -term.importance)
    return Plan(
        query=query,
        terms=tuple(known[:MAX_WORDS]),
        unknown=any(not term.same for term in terms),
        corrections=tuple(corrections.items()),
        actions=first_action_of(query.all_tokens),
        share=share,
    )


class _Counts:
    """The number of tools that contain a token; an upper bound for two adjacent tokens."""

    def __init__(self, visibility: Visibility) -> None:
        self.visibility = visibility
        self.known: dict[str, int] = {}
        self.asked: set[str] = set()

    def look_up(self, tokens: Iterable[str]) -> None:
        new = {part for token in tokens for part in token.split(" ")} | {vocabulary.ALL}
        new -= self.asked
        self.asked |= new
        found = vocabulary.counts_of(new) if new else {}
        self.known |= found if self.visibility.is_complete else self._visible(found)

    def _visible(self, counts: dict[str, int]) -> dict[str, int]:
        """The counts without tokens that only hidden tools contain; tokens in few tools are looked up one by one."""
        index, visibility = search_index(), self.visibility
        most = max(counts.values(), default=0)
        if visibility.only is None:
            most = index.count(Match((visibility.hidden_tools,)), at_most=most)
        return {
            token: count
            for token, count in counts.items()
            if count > most
            or token == vocabulary.ALL
            or index.count(visibility.among(Match((Token(token),))), at_most=1)
        }

    def of(self, token: str) -> int:
        return min(self.known.get(part, 0) for part in token.split(" "))

    def inverse_frequency(self, documents: int) -> float:
        return inverse_document_frequency(
            documents, max(self.known.get(vocabulary.ALL, 0), documents)
        )


def inverse_document_frequency(documents: int, total: int) -> float:
    """The inverse document frequency of BM25, for a token in `documents` of `total` documents."""
    return math.log(1 + (total - documents + 0.5) / (documents + 0.5))


def _equivalents(word: Word, query: Query, share: float) -> Weights:
    """The tokens equivalent to `word` with their weights, whether or not the catalog contains them."""
    found = {word.token: 1.0}
    if word.exact:
        return found
    if word.joined:
        found[word.joined] = 1.0
    around = [pair for pair in query.pairs if word.token in {pair.first, pair.second}]
    found |= {pair.joined: 1.0 for pair in around}
    for token in [*found, *(f"{pair.first} {pair.second}" for pair in around)]:
        found |= {
            other: weight * share
            for other, weight in alternatives_of(token).same
            if other not in found
        }
    return found


def _compounds(words: Iterable[Word], counts: _Counts) -> Iterator[tuple[Word, str]]:
    """Rare words that two adjacent words of the catalog make up together: "cosmosdb" -> "cosmo db"."""
    rare = [word for word in words if not word.exact and counts.of(word.token) <= RARE_COMPOUND]
    splits = {word: halves for word in rare if (halves := halves_of(word.typed))}
    few = sorted(splits, key=lambda word: counts.of(word.token))[:MAX_COMPOUNDS]
    counts.look_up(chain.from_iterable(splits[word] for word in few))
    for word in few:
        for compound in sorted(filter(counts.of, splits[word]), key=counts.of, reverse=True)[
            :MAX_SPLITS
        ]:
            if search_index().matching(Match((adjacent(tuple(compound.split(" "))),)), limit=1):
                yield word, compound
                break


def _weigh_words(query: Query, counts: _Counts) -> dict[Word, Word]:
    """The words with the weights that they have beside each other.

    What a request is about matters more than the verb. In another language, the few words that a
    tool contains by coincidence would be the rarest ones, and so the most important.
    """
    weighted = {word: word for word in query.words}
    verb = next((word for word in query.words if first_action_of([word.token])), None)
    if verb is not None and len(query.words) > 1:
        weighted[verb] = replace(verb, weight=verb.weight * VERB_SHARE)
    if _is_foreign(query, counts):
        for word, new in weighted.items():
            if counts.of(word.token) == 1:
                weighted[word] = replace(new, weight=new.weight * FOREIGN_SHARE)
    return weighted


def _is_foreign(query: Query, counts: _Counts) -> bool:
    """Whether a query seems to be in another language than the catalog, and than English, whose grammar we know.

    At most one tool contains each of half of its words, and hardly any were left out because they
    mean little.
    """
    tokens = {word.token for word in query.words}
    left_out = [token for token in query.all_tokens if token not in tokens]
    unknown = [token for token in tokens if counts.of(token) <= 1]
    if len(tokens) < FOREIGN_WORDS or len(left_out) > GRAMMAR_SHARE * len(query.all_tokens):
        return False
    return len(unknown) * 2 >= len(tokens)


def _related(word: Word, same: Weights, share: float) -> Weights:
    if word.exact:
        return {}
    return {
        token: weight * share
        for token, weight in alternatives_of(word.token).related
        if token not in same
    }


def _term(word: Word, same: Weights, related: Weights, counts: _Counts) -> Term:
    good, near = _alternatives(word, same, counts), _alternatives(word, related, counts)
    own = counts.of(word.token)
    documents = [own] if own else [one.documents for one in (*good, *near)]
    return Term(
        word, good, near, word.weight * max(map(counts.inverse_frequency, documents), default=0)
    )


def _alternatives(word: Word, weights: Weights, counts: _Counts) -> tuple[Alternative, ...]:
    found = [
        Alternative(
            token, weight, documents, word.weight * weight * counts.inverse_frequency(documents)
        )
        for token, weight in weights.items()
        if (documents := counts.of(token))
    ]
    return tuple(sorted(found, key=lambda one: -one.score))


def _expression(condition: Condition) -> Expression:
    return any_of(map(Token, (condition.key, *condition.others)))
