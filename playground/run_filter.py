"""Filter and page lists of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from urllib.parse import urlencode

from playground.forms import RunFilterForm
from playground.models import Run, RunQuerySet

PAGE_SIZE = 50
MAX_PAGE_SIZE = 200
DAY_MS = 24 * 60 * 60 * 1000
MAX_LENGTHS = {"tool": 120, "person": 150}


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
    before: str = ""
    after: str = ""

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> RunFilter:
        """The filter in a page's query string; invalid values are ignored."""
        values = RunFilterForm(query).accepted()
        return cls(**values | {name: values[name][:length] for name, length in MAX_LENGTHS.items() if name in values})

    def query(self, **changes: str) -> str:
        """A query string for the first page of this filter, with `changes` applied."""
        changed = replace(self, before="", after="", **changes)  # type: ignore[arg-type]
        return urlencode({name: str(value) for name, value in vars(changed).items() if value})

    @property
    def is_narrowed(self) -> bool:
        return bool(self.query())

    def apply(self, runs: RunQuerySet) -> RunQuerySet:
        """The runs that match the filter, on all pages."""
        conditions = {
            "tool__slug": self.tool,
            "outcome": self.outcome,
            "verdict": self.verdict,
            "mode": self.mode,
            "by__username": self.person,
            "id__gte": first_id_of(self.since) if self.since else "",
            "id__lt": first_id_after(self.until) if self.until else "",
        }
        return runs.filter(**{name: value for name, value in conditions.items() if value})

    def page(self, runs: RunQuerySet, size: int = PAGE_SIZE) -> RunPage:
        """One page of the runs that match the filter."""
        found = self.apply(runs).without_texts().with_names()
        if self.after:
            rows = list(found.filter(id__gt=self.after).order_by("id")[: size + 1])
            more, rows = len(rows) > size, rows[:size][::-1]
            return RunPage(rows, newer=rows[0].id if more else "", older=rows[-1].id if rows else "")
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


def first_id_of(day: date) -> str:
    """The smallest id that a run of that day (UTC) can have: ids begin with the time in milliseconds."""
    return _id_at(_milliseconds(day))


def first_id_after(day: date) -> str:
    """The smallest id that a run after that day (UTC) can have. It also works for `date.max`."""
    return _id_at(_milliseconds(day) + DAY_MS)


def _milliseconds(day: date) -> int:
    return int(datetime.combine(day, time(), tzinfo=UTC).timestamp() * 1000)


def _id_at(milliseconds: int) -> str:
    return f"{max(0, milliseconds):012x}" + "0" * 20
