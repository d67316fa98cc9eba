from __future__ import annotations

from typing import Any

from django.core.management.commands import migrate
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import Migration
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState

from toolshelf_core.commands import BaseCommand


class Command(BaseCommand, migrate.Command):
    """Django's command, which can be repeated after its process was killed."""


class AtomicMigrations(MigrationExecutor):
    """Records each migration in the transaction that makes its tables.

    Django leaves indexes, on PostgreSQL also foreign keys, for the end of a migration, and if there
    are any, records the migration in a transaction of its own. A process that was killed in between
    left tables that no later `migrate` could make again.
    """

    def apply_migration(
        self, state: ProjectState, migration: Migration, *options: Any, **more: Any
    ) -> ProjectState:
        # The instance's own list, not that of its class.
        migration.operations = [*migration.operations, ExecuteDeferred()]  # type: ignore[misc]
        return super().apply_migration(state, migration, *options, **more)


class ExecuteDeferred(Operation):
    """Executes the statements that Django leaves for the end of a migration."""

    def state_forwards(self, app_label: str, state: ProjectState) -> None:
        """Leave the models as they are."""

    def database_forwards(
        self,
        app_label: str,  # noqa: ARG002 - the signature of an operation
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,  # noqa: ARG002
        to_state: ProjectState,  # noqa: ARG002
    ) -> None:
        for statement in schema_editor.deferred_sql:
            schema_editor.execute(statement, None)
        schema_editor.deferred_sql.clear()


# Django has no setting for it: its command makes the executor that its own module names.
vars(migrate)["MigrationExecutor"] = AtomicMigrations
