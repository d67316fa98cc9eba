"""Score how well a tool matches a query. Only candidates are scored.

The score follows BM25F: a word counts by its inverse document frequency and by the field that
contains it, and each repetition counts less. Further factors are the share of the query that was
found, its share of the name, adjacent words, and whether the tool's action is the one that the
query asks for.

Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009,
section 3.6 (fields).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Final, NamedTuple

from catalog.index.document import IndexedText
from catalog.index.plan import Plan, Term
from catalog.index.verbs import actions_of, compare_actions

NAME_WEIGHT: Final = 4.0
ABOUT_WEIGHT: Final = 2.0
TAKES_WEIGHT: Final = 1.5
AROUND_WEIGHT: Final = 0.7
SATURATION: Final = 1.5  # BM25's k1: how soon further repetitions of a word stop mattering
LENGTH_SHARE: Final = 0.3  # BM25's b: how much the length of a text reduces its weight
# Typical lengths, in characters.
USUAL_NAME: Final = 25
USUAL_ABOUT: Final = 120
USUAL_TAKES: Final = 250

# The part of the score that is proportional to the share of the query that was found.
COVERAGE_SHARE: Final = 0.4
NAME_SHARE_BONUS: Final = 0.8  # for a name that contains nothing else
# For each quoted phrase of several words that the name, description or parameters contain.
PHRASE_BONUS: Final = 0.3
ADJACENCY_BONUS: Final = 0.2  # for each two words that are adjacent in both
ACTION_BONUS: Final = 0.25
DEPRECATED_FACTOR: Final = 0.5
FEW_TERMS: Final = 16  # of more terms, only those that a tool's tokens may match are examined


class _RankedTerm(NamedTuple):
    """A word of the query: its importance, and (token, score, weight) of each alternative.

    There is a space before and after the token, as in the texts of the index.
    """

    importance: float
    alternatives: list[tuple[str, float, float]]


class Ranking:
    """Scores tools for one plan."""

    def __init__(self, plan: Plan) -> None:
        self.terms = [_prepare_term(term) for term in plan.terms]
        self.terms_by_token: defaultdict[str, list[int]] = defaultdict(list)
        if len(self.terms) > FEW_TERMS:
            for index, term in enumerate(plan.terms):
                for alternative in term.alternatives:
                    self.terms_by_token[alternative.tokens[0]].append(index)
        self.total = plan.importance or 1.0
        self.actions = plan.actions
        self.action_bonus = ACTION_BONUS * plan.share
        self.pairs = []
        for pair in plan.query.pairs:
            self.pairs.append((f" {pair.first} {pair.second} ", f" {pair.compound} "))
        self.phrases = [f" {' '.join(phrase)} " for phrase in plan.query.phrases if len(phrase) > 1]

    def score(self, text: IndexedText) -> float:
        """The higher, the better."""
        names, about, takes, around, _ = text
        all_texts = f"{names}{about}{takes}{around}"
        name_share = NAME_WEIGHT / _length_factor(names, USUAL_NAME)
        about_share = ABOUT_WEIGHT / _length_factor(about, USUAL_ABOUT)
        takes_share = TAKES_WEIGHT / _length_factor(takes, USUAL_TAKES)
        score = coverage = 0.0
        in_name = set()
        for importance, alternatives in self._choose_terms(all_texts):
            best = best_weight = 0.0
            for token, worth, weight in alternatives:
                if worth * (SATURATION + 1) <= best or token not in all_texts:
                    continue
                frequency = about_share * about.count(token) + takes_share * takes.count(token)
                if token in names:
                    frequency += name_share * names.count(token)
                    in_name.add(token)
                if token in around:
                    frequency += AROUND_WEIGHT
                value = worth * frequency * (SATURATION + 1) / (frequency + SATURATION)
                if value > best:
                    best, best_weight = value, weight
            score += best
            coverage += importance * best_weight
        return score * self._compute_factor(text, min(1.0, coverage / self.total), len(in_name))

    def _choose_terms(self, all_texts: str) -> list[_RankedTerm]:
        """All terms; of many, those that a tool with these tokens may match."""
        if not self.terms_by_token:
            return self.terms
        indexes: set[int] = set()
        for token in self.terms_by_token.keys() & set(all_texts.split()):
            indexes.update(self.terms_by_token[token])
        return [self.terms[index] for index in sorted(indexes)]

    def _compute_factor(self, text: IndexedText, coverage: float, words_in_name: int) -> float:
        factor = 1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage
        phrases = 0
        if words_in_name or self.actions:
            names = frozenset(text.names.split())
            factor *= 1 + NAME_SHARE_BONUS * min(1.0, words_in_name / max(1, len(names)))
            factor *= 1 + self.action_bonus * compare_actions(self.actions, actions_of(names))
        if self.pairs:
            texts = text.names + text.about
            pairs = sum(phrase in texts or compound in texts for phrase, compound in self.pairs)
            factor *= 1 + ADJACENCY_BONUS * pairs
        for phrase in self.phrases:
            if phrase in text.names or phrase in text.about or phrase in text.takes:
                phrases += 1
        factor *= 1 + PHRASE_BONUS * phrases
        return factor * DEPRECATED_FACTOR if text.is_deprecated else factor


def _prepare_term(term: Term) -> _RankedTerm:
    alternatives = []
    for alternative in term.alternatives:
        token = f" {alternative.token} "
        alternatives.append((token, alternative.score, alternative.weight))
    return _RankedTerm(term.importance, alternatives)


def _length_factor(text: str, usual: int) -> float:
    return 1 - LENGTH_SHARE + LENGTH_SHARE * len(text) / usual


def sort_by_score(scores: Mapping[int, float]) -> list[int]:
    """Primary keys, the highest score first; with equal scores, the older tool first."""
    return sorted(scores, key=lambda pk: (-scores[pk], pk))
