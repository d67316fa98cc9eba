"""One process at a time migrates a database; others wait for it, and find it migrated."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import connection

from toolshelf_core.db.reclaim import prepare_new_database

# Any number that no other program uses in this database.
ADVISORY_LOCK: Final = 0x746F_6F6C_7368_656C
WAITING: Final = "Another process is preparing this database; waiting for it.\n"


@contextmanager
def lock_migrations() -> Iterator[None]:
    """Wait for the lock of the database, and hold it during a block. It ends with the process."""
    if connection.vendor == "postgresql":
        with _take_advisory_lock():
            yield
        return
    name = settings.DATABASES["default"]["NAME"]
    if not isinstance(name, Path):  # a database in memory
        yield
        return
    with _lock_file(name.with_name(f"{name.name}.lock")):
        prepare_new_database()
        yield


@contextmanager
def _take_advisory_lock() -> Iterator[None]:
    holder = connection.copy()  # of its own: a migration may close the connection that it uses
    try:
        with holder.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_lock(%s)", [ADVISORY_LOCK])
            if cursor.fetchone() != (True,):
                sys.stderr.write(WAITING)
                cursor.execute("SELECT pg_advisory_lock(%s)", [ADVISORY_LOCK])
        yield
    finally:
        holder.close()


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    """Lock a file beside the database: closing the database itself would end SQLite's locks."""
    try:
        file = path.open("a")
    except OSError:  # the folder is missing or cannot be written, which SQLite explains better
        yield
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.stderr.write(WAITING)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
