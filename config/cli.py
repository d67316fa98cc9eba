"""Carrying out a command of `manage.py`; where the database was never set up, or is older, it says what to do."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor

NOT_SET_UP = (
    "The database has not been set up yet: run `manage.py migrate` first (`manage.py serve` does so by itself)."
)
OLDER = (
    "The database is that of an older Toolshelf: run `manage.py migrate` first (`manage.py serve` does so by itself)."
)


def run(words: Sequence[str]) -> None:
    """Do as `manage.py` is told; exit with 1, and one sentence, where tables or columns are not there yet."""
    try:
        execute_from_command_line(list(words))
    except DatabaseError:
        reason = why_not_ready()
        if reason is None:
            raise
        sys.stderr.write(f"{reason}\n")
        sys.exit(1)


def why_not_ready() -> str | None:
    """What is to be done before anything can be asked of the database; None where that is not what is wrong with it."""
    try:
        connection.close()
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return None
    if not missing:
        return None
    return OLDER if executor.loader.applied_migrations else NOT_SET_UP
