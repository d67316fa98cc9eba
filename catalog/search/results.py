"""The results of a search of the catalog.

The page and the API return the same tools in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import filterfalse
from typing import Final

from django.core.paginator import Page as DjangoPage
from django.core.paginator import Paginator

from catalog.index import search_index
from catalog.index.explain import Explanation
from catalog.index.retrieval import Hits
from catalog.search import sorting
from catalog.search.catalog_search import FEW, CatalogSearch
from catalog.search.pagination import Cursor
from catalog.tools.models import Tool
from toolshelf_core.caching import LRUCache
from toolshelf_core.db.compiled_query import PreparedRows

COUNT_AT_MOST = 10_000

_counts: LRUCache[tuple[int, bool]] = LRUCache()
_rows: Final = PreparedRows(lambda pks: Tool.objects.for_rows().filter(pk__in=pks))


@dataclass(frozen=True, slots=True)
class Result:
    """One row: the tool, and its texts with the matches marked.

    `exact`: it fulfils the whole query; False if it contains only some of the words.
    """

    tool: Tool
    shown: Explanation
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Page:
    """Some results in order, and the cursor of those that follow; None at the end.

    `count` stops at `COUNT_AT_MOST`; then `counted` is False. `filled_up`: the results that contain
    all words come first, followed by less exact ones. `loosely`: some results contain only some of
    the words; `holding_all` is the number that contain all. `corrections`: (as typed, as searched),
    for each corrected typo.
    """

    results: tuple[Result, ...]
    count: int
    counted: bool
    next: str | None = None
    loosely: bool = False
    holding_all: int = 0
    corrections: tuple[tuple[str, str], ...] = ()
    filled_up: bool = False

    @property
    def exact_count(self) -> int:
        """How many tools match all of the words; 0 if that was not counted."""
        if self.loosely or self.filled_up:
            return self.holding_all
        return self.count if self.counted else 0

    @property
    def exact_results(self) -> list[Result]:
        """The results that hold all words, if they are shown apart; otherwise all."""
        return [result for result in self.results if result.exact or not self.filled_up]

    @property
    def further_results(self) -> list[Result]:
        """The results that fill up the page."""
        return [result for result in self.results if self.filled_up and not result.exact]


def page_of(search: CatalogSearch) -> Page:
    """The results of `search` after its cursor, by name or by relevance, as programs read them."""
    if not search.is_list:
        return _find_page(search)
    cursor = search.cursor
    tools = search.listed
    if cursor and cursor.mode == "list":
        tools = tools.filter(sort_name__gte=cursor.key)
        tools = tools.exclude(sort_name=cursor.key, pk__lte=cursor.pk)
    rows = list(tools.by_name().for_rows()[: search.limit + 1])
    page = rows[: search.limit]
    after = None
    if len(rows) > len(page):
        last = page[-1]
        after = Cursor("list", last.sort_name, last.pk).encode()
    return _make_page(search, page, after)


def _find_page(search: CatalogSearch) -> Page:
    offset = beyond = 0
    if search.cursor and search.cursor.mode == "found":
        offset, beyond = int(search.cursor.key), search.cursor.pk
    best, rest = search.hits.ranked, search.hits.rest
    pks = list(best[offset : offset + search.limit + 1])
    if rest is not None and len(pks) <= search.limit:
        if offset < len(best):
            beyond = 0
        limit = search.limit + 1 + len(best)
        others = search_index().find(rest, limit=limit, beyond=beyond)
        pks += filterfalse(frozenset(best).__contains__, others)
    page = pks[: search.limit]
    after = None
    if len(pks) > len(page):
        position = offset + len(page)
        last_pk = page[-1] if position > len(best) else 0
        after = Cursor("found", position, last_pk).encode()
    return _make_page(search, _read_rows(page), after)


def numbered_pages(search: CatalogSearch) -> Paginator[int]:
    """The pages of primary keys, by number, of the first `COUNT_AT_MOST` results of `search`."""
    # Only slices are read.
    return Paginator(_InOrder(search), search.limit)  # type: ignore[arg-type]


def results_of(search: CatalogSearch, page: DjangoPage[int]) -> Page:
    """The results on one of these pages."""
    return _make_page(search, _read_rows(list(page)))


def read_results(search: CatalogSearch, pks: Sequence[int]) -> tuple[Result, ...]:
    """The rows of these tools."""
    return _explain_results(search, _read_rows(pks))


@dataclass(frozen=True)
class _InOrder:
    """The primary keys of the results in the order of a search, of which parts are read."""

    search: CatalogSearch

    def __len__(self) -> int:
        if self.search.order and not self.search.is_list:
            return len(_find_sortable(self.search.hits))
        number, _ = _count(self.search)
        return number

    def __getitem__(self, part: slice) -> list[int]:
        search = self.search
        offset, limit = part.start, part.stop - part.start
        if search.is_list:
            return sorting.page_of(search.listed, search.order, offset=offset, limit=limit)
        hits = search.hits
        if search.order:
            tools = Tool.objects.filter(pk__in=_find_sortable(hits))
            return sorting.page_of(tools, search.order, offset=offset, limit=limit)
        pks = list(hits.ranked)
        if hits.rest is not None and part.stop > len(pks):
            pks += search_index().find(hits.rest, limit=part.stop + len(pks))
        return list(dict.fromkeys(pks))[part]


def _find_sortable(hits: Hits) -> list[int]:
    """The tools to sort, the `FEW` best or oldest; without those that only fill up the page."""
    pks = list(hits.ranked)
    if hits.filled_up:
        pks = [pk for pk in pks if pk in hits.exact]
    if hits.rest is not None:
        pks += search_index().find(hits.rest, limit=FEW)
    return list(dict.fromkeys(pks))


def _make_page(search: CatalogSearch, tools: Sequence[Tool], after: str | None = None) -> Page:
    count, counted = _count(search)
    if search.is_list:
        return Page(_explain_results(search, tools), count, counted, after)
    hits = search.hits
    return Page(
        _explain_results(search, tools),
        count,
        counted,
        after,
        loosely=hits.loosely and not (search.order and hits.filled_up),
        holding_all=hits.holding_all,
        corrections=search.plan.corrections,
        filled_up=hits.filled_up and not search.order,
    )


def _read_rows(pks: Sequence[int]) -> list[Tool]:
    """These tools in this order, with the columns of a row."""
    tools = _rows.find(pks)
    return [tools[pk] for pk in pks if pk in tools]


def _explain_results(search: CatalogSearch, tools: Sequence[Tool]) -> tuple[Result, ...]:
    """The rows of these tools, without successors that are hidden.

    Whether they run is found for all of them at once. Their fields are read if an explanation of
    one needs them.
    """

    @cache
    def read_fields() -> dict[int, str]:
        return search_index().read_fields([tool.pk for tool in tools])

    results = []
    for tool in tools:
        tool.runnable = tool.tool_id in search.runnable_ids
        if not search.visibility.is_complete:
            tool.hide_successor(search.visibility)
        explanation = search.explainer.explain(tool, read_fields)
        exact = search.is_list or search.hits.is_exact(tool.pk)
        results.append(Result(tool, explanation, exact))
    return tuple(results)


def _count(search: CatalogSearch) -> tuple[int, bool]:
    """The number of results, up to `COUNT_AT_MOST`, and whether that is all.

    Results that are sorted do not include less exact ones.
    """
    if not search.is_list and search.hits.rest is None:
        hits = search.hits
        count = hits.holding_all if search.order and hits.filled_up else len(hits.ranked)
        return count, True
    return _counts.get_or_compute(search.depends_on, lambda: limit_count(_count_rows(search)))


def _count_rows(search: CatalogSearch) -> int:
    at_most = COUNT_AT_MOST + 1
    if search.is_list or search.hits.rest is None:
        return search.listed.order_by()[:at_most].count()
    return search_index().count(search.hits.rest, at_most=at_most)


def limit_count(count: int) -> tuple[int, bool]:
    """`count`, which was counted to `COUNT_AT_MOST` + 1, limited to it; whether that is all."""
    return min(count, COUNT_AT_MOST), count <= COUNT_AT_MOST
