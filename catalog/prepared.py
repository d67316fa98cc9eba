"""Questions that come with nearly every request: put together once, then only asked.

Django makes the SQL of a query anew each time, which takes several times as long as SQLite needs to answer it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from django.db import connection
from django.db.models import Model, QuerySet
from django.db.models.query import get_related_populators

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
        self._mine = threading.local()  # what was put together belongs to a connection, and so to a thread

    def find(self, text: str) -> Found | None:
        """The object; None where there is none."""
        query = self._query()
        with connection.cursor() as cursor:
            cursor.execute(query.sql, [text if parameter == _HERE else parameter for parameter in query.parameters])
            row = cursor.fetchone()
        return None if row is None else query.object_from(row)

    def _query(self) -> _Query:
        found: _Query | None = getattr(self._mine, "query", None)
        if found is None:
            found = self._mine.query = _put_together(self._ask(_HERE))
        return found


class PreparedRows(Generic[Found]):
    """A question for the objects that have one of some keys, put together once for each number of keys.

    rows = PreparedRows(lambda pks: Tool.objects.filter(pk__in=pks))
    rows.find([3, 1, 2])
    """

    def __init__(self, ask: Callable[[Sequence[int]], QuerySet[Found]]) -> None:
        self._ask = ask
        self._mine = threading.local()

    def find(self, pks: Sequence[int]) -> dict[int, Found]:
        """The objects by their primary keys, which are all different; those that are not there are left out."""
        if not pks:
            return {}
        query = self._query(len(pks))
        given = iter(pks)
        values = [next(given) if _is_stand_in(parameter) else parameter for parameter in query.parameters]
        with connection.cursor() as cursor:
            cursor.execute(query.sql, values)
            found = [query.object_from(row) for row in cursor.fetchall()]
        return {one.pk: one for one in found}

    def _query(self, count: int) -> _Query:
        known: dict[int, _Query] = self._mine.__dict__.setdefault("queries", {})
        if count not in known:
            known[count] = _put_together(self._ask([-place for place in range(1, count + 1)]))
        return known[count]


def _is_stand_in(parameter: object) -> bool:
    """Whether a key goes there: no primary key is negative, nor anything else that is asked for with them."""
    return isinstance(parameter, int) and parameter < 0


@dataclass(frozen=True)
class _Query:
    """SQL, and what makes an object of a row that it gives."""

    sql: str
    parameters: Sequence[Any]
    compiler: Any
    converters: Any
    model: type[Model]
    fields: list[str]
    columns: slice
    populators: list[Any]

    def object_from(self, row: Sequence[object]) -> Any:
        if self.converters:
            row = next(self.compiler.apply_converters([row], self.converters))
        made = self.model.from_db(connection.alias, self.fields, row[self.columns])
        for populator in self.populators:
            populator.populate(row, made)
        return made


def _put_together(queryset: QuerySet[Any]) -> _Query:
    """As Django's own `ModelIterable` does it for every query."""
    compiler: Any = queryset.query.get_compiler(connection=connection)
    sql, parameters = compiler.as_sql()
    select, about = compiler.select, compiler.klass_info
    first, last = about["select_fields"][0], about["select_fields"][-1] + 1
    return _Query(
        sql,
        parameters,
        compiler,
        compiler.get_converters([column for column, _, _ in select]),
        about["model"],
        [column.target.attname for column, _, _ in select[first:last]],
        slice(first, last),
        get_related_populators(about, select, connection.alias),  # type: ignore[call-arg]  # the stubs are of Django 6
    )
