"""Problems that an operator has to fix before the site can start, each in one sentence."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from django.conf import settings
from django.db import DatabaseError, OperationalError

RESTORE: Final = "Restore a backup (docs/operations.md), or move the file away to start a new site."
# By the beginning of the name of SQLite's error code.
SQLITE_FAULTS: Final = {
    "SQLITE_READONLY": "cannot be written. Give the user that runs Toolshelf write access to the "
    "file and its folder.",
    "SQLITE_PERM": "cannot be written. Give the user that runs Toolshelf write access to the file "
    "and its folder.",
    "SQLITE_CANTOPEN": "cannot be opened. Check that its folder exists and that the user that runs "
    "Toolshelf may write there.",
    "SQLITE_NOTADB": f"is damaged or is not an SQLite database. {RESTORE}",
    "SQLITE_CORRUPT": f"is damaged. {RESTORE}",
    "SQLITE_FULL": "cannot be written, because the disk is full. Free some space and start again.",
    "SQLITE_IOERR": "cannot be read or written. Check whether the disk is full or faulty, and "
    "start again.",
    "SQLITE_BUSY": "is locked by another program. End that program, or try again later.",
}
FILE_FAULTS: Final = (
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.ENOTDIR,
)


def explain(error: Exception) -> str | None:
    """What happened, where, and what to do; None for an error that only a traceback explains."""
    if isinstance(error, OSError):
        return _explain_file_error(error)
    if not isinstance(error, DatabaseError):
        return None
    code = getattr(error.__cause__, "sqlite_errorname", "")
    for beginning, sentence in SQLITE_FAULTS.items():
        if code.startswith(beginning):
            return f"The database {settings.DATABASES['default']['NAME']} {sentence} ({error})"
    if isinstance(error, OperationalError) and not code:
        return f"The database cannot be reached: {' '.join(str(error).split())}"
    return None


def _explain_file_error(error: OSError) -> str | None:
    if error.errno not in FILE_FAULTS:
        return None
    subject = f"{error.filename}: " if error.filename else ""
    remedy = (
        "Give the user that runs Toolshelf access to it, or name another folder in "
        "TOOLSHELF_DATA_DIR."
    )
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        remedy = "Free some space and start again."
    return f"{subject}{error.strerror}. {remedy}"


def find_emptied_database(database: object, data_dir: Path) -> str | None:
    """The sentence for a database of 0 bytes in the folder of an existing site; None without one.

    SQLite would take the file for a new database, and the site would start empty next to the keys
    of the old one.
    """
    if not isinstance(database, Path) or not database.is_file() or database.stat().st_size:
        return None
    names = ("secret_key", "configuration_key", "site_url")
    files = [name for name in names if (data_dir / name).exists()]
    if not files:
        return None
    return (
        f"The database {database} is empty (0 bytes), but {data_dir} holds {', '.join(files)} of a "
        f"site. {RESTORE}"
    )
