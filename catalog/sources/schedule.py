"""Sync the sources that are due: by a thread of the server, by `sync_sources --due` in cron, or by Celery beat."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator

from django.db import DatabaseError, close_old_connections, connection

from catalog import audit
from catalog.accounts.models import User
from catalog.models import Source, SourceSync
from catalog.sources.sync import AlreadySyncing, begin, carry_out, sync

POLL_S = 60.0
FIRST_S = 20.0  # after the start, which has other work to do

log = logging.getLogger(__name__)


def sync_due() -> Iterator[SourceSync]:
    """Sync each source that is due, one after the other; yields each report."""
    return sync_each(Source.objects.due())


def sync_each(sources: Iterable[Source]) -> Iterator[SourceSync]:
    """Sync each of the sources, except those that another process is syncing; yields each report."""
    for source in list(sources):
        try:
            yield sync(source)
        except AlreadySyncing:
            continue


def sync_in_background(source: Source, *, by: User | None) -> tuple[SourceSync, threading.Thread]:
    """Start a sync in a thread of this process; its report is stored while it runs.

    Raises:
        AlreadySyncing: a sync of this source is running.
    """
    record = begin(source, by=by)
    thread = threading.Thread(
        target=_carry_out,
        args=(record, audit.origin().resolved()),
        name=f"sync {source.name}",
        daemon=True,
    )
    thread.start()
    return record, thread


def start_syncing() -> None:
    """Sync the sources that are due every minute, in a thread of the server."""
    words = {"stop": threading.Event()}
    threading.Thread(target=sync_regularly, kwargs=words, daemon=True, name="sources").start()


def sync_regularly(*, stop: threading.Event) -> None:
    """Sync the sources that are due until `stop` is set; a fault of the database is logged."""
    wait_s = FIRST_S
    while not stop.wait(wait_s):
        wait_s = POLL_S
        try:
            for _ in sync_due():
                pass
        except DatabaseError:
            log.exception(
                "The sources that are due could not be synced; the next attempt is in a minute."
            )
        finally:
            close_old_connections()


def _carry_out(record: SourceSync, origin: audit.Origin) -> None:
    try:
        with audit.acting(origin):
            carry_out(record)
    finally:
        connection.close()
