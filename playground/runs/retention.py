"""Delete runs and audit events past their retention.

Batches are small, so that other writers need not wait.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.conf import settings
from django.utils import timezone

from catalog.proposals.actions import prune_texts
from catalog.webhooks.delivery import prune_deliveries
from playground.runs import volume as run_volume
from playground.runs.models import ACTIVE, DRAFT, Run
from toolshelf_core import audit
from toolshelf_core.db.reclaim import reclaim_space

BATCH = 500
DRAFT_LIFETIME: Final = timedelta(days=1)  # of the run of a draft, which its author looks at once


def prune() -> None:
    """Delete the rows past their retention, which settings give for runs and audit events.

    0 days keep them forever.
    """
    if settings.RUN_RETENTION_DAYS:
        prune_runs(settings.RUN_RETENTION_DAYS)
    if settings.AUDIT_RETENTION_DAYS:
        audit.prune(settings.AUDIT_RETENTION_DAYS)
    prune_runs_of_drafts()
    prune_deliveries()
    prune_texts()
    run_volume.prune()
    reclaim_space()


def prune_runs_of_drafts() -> None:
    """Delete the runs of drafts that began more than a day ago and have ended, with their files."""
    old = Run.every.filter(mode=DRAFT, created_at__lt=timezone.now() - DRAFT_LIFETIME)
    old.exclude(outcome__in=ACTIVE).delete()


def prune_runs(days: int) -> int:
    """Delete every run that ended more than `days` days ago.

    Returns:
        How many runs were deleted.
    """
    limit = timezone.now() - timedelta(days=days)
    old_ids = Run.every.filter(finished_at__lt=limit).order_by("id").values_list("pk", flat=True)
    deleted_runs = 0
    while batch := list(old_ids[:BATCH]):
        _, by_model = Run.every.filter(pk__in=batch).delete()  # with their files
        deleted_runs += by_model[Run._meta.label]
    return deleted_runs
