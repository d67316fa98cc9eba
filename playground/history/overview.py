"""The chart and the four numbers above a list of runs, for one period by hours or days."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.db import connections
from django.db.models import BigIntegerField, Case, Count, Q, Value, When

from playground.history.statistics import format_percent, quantile
from playground.runs.filters import DAY_MS, HOUR_MS, id_at
from playground.runs.models import RunQuerySet

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
    """A choice of the page: how many buckets, each an hour or a day (UTC), up to now."""

    key: str
    name: str
    bucket_ms: int
    buckets: int


PERIODS: Final = {
    "24h": Period("24h", "24 hours", HOUR_MS, 24),
    "7d": Period("7d", "7 days", DAY_MS, 7),
    "30d": Period("30d", "30 days", DAY_MS, 30),
}
DEFAULT_PERIOD: Final = "7d"


@dataclass(frozen=True, slots=True)
class Counts:
    """How many runs of an hour or a day ended in which way.

    The others were cancelled, refused, or are active.
    """

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
    """One number; `milliseconds` instead of `text` for a duration."""

    name: str
    text: str = ""
    milliseconds: float | None = None


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


def overview_of(
    runs: RunQuerySet, period: Period, now: datetime, chosen_ms: tuple[int, int] | None = None
) -> Overview:
    """Count the runs in `period`, which ends in the hour or day of `now`.

    It takes two queries over an index.

    `chosen_ms`: the times of the four numbers, if not the whole period.
    """
    last = int(now.timestamp() * 1000) // period.bucket_ms
    end = (last + 1) * period.bucket_ms
    begin = end - period.buckets * period.bucket_ms
    ranges = [(start, start + period.bucket_ms) for start in range(begin, end, period.bucket_ms)]
    if chosen_ms:
        *buckets, chosen_counts = _count(runs, [*ranges, chosen_ms])
        figures = _make_figures([chosen_counts], _median_ms(runs, *chosen_ms))
    else:
        buckets = _count(runs, ranges)
        figures = _make_figures(buckets, _median_ms(runs, begin, end))
    return Overview(period, tuple(buckets), figures)


def _count(runs: RunQuerySet, ranges: Sequence[tuple[int, int]]) -> list[Counts]:
    """Count the runs of each range of times, by one query.

    Each part of it reads only its range of an index, unsorted. The SQL of a part is made once,
    because Django needs 0.7 ms for each.
    """
    part = runs.filter(id__gte="~first", id__lt="~end").order_by()
    counts = part.values(number=Value(-1)).annotate(**COUNTS)
    sql, parameters = counts.query.sql_with_params()
    values: list[Any] = []
    for number, (start, end) in enumerate(ranges):
        bounds = {"~first": id_at(start), "~end": id_at(end), -1: number}
        values += [bounds.get(parameter, parameter) for parameter in parameters]
    with connections[runs.db].cursor() as cursor:
        cursor.execute(" UNION ALL ".join([sql] * len(ranges)), values)
        rows = {number: row for number, *row in cursor.fetchall()}
    return [Counts(start, *rows.get(number, ())) for number, (start, _) in enumerate(ranges)]


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


def _make_figures(buckets: Sequence[Counts], median_ms: float | None) -> tuple[Figure, ...]:
    run_count = failure_count = conforming_count = check_count = 0
    for bucket in buckets:
        run_count += bucket.runs
        failure_count += bucket.failed
        conforming_count += bucket.conforms
        check_count += bucket.conforms + bucket.violates
    share = conforming_count / check_count if check_count else None
    return (
        Figure("Runs", f"{run_count:,}"),
        Figure("Matching", format_percent(share)),
        Figure("Median call", milliseconds=median_ms),
        Figure("Failed", f"{failure_count:,}"),
    )
