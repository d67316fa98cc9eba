"""Filter and page lists of runs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Final, Literal, Self, TypeAlias
from urllib.parse import urlencode

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from playground.runs.models import Run, RunQuerySet
from playground.runs.run_json import Mode, Outcome, Verdict
from toolshelf_core.paging import read_page
from toolshelf_core.query_values import Day

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
END_MS = 16**12  # ids have 12 hex digits for the time
LAST_HOUR: Final = "9999-12-30T23"  # a day later is Python's last hour
MAX_LENGTHS: Final = {"tool": 120, "person": 150}


def _check_is_hour(value: str) -> str:
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}T\d{2}", value, re.ASCII):
        raise ValueError("Write an hour as YYYY-MM-DDTHH.")
    datetime.fromisoformat(f"{value}:00")
    if not "1970" <= value <= LAST_HOUR:
        raise ValueError("No run can have been started in this hour.")
    return value


Hour: TypeAlias = Annotated[str, AfterValidator(_check_is_hour)]
RunCursor: TypeAlias = Annotated[str, Field(pattern="^([0-9a-f]{32})?$")]


class RunConditions(BaseModel):
    """The conditions on runs that pages and the API share."""

    model_config = ConfigDict(frozen=True)

    tool: str = Field(default="", max_length=MAX_LENGTHS["tool"], description="A tool's slug.")
    outcome: Outcome | None = None
    verdict: Verdict | None = None
    mode: Mode | None = None
    since: Day | None = Field(default=None, description="Runs created on this day (UTC) or later.")
    until: Day | None = Field(
        default=None, description="Runs created on this day (UTC) or earlier."
    )


class RunFilter(RunConditions):
    """The runs to list, latest first. `before` and `after` are run ids, the cursors of a page."""

    person: str = Field(default="", max_length=MAX_LENGTHS["person"])  # user name
    hour: Hour | Literal[""] = ""  # "2026-11-23T04", UTC
    period: Literal["", "24h", "7d", "30d"] = ""  # of the chart, not a condition
    before: RunCursor = ""
    after: RunCursor = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Self:
        """The filter in a page's query string.

        Queries come from links, so invalid values are ignored.

        If an hour and days are given, the days were entered later, and replace the hour.
        """
        values = {name: query[name] for name in cls.model_fields if query.get(name)}
        for name, length in MAX_LENGTHS.items():
            if name in values:
                values[name] = values[name][:length]
        try:
            run_filter = cls.model_validate(values)
        except ValidationError as error:
            for problem in error.errors():
                values.pop(str(problem["loc"][0]), None)
            run_filter = cls.model_validate(values)
        if run_filter.since or run_filter.until:
            return run_filter.with_changes(hour="")
        return run_filter

    def with_changes(self, **changes: Any) -> Self:
        return self.model_copy(update=changes)

    def query(self, **changes: object) -> str:
        """A query string for the first page of this filter, with `changes` applied."""
        return urlencode(self.with_changes(before="", after="", **changes).fields)

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Name and value of each condition, and of the page, for the hidden fields of a form."""
        return [(name, str(value)) for name, value in vars(self).items() if value]

    @property
    def is_narrowed(self) -> bool:
        return bool(self.before or self.after or self.query(period=""))

    @property
    def hour_name(self) -> str:
        """The hour in words.

        For example "23 Nov, 04:00 to 05:00 UTC", or "23 Nov, 23:00 to 24 Nov, 00:00 UTC".
        """
        start, end = (datetime.fromtimestamp(bound / 1000, UTC) for bound in self.bounds_ms)
        day = "" if end.date() == start.date() else f"{end:%-d %b}, "
        return f"{start:%-d %b, %H:00} to {day}{end:%H:00} UTC"

    @property
    def has_times(self) -> bool:
        return bool(self.hour or self.since or self.until)

    @property
    def times_name(self) -> str:
        """The hour or days in words: "20 to 22 Nov", "From 20 Nov"; "" for all times."""
        if self.hour:
            return self.hour_name
        if not self.since:
            return f"Until {_format_day(self.until)}" if self.until else ""
        first_day = _format_day(self.since)
        if not self.until:
            return f"From {first_day}"
        if self.since == self.until:
            return first_day
        if self.since.replace(day=1) == self.until.replace(day=1):
            first_day = str(self.since.day)
        return f"{first_day} to {_format_day(self.until)}"

    @property
    def bounds_ms(self) -> tuple[int, int]:
        """The first millisecond and the one after the last: of the hour, or else of the days."""
        if self.hour:
            start = int(datetime.fromisoformat(f"{self.hour}:00+00:00").timestamp() * 1000)
            return start, start + HOUR_MS
        start = _milliseconds(self.since) if self.since else 0
        end = _milliseconds(self.until) + DAY_MS if self.until else END_MS
        return start, end

    def without_times(self) -> Self:
        """This filter for a chart: of all times and on all pages."""
        return self.with_changes(since=None, until=None, hour="", before="", after="")

    def apply(self, runs: RunQuerySet) -> RunQuerySet:
        """The runs that match the filter, on all pages."""
        start, end = self.bounds_ms
        conditions: dict[str, str | None] = {
            "tool__slug": self.tool,
            "outcome": self.outcome,
            "verdict": self.verdict,
            "mode": self.mode,
            "by__username": self.person,
        }
        if start:
            conditions["id__gte"] = id_at(start)
        if end != END_MS:
            conditions["id__lt"] = id_at(end)
        return runs.filter(**{name: value for name, value in conditions.items() if value})

    def page(self, runs: RunQuerySet, size: int = PAGE_SIZE) -> RunPage:
        """One page of the runs that match the filter."""
        matches = self.apply(runs).without_texts().with_names()
        if self.after:
            rows, newer = read_page(matches, self.after, size, "id")
            older = rows[0].id if rows else None
            return RunPage(rows[::-1], newer, older)
        rows, older = read_page(matches, self.before, size, "-id")
        newer = rows[0].id if rows and self.before else None
        return RunPage(rows, newer, older)


@dataclass(frozen=True)
class RunPage:
    """One page of a list of runs.

    `newer` and `older` are the cursors of the adjacent pages, None if there is none.
    """

    runs: list[Run]
    newer: str | None
    older: str | None


def _format_day(day: date) -> str:
    """The day without its year, if it is this year: "20 Nov"."""
    is_this_year = day.year == datetime.now(UTC).year
    return f"{day:%-d %b}" if is_this_year else f"{day:%-d %b %Y}"


def _milliseconds(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp() * 1000)


def id_at(milliseconds: int) -> str:
    """The smallest id that a run can have at that time (milliseconds since 1970).

    Ids begin with their time.
    """
    return f"{max(0, milliseconds):012x}" + "0" * 20
