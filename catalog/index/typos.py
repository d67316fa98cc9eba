"""Typo tolerance: the words of the catalog that differ by one typo from an unknown word.

The table tool_typo has each word with one letter left out: two words that differ by one typo share
one of these. `vocabulary` writes it together with the other tables.

Source: Wolf Garbe, "Symmetric Delete spelling correction" (SymSpell).
"""

from __future__ import annotations

from collections.abc import Iterator
from os.path import commonprefix
from typing import Final

from django.db import connection

from toolshelf_core.db.sql import placeholders

MIN_TYPO_CHARS: Final = 4
MAX_TYPO_CHARS: Final = 24
MAX_MEANT: Final = 3


def find_corrections(unknown_word: str) -> list[tuple[str, str]]:
    """The words that are one typo away from an unknown word, as (word, token).

    The most frequent comes first.
    """
    if not MIN_TYPO_CHARS <= len(unknown_word) <= MAX_TYPO_CHARS:
        return []
    misspellings = [unknown_word, *_drop_each_letter(unknown_word)]
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            SELECT DISTINCT tool_word.word, tool_stem.stem, documents
            FROM tool_typo
            JOIN tool_word ON tool_word.word = tool_typo.word
            JOIN tool_stem ON tool_stem.stem = tool_word.stem
            WHERE tool_typo.misspelling IN ({placeholders(misspellings)}) AND documents > 0
            ORDER BY documents DESC, tool_word.word LIMIT 50
            """,  # noqa: S608
            misspellings,
        )
        rows = cursor.fetchall()
    words = [(word, stem) for word, stem, _ in rows if _is_one_typo(unknown_word, word)]
    # People hardly ever miss the first letter.
    words.sort(key=lambda pair: pair[0][0] != unknown_word[0])
    return words[:MAX_MEANT]


def misspellings_of(word: str) -> set[str]:
    """What to store in tool_typo for `word`; empty for a word that is not corrected."""
    if not MIN_TYPO_CHARS <= len(word) <= MAX_TYPO_CHARS or not word.isalpha():
        return set()
    return {word, *_drop_each_letter(word)}


def _drop_each_letter(word: str) -> Iterator[str]:
    """`word` with one letter left out."""
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_one_typo(first: str, second: str) -> bool:
    """Whether the words differ by one letter: added, missing, replaced, or swapped."""
    start = len(commonprefix([first, second]))  # noqa: RUF071 - letters, not paths
    a, b = first[start:], second[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
