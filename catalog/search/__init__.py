"""The search index: one small interface, and an implementation per database, chosen by the database's vendor.

    catalog/search/words.py       how text is cut into words, and a query read
    catalog/search/documents.py   what of a tool goes into the index
    catalog/search/sqlite.py      FTS5
    catalog/search/postgres.py    tsvector with GIN, and pg_trgm

The index is written in the same transaction as the tools it speaks of. Its rows are known by the tool's primary key.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Literal, Protocol

from django.core.exceptions import ImproperlyConfigured
from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.search.documents import SearchDocument
from catalog.search.words import Query

Flag = Literal["configurable", "examples", "returns", "archived"]
Mode = Literal["all", "any"]


@dataclass(frozen=True, slots=True)
class Filter:
    """Which tools are looked at: those with all flags of `having` and none of `lacking`.

    If given, their primary key is one of `among`; it is none of `except_for`.
    """

    having: frozenset[Flag] = frozenset()
    lacking: frozenset[Flag] = frozenset()
    among: frozenset[int] | None = None
    except_for: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Hit:
    """One tool that was found. Hits are ordered by (rank, pk); the lower rank is the better one."""

    rank: float
    pk: int


@dataclass(frozen=True, slots=True)
class ParameterTexts:
    """Names (as written) and descriptions of one tool's parameters, at the same places."""

    names: tuple[str, ...]
    descriptions: tuple[str, ...]


def read_parameter_texts(names: str, texts: str) -> ParameterTexts:
    """What `SearchDocument` says of parameters, read back: one per line, without the kin after the tab."""
    return ParameterTexts(
        tuple(line.split("\t", 1)[0] for line in names.split("\n")),
        tuple(line.split("\t", 1)[0] for line in texts.split("\n")),
    )


class SearchIndex(Protocol):
    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        """Store documents by the tool's primary key, in place of any that stood there."""

    def find(
        self,
        query: Query,
        mode: Mode,
        chosen: Filter,
        *,
        limit: int,
        beyond: Hit | None = None,
        backwards: bool = False,
    ) -> list[Hit]:
        """The best `limit` hits, best first; those after `beyond`, or with `backwards` those before it, nearest first.

        `mode`: whether all words of the query must stand in a tool, or any. `query` is not empty.
        """

    def count(self, query: Query, mode: Mode, chosen: Filter, *, at_most: int) -> int:
        """How many there are, counted up to `at_most`."""

    def parameter_texts(self, pks: Collection[int]) -> dict[int, ParameterTexts]:
        """What the index says of the parameters of these tools."""

    def subquery(self, query: Query) -> RawSQL:
        """A subquery of the primary keys of all tools that hold all words of `query`, for `filter(pk__in=…)`."""


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
