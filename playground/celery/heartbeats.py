"""Heartbeats of Celery's workers, so that operators see how many there are.

A worker writes its heartbeat to the database while it is connected to Redis, and web servers count the rows. That is
cheap, and immediate whatever state Redis is in. Celery's own `inspect ping` needs Redis, a timeout for each request,
and remote control, which anyone who can write to Redis could use.
"""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

from playground.models import WorkerHeartbeat
from playground.process_id import is_gone, this_host

log = logging.getLogger(__name__)

BEAT_S = 5.0
SILENT_S = 30.0
REMOVED_AFTER_S = 24 * 60 * 60


def connected_workers() -> int:
    """How many workers are alive and connected to Redis. One on another machine counts for up to `SILENT_S` longer."""
    since = timezone.now() - timedelta(seconds=SILENT_S)
    hosts = WorkerHeartbeat.objects.filter(seen_at__gte=since).values_list("host", flat=True)
    return sum(not is_gone(host) for host in hosts)


class Heartbeat:
    """The heartbeat of this process. It begins with the first `start()`."""

    def __init__(self) -> None:
        """Create a heartbeat that writes nothing before the first `start()`."""
        self._connected = False
        self._changed = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to write, because the worker is connected to Redis."""
        self._connected = True
        self._changed.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="heartbeat", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Stop writing, because the worker has lost Redis or is about to end."""
        self._connected = False
        self._changed.set()

    def close(self) -> None:
        self._connected = False
        self._closing.set()
        self._changed.set()
        if self._thread is not None:
            self._thread.join(10)

    def _work(self) -> None:
        written = False
        while not self._closing.is_set():
            self._changed.clear()
            written = self._write(written=written)
            self._changed.wait(BEAT_S)
        self._write(written=written)
        connection.close()

    def _write(self, *, written: bool) -> bool:
        """Update this worker's row, and return whether it may exist now."""
        connected = self._connected
        try:
            if connected:
                if not written:
                    forgotten = timezone.now() - timedelta(seconds=REMOVED_AFTER_S)
                    WorkerHeartbeat.objects.filter(seen_at__lt=forgotten).delete()
                beat()
            elif written:
                WorkerHeartbeat.objects.filter(host=this_host()).delete()
        except DatabaseError:
            log.exception("The heartbeat of this worker could not be stored; trying again")
            connection.close()
            return written or connected
        return connected


def beat() -> None:
    """Store that this process is a worker, connected to Redis now."""
    WorkerHeartbeat.objects.bulk_create(
        [WorkerHeartbeat(host=this_host(), seen_at=timezone.now())],
        update_conflicts=True,
        unique_fields=["host"],
        update_fields=["seen_at"],
    )
