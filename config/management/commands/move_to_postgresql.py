"""Move a site from SQLite to PostgreSQL: every row is copied, and compared before anything is committed."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError, CommandParser
from django.core.management.color import no_style
from django.db import Error, connection, connections, transaction
from django.db.models import Field, Model

from catalog.accounts.models import User
from catalog.commands import BaseCommand
from catalog.models import Tool
from config import env

TARGET: Final = "target"
CHUNK: Final = 2_000  # rows that are read together
NUL: Final = "\x00"  # PostgreSQL cannot store it in a text


class Command(BaseCommand):
    help = (
        "Copy the site's SQLite database into an empty PostgreSQL database. Stop the site first; while the copy is "
        "made, nothing can be written to SQLite. Rows are counted and compared by their hashes before the copy is "
        "committed, so that PostgreSQL has either all of them or none. The SQLite file is not changed. Afterwards "
        "start the site with DATABASE_URL set to the same URL, and keep the data directory: its keys decrypt the "
        "saved configurations."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "url",
            metavar="URL",
            help="postgresql://user@host:port/name; PostgreSQL's PGPASSWORD or ~/.pgpass keep the password out of it",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        url = options["url"]
        if connection.vendor != "sqlite":
            raise CommandError(
                "This site's database is not SQLite. Run the command without DATABASE_URL."
            )
        connect(url)
        if fault := reason_not_empty():
            raise CommandError(f"The PostgreSQL database {fault}. Use an empty one.")
        manage(url, "migrate", "--verbosity", "0")
        try:
            with writers_excluded(), transaction.atomic(using=TARGET):
                empty_tables()
                copies = [self._move(model) for model in models()]
        except Error as error:
            raise CommandError(f"Nothing was moved. PostgreSQL refused a row: {error}") from error
        connections[TARGET].close()
        manage(url, "rebuild_index")
        rows = sum(copy.rows for copy in copies)
        self.stderr.write(f"{rows:,} rows in {len(copies)} tables: counts and hashes are equal.")

    def _move(self, model: type[Model]) -> Copy:
        table = model._meta.db_table
        source, changed = copy_rows(model)
        target = Copy.of(rows_of(model, TARGET))
        if source != target:
            raise CommandError(
                f"Nothing was moved. The table {table} differs in PostgreSQL: {target.rows:,} of {source.rows:,} rows, "
                f"or other values."
            )
        reset_keys(model)
        if changed:
            self.stderr.write(
                f"{table}: U+0000, which PostgreSQL cannot store, was replaced by U+FFFD in {changed} rows."
            )
        if source.rows:
            self.stderr.write(f"{table}: {source.rows:,} rows")
        return source


@dataclass(frozen=True)
class Copy:
    """How many rows a table has, and the sum of their hashes, which does not depend on their order."""

    rows: int = 0
    digest: int = 0

    def add(self, row: tuple[Any, ...]) -> Copy:
        text = json.dumps(row, sort_keys=True, default=repr, ensure_ascii=True)
        number = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
        return Copy(self.rows + 1, (self.digest + number) % 2**256)

    @classmethod
    def of(cls, rows: Iterator[tuple[Any, ...]]) -> Copy:
        copy = cls()
        for row in rows:
            copy = copy.add(row)
        return copy


def connect(url: str) -> None:
    """Make `TARGET` a database of this process.

    Raises:
        CommandError: the URL is not PostgreSQL's, its driver is not installed, or the server cannot be reached.
    """
    try:
        entry = env.read_value("URL", env.DATABASE, url)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error
    if not entry or "postgresql" not in str(entry["ENGINE"]):
        raise CommandError("URL must name a PostgreSQL database, and begin with postgresql://.")
    connections.databases[TARGET] = connections.configure_settings(
        {**connections.databases, TARGET: entry}
    )[TARGET]
    try:
        connections[TARGET].ensure_connection()
    except ImproperlyConfigured as error:
        raise CommandError("PostgreSQL's driver is not installed: run `make team`.") from error
    except Error as error:
        raise CommandError(f"PostgreSQL cannot be reached: {str(error).strip()}") from error


def models() -> list[type[Model]]:
    """Every model with a table of its own."""
    found = apps.get_models(include_auto_created=True)
    return [model for model in found if model._meta.managed and not model._meta.proxy]


def reason_not_empty() -> str | None:
    """Why the target database cannot be used: it has rows of a site, or tables of another program. None if it can be.

    Empty tables left by a failed move do not count.
    """
    with connections[TARGET].cursor() as cursor:
        tables = set(connections[TARGET].introspection.table_names(cursor))
    if not tables:
        return None
    with connection.cursor() as cursor:
        foreign = tables - set(connection.introspection.table_names(cursor))
    if foreign or not {model._meta.db_table for model in (Tool, User)} <= tables:
        return (
            f"has tables that are not those of a Toolshelf site, such as {min(foreign or tables)}"
        )
    for model in (Tool, User):
        if model._base_manager.using(TARGET).exists():
            return f"has {model._meta.verbose_name_plural} already"
    return None


def manage(url: str, *words: str) -> None:
    """Run a command of this site in the target database.

    Raises:
        CommandError: it failed.
    """
    done = subprocess.run(  # noqa: S603 - the command's own program
        [sys.executable, str(settings.BASE_DIR / "manage.py"), *words],
        env={**os.environ, "DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CommandError(
            f"`manage.py {' '.join(words)}` failed in PostgreSQL:\n{done.stderr.strip()[-2_000:]}"
        )


@contextmanager
def writers_excluded() -> Iterator[None]:
    """Nobody else can write to SQLite meanwhile, and all reads see the same moment."""
    with connection.cursor() as cursor:
        cursor.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            cursor.execute("ROLLBACK")


def empty_tables() -> None:
    """Remove what migrations put into the target's tables, such as permissions: it is copied from SQLite.

    Only from tables with rows: the audit log refuses to be emptied, and migrations put nothing there.
    """
    filled = [model for model in models() if model._base_manager.using(TARGET).exists()]
    tables = ", ".join(connections[TARGET].ops.quote_name(model._meta.db_table) for model in filled)
    with connections[TARGET].cursor() as cursor:
        if tables:
            cursor.execute(f"TRUNCATE {tables} CASCADE")


def columns_of(model: type[Model]) -> list[Field[Any, Any]]:
    return [
        field for field in model._meta.concrete_fields if not getattr(field, "generated", False)
    ]


def rows_of(model: type[Model], alias: str) -> Iterator[tuple[Any, ...]]:
    """The rows of a table as Python values."""
    names = [field.attname for field in columns_of(model)]
    return (
        model._base_manager.using(alias).order_by().values_list(*names).iterator(chunk_size=CHUNK)
    )


def copy_rows(model: type[Model]) -> tuple[Copy, int]:
    """Copy a table.

    Returns:
        The copied rows, and the number of rows in which NUL was replaced.
    """
    target, fields = connections[TARGET], columns_of(model)
    quote = target.ops.quote_name
    names = ", ".join(quote(field.column or "") for field in fields)
    table, copy, changed = quote(model._meta.db_table), Copy(), 0
    statement = f"COPY {table} ({names}) FROM STDIN"
    with target.wrap_database_errors, target.cursor() as cursor, cursor.copy(statement) as rows:
        for stored in rows_of(model, "default"):
            row = tuple(
                value.replace(NUL, "\ufffd") if isinstance(value, str) else value
                for value in stored
            )
            changed += row != stored
            copy = copy.add(row)
            rows.write_row(
                [
                    field.get_db_prep_save(value, target)
                    for field, value in zip(fields, row, strict=True)
                ]
            )
    return copy, changed


def reset_keys(model: type[Model]) -> None:
    """Let the next row of a table get a key after those that were copied."""
    with connections[TARGET].cursor() as cursor:
        for statement in connections[TARGET].ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(statement)
