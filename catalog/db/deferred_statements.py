"""Migrations that are recorded in the transaction that makes their tables."""

from __future__ import annotations

from django.apps.registry import Apps
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def execute_deferred(_apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Execute now what Django leaves for the end of a migration: indexes, on PostgreSQL also foreign keys.

    For `migrations.RunPython`, after the last operation on tables. If nothing is left, Django records the migration in
    the same transaction. A migration that replaces others is recorded by a row for each of them, and a crash between
    two of these left a database with only some, which no version could migrate.
    """
    for statement in schema_editor.deferred_sql:
        schema_editor.execute(statement, None)
    schema_editor.deferred_sql.clear()
