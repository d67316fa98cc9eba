"""Write the search index anew from the tools' current specs."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from catalog.models import Tool
from catalog.publishing import BATCH, MIRRORED, mirror
from catalog.search import search_index
from catalog.search.documents import document_for


class Command(BaseCommand):
    help = "Write the search index, and what lists show of tools, anew from the tools' current specs."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        last = count = 0
        while tools := list(Tool.objects.with_current().filter(pk__gt=last).order_by("pk")[:BATCH]):
            with transaction.atomic():
                self._index(tools)
            last, count = tools[-1].pk, count + len(tools)
        self.stderr.write(f"{count:,} tools indexed")

    def _index(self, tools: list[Tool]) -> None:
        specs = [(tool, tool.current.spec) for tool in tools if tool.current]
        for tool, spec in specs:
            mirror(spec, tool)
        Tool.objects.bulk_update(tools, MIRRORED)
        search_index().put((tool.pk, document_for(spec, archived=tool.archived)) for tool, spec in specs)
