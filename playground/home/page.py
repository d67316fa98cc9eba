"""The playground's part of the first page: a person's recent tools and runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.safestring import SafeString

from accounts.models import User
from catalog.tools.models import Tool
from catalog.tools.stars import starred_tools
from playground.history.charts import SERIES, parts_of
from playground.history.overview import COUNTS, Counts, by_day, day_starts
from playground.runs.filters import id_at
from playground.runs.models import ACTIVE, Run
from toolshelf_core.rendering.charts import Bar, draw_stacked_bars

DAYS: Final = 7
RECENT_SHOWN: Final = 8  # tools
STARS_SHOWN: Final = 8  # tools
RUNS_READ: Final = 60  # the latest ones, to find the tools that were tried last
RUNS_COUNTED: Final = 2_000  # the latest ones of the week


def list_recent_tools(person: User) -> list[Tool]:
    """The tools that the person tried last, the latest first."""
    runs = Run.objects.filter(by=person).order_by("-id")
    tool_keys = runs.values_list("tool_id", flat=True)[:RUNS_READ]
    keys = list(dict.fromkeys(tool_keys))[:RECENT_SHOWN]
    if not keys:
        return []
    visible = Tool.objects.visible_to(person).available()
    tools = visible.defer("description").in_bulk(keys)
    return [tools[key] for key in keys if key in tools]


def list_latest_stars(person: User, besides: Iterable[Tool]) -> list[Tool]:
    """The tools that the person starred last, without the tools `besides`."""
    keys = [tool.pk for tool in besides]
    return list(starred_tools(person).exclude(pk__in=keys)[:STARS_SHOWN])


@dataclass(frozen=True, slots=True)
class Week:
    """A person's runs of the last 7 days, today included.

    Of more than `RUNS_COUNTED` runs only the latest.
    """

    days: tuple[Counts, ...]

    @property
    def runs(self) -> int:
        return sum(day.runs for day in self.days)

    @property
    def has_chart(self) -> bool:
        """Whether there are two days to compare."""
        return sum(day.runs > 0 for day in self.days) > 1

    @property
    def is_cut(self) -> bool:
        return self.runs >= RUNS_COUNTED

    @property
    def violating(self) -> int:
        return sum(day.violates for day in self.days)

    @property
    def chart(self) -> SafeString:
        """Stacked bars, each a link to the runs of its day."""
        dates = [day.starts_at.date() for day in self.days]
        bars = [
            Bar(f"{date:%-d %b}", parts_of(day), runs_url(since=date, until=date))
            for date, day in zip(dates, self.days, strict=True)
        ]
        return draw_stacked_bars(bars, SERIES, label="Your runs of the last 7 days")


def count_week(person: User) -> Week:
    """The person's own runs of the last 7 days; one query of at most `RUNS_COUNTED` runs."""
    starts = day_starts(DAYS)
    runs = Run.objects.filter(by=person, id__gte=id_at(starts[0])).exclude(outcome__in=ACTIVE)
    latest = runs.order_by("-id").values("pk")[:RUNS_COUNTED]
    days = Run.objects.filter(pk__in=latest).order_by().values(from_ms=by_day(starts))
    counts = {row["from_ms"]: Counts(**row) for row in days.annotate(**COUNTS)}
    return Week(tuple(counts.get(start, Counts(start)) for start in starts))


def runs_url(**filters: object) -> str:
    """The list of runs with these filters."""
    return f"{reverse('playground:runs')}?{urlencode(filters)}"
