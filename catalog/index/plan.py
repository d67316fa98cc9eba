"""Turn a query into a plan: the alternatives of its words in this catalog, and their weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Final

from catalog.index import Match, search_index, typos, vocabulary
from catalog.index.boolean_query import Expression, Token, all_of, any_of, phrase_of
from catalog.index.parser import Query, Word
from catalog.index.synonyms import alternatives_of
from catalog.index.tokenizer import split_in_two
from catalog.index.verbs import first_action_of
from catalog.index.visibility import ALL_TOOLS, Visibility

MAX_WORDS: Final = 64  # words that are searched: the most distinctive ones
# With more words, synonyms and the action count less, because the query is specific by itself.
FEW_WORDS: Final = 20
MAX_CORRECTED: Final = 3  # words of a query that are checked for typos; sentences are not checked
# Of a word that begins with the typed text, relative to the exact word.
BEGINNING_WEIGHT: Final = 0.8
TYPO_WEIGHT: Final = 0.7
MAX_SPLITS: Final = 3  # ways to split a word that are tried
COMPOUND_WEIGHT: Final = 0.9  # of two adjacent words that make up the word together
MAX_COMPOUNDS: Final = 8  # words of a query that are split
RARE_COMPOUND: Final = 50  # a compound that more tools contain as one word is not split
VERB_SHARE: Final = 0.7  # of the weight of the verb that asks for an action, beside other words
FOREIGN_WORDS: Final = 4  # a shorter query is not examined for its language
# Of the words of a query in another language that are also grammatical words of English.
GRAMMAR_SHARE: Final = 0.2
# Of the weight of a word that one tool contains, in a query in another language.
FOREIGN_SHARE: Final = 0.2
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
    def tokens(self) -> list[str]:
        return self.token.split(" ")

    @property
    def expression(self) -> Expression:
        return phrase_of(tuple(self.tokens))


@dataclass(frozen=True, slots=True)
class Term:
    """A word of the query in this catalog.

    Attributes:
        same: equivalent tokens: the word itself, its completions, its synonyms; () if no tool
            contains any of them.
        relatives: tokens of the same subject.
        importance: the word's inverse document frequency, times its weight.
    """

    word: Word
    same: tuple[Alternative, ...]
    relatives: tuple[Alternative, ...]
    importance: float

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        return (*self.same, *self.relatives)

    @property
    def same_tokens(self) -> frozenset[str]:
        return frozenset(alternative.token for alternative in self.same)

    @property
    def any_equivalent(self) -> Expression:
        """Matches the word or an equivalent; there is at least one."""
        return any_of(alternative.expression for alternative in self.same)


@dataclass(frozen=True)
class Plan:
    """How to search a query in this catalog.

    Attributes:
        terms: its words for which any tool contains the word or an alternative; at most
            `MAX_WORDS`.
        has_unknown: whether there are words for which no tool contains the word or an equivalent.
        corrections: (as typed, as searched), for each corrected typo.
        actions: the action that the query asks for (see verbs.py).
        share: the weight of synonyms and of the action; less than 1 for a long request.
    """

    query: Query
    terms: tuple[Term, ...]
    has_unknown: bool
    corrections: tuple[tuple[str, str], ...]
    actions: frozenset[str]
    share: float = 1.0

    @cached_property
    def required(self) -> tuple[Expression, ...]:
        """The conditions of the index that a tool must match besides words and phrases."""
        return self._list_conditions(holds=True)

    @cached_property
    def phrases(self) -> tuple[Expression, ...]:
        """The quoted phrases."""
        return tuple(map(phrase_of, self.query.phrases))

    @cached_property
    def excluded(self) -> tuple[Expression, ...]:
        """The conditions, words and phrases that a tool must not match."""
        return (*self._list_conditions(holds=False), *map(phrase_of, self.query.excluded))

    @property
    def missing_words(self) -> list[str]:
        """The words, as typed, for which no tool has the word or an equivalent.

        [] for a long query.
        """
        if len(self.query.words) > FEW_WORDS:
            return []
        known = {term.word.text for term in self.terms if term.same}
        return [word.text for word in self.query.words if word.text not in known]

    def _list_conditions(self, *, holds: bool) -> tuple[Expression, ...]:
        expressions = []
        for condition in self.query.conditions:
            if condition.is_indexed and condition.holds == holds:
                expressions.append(condition.expression)
        return tuple(expressions)

    @cached_property
    def every_word(self) -> Expression | None:
        """Matches every word or an equivalent.

        None if no tool contains one of them, or if there are no words.
        """
        if self.has_unknown or not self.terms:
            return None
        return all_of(term.any_equivalent for term in self.terms)

    @cached_property
    def importance(self) -> float:
        return sum(term.importance for term in self.terms)


def make_plan(query: Query, visibility: Visibility = ALL_TOOLS) -> Plan:
    """Plan the search for `query`: one or two database queries, and a few for each unknown word.

    Words that only hidden tools contain are unknown, so that no correction or completion reveals
    them.
    """
    share = min(1.0, FEW_WORDS / max(1, len(query.words)))
    same: dict[Word, Weights] = {}
    relatives: dict[Word, Weights] = {}
    for word in query.words:
        if len(query.words) > MAX_WORDS:
            same[word], relatives[word] = {word.token: 1.0}, {}
        else:
            same[word] = _find_equivalents(word, query, share)
            relatives[word] = _find_relatives(word, same[word], share)
    counts = _Counts(visibility)
    counts.look_up(chain(*same.values(), *relatives.values()))
    for word in query.words:
        if word.open_ended:
            beginnings = dict.fromkeys(vocabulary.find_beginnings(word.text), BEGINNING_WEIGHT)
            counts.look_up(beginnings)
            same[word] = beginnings | same[word]
    for word, compound in _find_compounds(query.words, counts):
        same[word][compound] = COMPOUND_WEIGHT
    corrections = {} if query.sentence else _correct_typos(same, counts)
    weights = _weigh_words(query, counts)
    terms = []
    for word in query.words:
        terms.append(_make_term(weights[word], same[word], relatives[word], counts))
    known_terms = [term for term in terms if term.alternatives]
    known_terms.sort(key=lambda term: -term.importance)
    return Plan(
        query=query,
        terms=tuple(known_terms[:MAX_WORDS]),
        has_unknown=any(not term.same for term in terms),
        corrections=tuple(corrections.items()),
        actions=first_action_of(query.all_tokens),
        share=share,
    )


class _Counts:
    """The number of tools that contain a token; an upper bound for two adjacent tokens."""

    def __init__(self, visibility: Visibility) -> None:
        self.visibility = visibility
        self.counts: dict[str, int] = {}
        self.looked_up: set[str] = set()

    def look_up(self, tokens: Iterable[str]) -> None:
        new = {vocabulary.ALL}
        for token in tokens:
            new.update(token.split(" "))
        new -= self.looked_up
        if not new:
            return
        self.looked_up |= new
        counts = vocabulary.read_counts(new)
        self.counts |= counts if self.visibility.is_complete else self._filter_visible(counts)

    def _filter_visible(self, counts: dict[str, int]) -> dict[str, int]:
        """The counts without tokens that only hidden tools contain.

        Tokens in few tools are looked up one by one.
        """
        index = search_index()
        most = max(counts.values(), default=0)
        if self.visibility.only is None:
            most = index.count(Match((self.visibility.hidden_tools,)), at_most=most)
        visible = {}
        for token, count in counts.items():
            if count <= most and token != vocabulary.ALL:
                match = self.visibility.limit(Match((Token(token),)))
                if not index.count(match, at_most=1):
                    continue
            visible[token] = count
        return visible

    def get(self, token: str) -> int:
        return min(self.counts.get(part, 0) for part in token.split(" "))

    def inverse_frequency(self, documents: int) -> float:
        total = max(self.counts.get(vocabulary.ALL, 0), documents)
        return inverse_document_frequency(documents, total)


def inverse_document_frequency(documents: int, total: int) -> float:
    """The inverse document frequency of BM25, for a token in `documents` of `total` documents."""
    return math.log(1 + (total - documents + 0.5) / (documents + 0.5))


def _find_equivalents(word: Word, query: Query, share: float) -> Weights:
    """The tokens equivalent to `word` with their weights, whether or not a tool contains them."""
    weights = {word.token: 1.0}
    if word.exact:
        return weights
    if word.compound:
        weights[word.compound] = 1.0
    phrases = []
    for pair in query.pairs:
        if word.token in {pair.first, pair.second}:
            weights[pair.compound] = 1.0
            phrases.append(f"{pair.first} {pair.second}")
    for token in [*weights, *phrases]:
        for other, weight in alternatives_of(token).same:
            weights.setdefault(other, weight * share)
    return weights


def _find_compounds(words: Iterable[Word], counts: _Counts) -> Iterator[tuple[Word, str]]:
    """Rare words that two adjacent words of the catalog form: "cosmosdb" -> "cosmo db"."""
    splits = {}
    for word in words:
        if not word.exact and counts.get(word.token) <= RARE_COMPOUND:
            splits[word] = split_in_two(word.text)
    rarest = sorted(filter(splits.get, splits), key=lambda word: counts.get(word.token))
    few = rarest[:MAX_COMPOUNDS]
    counts.look_up(chain.from_iterable(splits[word] for word in few))
    for word in few:
        compounds = sorted(filter(counts.get, splits[word]), key=counts.get, reverse=True)
        for compound in compounds[:MAX_SPLITS]:
            if search_index().find(Match((phrase_of(tuple(compound.split(" "))),)), limit=1):
                yield word, compound
                break


def _correct_typos(same: dict[Word, Weights], counts: _Counts) -> dict[str, str]:
    """Add what unknown words may mean to `same`, and return the corrections, as in `Plan`."""
    corrections: dict[str, str] = {}
    for word, weights in same.items():
        if len(corrections) == MAX_CORRECTED:
            break
        if word.exact or any(map(counts.get, weights)):
            continue
        similar_words = typos.find_corrections(word.text)
        counts.look_up(token for _, token in similar_words)
        for text, token in similar_words:
            weights[token] = TYPO_WEIGHT
            if counts.get(token):
                corrections.setdefault(word.text, text)
    return corrections


def _weigh_words(query: Query, counts: _Counts) -> dict[Word, Word]:
    """The words with the weights that they have beside each other.

    What a request is about matters more than the verb. In another language, the few words that a
    tool contains by coincidence would be the rarest ones, and so the most important.
    """
    weights = {}
    is_foreign = _is_foreign(query, counts)
    is_alone = len(query.words) == 1
    verb = next((word for word in query.words if first_action_of([word.token])), None)
    for word in query.words:
        weight = word.weight
        if word == verb and not is_alone:
            weight *= VERB_SHARE
        if is_foreign and counts.get(word.token) == 1:
            weight *= FOREIGN_SHARE
        weights[word] = replace(word, weight=weight)
    return weights


def _is_foreign(query: Query, counts: _Counts) -> bool:
    """Whether a query seems to be in another language than the catalog and English.

    At most one tool contains each of half of its words, and hardly any were left out because they
    mean little.
    """
    tokens = {word.token for word in query.words}
    left_out = sum(token not in tokens for token in query.all_tokens)
    if len(tokens) < FOREIGN_WORDS or left_out > GRAMMAR_SHARE * len(query.all_tokens):
        return False
    rare = sum(counts.get(token) <= 1 for token in tokens)
    return rare * 2 >= len(tokens)


def _find_relatives(word: Word, same: Weights, share: float) -> Weights:
    if word.exact:
        return {}
    relatives = alternatives_of(word.token).relatives
    return {token: weight * share for token, weight in relatives if token not in same}


def _make_term(word: Word, same: Weights, relatives: Weights, counts: _Counts) -> Term:
    equivalents = _list_alternatives(word, same, counts)
    others = _list_alternatives(word, relatives, counts)
    documents = counts.get(word.token)
    if not documents:
        alternatives = (*equivalents, *others)
        documents = min((alternative.documents for alternative in alternatives), default=0)
    frequency = counts.inverse_frequency(documents) if documents else 0
    return Term(word, equivalents, others, importance=word.weight * frequency)


def _list_alternatives(word: Word, weights: Weights, counts: _Counts) -> tuple[Alternative, ...]:
    """The alternatives that the catalog contains, the best first."""
    alternatives = []
    for token, weight in weights.items():
        documents = counts.get(token)
        if documents:
            score = word.weight * weight * counts.inverse_frequency(documents)
            alternatives.append(Alternative(token, weight, documents, score))
    alternatives.sort(key=lambda alternative: -alternative.score)
    return tuple(alternatives)
