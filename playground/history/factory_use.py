"""How the tools of installed factories ran in the last 7 days, for the list of factories."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import F, Max, Q, Window
from django.db.models.functions import RowNumber

from accounts.models import Person
from playground.history.overview import COUNTS, FAILED, day_starts
from playground.history.statistics import quantile
from playground.runs.filters import id_at
from playground.runs.models import ENDED, Run

DAYS: Final = 7
MEDIAN_OF: Final = 100  # the latest calls of each tool


@dataclass(slots=True)
class Use:
    """The live runs of one tool that ended, those that a person may see.

    Attributes:
        runs: how many there were in the last `DAYS` days (UTC), with today.
        failed: how many raised an exception, timed out or crashed.
        last_failed, last_outcome: the id and the outcome of the latest of these; "" if there is
        none. median_ms: of the latest calls that returned, at most `MEDIAN_OF`; None without one.
    """

    runs: int
    failed: int
    last_failed: str = ""
    last_outcome: str = ""
    median_ms: float | None = None

    @property
    def outcome_name(self) -> str:
        """The outcome of the latest failed run: "timed out"."""
        return self.last_outcome.replace("_", " ")


def use_of(tools: Collection[int], person: Person) -> dict[int, Use]:
    """The use of each of these tools (by primary key) that ran, by two queries."""
    start = day_starts(DAYS)[0]
    runs = Run.objects.visible_to(person).filter(
        tool__in=tools, mode="live", outcome__in=ENDED, id__gte=id_at(start)
    )
    latest: dict[str, Any] = {}
    for outcome in FAILED:
        latest[f"last_{outcome}"] = Max("pk", filter=Q(outcome=outcome))
    counts = {"runs": COUNTS["runs"], "failed": COUNTS["failed"]}
    uses: dict[int, Use] = {}
    for values in runs.order_by().values("tool_id").annotate(**counts, **latest):
        row: dict[str, Any] = {**values}
        use = Use(row["runs"], row["failed"])
        failures = [(row[f"last_{outcome}"] or "", outcome) for outcome in FAILED]
        use.last_failed, use.last_outcome = max(failures)
        uses[row["tool_id"]] = use
    place = Window(RowNumber(), partition_by=F("tool_id"), order_by=F("id").desc())
    calls = runs.filter(outcome="returned", call_ms__isnull=False).order_by().annotate(place=place)
    durations: defaultdict[int, list[float]] = defaultdict(list)
    for tool, call_ms in calls.filter(place__lte=MEDIAN_OF).values_list("tool_id", "call_ms"):
        durations[tool].append(call_ms or 0.0)
    for tool, use in uses.items():
        use.median_ms = quantile(sorted(durations[tool]), 0.5)
    return uses
