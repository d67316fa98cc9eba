"""The chart and the four numbers above a list of runs: one period by hours or days, and the period before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connections
from django.db.models import BigIntegerField, Case, Count, Q, Value, When

from playground.models import RunQuerySet
from playground.run_pages.filters import DAY_MS, HOUR_MS, id_at
from playground.run_pages.statistics import percent, quantile

MEDIAN_OF: Final = 1000  # the latest runs of a period
FAILED: Final = ("raised", "timed_out", "crashed")
COUNTS: Final[dict[str, Any]] = {
    "runs": Count("pk"),
    "conforms": Count("pk", filter=Q(verdict="conforms")),
    "unchecked": Count("pk", filter=Q(verdict="unchecked")),
    "violates": Count("pk", filter=Q(verdict="violates")),
    "failed": Count("pk", filter=Q(outcome__in=FAILED)),
}  # the columns of `Counts`


@dataclass(frozen=True, slots=True)
class Period:
    """A choice of the page: so many buckets, of an hour or a day (UTC), the last of which is now."""

    key: str
    name: str
    bucket_ms: int
    buckets: int


PERIODS: Final = {
    each.key: each
    for each in (
        Period("24h", "24 hours", HOUR_MS, 24),
        Period("7d", "7 days", DAY_MS, 7),
        Period("30d", "30 days", DAY_MS, 30),
    )
}
DEFAULT_PERIOD: Final = "7d"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many runs of an hour or a day ended in which way; the others were cancelled, refused, or are active."""

    from_ms: int
    runs: int = 0
    conforms: int = 0
    unchecked: int = 0
    violates: int = 0
    failed: int = 0

    @property
    def other(self) -> int:
        return max(0, self.runs - self.conforms - self.unchecked - self.violates - self.failed)

    @property
    def starts_at(self) -> datetime:
        return datetime.fromtimestamp(self.from_ms / 1000, UTC)


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, and how it differs from the period before; `way` is "better", "worse" or "same"."""

    name: str
    text: str
    change: str
    way: str
    milliseconds: float | None = None  # instead of `text`, for a duration


@dataclass(frozen=True, slots=True)
class Overview:
    """The runs of a period: `buckets` from the oldest to the current one, and the four numbers.

    The numbers are those of the chosen times, if there are any, and else those of the period.
    """

    period: Period
    buckets: tuple[Counts, ...]
    figures: tuple[Figure, ...]

    @property
    def has_runs(self) -> bool:
        """Whether any bar of the chart is more than empty."""
        return any(bucket.runs for bucket in self.buckets)

    @property
    def has_changes(self) -> bool:
        """Whether any number is compared with the period before."""
        return any(figure.change for figure in self.figures)


def overview_of(
    runs: RunQuerySet, period: Period, now: datetime, chosen_ms: tuple[int, int] | None = None
) -> Overview:
    """The runs in `period`, which ends in the hour or day of `now`, counted by three queries over an index.

    `chosen_ms`: the times of the four numbers, if not the whole period; they are not compared with an earlier period.
    """
    last = int(now.timestamp() * 1000) // period.bucket_ms
    starts = [(last - number) * period.bucket_ms for number in reversed(range(period.buckets))]
    end = starts[-1] + period.bucket_ms
    before = starts[0] - period.buckets * period.bucket_ms
    ranges = zip(starts, [*starts[1:], end], strict=True)
    *buckets, other = _counts(runs, [*ranges, chosen_ms or (before, starts[0])])
    if chosen_ms:
        return Overview(
            period,
            tuple(buckets),
            _figures([other], Counts(0), (_median_ms(runs, *chosen_ms), None)),
        )
    medians = _median_ms(runs, starts[0], end), _median_ms(runs, before, starts[0])
    return Overview(period, tuple(buckets), _figures(buckets, other, medians))


def _counts(runs: RunQuerySet, ranges: Sequence[tuple[int, int]]) -> list[Counts]:
    """The counts of each range of times, by one query: each part reads only its range of an index, unsorted.

    The SQL of a part is made once, because Django needs 0.7 ms for each.
    """
    part = runs.filter(id__gte="~first", id__lt="~end").order_by()
    counted = part.values(number=Value(-1)).annotate(**COUNTS)
    sql, parameters = counted.query.sql_with_params()
    values: list[Any] = []
    for number, (start, end) in enumerate(ranges):
        bounds = {"~first": id_at(start), "~end": id_at(end), -1: number}
        values += [bounds.get(parameter, parameter) for parameter in parameters]
    with connections[runs.db].cursor() as cursor:
        cursor.execute(" UNION ALL ".join([sql] * len(ranges)), values)
        found = {number: counts for number, *counts in cursor.fetchall()}
    return [Counts(start, *found.get(number, ())) for number, (start, _) in enumerate(ranges)]


def day_starts(days: int) -> list[int]:
    """When each of the last `days` days (UTC) began, in milliseconds since 1970; today last."""
    today = int(datetime.now(UTC).timestamp() * 1000) // DAY_MS
    return [(today - before) * DAY_MS for before in reversed(range(days))]


def by_day(starts: Sequence[int]) -> Case:
    """The latest of `starts` at which a run had begun, to group runs by day."""
    later = [When(id__gte=id_at(start), then=Value(start)) for start in reversed(starts)]
    return Case(*later, output_field=BigIntegerField())


def _median_ms(runs: RunQuerySet, start: int, end: int) -> float | None:
    """The median call of the latest `MEDIAN_OF` runs between two times."""
    calls = (
        runs.filter(id__gte=id_at(start), id__lt=id_at(end))
        .order_by("-id")
        .values_list("call_ms", flat=True)
    )
    return quantile(sorted(call_ms for call_ms in calls[:MEDIAN_OF] if call_ms is not None), 0.5)


def _figures(
    buckets: Sequence[Counts], previous: Counts, medians: tuple[float | None, float | None]
) -> tuple[Figure, ...]:
    runs, failed = sum(each.runs for each in buckets), sum(each.failed for each in buckets)
    conforms, violates = (
        sum(each.conforms for each in buckets),
        sum(each.violates for each in buckets),
    )
    return (
        Figure("Runs", f"{runs:,}", _change(runs, previous.runs), "same"),
        _share(_ratio(conforms, violates), _ratio(previous.conforms, previous.violates)),
        Figure(
            "Median call",
            "",
            _change(medians[0], medians[1]),
            _way(medians[1], medians[0]),
            medians[0],
        ),
        Figure(
            "Failed", f"{failed:,}", _change(failed, previous.failed), _way(previous.failed, failed)
        ),
    )


def _share(now: float | None, before: float | None) -> Figure:
    change = ""
    if now is not None and before is not None:
        points = round(now * 100) - round(before * 100)
        change = (
            f"{points:+d} {'point' if abs(points) == 1 else 'points'}" if points else "no change"
        )
    return Figure("Conforming", percent(now), change, _way(now, before))


def _ratio(conforms: int, violates: int) -> float | None:
    return conforms / (conforms + violates) if conforms + violates else None


def _change(now: float | None, before: float | None) -> str:
    """The change in words: "+25%", "no change"; "" if one of them is missing."""
    if now is None or not before:
        return ""
    change = round((now - before) / before * 100)
    return f"{change:+,}%" if change else "no change"


def _way(better: float | None, worse: float | None) -> str:
    """Return "better" if the first is larger, "worse" if it is smaller, "same" if they are equal or unknown."""
    if better is None or worse is None or better == worse:
        return "same"
    return "better" if better > worse else "worse"
