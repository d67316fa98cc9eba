r"""Searching the catalog: what is looked for, what is found, in which order, and why.

    words.py, stemming.py     how text is cut into tokens                                      \
    queries.py                how what a person typed is read                                   |
    thesaurus.py (.txt)       what other words a word may stand for                             |  pure: neither Django
    actions.py                what a tool does, by its verbs                                    |  nor a database
    fields.py, documents.py   what of a tool goes into the index                                |
    expressions.py            what is looked for, in no database's language                     |
    marking.py                where in a text it is                                             |
    padding.py                how lists of values are written in SQL                            |
    ranking.py, reasons.py    how well a tool answers, and why it was found                    /
    vocabulary.py             the words of the catalog, how frequent they are, and slips of the finger
    groups.py                 the toolkits and tags of the catalog, and how many tools each has
    planning.py               what the words of a query mean in this catalog
    finding.py                which tools are candidates, and their order
    similar.py                tools that are like another one
    sqlite.py                 the index in FTS5
    postgres.py               the index in a tsvector with GIN

The index is one small interface, with an implementation per database, chosen by the database's vendor. It is written in
the same transaction as the tools it speaks of. Its rows are known by the tool's primary key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.search.boolean_query import Expression
from catalog.search.document import SearchDocument
from catalog.search.ranking import IndexedText


@dataclass(frozen=True, slots=True)
class Match:
    """What must hold of a tool to be found.

    All of `wanted` (there is at least one), none of `unwanted`; if given, its primary key is one of `among`; it is none
    of `except_for`.
    """

    wanted: tuple[Expression, ...]
    unwanted: tuple[Expression, ...] = ()
    among: frozenset[int] | None = None
    except_for: frozenset[int] = frozenset()


class SearchIndex(Protocol):
    def hold(self) -> None:
        """Wait until nobody else changes tools, and keep others waiting until this transaction ends.

        Who changes tools does it before anything else: words are counted for all tools together, so that two who
        change tools at once would wait for each other, perhaps in a circle.
        """

    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        """Store documents by the tool's primary key, in place of any that stood there. No key comes twice."""

    def clear(self) -> None:
        """Forget everything."""

    def size(self) -> int:
        """How many tools it holds."""

    def matching(self, match: Match, *, limit: int, beyond: int = 0, backwards: bool = False) -> list[int]:
        """The first `limit` tools that match after the primary key `beyond`, in the order of primary keys.

        With `backwards` those before it, nearest first.
        """

    def likeliest(self, match: Match, *, limit: int) -> list[int]:
        """About the best `limit` tools by BM25 or what the database has; costs as much as there are matches."""

    def count(self, match: Match, *, at_most: int) -> int:
        """How many there are, counted up to `at_most`."""

    def texts(self, pks: Collection[int]) -> dict[int, IndexedText]:
        """What it holds of these tools, for ranking."""

    def fields(self, pks: Collection[int]) -> dict[int, str]:
        """What it holds of the fields of these tools (see `SearchDocument.fields`), for reasons."""

    def subquery(self, match: Match) -> RawSQL:
        """A subquery of the primary keys of all tools that match, for `filter(pk__in=…)`."""


def search_index() -> SearchIndex:
    """The index of the site's database."""
    return _index_for(connection.vendor)


@cache
def _index_for(vendor: str) -> SearchIndex:
    if vendor == "sqlite":
        from catalog.search.sqlite import SQLiteIndex  # noqa: PLC0415 - only the one that is used

        return SQLiteIndex()
    if vendor == "postgresql":
        from catalog.search.postgres import PostgresIndex  # noqa: PLC0415

        return PostgresIndex()
    raise ImproperlyConfigured(f"Toolshelf searches in SQLite and PostgreSQL, not in {vendor}.")
