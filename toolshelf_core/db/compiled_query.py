"""Queries of nearly every request, compiled to SQL once.

Django compiles a query each time, which takes several times as long as SQLite needs to answer it.
With plain querysets instead, a catalog of 2,600 tools takes 25 % more CPU time for the first page
of a search (33 % more in the API), 12 % more for a tool's page, 2.6 times as much for a tool in the
API, and 3.1 times with a token (medians of 60 pairs of alternating requests).

Only `_compile` and `_make_builder` use parts of Django that are not documented: the compiler's
columns and relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from django.db import connection
from django.db.models import ForeignKey, Model, QuerySet

Object = TypeVar("Object", bound=Model)

_PLACEHOLDER: Final = "\N{REPLACEMENT CHARACTER}value"  # the parameter that the value replaces


class Prepared(Generic[Object]):
    """A compiled query for the one object with a given text in a field.

    tool_of_slug = Prepared(lambda slug: Tool.objects.filter(slug=slug))
    tool_of_slug.find("get-weather")
    """

    def __init__(self, ask: Callable[[str], QuerySet[Object]]) -> None:
        """Prepare a query.

        `ask` returns the query for a text; it may select related objects and defer fields.
        """
        self._ask = ask

    def find(self, text: str) -> Object | None:
        """The object; None if there is none."""
        query = self._query
        with connection.cursor() as cursor:
            cursor.execute(query.sql, _replace(query.parameters, {_PLACEHOLDER: text}))
            row = cursor.fetchone()
        return None if row is None else query.build_object(row)

    @cached_property
    def _query(self) -> _Query:
        return _compile(self._ask(_PLACEHOLDER))


class PreparedRows(Generic[Object]):
    """A query for the objects with given keys, compiled once for each number of keys.

    rows = PreparedRows(lambda pks: Tool.objects.filter(pk__in=pks))
    rows.find([3, 1, 2])
    """

    def __init__(self, ask: Callable[[Sequence[int]], QuerySet[Object]]) -> None:
        self._ask = ask
        self._queries: dict[int, _Query] = {}

    def find(self, pks: Sequence[int]) -> dict[int, Object]:
        """The objects by primary key, without missing ones. The keys are distinct."""
        if not pks:
            return {}
        query = self._get_query(len(pks))
        keys = dict(zip(_stand_ins(len(pks)), pks, strict=True))
        with connection.cursor() as cursor:
            cursor.execute(query.sql, _replace(query.parameters, keys))
            objects = map(query.build_object, cursor.fetchall())
            return {each.pk: each for each in objects}

    def _get_query(self, count: int) -> _Query:
        if count not in self._queries:
            self._queries[count] = _compile(self._ask(_stand_ins(count)))
        return self._queries[count]


class PreparedValues:
    """A query for some columns of the rows that belong to a key, compiled once.

    The columns are numbers or texts.

    groups = Group.objects.values_list("pk", "name")
    groups_of = PreparedValues(lambda person: groups.filter(user=person))
    groups_of.find(3)
    """

    def __init__(self, ask: Callable[[int], QuerySet[Any, Any]]) -> None:
        self._ask = ask

    def find(self, key: int) -> list[tuple[Any, ...]]:
        sql, parameters = self._query
        with connection.cursor() as cursor:
            cursor.execute(sql, _replace(parameters, {-1: key}))
            return list(cursor.fetchall())

    @cached_property
    def _query(self) -> tuple[str, Sequence[Any]]:
        compiler: Any = self._ask(-1).query.get_compiler(connection=connection)
        sql, parameters = compiler.as_sql()
        return sql, parameters


def _stand_ins(count: int) -> range:
    """Numbers for keys: primary keys, and other parameters of these queries, are never negative."""
    return range(-count, 0)


def _replace(parameters: Iterable[Any], values: Mapping[Any, Any]) -> list[Any]:
    return [values.get(parameter, parameter) for parameter in parameters]


@dataclass(frozen=True)
class _Query:
    """SQL, and the conversion of its rows to objects."""

    sql: str
    parameters: Sequence[Any]
    conversions: list[tuple[int, Sequence[Any], Any]]  # (column, its converters, its expression)
    builder: _ObjectBuilder

    def build_object(self, row: Sequence[Any]) -> Any:
        values = list(row)
        for column, converters, expression in self.conversions:
            if values[column] is not None:
                for convert in converters:
                    values[column] = convert(values[column], expression, connection)
        return self.builder.build(values)


@dataclass(frozen=True)
class _ObjectBuilder:
    """Builds an object from some columns of a row, and related objects from others."""

    model: type[Model]
    fields: list[str]
    columns: slice
    key: int  # the index of the primary key's column
    relations: list[tuple[ForeignKey[Any], _ObjectBuilder]]

    def build(self, row: list[Any]) -> Any:
        instance = self.model.from_db(connection.alias, self.fields, row[self.columns])
        for field, builder in self.relations:
            value = None if row[builder.key] is None else builder.build(row)
            field.set_cached_value(instance, value)
        return instance


def _compile(queryset: QuerySet[Any]) -> _Query:
    """Compile a query, as Django's own `ModelIterable` does each time."""
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    conversions = [(column, *rest) for column, rest in converters.items()]
    return _Query(sql, parameters, conversions, _make_builder(compiler.klass_info, compiler.select))


def _make_builder(about: Any, select: Any) -> _ObjectBuilder:
    columns = slice(about["select_fields"][0], about["select_fields"][-1] + 1)
    fields = [column.target.attname for column, _, _ in select[columns]]
    key = columns.start + fields.index(about["model"]._meta.pk.attname)
    relations = [
        (relation["field"], _make_builder(relation, select))
        for relation in about.get("related_klass_infos", ())
    ]
    return _ObjectBuilder(about["model"], fields, columns, key, relations)
