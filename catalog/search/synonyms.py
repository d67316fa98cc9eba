"""What other words a word may stand for: the synonyms of the trade, and words that belong to a subject.

The words are in `synonyms.txt`, which says how to read it. Nothing here knows Django or a database.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import permutations
from typing import Final

from catalog.search.stemmer import stem

SAME_WEIGHT: Final = 0.4
SUBJECT_WEIGHT: Final = 0.6  # of the subject, where a word that belongs to it was asked for
BELONGING_WEIGHT: Final = 0.25  # of a word that belongs to the subject that was asked for


@dataclass(frozen=True, slots=True)
class Kin:
    """What may stand for a stem, the closest first, each with what it counts beside the word itself (1).

    It is a stem, or two with a space between them, which stand side by side.
    `same`: they say the same. `related`: they are about the same.
    """

    same: tuple[tuple[str, float], ...] = ()
    related: tuple[tuple[str, float], ...] = ()


NO_KIN: Final = Kin()


def kin_of(word_stem: str) -> Kin:
    """What stands for a stem, or for two with a space between them; `NO_KIN` where the thesaurus does not know it."""
    return _thesaurus().get(word_stem, NO_KIN)


@cache
def _thesaurus() -> Mapping[str, Kin]:
    return read_thesaurus(files("catalog").joinpath("search/synonyms.txt").read_text(encoding="utf-8"))


def read_thesaurus(text: str) -> dict[str, Kin]:
    same: dict[str, dict[str, float]] = {}
    related: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        for one, other, weight, kind in _pairs(line.partition("#")[0]):
            others = (same if kind == "same" else related).setdefault(_stems(one), {})
            others[_stems(other)] = max(weight, others.get(_stems(other), 0))
    return {word: _kin(word, same.get(word, {}), related.get(word, {})) for word in {*same, *related}}


def _pairs(line: str) -> Iterator[tuple[str, str, float, str]]:
    """(word, other, weight, kind): what a line says of each word."""
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


def _kin(word: str, same: Mapping[str, float], related: Mapping[str, float]) -> Kin:
    same_words = {other: weight for other, weight in same.items() if other != word}
    related_words = {other: weight for other, weight in related.items() if other not in {word, *same_words}}
    return Kin(_closest_first(same_words), _closest_first(related_words))


def _closest_first(weights: Mapping[str, float]) -> tuple[tuple[str, float], ...]:
    return tuple(sorted(weights.items(), key=lambda pair: -pair[1]))
