"""Score how well a tool matches a query. Only candidates are scored.

The score follows BM25F: a word counts by its inverse document frequency and by the field that
contains it, and each repetition counts less. Further factors are the share of the query that was
found, its share of the name, adjacent words, and whether the tool's action is the one that the
query asks for.

Source: Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009, section 3.6 (fields).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from catalog.index.document import IndexedText
from catalog.index.plan import Plan, Term
from catalog.index.verbs import actions_of, agreement

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

COVERAGE_SHARE: Final = (
    0.4  # the part of the score that is proportional to the share of the query that was found
)
NAME_SHARE_BONUS: Final = 0.8  # for a name that contains nothing else
PHRASE_BONUS: Final = (
    0.3  # for each quoted phrase of several words that the name, description or parameters contain
)
ADJACENCY_BONUS: Final = 0.2  # for each two words that are adjacent in both
ACTION_BONUS: Final = 0.25
DEPRECATED_FACTOR: Final = 0.5
FEW_TERMS: Final = 16  # of more terms, only those that a tool's tokens may match are examined


_ScoredTerm = tuple[
    float, list[tuple[str, float, float]]
]  # importance; token, score and weight of each alternative


class Ranking:
    """Scores tools for one plan."""

    def __init__(self, plan: Plan) -> None:
        self.terms = [_scored(term) for term in plan.terms]
        self.terms_by_token: dict[str, list[int]] = {}
        if len(self.terms) > FEW_TERMS:
            for index, term in enumerate(plan.terms):
                for one in term.alternatives:
                    self.terms_by_token.setdefault(one.token.partition(" ")[0], []).append(index)
        self.total = plan.importance or 1.0
        self.actions = plan.actions
        self.action_bonus = ACTION_BONUS * plan.share
        self.pairs = [
            (f" {pair.first} {pair.second} ", f" {pair.joined} ") for pair in plan.query.pairs
        ]
        self.phrases = [f" {' '.join(phrase)} " for phrase in plan.query.phrases if len(phrase) > 1]

    def score(self, text: IndexedText) -> float:
        """The higher, the better."""
        names, about, takes, around, _ = text
        whole = f"{names}{about}{takes}{around}"
        name_share = NAME_WEIGHT / _length_factor(names, USUAL_NAME)
        about_share = ABOUT_WEIGHT / _length_factor(about, USUAL_ABOUT)
        takes_share = TAKES_WEIGHT / _length_factor(takes, USUAL_TAKES)
        value = covered = 0.0
        in_name = set()
        for importance, alternatives in self._terms_in(whole):
            best = best_weight = 0.0
            for token, worth, weight in alternatives:
                if worth * (SATURATION + 1) <= best or token not in whole:
                    continue
                found = about_share * about.count(token) + takes_share * takes.count(token)
                if token in names:
                    found += name_share * names.count(token)
                    in_name.add(token)
                if token in around:
                    found += AROUND_WEIGHT
                counts = worth * found * (SATURATION + 1) / (found + SATURATION)
                if counts > best:
                    best, best_weight = counts, weight
            value += best
            covered += importance * best_weight
        return value * self._factor(text, min(1.0, covered / self.total), len(in_name))

    def _terms_in(self, whole: str) -> list[_ScoredTerm]:
        """All terms; of many, those that a tool with these tokens may match."""
        if not self.terms_by_token:
            return self.terms
        tokens = self.terms_by_token.keys() & set(whole.split())
        return [
            self.terms[index]
            for index in sorted({one for token in tokens for one in self.terms_by_token[token]})
        ]

    def _factor(self, text: IndexedText, covered: float, words_in_name: int) -> float:
        factor = 1 - COVERAGE_SHARE + COVERAGE_SHARE * covered
        if words_in_name or self.actions:
            names = frozenset(text.names.split())
            factor *= 1 + NAME_SHARE_BONUS * min(1.0, words_in_name / max(1, len(names)))
            factor *= 1 + self.action_bonus * agreement(self.actions, actions_of(names))
        if self.pairs:
            read = text.names + text.about
            adjacent = sum(apart in read or joined in read for apart, joined in self.pairs)
            factor *= 1 + ADJACENCY_BONUS * adjacent
        if self.phrases:
            quoted = sum(any(phrase in one for one in text[:3]) for phrase in self.phrases)
            factor *= 1 + PHRASE_BONUS * quoted
        return factor * DEPRECATED_FACTOR if text.deprecated else factor


def _scored(term: Term) -> _ScoredTerm:
    return term.importance, [(f" {one.token} ", one.score, one.weight) for one in term.alternatives]


def _length_factor(text: str, usual: int) -> float:
    return 1 - LENGTH_SHARE + LENGTH_SHARE * len(text) / usual


def best_first(scores: Mapping[int, float]) -> list[int]:
    """Primary keys, the highest score first; with equal scores, the older tool first."""
    return sorted(scores, key=lambda pk: (-scores[pk], pk))
