"""Back up the database while the site is running; the copy is complete or does not exist."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.db import connection

from toolshelf_core.commands import BaseCommand


class Command(BaseCommand):
    help = (
        "Copy the whole database, except for browser sessions, into FILE while the site is "
        "running. The copy does not contain the keys, which are files beside the database: back "
        "them up separately, because saved configurations cannot be read without them. To restore, "
        "stop the site, remove toolshelf.sqlite3-wal and toolshelf.sqlite3-shm, and replace "
        "toolshelf.sqlite3 with FILE."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="replaced once the copy is complete and verified",
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        if connection.vendor != "sqlite":
            raise CommandError(
                "The database is not SQLite: copy it with its own tools, such as pg_dump."
            )
        source = Path(str(connection.settings_dict["NAME"]))
        target = options["file"].absolute()
        if not source.exists():
            raise CommandError(f"There is no database yet at {source}.")
        if not target.parent.is_dir():
            raise CommandError(f"The folder {target.parent} does not exist.")
        if target.is_dir():
            raise CommandError(f"{target} is a folder: enter another file.")
        if target.exists() and target.samefile(source):
            raise CommandError(f"{target} is the database itself: enter another file.")
        try:
            tools = back_up(source, target)
        except (OSError, sqlite3.Error) as error:
            raise CommandError(
                f"No copy was made, and nothing at {target} was changed: {error}"
            ) from error
        self.stderr.write(f"{tools:,} tools, {target.stat().st_size:,} bytes: {target}")


def back_up(source: Path, target: Path) -> int:
    """Copy a SQLite database that may be in use, without sessions; return the number of tools.

    The copy is a consistent snapshot: SQLite's backup in one step, which only reads and blocks no
    writer. It is verified, and renamed to `target` only when it is on disk: if the process is
    killed, an earlier copy is unchanged.

    Raises:
        OSError, sqlite3.Error: the copy could not be made, or is damaged.
    """
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(handle)
    part = Path(name)
    try:
        with (
            closing(sqlite3.connect(f"{source.as_uri()}?mode=ro", uri=True)) as live,
            closing(sqlite3.connect(part)) as copy,
        ):
            live.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, without a log beside it
            remove_sessions(copy)
            if (verdict := copy.execute("PRAGMA integrity_check(1)").fetchone()[0]) != "ok":
                raise sqlite3.DatabaseError(f"the copy is damaged: {verdict}")
            tools = int(copy.execute("SELECT count(*) FROM catalog_tool").fetchone()[0])
        _sync(part)
        part.replace(target)
        _sync(target.parent)
    finally:
        for file in (part, part.with_name(f"{part.name}-journal")):
            file.unlink(missing_ok=True)
    return tools


def remove_sessions(copy: sqlite3.Connection) -> None:
    """Delete and overwrite the browser sessions, which can hold forms that people filled in."""
    copy.execute("PRAGMA secure_delete = ON")
    tables = copy.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for name in ("accounts_session", "django_session"):
        if (name,) in tables:
            copy.execute(f"DELETE FROM {name}")  # noqa: S608 - one of the two names above
    copy.commit()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
