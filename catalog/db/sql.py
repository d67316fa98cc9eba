"""Parts of hand-written SQL."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from django.db import connection
from django.db.models import Model


def placeholders(values: Collection[object]) -> str:
    """One placeholder for each value: "%s, %s"."""
    return ", ".join(["%s"] * len(values))


@cache
def insert_statement(model: type[Model], columns: tuple[str, ...] = ()) -> str:
    """The INSERT statement for a row of `model`: its value of each of `columns`, or of all columns in their order.

    Django would build the statement again for each row, which takes longer than executing it.
    """
    columns = columns or tuple(str(field.column) for field in model._meta.concrete_fields)
    table, *names = map(connection.ops.quote_name, (model._meta.db_table, *columns))
    return f"INSERT INTO {table} ({', '.join(names)}) VALUES ({placeholders(columns)})"  # noqa: S608
