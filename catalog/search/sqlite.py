"""The search index in SQLite: an FTS5 table over a plain table with the tokens.

Toolshelf makes the tokens (see document.py), so FTS5 only splits at spaces. It returns matches in the order of primary
keys and stops at a limit, so that a word in half of the tools costs no more than a rare one. Only `likeliest` ranks by
bm25, which reads every match.

Source: SQLite, "FTS5 Extension", sections 3 (query syntax), 4.4.3 (external content) and 5.1.1 (bm25).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.db.sql import placeholders
from catalog.search import Match, tag_counts, vocabulary
from catalog.search.boolean_query import Adjacent, AllOf, Expression, Token
from catalog.search.document import IndexedText, SearchDocument, counted_groups, counted_tokens

_COLUMNS = "names, about, takes, around, keys"
_PUT_TEXT = f"INSERT INTO tool_text (tool_id, {_COLUMNS}, fields) VALUES (%s, %s, %s, %s, %s, %s, %s)"  # noqa: S608
_PUT_TOKENS = f"INSERT INTO tool_search (rowid, {_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)"  # noqa: S608
_FORGET_TOKENS = f"INSERT INTO tool_search (tool_search, rowid, {_COLUMNS}) VALUES ('delete', %s, %s, %s, %s, %s, %s)"  # noqa: S608

Row = tuple[int, str, str, str, str, str]
Values = list[str | int]


class SQLiteIndex:
    def hold(self) -> None:
        """Nothing to do: a write transaction has the lock from its beginning (`transaction_mode`)."""

    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        documents = list(documents)
        changes: Counter[str] = Counter()
        grouped: Counter[str] = Counter()
        old = self._rows([pk for pk, _ in documents])
        for _, *texts in old:
            changes.subtract(counted_tokens(*texts))
            grouped.subtract(counted_groups(texts[-1]))
        for _, document in documents:
            changes.update(document.counted)
            grouped.update(document.groups.keys())
        changes[vocabulary.ALL] = len(documents) - len(old)
        rows: list[Row] = [(pk, one.names, one.about, one.takes, one.around, one.keys) for pk, one in documents]
        texts_and_fields = [(*row, one.fields) for row, (_, one) in zip(rows, documents, strict=True)]
        with connection.cursor() as cursor:
            if old:
                cursor.executemany(_FORGET_TOKENS, old)
                cursor.executemany("DELETE FROM tool_text WHERE tool_id = %s", [(pk,) for pk, *_ in old])
            cursor.executemany(_PUT_TEXT, texts_and_fields)
            cursor.executemany(_PUT_TOKENS, rows)
        vocabulary.count(changes, frozenset().union(*(document.runs for _, document in documents)))
        tag_counts.count(grouped, {token: name for _, one in reversed(documents) for token, name in one.groups.items()})

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO tool_search (tool_search) VALUES ('delete-all')")
            cursor.execute("DELETE FROM tool_text")
        vocabulary.clear()
        tag_counts.clear()

    def size(self) -> int:
        return vocabulary.counts_of([vocabulary.ALL]).get(vocabulary.ALL, 0)

    def matching(self, match: Match, *, limit: int, beyond: int = 0, backwards: bool = False) -> list[int]:
        where, values = _where(match)
        if beyond:
            where += f" AND rowid {'<' if backwards else '>'} %s"
            values.append(beyond)
        order = f"ORDER BY rowid {'DESC' if backwards else 'ASC'} LIMIT %s"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT rowid FROM tool_search WHERE {where} {order}", [*values, limit])  # noqa: S608
            return [pk for (pk,) in cursor.fetchall()]

    def likeliest(self, match: Match, *, limit: int) -> list[int]:
        where, values = _where(match)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT rowid FROM tool_search WHERE {where} ORDER BY rank LIMIT %s",  # noqa: S608
                [*values, limit],
            )
            return [pk for (pk,) in cursor.fetchall()]

    def count(self, match: Match, *, at_most: int) -> int:
        where, values = _where(match)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM tool_search WHERE {where} LIMIT %s)",  # noqa: S608
                [*values, at_most],
            )
            return int(cursor.fetchone()[0])

    def texts(self, pks: Collection[int]) -> dict[int, IndexedText]:
        if not pks:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT tool_id, names, about, takes, around, instr(keys, ' f_deprecated ') > 0 "  # noqa: S608
                f"FROM tool_text WHERE tool_id IN ({placeholders(pks)})",
                list(pks),
            )
            return {pk: IndexedText(*texts) for pk, *texts in cursor.fetchall()}

    def fields(self, pks: Collection[int]) -> dict[int, str]:
        if not pks:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT tool_id, fields FROM tool_text WHERE tool_id IN ({placeholders(pks)})",  # noqa: S608
                list(pks),
            )
            return dict(cursor.fetchall())

    def subquery(self, match: Match) -> RawSQL:
        where, values = _where(match)
        return RawSQL(f"SELECT rowid FROM tool_search WHERE {where}", tuple(values))  # noqa: S608, S611 - values apart

    def _rows(self, pks: Collection[int]) -> list[Row]:
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT tool_id, {_COLUMNS} FROM tool_text WHERE tool_id IN ({placeholders(pks)})",  # noqa: S608
                list(pks),
            )
            return [(pk, *texts) for pk, *texts in cursor.fetchall()]


def match_expression(match: Match) -> str:
    """The token conditions of `match` in FTS5's syntax. Every token is quoted, so that none is an operator."""
    expression = " AND ".join(map(_written, match.wanted))
    return f"({expression}) NOT ({' OR '.join(map(_written, match.unwanted))})" if match.unwanted else expression


def _written(expression: Expression) -> str:
    if isinstance(expression, Token):
        return f'"{expression.text}"'
    if isinstance(expression, Adjacent):
        return f'"{" ".join(expression.tokens)}"'
    operator = " AND " if isinstance(expression, AllOf) else " OR "
    return f"({operator.join(map(_written, expression.parts))})"


def _where(match: Match) -> tuple[str, Values]:
    where = "tool_search MATCH %s"
    values: Values = [match_expression(match)]
    if match.among is not None:
        where += f" AND rowid IN ({placeholders(match.among)})"
        values += sorted(match.among)
    if match.except_for:
        where += f" AND rowid NOT IN ({placeholders(match.except_for)})"
        values += sorted(match.except_for)
    return where, values
