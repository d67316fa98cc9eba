"""The results of a search of the catalog, for the page and the API: both return the same tools in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from django.core.paginator import Page as DjangoPage
from django.core.paginator import Paginator

from catalog.index import search_index
from catalog.index.explain import Explanation
from catalog.index.retrieval import Hits
from catalog.search import sorting
from catalog.search.catalog_search import FEW, CatalogSearch
from catalog.search.pagination import Cursor
from catalog.tools.models import Tool, ToolQuerySet
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
        return [one for one in self.results if one.exact or not self.filled_up]

    @property
    def further_results(self) -> list[Result]:
        """The results that fill up the page."""
        return [one for one in self.results if self.filled_up and not one.exact]


def page_of(search: CatalogSearch) -> Page:
    """The results of `search` after its cursor, by name or by relevance, as programs read them."""
    if not search.is_list:
        return _page_of_found(search)
    cursor = search.cursor if search.cursor and search.cursor.mode == "list" else None
    tools = search.listed
    if cursor:
        tools = tools.filter(sort_name__gte=cursor.key)
        tools = tools.exclude(sort_name=cursor.key, pk__lte=cursor.pk)
    rows = list(tools.by_name().for_rows()[: search.limit + 1])
    shown = rows[: search.limit]
    more = len(rows) > len(shown)
    after = Cursor("list", shown[-1].sort_name, shown[-1].pk).encode() if more else None
    return _make_page(search, shown, after)


def _page_of_found(search: CatalogSearch) -> Page:
    cursor = search.cursor if search.cursor and search.cursor.mode == "found" else None
    offset = int(cursor.key) if cursor else 0
    ranked, rest = search.hits.ranked, search.hits.rest
    pks = list(ranked[offset : offset + search.limit + 1])
    if rest is not None and len(pks) <= search.limit:
        beyond = cursor.pk if cursor and offset >= len(ranked) else 0
        wanted = search.limit + 1 + len(ranked)
        known = frozenset(ranked)
        found = search_index().find(rest, limit=wanted, beyond=beyond)
        pks += [pk for pk in found if pk not in known]
    shown = pks[: search.limit]
    after = None
    if len(pks) > len(shown):
        position = offset + len(shown)
        after = Cursor("found", position, shown[-1] if position > len(ranked) else 0).encode()
    return _make_page(search, _read_rows(shown), after)


def numbered_pages(search: CatalogSearch) -> Paginator[int]:
    """The pages of primary keys, by number, in the order of `search`: of the first `COUNT_AT_MOST` results."""
    return Paginator(_InOrder(search), search.limit)  # type: ignore[arg-type]  # only slices are read


def results_of(search: CatalogSearch, page: DjangoPage[int]) -> Page:
    """The results on one of these pages."""
    return _make_page(search, _read_rows(list(page)))


def rows_of(search: CatalogSearch, pks: Sequence[int]) -> tuple[Result, ...]:
    """The rows of these tools."""
    return _results(search, _read_rows(pks))


@dataclass(frozen=True)
class _InOrder:
    """The primary keys of the results in the order of a search, as a sequence of which parts are read."""

    search: CatalogSearch

    def __len__(self) -> int:
        if self.search.order and not self.search.is_list:
            return len(_pks_found(self.search.hits))
        number, _ = _count(self.search)
        return number

    def __getitem__(self, part: slice) -> list[int]:
        search = self.search
        offset, limit = part.start, part.stop - part.start
        if search.is_list:
            return sorting.page_of(search.listed, search.order, offset=offset, limit=limit)
        hits = search.hits
        if search.order:
            tools = Tool.objects.filter(pk__in=_pks_found(hits))
            return sorting.page_of(tools, search.order, offset=offset, limit=limit)
        pks = list(hits.ranked)
        if hits.rest is not None and part.stop > len(pks):
            pks += search_index().find(hits.rest, limit=part.stop + len(pks))
        return list(dict.fromkeys(pks))[part]


def _pks_found(hits: Hits) -> list[int]:
    """The tools to sort, the `FEW` best or oldest; without those that only fill up the page."""
    ranked = [pk for pk in hits.ranked if not hits.filled_up or pk in hits.exact]
    if hits.rest is None:
        return ranked
    return list(dict.fromkeys([*ranked, *search_index().find(hits.rest, limit=FEW)]))


def _make_page(search: CatalogSearch, tools: Sequence[Tool], after: str | None = None) -> Page:
    count, counted = _count(search)
    if search.is_list:
        return Page(_results(search, tools), count, counted, after)
    hits = search.hits
    return Page(
        _results(search, tools),
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


def _results(search: CatalogSearch, tools: Sequence[Tool]) -> tuple[Result, ...]:
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
        shown = search.explainer.explain(tool, read_fields)
        exact = search.is_list or search.hits.is_exact(tool.pk)
        results.append(Result(tool, shown, exact))
    return tuple(results)


def _count(search: CatalogSearch) -> tuple[int, bool]:
    """The number of results, up to `COUNT_AT_MOST`, and whether that is all; sorted ones have no less exact ones."""
    if search.is_list:
        return _counts.get_or_compute(search.depends_on, lambda: bounded_count(search.listed))
    hits = search.hits
    if hits.rest is not None:
        match = hits.rest
        return _counts.get_or_compute(
            search.depends_on,
            lambda: bounded(search_index().count(match, at_most=COUNT_AT_MOST + 1)),
        )
    return hits.holding_all if search.order and hits.filled_up else len(hits.ranked), True


def bounded_count(tools: ToolQuerySet) -> tuple[int, bool]:
    """The number of `tools`, up to `COUNT_AT_MOST`, and whether that is all."""
    return bounded(tools.order_by()[: COUNT_AT_MOST + 1].count())


def bounded(count: int, at_most: int | None = None) -> tuple[int, bool]:
    """`count`, which was counted to `at_most` + 1, limited to `at_most`; and whether that is all."""
    at_most = COUNT_AT_MOST if at_most is None else at_most
    return min(count, at_most), count <= at_most
