"""Send what is due: by a thread of the server, or by Celery beat. As for sources (`sources/schedule.py`)."""

from __future__ import annotations

import logging
import threading

from django.db import DatabaseError, close_old_connections

from catalog.webhook_queue import new_deliveries
from catalog.webhooks.delivery import deliver_due

POLL_S = 5.0  # deliveries that other processes queued, and retries
FIRST_S = 10.0  # after the start, which has other work to do

log = logging.getLogger(__name__)


def start_delivering() -> None:
    """Send the deliveries that are due, in a thread of the server."""
    words = {"stop": threading.Event()}
    threading.Thread(target=deliver_regularly, kwargs=words, daemon=True, name="webhooks").start()


def deliver_regularly(*, stop: threading.Event) -> None:
    """Send the deliveries that are due until `stop` is set; a fault of the database is logged."""
    stop.wait(FIRST_S)
    while not stop.is_set():
        new_deliveries.clear()
        try:
            for _ in deliver_due():
                if stop.is_set():
                    break
        except DatabaseError:
            log.exception("The webhooks that are due could not be sent; the next attempt is in a few seconds.")
        finally:
            close_old_connections()
        new_deliveries.wait(POLL_S)
