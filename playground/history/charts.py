"""The chart of runs: how they ended over time."""

from __future__ import annotations

from typing import Final

from django.utils.safestring import SafeString

from playground.history.overview import Counts, Overview
from playground.runs.filters import DAY_MS, RunFilter
from toolshelf_core.rendering.charts import Bar, Series, draw_stacked_bars

SERIES: Final = (
    Series("matching", "good"),
    Series("not matching", "bad"),
    Series("not checked", "accent"),
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
    return draw_stacked_bars(
        bars, SERIES, label=f"Runs per {unit}, last {overview.period.name} (UTC)"
    )


def parts_of(bucket: Counts) -> tuple[int, ...]:
    """A number for each of `SERIES`."""
    return bucket.conforms, bucket.violates, bucket.unchecked, bucket.failed, bucket.other


def _name(bucket: Counts, bucket_ms: int) -> str:
    start = bucket.starts_at
    return f"{start:%-d %b}" if bucket_ms == DAY_MS else f"{start:%-d %b %H:00}"


def _query(bucket: Counts, bucket_ms: int, wanted: RunFilter) -> str:
    start = bucket.starts_at
    if bucket_ms == DAY_MS:
        return wanted.query(since=start.date(), until=start.date(), hour="")
    return wanted.query(since=None, until=None, hour=f"{start:%Y-%m-%dT%H}")
