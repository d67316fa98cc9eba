"""The words of the catalog: how many tools contain each, which share a beginning, and which a typo may have meant.

Three plain tables in both databases, written together with the index:

    tool_stem   each token and the number of tools that contain it; under "" the number of all tools, and under "#" a
                number that differs after each change
    tool_word   each word as written, without case and accents, and its token
    tool_typo   each word with one letter left out: two words that differ by one typo share one of these

Source of tool_typo: Wolf Garbe, "Symmetric Delete spelling correction" (SymSpell).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Final

from django.db import connection
from django.db.backends.utils import CursorWrapper

from catalog.db.sql import placeholders
from catalog.search.tokenizer import words_of_run

ALL: Final = ""  # the row that counts all tools
STATE: Final = "#"  # the row that identifies the state of the index; no token is "#"
MAX_BEGINNINGS: Final = 500  # words that are read for an open-ended one
BEGINNINGS_USED: Final = 12
MIN_TYPO_CHARS: Final = 4
MAX_TYPO_CHARS: Final = 24
MAX_MEANT: Final = 3
_STEP: Final = 5_000  # values per statement

_COUNT: Final = """
    INSERT INTO tool_stem (stem, documents) VALUES (%s, %s)
    ON CONFLICT (stem) DO UPDATE SET documents = tool_stem.documents + excluded.documents
"""

_SET: Final = """
    INSERT INTO tool_stem (stem, documents) VALUES (%s, %s)
    ON CONFLICT (stem) DO UPDATE SET documents = excluded.documents
"""


def count(changes: Counter[str], runs: Collection[str]) -> None:
    """Add to the number of tools that contain each token ("" for all tools), and store new words.

    The caller has locked the index (see `SearchIndex.hold`).
    """
    changed = sorted((token, change) for token, change in changes.items() if change)
    with connection.cursor() as cursor:
        cursor.executemany(_COUNT, changed)
        _change_state(cursor)
    _learn(dict(chain.from_iterable(map(words_of_run, runs))))


def counts_of(tokens: Collection[str]) -> dict[str, int]:
    """The number of tools that contain each token, without tokens that no tool contains."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT stem, documents FROM tool_stem WHERE stem IN ({placeholders(tokens)}) AND documents > 0",  # noqa: S608
            list(tokens),
        )
        return dict(cursor.fetchall())


def state_and_size() -> tuple[int, int]:
    """A number that differs after each change of the index, and the number of indexed tools."""
    counts = counts_of([STATE, ALL])
    return counts.get(STATE, 0), counts.get(ALL, 0)


def _change_state(cursor: CursorWrapper) -> None:
    """Store a new state: a random number, not a counter, which would repeat after a backup is restored."""
    cursor.execute(_SET, [STATE, 1 + secrets.randbelow(2**31 - 1)])


def beginning_with(typed: str) -> list[str]:
    """The tokens of the words that begin with `typed`, the most frequent first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT tool_stem.stem, max(documents) AS documents
            FROM (SELECT stem FROM tool_word WHERE word >= %s AND word < %s ORDER BY word LIMIT %s) AS words
            JOIN tool_stem ON tool_stem.stem = words.stem
            WHERE documents > 0
            GROUP BY tool_stem.stem ORDER BY 2 DESC, 1 LIMIT %s
            """,
            [typed, typed + "\U0010ffff", MAX_BEGINNINGS, BEGINNINGS_USED],
        )
        return [stem for stem, _ in cursor.fetchall()]


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


def clear() -> None:
    with connection.cursor() as cursor:
        for table in ("tool_stem", "tool_word", "tool_typo"):
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608
        _change_state(cursor)


def _learn(stems: dict[str, str]) -> None:
    """Store the new words, each with its misspellings."""
    words = list(stems)
    with connection.cursor() as cursor:
        known: set[str] = set()
        for some in _steps(words):
            cursor.execute(f"SELECT word FROM tool_word WHERE word IN ({placeholders(some)})", some)  # noqa: S608
            known.update(word for (word,) in cursor.fetchall())
        new = sorted(stems.keys() - known)
        cursor.executemany(
            "INSERT INTO tool_word (word, stem) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            [(word, stems[word]) for word in new],
        )
        cursor.executemany(
            "INSERT INTO tool_typo (misspelling, word) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            [
                (misspelling, word)
                for word in new
                if _may_be_mistyped(word)
                for misspelling in {word, *_shortened(word)}
            ],
        )


def _may_be_mistyped(word: str) -> bool:
    return MIN_TYPO_CHARS <= len(word) <= MAX_TYPO_CHARS and word.isalpha()


def _shortened(word: str) -> Iterator[str]:
    """`word` with one letter left out."""
    return (word[:at] + word[at + 1 :] for at in range(len(word)))


def _is_one_typo(typed: str, word: str) -> bool:
    """Whether the words differ by one letter: added, missing, replaced, or swapped with its neighbour."""
    start = next((at for at, (a, b) in enumerate(zip(typed, word, strict=False)) if a != b), min(len(typed), len(word)))
    a, b = typed[start:], word[start:]
    return a[1:] == b[1:] or a[1:] == b or a == b[1:] or (a[:2] == b[1::-1] and a[2:] == b[2:])


def _steps(values: list[str]) -> Iterable[list[str]]:
    return (values[at : at + _STEP] for at in range(0, len(values), _STEP))
