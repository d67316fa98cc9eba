"""Primary keys that are reserved before rows are inserted, for rows that refer to each other."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import connection
from django.db.models import Model


def reserved_keys(model: type[Model], count: int) -> Sequence[int]:
    """Unused primary keys that no other writer will get, in ascending order. In SQLite, call it in a transaction.

    On SQLite, it relies on the table of `AUTOINCREMENT`, which Django does not document.
    """
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
