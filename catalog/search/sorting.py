"""The orders of a list of tools other than by relevance.

Their pages are read by offset: tools have no key that is unique and sorted by the number of runs.
"""

from __future__ import annotations

from typing import Final, Literal

from catalog.tools.hooks import hooks
from catalog.tools.models import ToolQuerySet

Sort = Literal["", "runnable", "name", "recent", "runs", "score"]

SORTS: Final[dict[Sort, str]] = {
    "": "Best match",
    "runnable": "Runnable first",
    "recent": "Recently published",
    "runs": "Most run",
    "score": "Lint score",
    "name": "Name",
}


def read(text: str | None) -> Sort:
    """The sort with this key; "" if there is none."""
    return text if text in SORTS else ""


def page_of(tools: ToolQuerySet, sort: Sort, *, offset: int, limit: int) -> list[int]:
    """Primary keys of `tools` in the order `sort`, from `offset` on."""
    if sort == "runnable":
        return _join(tools.runnable().by_name(), tools.not_runnable().by_name(), offset, limit)
    if sort == "score":
        # In one query with NULL last, SQLite and PostgreSQL could not use the same index.
        by_score = tools.filter(score__isnull=False).order_by("-score", "sort_name", "pk")
        return _join(by_score, tools.filter(score=None).by_name(), offset, limit)
    if sort == "runs":
        return _sort_by_runs(tools, offset, limit)
    tools = tools.order_by("-updated_at", "-pk") if sort == "recent" else tools.by_name()
    return list(tools.values_list("pk", flat=True)[offset : offset + limit])


def _sort_by_runs(tools: ToolQuerySet, offset: int, limit: int) -> list[int]:
    """First those that were run, by their number of runs; then the others by name."""
    most_run = hooks.most_run_tools()
    among = set(tools.filter(pk__in=most_run).values_list("pk", flat=True))
    run = [pk for pk in most_run if pk in among]
    page = run[offset : offset + limit]
    if missing := limit - len(page):
        start = max(0, offset - len(run))
        others = tools.exclude(pk__in=run).by_name().values_list("pk", flat=True)
        page += others[start : start + missing]
    return page


def _join(first: ToolQuerySet, others: ToolQuerySet, offset: int, limit: int) -> list[int]:
    """A page of two querysets, one after the other."""
    page = list(first.values_list("pk", flat=True)[offset : offset + limit])
    if missing := limit - len(page):
        start = 0 if page else max(0, offset - first.count())
        page += others.values_list("pk", flat=True)[start : start + missing]
    return page
