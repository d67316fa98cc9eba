"""Typo tolerance: the words of the catalog that differ by one typo from an unknown word.

The table tool_typo has each word with one letter left out: two words that differ by one typo share
one of these. `vocabulary` writes it together with the other tables.

Source: Wolf Garbe, "Symmetric Delete spelling correction" (SymSpell).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db import connection

from toolshelf_core.db.sql import placeholders

MIN_TYPO_CHARS: Final = 4
MAX_TYPO_CHARS: Final = 24
MAX_MEANT: Final = 3


def meant_by(typed: str) -> list[tuple[str, str]]:
    """The words that are one typo away from an unknown word, as (word, token), the most frequent first."""
    if not MIN_TYPO_CHARS <= len(typed) <= MAX_TYPO_CHARS:
        return []
    misspellings = [typed, *_shortened(typed)]
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
        found = [(word, stem) for word, stem, _ in cursor.fetchall() if _is_one_typo(typed, word)]
    found.sort(key=lambda one: one[0][:1] != typed[:1])  # people hardly ever miss the first letter
    return found[:MAX_MEANT]


def misspellings_of(word: str) -> set[str]:
    """What to store in tool_typo for `word`; empty for a word that is not corrected."""
    if not MIN_TYPO_CHARS <= len(word) <= MAX_TYPO_CHARS or not word.isalpha():
        return set()
    return {word, *_shortened(word)}


def _shortened(word: str) -> Iterator[str]:
    """`word` with one letter left out."""
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_one_typo(typed: str, word: str) -> bool:
    """Whether the words differ by one letter: added, missing, replaced, or swapped with its neighbour."""
    start = next(
        (at for at, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b),
        min(len(typed), len(word)),
    )
    a, b = typed[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])
