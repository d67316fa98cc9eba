"""The search index in PostgreSQL: a tsvector per tool with a GIN index, ranked by ts_rank.

The words are cut and folded here, not by PostgreSQL's parser (which takes "a.b" for a host and "a-b" for a compound):
what goes into `to_tsvector` and `to_tsquery` are letters and digits alone, so that both databases find the same tools.

Source: PostgreSQL, "Full Text Search", 12.3.1 (weights) and 12.3.3 (ranking).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from django.db import connection
from django.db.models.expressions import RawSQL

from catalog.search import Filter, Hit, Mode, ParameterTexts, read_parameter_texts
from catalog.search.documents import SearchDocument
from catalog.search.words import MAX_WORD_CHARS, Part, Query, Word, fold

MAX_TEXT_CHARS = 200_000  # of one column; a tsvector holds less than 1 MiB
WEIGHTS = "{0.1, 0.3, 0.5, 1.0}"  # of D: parameters; C: description; B: id; A: name

_RUN = re.compile(r"[^\W_]+")
_PUT = """
    INSERT INTO tool_search (tool_id, name, words, flags, parameters, parameter_texts)
    VALUES (
        %s, %s,
        setweight(to_tsvector('simple', %s), 'A') || setweight(to_tsvector('simple', %s), 'B')
        || setweight(to_tsvector('simple', %s), 'C') || setweight(to_tsvector('simple', %s), 'D'),
        %s, %s, %s
    )
    ON CONFLICT (tool_id) DO UPDATE SET
        name = excluded.name, words = excluded.words, flags = excluded.flags,
        parameters = excluded.parameters, parameter_texts = excluded.parameter_texts
"""


Values = list[str | float | list[str] | list[int]]


class PostgresIndex:
    def put(self, documents: Iterable[tuple[int, SearchDocument]]) -> None:
        with connection.cursor() as cursor:
            cursor.executemany(_PUT, [_row(pk, document) for pk, document in documents])

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
        direction, sign = ("DESC", "<") if backwards else ("ASC", ">")
        ranked = f"SELECT (-ts_rank(%s, words, to_tsquery('simple', %s)))::float8 AS rank, tool_id {where}"
        ranked_values: Values = [WEIGHTS, _expression(query, mode), *values]
        after = f"WHERE (rank, tool_id) {sign} (%s, %s)" if beyond else ""
        after_values: Values = [beyond.rank, beyond.pk] if beyond else []
        order = f"ORDER BY rank {direction}, tool_id {direction} LIMIT %s"
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT rank, tool_id FROM ({ranked}) AS ranked {after} {order}",  # noqa: S608
                [*ranked_values, *after_values, limit],
            )
            return [Hit(rank, pk) for rank, pk in cursor.fetchall()]

    def count(self, query: Query, mode: Mode, chosen: Filter, *, at_most: int) -> int:
        where, values = _where(query, mode, chosen)
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT count(*) FROM (SELECT 1 {where} LIMIT %s) AS counted",  # noqa: S608
                [*values, at_most],
            )
            return int(cursor.fetchone()[0])

    def parameter_texts(self, pks: Collection[int]) -> dict[int, ParameterTexts]:
        if not pks:
            return {}
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT tool_id, parameters, parameter_texts FROM tool_search WHERE tool_id = ANY(%s)", [list(pks)]
            )
            return {pk: read_parameter_texts(names, texts) for pk, names, texts in cursor.fetchall()}

    def subquery(self, query: Query) -> RawSQL:
        return RawSQL(
            "SELECT tool_id FROM tool_search WHERE words @@ to_tsquery('simple', %s)", (_expression(query, "all"),)
        )


def _row(pk: int, document: SearchDocument) -> Values:
    parameters = f"{document.parameters}\n{document.parameter_texts}"
    texts = (document.name, document.tool_id, document.description, parameters)
    return [
        pk,
        document.name,
        *map(_words, texts),
        document.flags.split(),
        document.parameters,
        document.parameter_texts,
    ]


def _words(text: str) -> str:
    return " ".join(fold(run)[:MAX_WORD_CHARS] for run in _RUN.findall(text[:MAX_TEXT_CHARS]))


def _where(query: Query, mode: Mode, chosen: Filter) -> tuple[str, Values]:
    where = "FROM tool_search WHERE words @@ to_tsquery('simple', %s)"
    values: Values = [_expression(query, mode)]
    if chosen.having:
        where += " AND flags @> %s"
        values.append(sorted(map(str, chosen.having)))
    if chosen.lacking:
        where += " AND NOT flags && %s"
        values.append(sorted(map(str, chosen.lacking)))
    if chosen.among is not None:
        where += " AND tool_id = ANY(%s)"
        values.append(sorted(chosen.among))
    if chosen.except_for:
        where += " AND NOT tool_id = ANY(%s)"
        values.append(sorted(chosen.except_for))
    return where, values


def _expression(query: Query, mode: Mode) -> str:
    """`query` in the language of to_tsquery; every word is made of letters and digits, so that none is an operator."""
    return (" & " if mode == "all" else " | ").join(map(_word, query.words))


def _word(word: Word) -> str:
    together = " & ".join(map(_part, word.parts))
    return f"(({together}) | {_part(word.joined)})" if word.joined else f"({together})"


def _part(part: Part) -> str:
    words = [word[:MAX_WORD_CHARS] for word in part.text.split(" ")]
    return "(" + " <-> ".join(words) + (":*" if part.open_ended else "") + ")"
