"""Counters of ended runs in the database, shared by all web servers and Celery workers: for `/metrics`.

A server that runs tools itself counts in its own files (`metrics.py`), which is cheaper. If Celery's workers run the
tools, possibly on several machines, each ended run increments the row of its outcome, mode and duration. These counters
are not reset when a server starts.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left

from django.db.models import F

from playground.metrics import RUN_BOUNDS_S, Histogram
from playground.models import RunCounter


def add(outcome: str, mode: str, seconds: float) -> None:
    """Count a run that has ended."""
    bucket = bisect_left(RUN_BOUNDS_S, seconds)
    row = RunCounter.objects.filter(outcome=outcome, mode=mode, bucket=bucket)
    more = {"count": F("count") + 1, "seconds": F("seconds") + seconds}
    if not row.update(**more):
        RunCounter.objects.bulk_create(
            [RunCounter(outcome=outcome, mode=mode, bucket=bucket)], ignore_conflicts=True
        )
        row.update(**more)


def summed() -> dict[tuple[str, str], Histogram]:
    """The durations of runs by outcome and mode, without combinations that have no runs."""
    counts: dict[tuple[str, str], list[int]] = {}
    seconds: dict[tuple[str, str], float] = {}
    for row in RunCounter.objects.order_by("outcome", "mode"):
        key = row.outcome, row.mode
        counts.setdefault(key, [0] * (len(RUN_BOUNDS_S) + 1))[row.bucket] += row.count
        seconds[key] = seconds.get(key, 0.0) + row.seconds
    found = {}
    for key, of_buckets in counts.items():
        *cumulated, total = itertools.accumulate(of_buckets)
        found[key] = Histogram(RUN_BOUNDS_S, cumulated, total, seconds[key])
    return found
