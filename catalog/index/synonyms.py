"""Words that may match instead of a word: synonyms in software, and words of the same subject.

The words are in `synonyms.txt`, which explains its format.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import permutations
from typing import Final

from catalog.index.stemmer import stem

SAME_WEIGHT: Final = 0.4
SUBJECT_WEIGHT: Final = 0.6  # of the subject, if the query has a word that belongs to it
BELONGING_WEIGHT: Final = 0.25  # of a word that belongs to the subject in the query


@dataclass(frozen=True, slots=True)
class Alternatives:
    """The alternatives of a stem, the closest first, each with its weight; the word itself has 1.

    An alternative is a stem, or two adjacent ones, separated by a space.
    `same`: synonyms. `relatives`: words of the same subject.
    """

    same: tuple[tuple[str, float], ...] = ()
    relatives: tuple[tuple[str, float], ...] = ()


NO_ALTERNATIVES: Final = Alternatives()

Weights = defaultdict[str, dict[str, float]]  # of the alternatives of each word


def alternatives_of(word_stem: str) -> Alternatives:
    """The alternatives of a stem, or of two separated by a space; maybe `NO_ALTERNATIVES`."""
    return _load_thesaurus().get(word_stem, NO_ALTERNATIVES)


@cache
def _load_thesaurus() -> Mapping[str, Alternatives]:
    file = files("catalog") / "index/synonyms.txt"
    return read_thesaurus(file.read_text(encoding="utf-8"))


def read_thesaurus(text: str) -> dict[str, Alternatives]:
    same: Weights = defaultdict(dict)
    relatives: Weights = defaultdict(dict)
    for line in text.splitlines():
        relations = line.partition("#")[0]
        if "=" in relations:
            words = map(_stem_words, relations.split("="))
            for word, other in permutations(words, 2):
                same[word][other] = SAME_WEIGHT
        elif ":" in relations:
            subject, _, members = relations.partition(":")
            subject = _stem_words(subject)
            for member in map(stem, members.split()):
                _raise_weight(relatives[member], subject, SUBJECT_WEIGHT)
                _raise_weight(relatives[subject], member, BELONGING_WEIGHT)
    thesaurus = {}
    for word in {*same, *relatives}:
        for other in (word, *same[word]):
            relatives[word].pop(other, None)
        same[word].pop(word, None)
        thesaurus[word] = Alternatives(
            _sort_by_weight(same[word]), _sort_by_weight(relatives[word])
        )
    return thesaurus


def _raise_weight(weights: dict[str, float], word: str, weight: float) -> None:
    weights[word] = max(weight, weights.get(word, 0))


def _stem_words(words: str) -> str:
    return " ".join(map(stem, words.split()))


def _sort_by_weight(weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(weights.items(), key=lambda pair: -pair[1]))
