"""Questions that come with nearly every request: put together once, then only asked.

Django makes the SQL of a query anew each time, which takes several times as long as SQLite needs to answer it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.base import ModelState

from catalog.db.in_lists import padded

Found = TypeVar("Found", bound=Model)

_HERE: Final = "\N{REPLACEMENT CHARACTER}value"  # stands in the parameters where the value goes


class Prepared(Generic[Found]):
    """A question for the one object that has some text in some field.

    tool_of_slug = Prepared(lambda slug: Tool.objects.filter(slug=slug))
    tool_of_slug.find("get-weather")
    """

    def __init__(self, ask: Callable[[str], QuerySet[Found]]) -> None:
        """Nothing is asked yet. `ask` gives the query for a text, which may select related objects and defer fields."""
        self._ask = ask

    def find(self, text: str) -> Found | None:
        """The object; None where there is none."""
        query = self._query
        with connection.cursor() as cursor:
            cursor.execute(query.sql, [text if parameter == _HERE else parameter for parameter in query.parameters])
            row = cursor.fetchone()
        return None if row is None else query.object_from(row)

    @cached_property
    def _query(self) -> _Query:
        return _put_together(self._ask(_HERE))


class PreparedRows(Generic[Found]):
    """A question for the objects that have one of some keys, put together once for each of a few numbers of keys.

    rows = PreparedRows(lambda pks: Tool.objects.filter(pk__in=pks))
    rows.find([3, 1, 2])
    """

    def __init__(self, ask: Callable[[Sequence[int]], QuerySet[Found]]) -> None:
        self._ask = ask
        self._queries: dict[int, _Query] = {}

    def find(self, pks: Sequence[int]) -> dict[int, Found]:
        """The objects by their primary keys, which are all different; those that are not there are left out."""
        if not pks:
            return {}
        pks = padded(pks)
        query = self._query(len(pks))
        given = iter(pks)
        values = [next(given) if _is_stand_in(parameter) else parameter for parameter in query.parameters]
        with connection.cursor() as cursor:
            cursor.execute(query.sql, values)
            found = [query.object_from(row) for row in cursor.fetchall()]
        return {one.pk: one for one in found}

    def _query(self, count: int) -> _Query:
        if count not in self._queries:
            self._queries[count] = _put_together(self._ask([-place for place in range(1, count + 1)]))
        return self._queries[count]


def _is_stand_in(parameter: object) -> bool:
    """Whether a key goes there: no primary key is negative, nor anything else that is asked for with them."""
    return isinstance(parameter, int) and parameter < 0


@dataclass(frozen=True)
class _Query:
    """SQL, and what makes an object of a row that it gives."""

    sql: str
    parameters: Sequence[Any]
    converted: list[tuple[int, Sequence[Any], Any]]  # (column, its converters, its expression)
    made: _Made

    def object_from(self, row: Sequence[Any]) -> Any:
        values = list(row)
        for column, converters, expression in self.converted:
            if values[column] is not None:
                for convert in converters:
                    values[column] = convert(values[column], expression, connection)
        return self.made.object_from(values)


@dataclass(frozen=True)
class _Made:
    """Makes an object of some columns of a row, and those that it refers to of others.

    It sets what `Model.__init__` would set, without its signals and its checks of each value: they take most of the
    time of a list, and what comes from the database needs neither.
    """

    model: type[Model]
    alias: str  # of the database
    fields: list[str]
    columns: slice
    key: int  # the column of the primary key
    related: list[tuple[str, _Made]]  # by the names that Django keeps them under

    def object_from(self, row: list[Any]) -> Any:
        made = self.model.__new__(self.model)
        made._state = state = ModelState()
        state.adding, state.db = False, self.alias
        made.__dict__.update(zip(self.fields, row[self.columns], strict=True))
        if self.related:
            state.fields_cache = {
                name: None if row[other.key] is None else other.object_from(row) for name, other in self.related
            }
        return made


def _put_together(queryset: QuerySet[Any]) -> _Query:
    """As Django's own `ModelIterable` does it for every query."""
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    converters = compiler.get_converters([column for column, _, _ in compiler.select])
    converted = [(column, found, expression) for column, (found, expression) in converters.items()]
    return _Query(sql, parameters, converted, _made_of(compiler.klass_info, compiler.select))


def _made_of(about: Any, select: Any) -> _Made:
    columns = slice(about["select_fields"][0], about["select_fields"][-1] + 1)
    fields = [column.target.attname for column, _, _ in select[columns]]
    key = columns.start + fields.index(about["model"]._meta.pk.attname)
    related = [(one["field"].cache_name, _made_of(one, select)) for one in about.get("related_klass_infos", ())]
    return _Made(about["model"], connection.alias, fields, columns, key, related)
