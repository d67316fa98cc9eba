"""The search index in PostgreSQL: a tsvector per tool with a GIN index, ranked by ts_rank.

Toolshelf makes the tokens (see document.py), and they become lexemes unchanged. PostgreSQL's parser, which reads "a.b"
as a host and "a-b" as a compound, never sees a text, so both databases find the same tools.

Source: PostgreSQL, "Text Search Types" (8.11) and "Full Text Search", 12.3.3 (ranking).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.search import Match, tag_counts, vocabulary
from catalog.search.boolean_query import Adjacent, AllOf, Expression, Token
from catalog.search.document import IndexedText, SearchDocument, counted_groups, counted_tokens

WEIGHTS = "{0.1, 0.2, 0.5, 1.0}"  # of D: around and keys; C: parameters; B: description; A: name
MAX_POSITION = 16_383  # in a tsvector; later tokens get the last position
MAX_POSITIONS = 255  # of one lexeme

_PUT = """
    INSERT INTO tool_search (tool_id, tokens, names, about, takes, around, keys, fields)
    VALUES (%s, %s::tsvector, %s, %s, %s, %s, %s, %s)
"""

Values = list[str | int | list[int]]


class PostgresIndex:
    def hold(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(hashtext('toolshelf: tools are changed'))")

    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        documents = list(documents)
        pks = [pk for pk, _ in documents]
        changes: Counter[str] = Counter()
        grouped: Counter[str] = Counter()
        with connection.cursor() as cursor:
            cursor.execute(
                "DELETE FROM tool_search WHERE tool_id = ANY(%s) RETURNING names, about, takes, around, keys", [pks]
            )
            old = cursor.fetchall()
            cursor.executemany(_PUT, [_row(pk, document) for pk, document in documents])
        for texts in old:
            changes.subtract(counted_tokens(*texts))
            grouped.subtract(counted_groups(texts[-1]))
        for _, document in documents:
            changes.update(document.counted)
            grouped.update(document.groups.keys())
        changes[vocabulary.ALL] = len(documents) - len(old)
        vocabulary.count(changes, frozenset().union(*(document.runs for _, document in documents)))
        tag_counts.count(grouped, {token: name for _, one in reversed(documents) for token, name in one.groups.items()})

    def clear(self) -> None:
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM tool_search")
        vocabulary.clear()
        tag_counts.clear()

    def size(self) -> int:
        return vocabulary.counts_of([vocabulary.ALL]).get(vocabulary.ALL, 0)

    def matching(self, match: Match, *, limit: int, beyond: int = 0, backwards: bool = False) -> list[int]:
        where, values = _where(match)
        if beyond:
            where += f" AND tool_id {'<' if backwards else '>'} %s"
            values.append(beyond)
        order = f"ORDER BY tool_id {'DESC' if backwards else 'ASC'} LIMIT %s"
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT tool_id FROM tool_search WHERE {where} {order}", [*values, limit])  # noqa: S608
            return [pk for (pk,) in cursor.fetchall()]

    def likeliest(self, match: Match, *, limit: int) -> list[int]:
        where, values = _where(match)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT tool_id FROM tool_search WHERE {where} "  # noqa: S608
                "ORDER BY ts_rank(%s, tokens, %s::tsquery) DESC, tool_id LIMIT %s",
                [*values, WEIGHTS, values[0], limit],
            )
            return [pk for (pk,) in cursor.fetchall()]

    def count(self, match: Match, *, at_most: int) -> int:
        where, values = _where(match)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM (SELECT 1 FROM tool_search WHERE {where} LIMIT %s) AS counted",  # noqa: S608
                [*values, at_most],
            )
            return int(cursor.fetchone()[0])

    def texts(self, pks: Collection[int]) -> dict[int, IndexedText]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT tool_id, names, about, takes, around, position(' f_deprecated ' IN keys) > 0 "
                "FROM tool_search WHERE tool_id = ANY(%s)",
                [list(pks)],
            )
            return {pk: IndexedText(*texts) for pk, *texts in cursor.fetchall()}

    def fields(self, pks: Collection[int]) -> dict[int, str]:
        with connection.cursor() as cursor:
            cursor.execute("SELECT tool_id, fields FROM tool_search WHERE tool_id = ANY(%s)", [list(pks)])
            return dict(cursor.fetchall())

    def subquery(self, match: Match) -> RawSQL:
        where, values = _where(match)
        return RawSQL(f"SELECT tool_id FROM tool_search WHERE {where}", tuple(values))  # noqa: S608, S611 - values apart


def _row(pk: int, document: SearchDocument) -> Values:
    texts = [document.names, document.about, document.takes, document.around, document.keys]
    return [pk, _tsvector(texts), *texts, document.fields]


def _tsvector(texts: Iterable[str]) -> str:
    """Each token with its positions, and the weight of the text that contains it: "'get':1A 'weather':2A,9B"."""
    positions: dict[str, list[str]] = {}
    at = 0
    for text, weight in zip(texts, "ABCDD", strict=True):
        for token in text.split():
            at = min(at + 1, MAX_POSITION)
            known = positions.setdefault(token, [])
            if len(known) < MAX_POSITIONS:
                known.append(f"{at}{weight}")
        at += 1  # so that no phrase crosses from one text into the next
    return " ".join(f"'{token}':{','.join(known)}" for token, known in positions.items())


def _where(match: Match) -> tuple[str, Values]:
    where = "tokens @@ %s::tsquery"
    values: Values = [tsquery(match)]
    if match.among is not None:
        where += " AND tool_id = ANY(%s)"
        values.append(sorted(match.among))
    if match.except_for:
        where += " AND NOT tool_id = ANY(%s)"
        values.append(sorted(match.except_for))
    return where, values


def tsquery(match: Match) -> str:
    """The token conditions of `match` as a tsquery. Every token is quoted, so that none is an operator."""
    wanted = [_written(one) for one in match.wanted]
    return " & ".join([*wanted, *(f"!{_written(one)}" for one in match.unwanted)])


def _written(expression: Expression) -> str:
    if isinstance(expression, Token):
        return f"'{expression.text}'"
    if isinstance(expression, Adjacent):
        return "(" + " <-> ".join(f"'{token}'" for token in expression.tokens) + ")"
    operator = " & " if isinstance(expression, AllOf) else " | "
    return f"({operator.join(map(_written, expression.parts))})"
