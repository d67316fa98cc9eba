"""The charts of runs: how they ended over time, and how long the calls of a tool took."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from django.utils.safestring import SafeString

from catalog.rendering.charts import (
    Bar,
    Dot,
    Series,
    Shape,
    Tone,
    bar_sparkline,
    dots,
    stacked_bars,
)
from playground.run_pages.filters import DAY_MS, RunFilter
from playground.run_pages.overview import Counts, Overview
from playground.run_pages.statistics import Call

SERIES: Final = (
    Series("conforming", "good"),
    Series("violating", "bad"),
    Series("unchecked", "accent"),
    Series("failed", "failed"),
    Series("cancelled or refused", "muted"),
)


def runs_chart(overview: Overview, wanted: RunFilter) -> SafeString:
    """The runs of each hour or day; a bar leads to its runs, with the other filters as they are."""
    first, end = wanted.bounds_ms
    bars = [
        Bar(
            _name(bucket, overview.period.bucket_ms),
            parts_of(bucket),
            href=f"?{_query(bucket, overview.period.bucket_ms, wanted)}",
            is_selected=wanted.has_times and first <= bucket.from_ms < end,
        )
        for bucket in overview.buckets
    ]
    unit = "day" if overview.period.bucket_ms == DAY_MS else "hour"
    return stacked_bars(bars, SERIES, label=f"Runs per {unit}, last {overview.period.name} (UTC)")


def days_chart(days: Sequence[Counts]) -> SafeString:
    """The runs of each day by how they ended, as small as a word."""
    bars = [Bar(_name(day, DAY_MS), parts_of(day)) for day in days]
    return bar_sparkline(bars, SERIES, label=f"Runs per day, last {len(days)} days (UTC)")


def calls_chart(calls: Sequence[Call]) -> SafeString:
    """The duration of each call over time; violations and failures also differ in shape."""
    marks = [_dot(call) for call in calls]
    if not marks:
        return SafeString("")
    start, end = min(mark.x for mark in marks), max(mark.x for mark in marks)
    words = (
        f"Durations of the latest {len(marks)} calls" if len(marks) > 1 else "Duration of the call"
    )
    ends = (
        f"{datetime.fromtimestamp(start, UTC):%-d %b %H:%M}",
        f"{datetime.fromtimestamp(end, UTC):%-d %b %H:%M}",
    )
    return dots(marks, label=f"{words}, on a logarithmic scale", start=start, end=end, ends=ends)


def _dot(call: Call) -> Dot:
    tones: dict[str, Tone] = {"conforms": "good", "violates": "bad", "unchecked": "accent"}
    title = f"{call.words}, {call.call_ms:.3g} ms, {call.at:%Y-%m-%d %H:%M}"
    if call.outcome != "returned":
        return Dot(call.at.timestamp(), call.call_ms, title, "failed", "square")
    shape: Shape = "diamond" if call.verdict == "violates" else "circle"
    return Dot(call.at.timestamp(), call.call_ms, title, tones.get(call.verdict, "accent"), shape)


def parts_of(bucket: Counts) -> tuple[int, ...]:
    """A number for each of `SERIES`."""
    return bucket.conforms, bucket.violates, bucket.unchecked, bucket.failed, bucket.other


def _name(bucket: Counts, bucket_ms: int) -> str:
    start = bucket.starts_at
    return f"{start:%-d %b}" if bucket_ms == DAY_MS else f"{start:%-d %b %H:00}"


def _query(bucket: Counts, bucket_ms: int, wanted: RunFilter) -> str:
    start = bucket.starts_at
    if bucket_ms == DAY_MS:
        return wanted.query(since=start.date(), until=start.date(), hour="", hours=None)
    return wanted.query(since=None, until=None, hour=f"{start:%Y-%m-%dT%H}", hours=None)
