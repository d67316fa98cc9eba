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


def draw_chart(overview: Overview, run_filter: RunFilter) -> SafeString:
    """The runs of each hour or day; a bar leads to its runs, with the other filters as they are."""
    first, end = run_filter.bounds_ms
    is_daily = overview.period.bucket_ms == DAY_MS
    bars = []
    for bucket in overview.buckets:
        start = bucket.starts_at
        if is_daily:
            name = f"{start:%-d %b}"
            query = run_filter.query(since=start.date(), until=start.date(), hour="")
        else:
            name = f"{start:%-d %b %H:00}"
            query = run_filter.query(since=None, until=None, hour=f"{start:%Y-%m-%dT%H}")
        is_selected = run_filter.has_times and first <= bucket.from_ms < end
        bars.append(Bar(name, parts_of(bucket), href=f"?{query}", is_selected=is_selected))
    unit = "day" if is_daily else "hour"
    label = f"Runs per {unit}, last {overview.period.name} (UTC)"
    return draw_stacked_bars(bars, SERIES, label=label)


def parts_of(bucket: Counts) -> tuple[int, ...]:
    """A number for each of `SERIES`."""
    return bucket.conforms, bucket.violates, bucket.unchecked, bucket.failed, bucket.other
