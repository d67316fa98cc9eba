"""Run a command of `manage.py`; if the database is not set up or outdated, print what to do."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

OWN_APPS = {"accounts", "catalog", "playground"}
NOT_SET_UP = (
    "The database has not been set up yet: run `manage.py migrate` first (`manage.py serve` does so by itself)."
)
FOREIGN = (
    "The database was created by an early version of Toolshelf whose tables this version cannot migrate. Export the "
    "catalog with that version (`manage.py export_catalog`), move the data folder away, start again, and upload the "
    "file."
)
OLDER = (
    "The database is that of an older Toolshelf: run `manage.py migrate` first (`manage.py serve` does so by itself)."
)


def run(words: Sequence[str]) -> None:
    """Run the command; if tables or columns are missing, print one sentence and exit with 1."""
    try:
        execute_from_command_line(list(words))
    except DatabaseError:
        reason = why_not_ready()
        if reason is None:
            raise
        sys.stderr.write(f"{reason}\n")
        sys.exit(1)


def why_not_ready() -> str | None:
    """What to do before the database can be used; None if the database has no such problem."""
    try:
        connection.close()
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
        applied = set(executor.loader.applied_migrations)
    except DatabaseError:
        return None
    if any(app in OWN_APPS for app, _ in applied - set(executor.loader.graph.nodes)):
        return FOREIGN
    if not missing:
        return None
    return OLDER if applied else NOT_SET_UP
