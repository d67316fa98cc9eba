"""Add to a date, and describe the result."""

from __future__ import annotations

import calendar
import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from playground.builtin.shipped import SPECS
from playground.builtin.zones import WEEKDAYS
from toolshelf_tools import tool

DAY = dt.timedelta(days=1)


@dataclass(frozen=True)
class Addition:
    years: int = 0
    months: int = 0
    weeks: int = 0
    days: int = 0
    working_days: int = 0


class Until(TypedDict):
    date: str
    days: int
    working_days: int


class DateFacts(TypedDict):
    date: str
    weekday: str
    working_day: bool
    iso_week: str
    day_of_year: int
    quarter: int
    days_in_month: int
    leap_year: bool
    until: NotRequired[Until]


@tool(spec=SPECS / "calculate_date.json")
def calculate_date(
    date: dt.date,
    add: Addition = Addition(),
    until: dt.date | None = None,
    weekend: Sequence[str] = ("Saturday", "Sunday"),
    holidays: Sequence[dt.date] = (),
) -> DateFacts:
    week = WorkingWeek.of(weekend, holidays)
    try:
        result = week.add(add_calendar(date, add), add.working_days)
    except (OverflowError, ValueError):
        raise ValueError("The result is outside the years 1 to 9999.") from None
    facts = facts_of(result, week)
    if until is not None:
        facts["until"] = {
            "date": until.isoformat(),
            "days": (until - result).days,
            "working_days": week.count(result, until),
        }
    return facts


def add_calendar(date: dt.date, add: Addition) -> dt.date:
    """`date` plus years and months, the day limited to the last of the month; then plus weeks and days."""
    month_index = (date.year + add.years) * 12 + date.month - 1 + add.months
    year, month = divmod(month_index, 12)
    day = min(date.day, days_in_month(year, month + 1))
    return dt.date(year, month + 1, day) + dt.timedelta(weeks=add.weeks, days=add.days)


def days_in_month(year: int, month: int) -> int:
    return calendar.monthrange(year, month)[1]


@dataclass(frozen=True)
class WorkingWeek:
    """The working days of a calendar; `weekend` contains days of the week, from Monday = 0."""

    weekend: frozenset[int]
    holidays: frozenset[dt.date]

    @classmethod
    def of(cls, weekend: Sequence[str], holidays: Sequence[dt.date]) -> WorkingWeek:
        return cls(frozenset(WEEKDAYS.index(day) for day in weekend), frozenset(holidays))

    def is_working(self, date: dt.date) -> bool:
        return date.weekday() not in self.weekend and date not in self.holidays

    def add(self, date: dt.date, working_days: int) -> dt.date:
        """The day that is `working_days` working days after `date`; before it if the number is negative."""
        step = DAY if working_days > 0 else -DAY
        left = abs(working_days)
        while left:
            date += step
            left -= self.is_working(date)
        return date

    def count(self, start: dt.date, end: dt.date) -> int:
        """Working days from `start` to `end`, without the first day; negative if `end` is earlier."""
        first, last = start.toordinal(), end.toordinal()
        if first <= last:
            return self._until(last) - self._until(first)
        return self._until(last - 1) - self._until(first - 1)

    def _until(self, ordinal: int) -> int:
        """Working days from 0001-01-01, a Monday, to the day that has this ordinal."""
        weeks, rest = divmod(ordinal, 7)
        worked = weeks * (7 - len(self.weekend)) + sum(
            day not in self.weekend for day in range(rest)
        )
        return worked - sum(
            day.toordinal() <= ordinal and day.weekday() not in self.weekend
            for day in self.holidays
        )


def facts_of(date: dt.date, week: WorkingWeek) -> DateFacts:
    iso = date.isocalendar()
    return {
        "date": date.isoformat(),
        "weekday": WEEKDAYS[date.weekday()],
        "working_day": week.is_working(date),
        "iso_week": f"{iso.year:04}-W{iso.week:02}",
        "day_of_year": date.timetuple().tm_yday,
        "quarter": (date.month + 2) // 3,
        "days_in_month": days_in_month(date.year, date.month),
        "leap_year": calendar.isleap(date.year),
    }
