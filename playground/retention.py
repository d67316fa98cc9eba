"""Delete runs past their retention, in small batches so that other writers do not wait for the database."""

from __future__ import annotations

from datetime import timedelta

from django.utils import timezone

from playground.models import Run

BATCH = 500


def prune_runs(days: int) -> int:
    """Delete every run that ended more than `days` days ago.

    Returns:
        How many runs were deleted.
    """
    limit = timezone.now() - timedelta(days=days)
    removed = 0
    while old := list(Run.objects.filter(finished_at__lt=limit).order_by("id").values_list("pk", flat=True)[:BATCH]):
        count, _ = Run.objects.filter(pk__in=old).delete()
        removed += count
    return removed
