"""The search index in PostgreSQL: a tsvector per tool with a GIN index, ranked by ts_rank.

Toolshelf makes the tokens (see document.py), and they become lexemes unchanged. PostgreSQL's
parser, which reads "a.b" as a host and "a-b" as a compound, never sees a text, so both databases
find the same tools.

Source: PostgreSQL, "Text Search Types" (8.11) and "Full Text Search", 12.3.3 (ranking).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db import connection

from catalog.index.boolean_query import AllOf, AnyOf
from catalog.index.document import SearchDocument
from catalog.index.index import COLUMNS, Match, SearchIndex, fetch_rows

WEIGHTS = "{0.1, 0.2, 0.5, 1.0}"  # of D: around and keys; C: parameters; B: description; A: name
MAX_POSITION = 16_383  # in a tsvector; later tokens get the last position
MAX_POSITIONS = 255  # of one lexeme

_PUT = f"""
    INSERT INTO tool_search (tool_id, tokens, {COLUMNS}, fields)
    VALUES (%s, %s::tsvector, %s, %s, %s, %s, %s, %s)
"""  # noqa: S608


_DELETE = f"""
    DELETE FROM tool_search WHERE tool_id = ANY(%s) RETURNING {COLUMNS}
"""  # noqa: S608


class PostgresIndex(SearchIndex):
    key = "tool_id"
    condition = "tokens @@ %s::tsquery"
    deprecated_sql = "position(' f_deprecated ' IN keys) > 0"
    operators = {AllOf: " & ", AnyOf: " | "}

    def hold(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('toolshelf: tools are changed'))")

    def find_likeliest(self, match: Match, *, limit: int) -> list[int]:
        where, values = self.write_where(match)
        rows = fetch_rows(
            f"SELECT tool_id FROM tool_search WHERE {where} "  # noqa: S608
            "ORDER BY ts_rank(%s, tokens, %s::tsquery) DESC, tool_id LIMIT %s",
            [*values, WEIGHTS, values[0], limit],
        )
        return [pk for (pk,) in rows]

    def write_query(self, match: Match) -> str:
        conditions = [self.write_expression(required) for required in match.required]
        for excluded in match.excluded:
            conditions.append(f"!{self.write_expression(excluded)}")
        return " & ".join(conditions)

    def _write_phrase(self, tokens: Sequence[str]) -> str:
        phrase = " <-> ".join(f"'{token}'" for token in tokens)
        return f"({phrase})" if len(tokens) > 1 else phrase

    def _is_in(self, pks: list[int]) -> tuple[str, list[Any]]:
        return "tool_id = ANY(%s)", [pks]

    def _read_rows(self, pks: Collection[int], columns: str) -> list[Any]:
        query = f"SELECT tool_id, {columns} FROM tool_search WHERE tool_id = ANY(%s)"  # noqa: S608
        return fetch_rows(query, [list(pks)])

    def _replace(self, documents: Sequence[tuple[int, SearchDocument]]) -> list[Sequence[str]]:
        rows: list[list[str | int]] = []
        for pk, document in documents:
            tokens = _write_tsvector(document.columns)
            rows.append([pk, tokens, *document.columns, document.fields])
        old = fetch_rows(_DELETE, [[pk for pk, _ in documents]])
        with connection.cursor() as cursor:
            cursor.executemany(_PUT, rows)
        return old

    def _delete_all(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM tool_search")


def _write_tsvector(texts: Iterable[str]) -> str:
    """Each token with its positions, and the weight of their texts: "'get':1A 'weather':2A,9B"."""
    positions: dict[str, list[str]] = {}
    at = 0
    for text, weight in zip(texts, "ABCDD", strict=True):
        for token in text.split():
            at = min(at + 1, MAX_POSITION)
            of_token = positions.setdefault(token, [])
            if len(of_token) < MAX_POSITIONS:
                of_token.append(f"{at}{weight}")
        at += 1  # so that no phrase crosses from one text into the next
    return " ".join(f"'{token}':{','.join(of_token)}" for token, of_token in positions.items())
