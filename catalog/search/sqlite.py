"""The search index in SQLite: one FTS5 table, ranked by bm25.

What is searched by stands in the columns of `tool_search` (see `SearchDocument`); facts that searches filter by are
words in its column `flags`, so that a search over many tools never has to look into the table of tools.
The weights of the columns are stored with the table, by the migration that makes it.

Source: SQLite, "FTS5 Extension", sections 3 (query syntax) and 5.1.1 (bm25).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from operator import attrgetter

from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.search import Filter, Hit, Mode, ParameterTexts, read_parameter_texts
from catalog.search.documents import SearchDocument
from catalog.search.words import Part, Query, Word

_PUT = """
    INSERT OR REPLACE INTO tool_search (rowid, tool_id, name, description, parameters, parameter_texts, flags)
    VALUES (%s, %s, %s, %s, %s, %s, %s)
"""
_COLUMNS = attrgetter("tool_id", "name", "description", "parameters", "parameter_texts", "flags")
_SEARCHED = "{tool_id name description parameters parameter_texts}"


class SQLiteIndex:
    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany(_PUT, [(pk, *_COLUMNS(document)) for pk, document in documents])

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
        where, values = _where(query, mode, chosen)
        if beyond is not None:
            where += f" AND (rank, rowid) {'<' if backwards else '>'} (%s, %s)"
            values += [beyond.rank, beyond.pk]
        direction = "DESC" if backwards else "ASC"
        order = f"ORDER BY rank {direction}, rowid {direction} LIMIT %s"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT rank, rowid FROM tool_search WHERE {where} {order}", [*values, limit])  # noqa: S608
            return [Hit(rank, pk) for rank, pk in cursor.fetchall()]

    def count(self, query: Query, mode: Mode, chosen: Filter, *, at_most: int) -> int:
        where, values = _where(query, mode, chosen)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM tool_search WHERE {where} LIMIT %s)",  # noqa: S608
                [*values, at_most],
            )
            return int(cursor.fetchone()[0])

    def parameter_texts(self, pks: Collection[int]) -> dict[int, ParameterTexts]:
        if not pks:
            return {}
        places = ", ".join(["%s"] * len(pks))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT rowid, parameters, parameter_texts FROM tool_search WHERE rowid IN ({places})",  # noqa: S608
                list(pks),
            )
            return {pk: read_parameter_texts(names, texts) for pk, names, texts in cursor.fetchall()}

    def subquery(self, query: Query) -> RawSQL:
        return RawSQL(
            "SELECT rowid FROM tool_search WHERE tool_search MATCH %s", (match_expression(query, "all", Filter()),)
        )


def match_expression(query: Query, mode: Mode, chosen: Filter) -> str:
    """`query` in FTS5's language. Every word is a quoted string of letters and digits, so that none is an operator."""
    operator = " AND " if mode == "all" else " OR "
    expression = f"{_SEARCHED} : ({operator.join(map(_word, query.words))})"
    for flag in sorted(chosen.having):
        expression = f'({expression}) AND flags : "{flag}"'
    for flag in sorted(chosen.lacking):
        expression = f'({expression}) NOT flags : "{flag}"'
    return expression


def _word(word: Word) -> str:
    together = " AND ".join(map(_part, word.parts))
    return f"(({together}) OR {_part(word.joined)})" if word.joined else f"({together})"


def _part(part: Part) -> str:
    return f'"{part.text}" *' if part.open_ended else f'"{part.text}"'


def _where(query: Query, mode: Mode, chosen: Filter) -> tuple[str, list[str | float]]:
    where = "tool_search MATCH %s"
    values: list[str | float] = [match_expression(query, mode, chosen)]
    if chosen.among is not None:
        where += f" AND rowid IN ({', '.join(['%s'] * len(chosen.among))})"
        values += sorted(chosen.among)
    if chosen.except_for:
        where += f" AND rowid NOT IN ({', '.join(['%s'] * len(chosen.except_for))})"
        values += sorted(chosen.except_for)
    return where, values
