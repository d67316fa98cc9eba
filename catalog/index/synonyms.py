"""Words that may match instead of a word: synonyms in software, and words of the same subject.

The words are in `synonyms.txt`, which explains its format.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """The alternatives of a stem, the closest first, each with its weight relative to the word itself (1).

    An alternative is a stem, or two adjacent ones, separated by a space.
    `same`: synonyms. `related`: words of the same subject.
    """

    same: tuple[tuple[str, float], ...] = ()
    related: tuple[tuple[str, float], ...] = ()


NO_ALTERNATIVES: Final = Alternatives()


def alternatives_of(word_stem: str) -> Alternatives:
    """The alternatives of a stem, or of two separated by a space; `NO_ALTERNATIVES` if the thesaurus has none."""
    return _thesaurus().get(word_stem, NO_ALTERNATIVES)


@cache
def _thesaurus() -> Mapping[str, Alternatives]:
    return read_thesaurus(
        files("catalog").joinpath("index/synonyms.txt").read_text(encoding="utf-8")
    )


def read_thesaurus(text: str) -> dict[str, Alternatives]:
    same: dict[str, dict[str, float]] = {}
    related: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        for one, other, weight, relation in _pairs(line.partition("#")[0]):
            others = (same if relation == "same" else related).setdefault(_stems(one), {})
            others[_stems(other)] = max(weight, others.get(_stems(other), 0))
    return {
        word: _alternatives(word, same.get(word, {}), related.get(word, {}))
        for word in {*same, *related}
    }


def _pairs(line: str) -> Iterator[tuple[str, str, float, str]]:
    """(word, other, weight, "same" or "related") for each relation in a line."""
    if "=" in line:
        words = [word.strip() for word in line.split("=")]
        yield from ((one, other, SAME_WEIGHT, "same") for one, other in permutations(words, 2))
    elif ":" in line:
        subject, _, belonging = line.partition(":")
        for word in belonging.split():
            yield word, subject, SUBJECT_WEIGHT, "related"
            yield subject, word, BELONGING_WEIGHT, "related"


def _stems(words: str) -> str:
    return " ".join(map(stem, words.split()))


def _alternatives(
    word: str, same: Mapping[str, float], related: Mapping[str, float]
) -> Alternatives:
    same_words = {other: weight for other, weight in same.items() if other != word}
    related_words = {
        other: weight for other, weight in related.items() if other not in {word, *same_words}
    }
    return Alternatives(_closest_first(same_words), _closest_first(related_words))


def _closest_first(weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(weights.items(), key=lambda pair: -pair[1]))
