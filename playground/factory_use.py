"""How the tools of installed factories ran in the last 7 days, for the list of factories."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from catalog.accounts.models import Person
from playground.models import ENDED, Run
from playground.run_filter import DAY_MS, first_id_of
from playground.statistics import quantile

DAYS: Final = 7
RUNS_READ: Final = 5_000  # the latest ones of all tools together


@dataclass(slots=True)
class Use:
    """The live runs of one tool that ended, those that a person may see.

    Attributes:
        per_day: how many there were on each of the `DAYS` days (UTC), today last.
        failed: how many had no response.
        last_failed, last_outcome: the id and the outcome of the latest run without a response; "" if there is none.
        call_ms: the durations of the calls that returned.
    """

    per_day: list[int] = field(default_factory=lambda: [0] * DAYS)
    failed: int = 0
    last_failed: str = ""
    last_outcome: str = ""
    call_ms: list[float] = field(default_factory=list)

    @property
    def runs(self) -> int:
        return sum(self.per_day)

    @property
    def outcome_name(self) -> str:
        """The outcome of the latest run without a response: "timed out"."""
        return self.last_outcome.replace("_", " ")

    @property
    def median_ms(self) -> float | None:
        """Of the calls that returned; None without one."""
        return quantile(sorted(self.call_ms), 0.5)

    @property
    def label(self) -> str:
        """The chart in words."""
        return f"Runs on each of the last {DAYS} days: {', '.join(map(str, self.per_day))}"


def use_of(tools: Collection[int], person: Person) -> dict[int, Use]:
    """The use of each of these tools (by primary key) that ran, by one query."""
    first = datetime.now(UTC).date() - timedelta(days=DAYS - 1)
    start_ms = int(first_id_of(first)[:12], 16)
    runs = Run.objects.visible_to(person).filter(
        tool__in=tools, mode="live", outcome__in=ENDED, id__gte=first_id_of(first)
    )
    found: dict[int, Use] = {}
    latest = runs.order_by("-id").values_list("id", "tool_id", "outcome", "call_ms")[:RUNS_READ]
    for run, tool, outcome, call_ms in latest:
        use = found.setdefault(tool, Use())
        use.per_day[min((int(run[:12], 16) - start_ms) // DAY_MS, DAYS - 1)] += 1
        if outcome != "returned":
            use.failed += 1
            use.last_failed, use.last_outcome = use.last_failed or run, use.last_outcome or outcome
        elif call_ms is not None:
            use.call_ms.append(call_ms)
    return found
