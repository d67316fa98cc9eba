"""Inserting many rows at once: a fifth of the time of `bulk_create`, where nothing but plain columns is to be written.

The caller has the keys before the rows are there (`reserved_keys`), so that rows can point at each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import cache

from django.db import connection
from django.db.models import Model


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


def insert(rows: Sequence[Model]) -> None:
    """Insert rows of one model; each has its primary key and a value for every column.

    Raises:
        IntegrityError: one of them breaks a constraint.
    """
    if not rows:
        return
    statement, names = _statement(type(rows[0]))
    adapt = connection.ops.adapt_datetimefield_value
    values = [
        [adapt(value) if isinstance(value, datetime) else value for value in map(row.__dict__.__getitem__, names)]
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(statement, values)


@cache
def _statement(model: type[Model]) -> tuple[str, tuple[str, ...]]:
    fields = model._meta.concrete_fields
    columns = ", ".join(connection.ops.quote_name(str(field.column)) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    table = connection.ops.quote_name(model._meta.db_table)
    return f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(field.attname for field in fields)  # noqa: S608
