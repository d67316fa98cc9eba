"""Questions about many tools: `Tool.objects.available().matching("weather")`."""

from __future__ import annotations

from django.db import models

from catalog import runnable
from catalog.search import search_index
from catalog.search.words import Query


class ToolQuerySet(models.QuerySet["Tool"]):
    def available(self) -> ToolQuerySet:
        """Without the archived ones."""
        return self.filter(archived_at=None)

    def runnable(self) -> ToolQuerySet:
        """Those that an installed factory serves."""
        return self.filter(tool_id__in=runnable.tool_ids())

    def matching(self, words: str) -> ToolQuerySet:
        """Those that hold every one of `words`; all where there is no word. They have no order (see browsing.py)."""
        query = Query.from_text(words)
        return self.filter(pk__in=search_index().subquery(query)) if query else self

    def by_name(self) -> ToolQuerySet:
        """In the order of lists: by name without regard to case, then by age."""
        return self.order_by("sort_name", "pk")

    def for_rows(self) -> ToolQuerySet:
        """With what a row shows, and without the text of the specs."""
        return self.select_related("current").defer("current__source")

    def with_current(self) -> ToolQuerySet:
        """With the current revision at hand, for pages that show its text."""
        return self.select_related("current")
