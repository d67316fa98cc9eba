"""Filter and page lists of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator

from playground.models import MODES, OUTCOMES, VERDICTS, Run, RunQuerySet

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
END_MS = 16**12  # ids have 12 hex digits for the time
MAX_LENGTHS = {"tool": 120, "person": 150}
RUN_ID: Final = r"\A[0-9a-f]{32}\Z"
NOT_BEFORE_TIME: Final = MinValueValidator(datetime(1970, 1, 1, tzinfo=UTC))
NOT_AFTER_TIME: Final = MaxValueValidator(
    datetime(9999, 12, 30, 23, tzinfo=UTC)
)  # a day later is Python's last hour
NOT_BEFORE: Final = MinValueValidator(
    date(1970, 1, 1)
)  # ids of runs begin with the time since then


def _choice(values: tuple[str, ...]) -> forms.ChoiceField:
    return forms.ChoiceField(choices=[(value, value) for value in values], required=False)


def _day() -> forms.DateField:
    return forms.DateField(input_formats=["%Y-%m-%d"], validators=[NOT_BEFORE], required=False)


class RunFilterForm(forms.Form):
    """The query string of a list of runs."""

    tool = forms.CharField(required=False, strip=False)
    outcome = _choice(OUTCOMES)
    verdict = _choice(VERDICTS)
    mode = _choice(MODES)
    person = forms.CharField(required=False, strip=False)
    since = _day()
    until = _day()
    hour = forms.DateTimeField(
        input_formats=["%Y-%m-%dT%H"], validators=[NOT_BEFORE_TIME, NOT_AFTER_TIME], required=False
    )
    period = _choice(("24h", "7d", "30d"))
    before = forms.RegexField(RUN_ID, required=False, strip=False)
    after = forms.RegexField(RUN_ID, required=False, strip=False)

    def accepted(self) -> dict[str, Any]:
        """The valid values. Queries come from links, so invalid values are ignored.

        If an hour and days are given, the days were entered later, and replace the hour.
        """
        self.full_clean()
        accepted = {name: value for name, value in self.cleaned_data.items() if value}
        hour = accepted.pop("hour", None)
        if hour is None or "since" in accepted or "until" in accepted:
            return accepted
        return accepted | {"hour": f"{hour:%Y-%m-%dT%H}"}


@dataclass(frozen=True)
class RunFilter:
    """The runs to list, latest first; "" means any. `before` and `after` are run ids, the cursors of a page."""

    tool: str = ""  # slug
    outcome: str = ""
    verdict: str = ""
    mode: str = ""
    person: str = ""  # user name
    since: date | None = None  # both days included, UTC
    until: date | None = None
    hour: str = ""  # "2026-11-23T04", UTC
    period: str = ""  # of the chart, not a condition: a key of `run_overview.PERIODS`
    before: str = ""
    after: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> RunFilter:
        """The filter in a page's query string; invalid values are ignored."""
        values = RunFilterForm(query).accepted()
        return cls(
            **values
            | {
                name: values[name][:length]
                for name, length in MAX_LENGTHS.items()
                if name in values
            }
        )

    def query(self, **changes: object) -> str:
        """A query string for the first page of this filter, with `changes` applied."""
        changed = replace(self, before="", after="", **changes)  # type: ignore[arg-type]
        return urlencode({name: str(value) for name, value in vars(changed).items() if value})

    @property
    def fields(self) -> list[tuple[str, str]]:
        """Name and value of each condition, and of the page, for the hidden fields of a form."""
        return [(name, str(value)) for name, value in vars(self).items() if value]

    @property
    def is_narrowed(self) -> bool:
        return bool(self.before or self.after or self.query(period=""))

    @property
    def hour_name(self) -> str:
        """The hour in words: "23 Nov, 04:00 to 05:00 UTC", or "23 Nov, 23:00 to 24 Nov, 00:00 UTC"."""
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
            return f"Until {_name_of(self.until)}" if self.until else ""
        if not self.until:
            return f"From {_name_of(self.since)}"
        if self.since == self.until:
            return _name_of(self.since)
        is_one_month = (self.since.year, self.since.month) == (self.until.year, self.until.month)
        return (
            f"{self.since.day if is_one_month else _name_of(self.since)} to {_name_of(self.until)}"
        )

    @property
    def bounds_ms(self) -> tuple[int, int]:
        """The first millisecond and the one after the last: of the hour, or else of the days."""
        if self.hour:
            start = int(datetime.fromisoformat(f"{self.hour}:00+00:00").timestamp() * 1000)
            return start, start + HOUR_MS
        start = _milliseconds(self.since) if self.since else 0
        return start, _milliseconds(self.until) + DAY_MS if self.until else END_MS

    def without_times(self) -> RunFilter:
        """This filter for a chart: of all times and on all pages."""
        return replace(self, since=None, until=None, hour="", before="", after="")

    def apply(self, runs: RunQuerySet) -> RunQuerySet:
        """The runs that match the filter, on all pages."""
        start, end = self.bounds_ms
        conditions = {
            "tool__slug": self.tool,
            "outcome": self.outcome,
            "verdict": self.verdict,
            "mode": self.mode,
            "by__username": self.person,
            "id__gte": id_at(start) if start else "",
            "id__lt": id_at(end) if end != END_MS else "",
        }
        return runs.filter(**{name: value for name, value in conditions.items() if value})

    def page(self, runs: RunQuerySet, size: int = PAGE_SIZE) -> RunPage:
        """One page of the runs that match the filter."""
        found = self.apply(runs).without_texts().with_names()
        if self.after:
            rows = list(found.filter(id__gt=self.after).order_by("id")[: size + 1])
            more, rows = len(rows) > size, rows[:size][::-1]
            return RunPage(
                rows, newer=rows[0].id if more else "", older=rows[-1].id if rows else ""
            )
        if self.before:
            found = found.filter(id__lt=self.before)
        rows = list(found.order_by("-id")[: size + 1])
        more, rows = len(rows) > size, rows[:size]
        newer = rows[0].id if rows and self.before else ""
        return RunPage(rows, newer=newer, older=rows[-1].id if more else "")


@dataclass(frozen=True)
class RunPage:
    """One page of a list of runs. `newer` and `older` are the cursors of the adjacent pages, "" if there is none."""

    runs: list[Run]
    newer: str
    older: str


def _name_of(day: date) -> str:
    """The day without its year, if it is this year: "20 Nov"."""
    return f"{day:%-d %b}" if day.year == datetime.now(UTC).year else f"{day:%-d %b %Y}"


def _milliseconds(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp() * 1000)


def id_at(milliseconds: int) -> str:
    """The smallest id that a run can have at that time (milliseconds since 1970), with which ids begin."""
    return f"{max(0, milliseconds):012x}" + "0" * 20
