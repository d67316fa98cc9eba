"""The search index in SQLite: an FTS5 table over a plain table with the tokens.

Toolshelf makes the tokens (see document.py), so FTS5 only splits at spaces. It returns matches in
the order of primary keys and stops at a limit, so that a word in half of the tools costs no more
than a rare one. Only `likeliest` ranks by bm25, which reads every match.

Source: SQLite, "FTS5 Extension", sections 3 (query syntax), 4.4.3 (external content) and 5.1.1
(bm25).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from django.db import connection

from catalog.index.boolean_query import AllOf, AnyOf
from catalog.index.document import SearchDocument
from catalog.index.index import COLUMNS, Match, SearchIndex, fetch_rows
from toolshelf_core.db.sql import placeholders

_PUT_TEXT = f"""
    INSERT INTO tool_text (tool_id, {COLUMNS}, fields) VALUES (%s, %s, %s, %s, %s, %s, %s)
"""  # noqa: S608
_PUT_TOKENS = f"""
    INSERT INTO tool_search (rowid, {COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)
"""  # noqa: S608
_FORGET_TOKENS = f"""
    INSERT INTO tool_search (tool_search, rowid, {COLUMNS})
    VALUES ('delete', %s, %s, %s, %s, %s, %s)
"""  # noqa: S608


class SQLiteIndex(SearchIndex):
    key = "rowid"
    condition = "tool_search MATCH %s"
    deprecated_sql = "instr(keys, ' f_deprecated ') > 0"
    operators = {AllOf: " AND ", AnyOf: " OR "}

    def hold(self) -> None:
        """Nothing to do: a write transaction has the lock from its start (`transaction_mode`)."""

    def find_likeliest(self, match: Match, *, limit: int) -> list[int]:
        where, values = self.write_where(match)
        query = f"SELECT rowid FROM tool_search WHERE {where} ORDER BY rank LIMIT %s"  # noqa: S608
        rows = fetch_rows(query, [*values, limit])
        return [pk for (pk,) in rows]

    def write_query(self, match: Match) -> str:
        required = " AND ".join(map(self.write_expression, match.required))
        if not match.excluded:
            return required
        excluded = " OR ".join(map(self.write_expression, match.excluded))
        return f"({required}) NOT ({excluded})"

    def _write_phrase(self, tokens: Sequence[str]) -> str:
        return f'"{" ".join(tokens)}"'

    def _is_in(self, pks: list[int]) -> tuple[str, list[Any]]:
        return f"rowid IN ({placeholders(pks)})", pks

    def _read_rows(self, pks: Collection[int], columns: str) -> list[Any]:
        if not pks:
            return []
        condition = f"tool_id IN ({placeholders(pks)})"
        query = f"SELECT tool_id, {columns} FROM tool_text WHERE {condition}"  # noqa: S608
        return fetch_rows(query, list(pks))

    def _replace(self, documents: Sequence[tuple[int, SearchDocument]]) -> list[Sequence[str]]:
        old = self._read_rows([pk for pk, _ in documents], COLUMNS)
        old_pks = [(pk,) for pk, *_ in old]
        tokens = []
        texts = []
        for pk, document in documents:
            tokens.append((pk, *document.columns))
            texts.append((pk, *document.columns, document.fields))
        with connection.cursor() as cursor:
            if old:
                cursor.executemany(_FORGET_TOKENS, old)
                cursor.executemany("DELETE FROM tool_text WHERE tool_id = %s", old_pks)
            cursor.executemany(_PUT_TEXT, texts)
            cursor.executemany(_PUT_TOKENS, tokens)
        return [columns for _, *columns in old]

    def _delete_all(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO tool_search (tool_search) VALUES ('delete-all')")
            cursor.execute("DELETE FROM tool_text")
