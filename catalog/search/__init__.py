r"""Search the catalog: parse a query, find tools, rank them, and explain why they match.

    tokenizer.py, stemmer.py        split text into tokens                             \
    parser.py                       parse a query                                       |
    filters.py                      the filters of a query: `has:examples`              |
    filter_corrections.py           what a wrong filter may mean                        |
    synonyms.py (.txt)              other words that a word may match                   |  pure: neither Django
    verbs.py                        actions of tools, by their verbs                    |  nor a database
    schema_fields.py, document.py   the tokens of a tool that are indexed               |
    boolean_query.py                expressions, independent of the database            |
    highlight.py                    mark the matching words of a text                   |
    ranking.py, explain.py          score a tool, and explain why it matches           /
    vocabulary.py                   the words of the catalog, their frequency, and typos
    tag_counts.py                   the toolkits and tags of the catalog, and their number of tools
    plan.py                         the meaning of a query's words in this catalog
    retrieval.py                    find candidates, and order them
    similar_query.py                find tools that are similar to another one
    sqlite.py                       the index in FTS5
    postgres.py                     the index in a tsvector with GIN

The index is one small interface with an implementation per database, chosen by the database's vendor. It is written in
the same transaction as its tools. The tool's primary key identifies its row.
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
from catalog.search.document import IndexedText, SearchDocument


@dataclass(frozen=True, slots=True)
class Match:
    """The conditions for a tool to be found.

    It matches all of `wanted` (at least one) and none of `unwanted`. Its primary key is in `among`, if that is given,
    and not in `except_for`.
    """

    wanted: tuple[Expression, ...]
    unwanted: tuple[Expression, ...] = ()
    among: frozenset[int] | None = None
    except_for: frozenset[int] = frozenset()


class SearchIndex(Protocol):
    def hold(self) -> None:
        """Lock the index against other writers until this transaction ends; waits for the lock.

        Call this first in any transaction that changes tools: words are counted for all tools together, so two
        concurrent writers could otherwise deadlock.
        """

    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        """Store documents by the tool's primary key, replacing older ones. Keys are distinct."""

    def clear(self) -> None:
        """Delete everything."""

    def size(self) -> int:
        """The number of indexed tools."""

    def matching(self, match: Match, *, limit: int, beyond: int = 0, backwards: bool = False) -> list[int]:
        """The first `limit` matching tools after the primary key `beyond`, in the order of primary keys.

        With `backwards`, those before it, the nearest first.
        """

    def likeliest(self, match: Match, *, limit: int) -> list[int]:
        """Roughly the best `limit` tools by the database's own ranking; the cost grows with the number of matches."""

    def count(self, match: Match, *, at_most: int) -> int:
        """The number of matching tools, counted up to `at_most`."""

    def texts(self, pks: Collection[int]) -> dict[int, IndexedText]:
        """The indexed texts of these tools, for ranking."""

    def fields(self, pks: Collection[int]) -> dict[int, str]:
        """The indexed fields of these tools (see `SearchDocument.fields`), for explanations."""

    def subquery(self, match: Match) -> RawSQL:
        """A subquery of the primary keys of all matching tools, for `filter(pk__in=…)`."""


def search_index() -> SearchIndex:
    """The index of the site's database."""
    return _index_for(connection.vendor)


@cache
def _index_for(vendor: str) -> SearchIndex:
    if vendor == "sqlite":
        from catalog.search.sqlite import SQLiteIndex  # noqa: PLC0415 - import only the backend in use

        return SQLiteIndex()
    if vendor == "postgresql":
        from catalog.search.postgres import PostgresIndex  # noqa: PLC0415

        return PostgresIndex()
    raise ImproperlyConfigured(f"Toolshelf searches in SQLite and PostgreSQL, not in {vendor}.")
