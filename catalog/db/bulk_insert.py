"""Inserting many rows at once: a fifth of the time of `bulk_create`, where nothing but plain columns is to be written.

The caller has the keys before the rows are there (`reserved_keys`), so that rows can point at each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import itemgetter
from typing import Any, TypeVar

from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import DateTimeField, Model

Row = TypeVar("Row", bound=Model)


def reserved_keys(model: type[Model], count: int) -> Sequence[int]:
    """Primary keys that nobody else will get, in ascending order. In SQLite only within a transaction that writes."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(
                "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
                [model._meta.db_table, count],
            )
            return sorted(key for (key,) in cursor.fetchall())
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [model._meta.db_table])
        row = cursor.fetchone()
    last = row[0] if row else 0
    return range(last + 1, last + 1 + count)


def new_row(model: type[Row], **columns: Any) -> Row:
    """A row that is about to be inserted, with its defaults besides; a quarter of the time of `model(…)`.

    Args:
        model: what it is a row of.
        columns: by their names (`owner_id`). Where a default is to be made for each row, as a time is, it must be here.
    """
    row = model(*{**_defaults(model), **columns}.values())
    row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS
    return row


def insert(rows: Sequence[Model]) -> None:
    """Insert rows of one model; each has its primary key and a value for every column.

    Raises:
        IntegrityError: one of them breaks a constraint.
    """
    if not rows:
        return
    statement, columns_of, times = _statement(type(rows[0]))
    adapt = cache(connection.ops.adapt_datetimefield_value)  # they are nearly all the same
    values = []
    for row in rows:
        columns = list(columns_of(row.__dict__))
        for time in times:
            columns[time] = adapt(columns[time])
        values.append(columns)
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)


@cache
def _defaults(model: type[Model]) -> dict[str, Any]:
    """What stands in each column unless it is told, in order."""
    fields = model._meta.concrete_fields
    made_each_time = [field for field in fields if field.has_default() and callable(field.default)]
    return {field.attname: None if field in made_each_time else field.get_default() for field in fields}


@cache
def _statement(model: type[Model]) -> tuple[str, Callable[[dict[str, Any]], Iterable[Any]], tuple[int, ...]]:
    """How a row is inserted, how its columns are taken from its attributes, and which of them are times."""
    fields = model._meta.concrete_fields
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = connection.ops.quote_name(model._meta.db_table)
    times = tuple(place for place, field in enumerate(fields) if isinstance(field, DateTimeField))
    return (
        f"INSERT INTO {table} ({columns}) VALUES ({places})",  # noqa: S608
        itemgetter(*(field.attname for field in fields)),
        times,
    )
