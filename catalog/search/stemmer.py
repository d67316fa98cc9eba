"""Strip the endings of English words: "creating", "created" and "creates" all become "creat".

This is exactly the algorithm that FTS5 calls `porter`: Porter's, with his two later changes ("bli", "logi").

Two libraries were measured with their `porter` algorithm. Both give 7 of the 5,386 words of the committed specs another
stem ("technology" and "technological" no longer share one), so a stored index would have to be rebuilt; the quality of
the search (`bench.search_quality`, committed specs) is the same. CPU time per word, and to tokenize a new spec
(2,000 specs, empty caches):

    this module      11 us    0.31 to 0.34 ms
    snowballstemmer  46 us    0.46 to 0.55 ms; publishing in bulk takes some 15 % longer
    PyStemmer         1 us    0.29 ms: a compiled dependency, whose stemmers must not be shared by threads

Source: M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; the names of the steps are his.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

MAX_CHARACTERS: Final = 40  # longer words are not English

_C: Final = "[^aeiou][^aeiouy]*"
_V: Final = "[aeiouy][aeiou]*"
# Tests of the part before an ending. m counts how often a vowel is followed by a consonant in it.
_m_above_0: Final = re.compile(f"(?:{_C})?{_V}{_C}").match
_m_is_1: Final = re.compile(f"(?:{_C})?{_V}{_C}(?:{_V})?$").match
_m_above_1: Final = re.compile(f"(?:{_C})?{_V}{_C}{_V}{_C}").match
_has_vowel: Final = re.compile(f"(?:{_C})?[aeiouy]").match
_is_short: Final = re.compile(f"{_C}[aeiouy][^aeiouwxy]$").match

_STEP_2: Final = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "bli": "ble", "alli": "al",
    "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate", "alism": "al",
    "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive", "biliti": "ble", "logi": "log",
}  # fmt: skip
_STEP_3: Final = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_STEP_4: Final = dict.fromkeys(
    ("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous",
     "ive", "ize"), "",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a word in lower case. Words with other characters than a to z are returned unchanged."""
    if not 2 < len(word) <= MAX_CHARACTERS or not word.isascii() or not word.isalpha():
        return word
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5):
        word = step(word)
    return word


def _step_1a(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _step_1b(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _m_above_0(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            return _restored(rest) if _has_vowel(rest := word[: -len(ending)]) else word
    return word


def _restored(rest: str) -> str:
    if rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if len(rest) > 1 and rest[-1] == rest[-2] and rest[-1] not in "aeiouylsz":
        return rest[:-1]
    return rest + "e" if _is_short(rest) else rest


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _has_vowel(word[:-1]) else word


def _step_2(word: str) -> str:
    return _replaced(word, _STEP_2, 7)


def _step_3(word: str) -> str:
    return _replaced(word, _STEP_3, 5)


def _replaced(word: str, endings: Mapping[str, str], longest: int) -> str:
    for length in range(longest, 1, -1):
        if (ending := word[-length:]) in endings:
            return word[:-length] + endings[ending] if _m_above_0(word[:-length]) else word
    return word


def _step_4(word: str) -> str:
    for length in range(5, 1, -1):
        if word[-length:] in _STEP_4:
            return word[:-length] if _m_above_1(word[:-length]) else word
    return word[:-3] if word.endswith(("sion", "tion")) and _m_above_1(word[:-3]) else word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _m_above_1(rest) or (_m_is_1(rest) and not _is_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _m_above_1(word) else word
