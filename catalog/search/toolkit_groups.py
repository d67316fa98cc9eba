"""The catalog without a query: a few tools of each toolkit.

The toolkits with the most runnable tools come first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q

from catalog.index.filters import write_filter
from catalog.search import groups, sorting
from catalog.search.catalog_search import CatalogSearch
from catalog.search.results import Result, read_results
from catalog.tools.models import Tool
from toolshelf_core.caching import LRUCache

TOOLKITS_PER_PAGE: Final = 5
TOOLS_SHOWN: Final = 4
NO_TOOLKIT: Final = "Without a toolkit"


@dataclass(frozen=True, slots=True)
class ToolkitSize:
    """A toolkit with its numbers of tools and of runnable ones.

    Its key and name are "" for the tools without one.
    """

    key: str
    name: str
    tools: int
    runnable: int


@dataclass(frozen=True, slots=True)
class ToolkitGroup:
    """A toolkit with its first tools. `query`: the URL's query that lists all of them."""

    label: str
    tools: int
    runnable: int
    results: Sequence[Result]
    query: str


_sizes: Final[LRUCache[list[ToolkitSize]]] = LRUCache(max_weight=100_000, weigh=len)


def toolkit_pages(search: CatalogSearch) -> Paginator[ToolkitSize]:
    """The toolkits that the person sees, by number of page."""
    key = (search.state, search.runnable_ids, search.visibility)
    sizes = _sizes.get_or_compute(key, lambda: _count_toolkits(search))
    return Paginator(sizes, TOOLKITS_PER_PAGE)


def _count_toolkits(search: CatalogSearch) -> list[ToolkitSize]:
    names = {group.key: group.name for group in groups.visible_groups("toolkit", search.visibility)}
    runnable = Q(pk__in=Tool.objects.runnable().values("pk"))
    by_toolkit = search.listed.order_by().values_list("toolkit_key")
    counts = by_toolkit.annotate(tools=Count("pk"), run_here=Count("pk", filter=runnable))
    sizes = [ToolkitSize(key, names.get(key, ""), *numbers) for key, *numbers in counts]
    return sorted(sizes, key=lambda size: (-size.runnable, -size.tools, size.key))


def read_groups(search: CatalogSearch, page: Page[ToolkitSize]) -> list[ToolkitGroup]:
    """The toolkits on a page.

    Their tools are read in one query, after at most two for each toolkit.
    """
    first_pks = []
    for size in page:
        tools = search.listed.filter(toolkit_key=size.key)
        first_pks.append(sorting.page_of(tools, "runnable", offset=0, limit=TOOLS_SHOWN))
    rows = {row.tool.pk: row for row in read_results(search, list(chain(*first_pks)))}
    toolkits = []
    for size, pks in zip(page, first_pks, strict=True):
        words = write_filter("toolkit", size.name) if size.key else "-has:toolkit"
        query = CatalogSearch(words, visibility=search.visibility).address()
        results = [rows[pk] for pk in pks if pk in rows]
        label = size.name or NO_TOOLKIT
        toolkits.append(ToolkitGroup(label, size.tools, size.runnable, results, query))
    return toolkits
