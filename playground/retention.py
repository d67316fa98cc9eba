"""Delete runs and audit events past their retention, in small batches so that other writers need not wait."""

from __future__ import annotations

import logging
import threading
from datetime import timedelta

from django.db import DatabaseError, close_old_connections
from django.utils import timezone

from catalog import audit
from catalog.db.reclaim import reclaim_space
from catalog.held_changes import prune_texts
from catalog.webhooks.delivery import prune_deliveries
from playground import run_volume
from playground.models import Run

BATCH = 500
FIRST_S = 600.0  # after the start, which has other work to do
DAY_S = 86_400.0

log = logging.getLogger(__name__)


def prune_daily(days: int, audit_days: int = 0, *, stop: threading.Event) -> None:
    """Delete runs and audit events past their retention every day until `stop` is set; 0 days: none of them.

    A fault of the database is logged.
    """
    wait_s = FIRST_S
    while not stop.wait(wait_s):
        wait_s = DAY_S
        try:
            if days:
                prune_runs(days)
            if audit_days:
                audit.prune(audit_days)
            prune_deliveries()
            prune_texts()
            run_volume.prune()
            reclaim_space()
        except DatabaseError:
            log.exception(
                "Rows past their retention could not be deleted; the next attempt is in a day."
            )
        finally:
            close_old_connections()


def start_pruning(days: int, audit_days: int) -> None:
    """Delete runs and audit events past their retention every day, in a thread of the server; 0 days: never.

    Deliveries to webhooks, and the texts of decided changes, have a retention of their own.
    """
    words = {"days": days, "audit_days": audit_days, "stop": threading.Event()}
    threading.Thread(target=prune_daily, kwargs=words, daemon=True, name="retention").start()


def prune_runs(days: int) -> int:
    """Delete every run that ended more than `days` days ago.

    Returns:
        How many runs were deleted.
    """
    limit = timezone.now() - timedelta(days=days)
    removed = 0
    while old := list(
        Run.objects.filter(finished_at__lt=limit)
        .order_by("id")
        .values_list("pk", flat=True)[:BATCH]
    ):
        _, by_model = Run.objects.filter(pk__in=old).delete()  # with their files
        removed += by_model[Run._meta.label]
    return removed
