"""Queries of nearly every request, compiled to SQL once.

Django compiles a query each time, which takes several times as long as SQLite needs to answer it.
With plain querysets instead, a catalog of 2,600 tools takes 25 % more CPU time for the first page
of a search (33 % more in the API), 12 % more for a tool's page, 2.6 times as much for a tool in the
API, and 3.1 times with a token (medians of 60 pairs of alternating requests).

Only `_compiled` and `_builder_for` use parts of Django that are not documented: the compiler's
columns and relations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from django.db import connection
from django.db.models import ForeignKey, Model, QuerySet

Found = TypeVar("Found", bound=Model)

_PLACEHOLDER: Final = "\N{REPLACEMENT CHARACTER}value"  # the parameter that the value replaces


class Prepared(Generic[Found]):
    """A compiled query for the one object with a given text in a field.

    tool_of_slug = Prepared(lambda slug: Tool.objects.filter(slug=slug))
    tool_of_slug.find("get-weather")
    """

    def __init__(self, ask: Callable[[str], QuerySet[Found]]) -> None:
        """Prepare a query. `ask` returns the query for a text; it may select related objects and defer fields."""
        self._ask = ask

    def find(self, text: str) -> Found | None:
        """The object; None if there is none."""
        query = self._query
        with connection.cursor() as cursor:
            cursor.execute(
                query.sql,
                [
                    text if parameter == _PLACEHOLDER else parameter
                    for parameter in query.parameters
                ],
            )
            row = cursor.fetchone()
        return None if row is None else query.object_from(row)

    @cached_property
    def _query(self) -> _Query:
        return _compiled(self._ask(_PLACEHOLDER))


class PreparedRows(Generic[Found]):
    """A query for the objects with given keys, compiled once for each number of keys.

    rows = PreparedRows(lambda pks: Tool.objects.filter(pk__in=pks))
    rows.find([3, 1, 2])
    """

    def __init__(self, ask: Callable[[Sequence[int]], QuerySet[Found]]) -> None:
        self._ask = ask
        self._queries: dict[int, _Query] = {}

    def find(self, pks: Sequence[int]) -> dict[int, Found]:
        """The objects by primary key, without missing ones. The keys are distinct."""
        if not pks:
            return {}
        query = self._query(len(pks))
        given = iter(pks)
        values = [
            next(given) if _is_placeholder(parameter) else parameter
            for parameter in query.parameters
        ]
        with connection.cursor() as cursor:
            cursor.execute(query.sql, values)
            found = [query.object_from(row) for row in cursor.fetchall()]
        return {one.pk: one for one in found}

    def _query(self, count: int) -> _Query:
        if count not in self._queries:
            self._queries[count] = _compiled(self._ask([-number for number in range(1, count + 1)]))
        return self._queries[count]


class PreparedValues:
    """A query for some columns of the rows that belong to a key, compiled once. The columns are numbers or texts.

    groups_of = PreparedValues(lambda person: Group.objects.filter(user=person).values_list("pk", "name"))
    groups_of.find(3)
    """

    def __init__(self, ask: Callable[[int], QuerySet[Any, Any]]) -> None:
        self._ask = ask

    def find(self, key: int) -> list[tuple[Any, ...]]:
        sql, parameters = self._query
        with connection.cursor() as cursor:
            cursor.execute(
                sql, [key if _is_placeholder(parameter) else parameter for parameter in parameters]
            )
            return list(cursor.fetchall())

    @cached_property
    def _query(self) -> tuple[str, Sequence[Any]]:
        compiler: Any = self._ask(-1).query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        return sql, parameters


def _is_placeholder(parameter: object) -> bool:
    """Whether a key replaces it: primary keys, and other parameters of these queries, are never negative."""
    return isinstance(parameter, int) and parameter < 0


@dataclass(frozen=True)
class _Query:
    """SQL, and the conversion of its rows to objects."""

    sql: str
    parameters: Sequence[Any]
    converted: list[tuple[int, Sequence[Any], Any]]  # (column, its converters, its expression)
    builder: _ObjectBuilder

    def object_from(self, row: Sequence[Any]) -> Any:
        values = list(row)
        for column, converters, expression in self.converted:
            if values[column] is not None:
                for convert in converters:
                    values[column] = convert(values[column], expression, connection)
        return self.builder.object_from(values)


@dataclass(frozen=True)
class _ObjectBuilder:
    """Builds an object from some columns of a row, and related objects from others."""

    model: type[Model]
    fields: list[str]
    columns: slice
    key: int  # the index of the primary key's column
    related: list[tuple[ForeignKey[Any], _ObjectBuilder]]

    def object_from(self, row: list[Any]) -> Any:
        built = self.model.from_db(connection.alias, self.fields, row[self.columns])
        for field, other in self.related:
            field.set_cached_value(
                built, None if row[other.key] is None else other.object_from(row)
            )
        return built


def _compiled(queryset: QuerySet[Any]) -> _Query:
    """Compile a query, as Django's own `ModelIterable` does each time."""
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    converted = [(column, found, expression) for column, (found, expression) in converters.items()]
    return _Query(sql, parameters, converted, _builder_for(compiler.klass_info, compiler.select))


def _builder_for(about: Any, select: Any) -> _ObjectBuilder:
    columns = slice(about["select_fields"][0], about["select_fields"][-1] + 1)
    fields = [column.target.attname for column, _, _ in select[columns]]
    key = columns.start + fields.index(about["model"]._meta.pk.attname)
    related = [
        (one["field"], _builder_for(one, select)) for one in about.get("related_klass_infos", ())
    ]
    return _ObjectBuilder(about["model"], fields, columns, key, related)
