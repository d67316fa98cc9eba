"""Statistics of runs: shares that returned and conformed, durations, the busiest tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Count, Max

from catalog.tools.models import Tool
from playground.runs.models import ENDED, Run
from toolshelf_core.caching import LRUCache

RUNS_COUNTED = 1000
MOST_RUN: Final = 500  # tools; lists show the others by name

_most_run: LRUCache[tuple[int, ...]] = LRUCache(max_weight=2)


@dataclass(frozen=True)
class RunStatistics:
    """Statistics of the latest live runs of a tool, at most `RUNS_COUNTED`.

    Shares are 0 to 1; None if there are none.

    `returned` is the share of runs with a response, `conformed` the share of checked responses that
    conform. Durations are those of the calls alone.
    """

    runs: int
    there_are_more: bool
    returned: float | None
    conformed: float | None
    median_ms: float | None
    p95_ms: float | None
    latest_at: datetime | None


def statistics_of(tool: Tool) -> RunStatistics:
    """The statistics of `tool`, by one query that takes at most 3 ms."""
    rows = list(
        Run.objects.filter(tool=tool, mode="live", outcome__in=ENDED)
        .exclude(outcome="refused")
        .order_by("-id")
        .values_list("outcome", "verdict", "call_ms", "created_at")[: RUNS_COUNTED + 1]
    )
    there_are_more = len(rows) > RUNS_COUNTED
    rows = rows[:RUNS_COUNTED]
    verdicts: Counter[str] = Counter()
    return_count = 0
    durations: list[float] = []
    for outcome, verdict, call_ms, _ in rows:
        verdicts[verdict] += 1
        if outcome == "returned":
            return_count += 1
            if call_ms is not None:
                durations.append(call_ms)
    durations.sort()
    return RunStatistics(
        runs=len(rows),
        there_are_more=there_are_more,
        returned=_divide(return_count, len(rows)),
        conformed=_divide(verdicts["conforms"], verdicts["conforms"] + verdicts["violates"]),
        median_ms=quantile(durations, 0.5),
        p95_ms=quantile(durations, 0.95),
        latest_at=rows[0][3] if rows else None,
    )


def _divide(part: int, total: int) -> float | None:
    return part / total if total else None


def quantile(ordered: Sequence[float], share: float) -> float | None:
    """The smallest of `ordered` that at least `share` of them do not exceed.

    None if there is none.
    """
    if not ordered:
        return None
    rank = -(-len(ordered) * int(share * 100) // 100)  # rounded up, without floating point
    return ordered[max(0, rank - 1)]


def format_percent(share: float | None) -> str:
    """A share as "98%". Only 1 is shown as "100%", and only 0 as "0%"."""
    if share is None:
        return "—"
    percent = round(share * 100)
    if percent == 100 and share < 1:
        percent = 99
    if percent == 0 and share > 0:
        percent = 1
    return f"{percent}%"


def most_run_tools() -> tuple[int, ...]:
    """The primary keys of at most `MOST_RUN` tools with live runs, those with the most first."""
    latest = Run.objects.aggregate(latest=Max("pk"))["latest"]
    return _most_run.get_or_compute(latest, _rank_tools)


def _rank_tools() -> tuple[int, ...]:
    runs = Run.objects.filter(mode="live", outcome__in=ENDED).exclude(outcome="refused").order_by()
    counts = runs.values_list("tool").annotate(runs=Count("pk")).order_by("-runs", "tool")
    return tuple(tool for tool, _ in counts[:MOST_RUN])
