"""Rebuild the search index from the tools' current specs."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from catalog.index import search_index
from catalog.index.document import document_of
from catalog.tools.indexing import MIRRORED, index, mirror
from catalog.tools.models import Tool
from catalog.tools.publishing import BATCH
from toolshelf_core.commands import BaseCommand


class Command(BaseCommand):
    help = (
        "Rebuild the search index, and the columns that lists show, from the tools' current specs. Needed, for "
        "example, after users were renamed or removed directly in the database, because lists do not notice that."
    )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        with transaction.atomic():
            search_index().hold()
            search_index().clear()
        last = count = 0
        while tools := self._index_after(last):
            last, count = tools[-1].pk, count + len(tools)
        self.stderr.write(f"{count:,} tools indexed")

    @transaction.atomic
    def _index_after(self, last: int) -> list[Tool]:
        """Index the next tools and return them. Publishing indexes tools that are published in the meantime."""
        search_index().hold()
        tools = list(Tool.objects.with_current().filter(pk__gt=last).order_by("pk")[:BATCH])
        specs = [(tool, tool.current.spec) for tool in tools if tool.current]
        for tool, spec in specs:
            mirror(spec, tool)
        Tool.objects.bulk_update(tools, MIRRORED)
        index([(document_of(spec), tool) for tool, spec in specs])
        return tools
