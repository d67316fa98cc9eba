"""The search index of the site's database: what both databases share, and the questions to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.index import vocabulary
from catalog.index.boolean_query import Adjacent, Expression, Token
from catalog.index.document import IndexedText, SearchDocument, collect_counted_tokens

COLUMNS = "names, about, takes, around, keys"


@dataclass(frozen=True, slots=True)
class Match:
    """The conditions for a tool to be found.

    It matches all of `required` (at least one) and none of `excluded`. Its primary key is in
    `among`, if that is given, and not in `except_for`.
    """

    required: tuple[Expression, ...]
    excluded: tuple[Expression, ...] = ()
    among: frozenset[int] | None = None
    except_for: frozenset[int] = frozenset()


class SearchIndex(ABC):
    """The table `tool_search`, with a row per tool; a subclass writes the SQL of its database."""

    key: ClassVar[str]
    """The column of `tool_search` with the tool's primary key."""
    condition: ClassVar[str]
    """The condition that a row matches the query in its one parameter (see `write_query`)."""
    deprecated_sql: ClassVar[str]
    """The condition that the tool is deprecated."""
    operators: ClassVar[dict[type[Expression], str]]
    """What stands between the parts of an expression."""

    @abstractmethod
    def hold(self) -> None:
        """Lock the index against other writers until this transaction ends; waits for the lock.

        Call this first in any transaction that changes tools: words are counted for all tools
        together, so two concurrent writers could otherwise deadlock.
        """

    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        """Store documents by the tool's primary key, replacing older ones. Keys are distinct."""
        documents = list(documents)
        old = self._replace(documents)
        changes: Counter[str] = Counter()
        runs: set[str] = set()
        for columns in old:
            changes.subtract(collect_counted_tokens(*columns))
        for _, document in documents:
            changes.update(collect_counted_tokens(*document.columns))
            runs |= document.runs
        changes[vocabulary.ALL] = len(documents) - len(old)
        vocabulary.count(changes, runs)

    def clear(self) -> None:
        """Delete everything."""
        self._delete_all()
        vocabulary.clear()

    def size(self) -> int:
        """The number of indexed tools."""
        return vocabulary.read_counts([vocabulary.ALL]).get(vocabulary.ALL, 0)

    def find(self, match: Match, *, limit: int, beyond: int = 0) -> list[int]:
        """The first `limit` matching tools after the primary key `beyond`, in order."""
        where, values = self.write_where(match)
        if beyond:
            where += f" AND {self.key} > %s"
            values.append(beyond)
        order = f"ORDER BY {self.key} LIMIT %s"
        query = f"SELECT {self.key} FROM tool_search WHERE {where} {order}"  # noqa: S608
        rows = fetch_rows(query, [*values, limit])
        return [pk for (pk,) in rows]

    @abstractmethod
    def find_likeliest(self, match: Match, *, limit: int) -> list[int]:
        """Roughly the best `limit` tools by the database's own ranking.

        The cost grows with the number of matches.
        """

    def count(self, match: Match, *, at_most: int) -> int:
        """The number of matching tools, counted up to `at_most`."""
        where, values = self.write_where(match)
        matches = f"SELECT 1 FROM tool_search WHERE {where} LIMIT %s"  # noqa: S608
        query = f"SELECT count(*) FROM ({matches}) AS matches"  # noqa: S608
        ((count,),) = fetch_rows(query, [*values, at_most])
        return int(count)

    def read_texts(self, pks: Collection[int]) -> dict[int, IndexedText]:
        """The indexed texts of these tools, for ranking."""
        rows = self._read_rows(pks, f"names, about, takes, around, {self.deprecated_sql}")
        return {pk: IndexedText(*texts) for pk, *texts in rows}

    def read_fields(self, pks: Collection[int]) -> dict[int, str]:
        """The indexed fields of these tools (see `SearchDocument.fields`), for explanations."""
        return dict(self._read_rows(pks, "fields"))

    def subquery(self, match: Match) -> RawSQL:
        """A subquery of the primary keys of all matching tools, for `filter(pk__in=…)`."""
        where, values = self.write_where(match)
        query = f"SELECT {self.key} FROM tool_search WHERE {where}"  # noqa: S608
        return RawSQL(query, tuple(values))  # noqa: S611 - the values are apart

    def write_where(self, match: Match) -> tuple[str, list[Any]]:
        """The condition of `match` in SQL, and its parameters, of which the first is the query."""
        where = self.condition
        values: list[Any] = [self.write_query(match)]
        if match.among is not None:
            condition, parameters = self._is_in(sorted(match.among))
            where += f" AND {condition}"
            values += parameters
        if match.except_for:
            condition, parameters = self._is_in(sorted(match.except_for))
            where += f" AND NOT {condition}"
            values += parameters
        return where, values

    def write_expression(self, expression: Expression) -> str:
        """`expression` in the language of the database's queries."""
        if isinstance(expression, Token):
            return self._write_phrase([expression.text])
        if isinstance(expression, Adjacent):
            return self._write_phrase(expression.tokens)
        operator = self.operators[type(expression)]
        return f"({operator.join(map(self.write_expression, expression.parts))})"

    @abstractmethod
    def write_query(self, match: Match) -> str:
        """The token conditions of `match`. Every token is quoted, so that none is an operator."""

    @abstractmethod
    def _write_phrase(self, tokens: Sequence[str]) -> str:
        """The query for adjacent tokens, or for the only one."""

    @abstractmethod
    def _is_in(self, pks: list[int]) -> tuple[str, list[Any]]:
        """The condition that a row of `tool_search` is that of one of `pks`, and its parameters."""

    @abstractmethod
    def _read_rows(self, pks: Collection[int], columns: str) -> list[Any]:
        """The rows of these tools: the primary key, then the values of `columns`."""

    @abstractmethod
    def _replace(self, documents: Sequence[tuple[int, SearchDocument]]) -> list[Sequence[str]]:
        """Store `documents`; returns the `COLUMNS` of those that they replace."""

    @abstractmethod
    def _delete_all(self) -> None:
        """Delete all rows."""


def fetch_rows(sql: str, values: Sequence[Any]) -> list[Any]:
    """The rows that a query returns."""
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return list(cursor.fetchall())
