"""The tools with the most runs."""

from __future__ import annotations

from typing import Final

from django.db.models import Count, Max

from catalog.caching import LRUCache
from playground.models import ENDED, Run

MOST_RUN: Final = 500  # tools; lists show the others by name

_most_run: LRUCache[tuple[int, ...]] = LRUCache(max_weight=2)


def most_run_tools() -> tuple[int, ...]:
    """The primary keys of at most `MOST_RUN` tools with live runs, those with the most first."""
    latest = Run.objects.aggregate(latest=Max("pk"))["latest"]
    return _most_run.get_or_compute(latest, _counted)


def _counted() -> tuple[int, ...]:
    runs = Run.objects.filter(mode="live", outcome__in=ENDED).exclude(outcome="refused").order_by()
    counts = runs.values_list("tool").annotate(runs=Count("pk")).order_by("-runs", "tool")
    return tuple(tool for tool, _ in counts[:MOST_RUN])
