"""A person's own live runs of the last 7 days, by tool and day: for the rows of a list."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Final

from catalog.accounts.models import Person, User
from catalog.caching import LRUCache
from catalog.db.compiled_query import PreparedValues
from catalog.hooks import WeeklyRuns
from playground.home.page import DAYS, RUNS_COUNTED
from playground.models import Run
from playground.run_pages.filters import id_at
from playground.run_pages.overview import day_starts

_latest: Final = PreparedValues(
    lambda person: Run.objects.filter(by=person).order_by("-id").values_list("id")[:1]
)
_counted: Final[LRUCache[Mapping[int, WeeklyRuns]]] = LRUCache()


def weekly_runs(person: Person, tools: Sequence[int]) -> Mapping[int, WeeklyRuns]:
    """The person's live runs of each of `tools` (primary keys) on the last 7 days (UTC); without tools that have none.

    Of more than `RUNS_COUNTED` runs, only the latest are counted. Cached until the person's next run, because counting
    takes longer than the rest of the page. Visitors have no runs, and cause no query.
    """
    if not isinstance(person, User) or not tools:
        return {}
    starts = [id_at(start) for start in day_starts(DAYS)]
    key = (person.pk, tuple(_latest.find(person.pk)), starts[-1], tuple(tools))
    return _counted.get_or_compute(key, lambda: _count(person, tools, starts))


def _count(person: User, tools: Sequence[int], starts: Sequence[str]) -> Mapping[int, WeeklyRuns]:
    """By one query, which reads the latest `RUNS_COUNTED` runs from an index; `starts`: the first id of each day."""
    runs = Run.objects.filter(by=person, tool__in=tools, mode="live", id__gte=starts[0])
    latest = list(runs.order_by("-id").values_list("tool_id", "id")[:RUNS_COUNTED])
    counts: dict[int, list[int]] = {}
    for tool, run_id in latest:
        counts.setdefault(tool, [0] * DAYS)[bisect_right(starts, run_id) - 1] += 1
    return {
        tool: WeeklyRuns(tuple(days), len(latest) == RUNS_COUNTED) for tool, days in counts.items()
    }
