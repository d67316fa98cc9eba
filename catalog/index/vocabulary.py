"""The words of the catalog: how many tools contain each, and which share a beginning.

Three plain tables in both databases, written together with the index:

    tool_stem   each token and the number of tools that contain it; under "" the number of all tools, and under "#" a
                number that differs after each change
    tool_word   each word as written, without case and accents, and its token
    tool_typo   the misspellings of each word, by which `typos` finds it
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection, Iterable
from itertools import chain
from typing import Final

from django.db import connection

from catalog.index.tokenizer import words_of_run
from catalog.index.typos import misspellings_of
from toolshelf_core.db.sql import placeholders

ALL: Final = ""  # the row that counts all tools
STATE: Final = "#"  # the row that identifies the state of the index; no token is "#"
MAX_BEGINNINGS: Final = 500  # words that are read for an open-ended one
BEGINNINGS_USED: Final = 12
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
    change_state()
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


def change_state() -> None:
    """Store a new state: a random number, not a counter, which would repeat after a backup is restored.

    Changes of the index do it themselves; so must a change of what lists show besides, such as
    which tools run.
    """
    with connection.cursor() as cursor:
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


def clear() -> None:
    with connection.cursor() as cursor:
        for table in ("tool_stem", "tool_word", "tool_typo"):
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608
    change_state()


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
            [(misspelling, word) for word in new for misspelling in misspellings_of(word)],
        )


def _steps(values: list[str]) -> Iterable[list[str]]:
    return (values[at : at + _STEP] for at in range(0, len(values), _STEP))
