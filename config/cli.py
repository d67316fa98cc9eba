"""Run a command of `manage.py`, or print what to do first if the site is not ready for it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NoReturn

import django
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from config.migration_lock import lock_migrations
from config.start_faults import explain

OWN_APPS = {"accounts", "catalog", "playground"}
NOT_SET_UP = (
    "The database has not been set up yet: run `manage.py migrate` first (`manage.py serve` "
    "does so by itself)."
)
FOREIGN = (
    "The database was created by an early version of Toolshelf whose tables this version cannot "
    "migrate; it was left as it is. Take its catalog along in three steps: write it to a file with "
    "that version (`manage.py export_catalog FILE`); check out the commit 83165c8 of Toolshelf and "
    "load the file into a new data folder (`manage.py migrate`, `manage.py load_specs FILE`); "
    "start this version with the new folder, which it migrates. Tools arrive with all revisions, "
    "toolkits, tags, deprecations and waivers; accounts, tokens, runs, saved configurations and "
    "reports of uploads stay behind (docs/operations.md)."
)
OLDER = (
    "The database was created by an older version of Toolshelf: run `manage.py migrate` first "
    "(`manage.py serve` does so by itself)."
)


def run(words: Sequence[str]) -> None:
    """Run the command; exit with 1 and a sentence if settings, tables or the disk prevent it."""
    try:
        settings.INSTALLED_APPS  # noqa: B018 - reads the settings
        if words[1:2] == ["migrate"]:
            django.setup()
            with lock_migrations():
                # Django would skip an app of which only some replaced migrations are applied.
                if is_foreign():
                    stop(FOREIGN)
                execute_from_command_line(list(words))
            return
        execute_from_command_line(list(words))
    except ImproperlyConfigured as error:
        stop(str(error))
    except (DatabaseError, OSError) as error:
        reason = explain(error)
        if reason is None and isinstance(error, DatabaseError):
            reason = find_remedy()
        if reason is None:
            raise
        stop(reason)


def stop(reason: str) -> NoReturn:
    sys.stderr.write(f"{reason}\n")
    sys.exit(1)


def find_remedy() -> str | None:
    """What to do before the database can be used; None if the database has no such problem."""
    try:
        connection.close()
        if is_foreign():
            return FOREIGN
        executor = MigrationExecutor(connection)
        missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return None
    if not missing:
        return None
    return OLDER if executor.loader.applied_migrations else NOT_SET_UP


def is_foreign() -> bool:
    """Whether this version cannot migrate the database.

    The database has migrations that this version does not know, or only some of those that a
    squashed one replaces.
    """
    loader = MigrationLoader(connection)
    unknown = set(loader.applied_migrations) - set(loader.graph.nodes)
    for migration in loader.replacements.values():
        former = set(migration.replaces)
        missing = former - set(loader.applied_migrations)
        if migration.app_label in OWN_APPS and missing and missing != former:
            return True
        unknown -= former
    return any(app in OWN_APPS for app, _ in unknown)
