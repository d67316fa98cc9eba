"""The words of the catalog: how many tools contain each, and which share a beginning.

Three plain tables in both databases, written together with the index:

    tool_stem   each token and the number of tools that contain it; under "" the number of all
                tools, and under "#" a number that differs after each change
    tool_word   each word as written, without case and accents, and its token
    tool_typo   the misspellings of each word, by which `typos` finds it
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Collection
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
    rows = sorted((token, change) for token, change in changes.items() if change)
    with connection.cursor() as cursor:
        cursor.executemany(_COUNT, rows)
    change_state()
    _store_words(dict(chain.from_iterable(map(words_of_run, runs))))


def read_counts(tokens: Collection[str]) -> dict[str, int]:
    """The number of tools that contain each token, without tokens that no tool contains."""
    condition = f"stem IN ({placeholders(tokens)}) AND documents > 0"
    query = f"SELECT stem, documents FROM tool_stem WHERE {condition}"  # noqa: S608
    with connection.cursor() as cursor:
        cursor.execute(query, list(tokens))
        return dict(cursor.fetchall())


def state_and_size() -> tuple[int, int]:
    """A number that differs after each change of the index, and the number of indexed tools."""
    counts = read_counts([STATE, ALL])
    return counts.get(STATE, 0), counts.get(ALL, 0)


def change_state() -> None:
    """Store a new state: a random number, since a counter would repeat in a restored backup.

    Changes of the index do it themselves; so must a change of what lists show besides, such as
    which tools run.
    """
    with connection.cursor() as cursor:
        cursor.execute(_SET, [STATE, 1 + secrets.randbelow(2**31 - 1)])


def find_beginnings(text: str) -> list[str]:
    """The tokens of the words that begin with `text`, the most frequent first."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT tool_stem.stem, max(documents) AS documents
            FROM (
                SELECT stem FROM tool_word WHERE word >= %s AND word < %s ORDER BY word LIMIT %s
            ) AS words
            JOIN tool_stem ON tool_stem.stem = words.stem
            WHERE documents > 0
            GROUP BY tool_stem.stem ORDER BY 2 DESC, 1 LIMIT %s
            """,
            [text, text + "\U0010ffff", MAX_BEGINNINGS, BEGINNINGS_USED],
        )
        return [stem for stem, _ in cursor.fetchall()]


def clear() -> None:
    with connection.cursor() as cursor:
        for table in ("tool_stem", "tool_word", "tool_typo"):
            cursor.execute(f"DELETE FROM {table}")  # noqa: S608
    change_state()


def _store_words(stems: dict[str, str]) -> None:
    """Store the new words, each with its misspellings."""
    new = _find_new_words(list(stems))
    typos = []
    for word in new:
        typos += [(misspelling, word) for misspelling in misspellings_of(word)]
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO tool_word (word, stem) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            [(word, stems[word]) for word in new],
        )
        cursor.executemany(
            "INSERT INTO tool_typo (misspelling, word) VALUES (%s, %s) ON CONFLICT DO NOTHING",
            typos,
        )


def _find_new_words(words: list[str]) -> list[str]:
    new = set(words)
    with connection.cursor() as cursor:
        for start in range(0, len(words), _STEP):
            step = words[start : start + _STEP]
            query = f"SELECT word FROM tool_word WHERE word IN ({placeholders(step)})"  # noqa: S608
            cursor.execute(query, step)
            new.difference_update(word for (word,) in cursor.fetchall())
    return sorted(new)
