"""Give the space of deleted rows back to the disk."""

from __future__ import annotations

from typing import Final

from django.db import connection

PAGES: Final = 1_000  # at once: other writers wait meanwhile


def prepare_new_database() -> None:
    """Let an SQLite database give space back later; it cannot be set once there are tables."""
    if connection.vendor != "sqlite" or connection.introspection.table_names():
        return
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA auto_vacuum = INCREMENTAL")
        cursor.execute("VACUUM")


def reclaim_space() -> None:
    """Shrink the file of an SQLite database that was prepared.

    PostgreSQL reuses its space by itself.
    """
    if connection.vendor != "sqlite":
        return
    with connection.cursor() as cursor:
        while _has_free_pages():
            cursor.execute(f"PRAGMA incremental_vacuum({PAGES})")
            cursor.fetchall()


def _has_free_pages() -> bool:
    """Whether there are pages that can be given back."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA auto_vacuum")
        is_incremental = cursor.fetchone()[0] == 2
        cursor.execute("PRAGMA freelist_count")
        free_pages: int = cursor.fetchone()[0]
        return is_incremental and free_pages > 0
