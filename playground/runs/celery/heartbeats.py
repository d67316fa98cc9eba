"""Heartbeats of Celery's workers, so that operators see how many there are.

A worker writes its heartbeat to the database while it is connected to Redis, and web servers count
the rows. That is cheap, and immediate whatever state Redis is in. Celery's own `inspect ping` needs
Redis, a timeout for each request, and remote control, which anyone who can write to Redis could
use.
"""

from __future__ import annotations

import threading
from datetime import timedelta

from django.utils import timezone

from playground.runs.models import WorkerHeartbeat
from playground.runs.process_id import is_gone, this_host
from toolshelf_core.jobs import start_job

BEAT_S = 5.0
SILENT_S = 30.0
REMOVED_AFTER_S = 24 * 60 * 60


def connected_workers() -> int:
    """How many workers are alive and connected to Redis.

    One on another machine counts for up to `SILENT_S` longer.
    """
    since = timezone.now() - timedelta(seconds=SILENT_S)
    hosts = WorkerHeartbeat.objects.filter(seen_at__gte=since).values_list("host", flat=True)
    return sum(not is_gone(host) for host in hosts)


class Heartbeat:
    """The heartbeat of this process. It begins with the first `start()`."""

    def __init__(self) -> None:
        """Create a heartbeat that writes nothing before the first `start()`."""
        self._has_begun = False
        self._is_connected = False
        self._changed = threading.Event()
        self._writing = threading.Lock()

    def start(self) -> None:
        """Begin to write, because the worker is connected to Redis."""
        self._is_connected = True
        self._changed.set()
        if not self._has_begun:
            self._has_begun = True
            start_job("heartbeat", self._write, every_s=BEAT_S, woken_by=self._changed)

    def stop(self) -> None:
        """Stop writing, because the worker has lost Redis."""
        self._is_connected = False
        self._changed.set()

    def close(self) -> None:
        """Remove this worker's row now, because the worker is about to end."""
        self._is_connected = False
        self._write()

    def _write(self) -> None:
        with self._writing:
            if self._is_connected:
                beat()
            else:
                WorkerHeartbeat.objects.filter(host=this_host()).delete()


def beat() -> None:
    """Store that this process is a worker connected to Redis now, and forget old workers."""
    now = timezone.now()
    WorkerHeartbeat.objects.filter(seen_at__lt=now - timedelta(seconds=REMOVED_AFTER_S)).delete()
    WorkerHeartbeat.objects.bulk_create(
        [WorkerHeartbeat(host=this_host(), seen_at=now)],
        update_conflicts=True,
        unique_fields=["host"],
        update_fields=["seen_at"],
    )
