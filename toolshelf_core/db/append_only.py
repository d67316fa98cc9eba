"""Make a table append-only, by triggers: no row is changed, and no young row is deleted.

Rows older than `MIN_AGE_DAYS` may be deleted, so retention needs no way to turn the triggers off,
and no code can delete younger rows. Only the owner of the table can drop the triggers or the table.

SQLite replaces rows in `INSERT OR REPLACE` without calling the triggers for deletion, so inserting
over an existing row is refused, too. A migration that alters the table rebuilds it in SQLite,
without triggers: it must call `protect` again.

Sources: SQLite, "CREATE TRIGGER" and "ON CONFLICT"; PostgreSQL, "PL/pgSQL trigger functions".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db.backends.base.base import BaseDatabaseWrapper

MIN_AGE_DAYS: Final = 30

_CREATE: Final = {
    "sqlite": (
        """CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
        BEGIN SELECT RAISE(ABORT, 'This log is append-only: its rows cannot be changed.'); END""",
        """CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}
        WHEN OLD.{time} >= strftime('%Y-%m-%d %H:%M:%f', 'now', '-{days} days')
        BEGIN
          SELECT RAISE(ABORT,
            'This log is append-only: only rows older than {days} days can be deleted.');
        END""",
        """CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table}
        WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
        BEGIN SELECT RAISE(ABORT, 'This log is append-only: its rows cannot be replaced.'); END""",
    ),
    "postgresql": (
        """CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'DELETE' THEN
            IF OLD.{time} < now() - interval '{days} days' THEN RETURN OLD; END IF;
          END IF;
          RAISE EXCEPTION
            'This log is append-only: % is refused; '
            'only rows older than {days} days can be deleted.',
            TG_OP USING ERRCODE = 'integrity_constraint_violation';
        END $$""",
        """CREATE TRIGGER {table}_no_change BEFORE UPDATE OR DELETE ON {table}
        FOR EACH ROW EXECUTE FUNCTION {table}_append_only()""",
        """CREATE TRIGGER {table}_no_truncate BEFORE TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()""",
    ),
}
_DROP: Final = {
    "sqlite": (
        "DROP TRIGGER IF EXISTS {table}_no_update",
        "DROP TRIGGER IF EXISTS {table}_no_delete",
        "DROP TRIGGER IF EXISTS {table}_no_replace",
    ),
    "postgresql": (
        "DROP TRIGGER IF EXISTS {table}_no_change ON {table}",
        "DROP TRIGGER IF EXISTS {table}_no_truncate ON {table}",
        "DROP FUNCTION IF EXISTS {table}_append_only",
    ),
}


def protect(connection: BaseDatabaseWrapper, table: str, *, time: str = "at") -> None:
    """Create the triggers, in the caller's transaction.

    Args:
        connection: to the database.
        table: the name of a table with the primary key `id`.
        time: the column with the time of a row, which is not null.
    """
    _execute(connection, _CREATE, table=table, time=time, days=MIN_AGE_DAYS)


def unprotect(connection: BaseDatabaseWrapper, table: str) -> None:
    """Drop the triggers: for a migration backwards, and for tests that empty all tables."""
    _execute(connection, _DROP, table=table)


def _execute(
    connection: BaseDatabaseWrapper, statements: Mapping[str, tuple[str, ...]], **values: object
) -> None:
    with connection.cursor() as cursor:
        for statement in statements[connection.vendor]:
            cursor.execute(statement.format(**values))
