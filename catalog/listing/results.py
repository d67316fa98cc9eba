"""The results of a search of the catalog, for the page and the API: both return the same tools in the same order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from catalog.caching import LRUCache
from catalog.db.compiled_query import PreparedRows
from catalog.listing import sorting
from catalog.listing.catalog_search import FEW, CatalogSearch
from catalog.listing.pagination import Cursor, first_row, window
from catalog.listing.sorting import Sort
from catalog.models import Tool, ToolQuerySet
from catalog.search import search_index
from catalog.search.explain import Explanation
from catalog.search.retrieval import Hits

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
    """Some results in order, with the cursors of the neighbouring pages.

    `count` stops at `COUNT_AT_MOST`; then `counted` is False.
    `filled_up`: the results that contain all words come first, followed by less exact ones.
    `loosely`: some results contain only some of the words; `holding_all` is the number that contain all.
    `corrections`: (as typed, as searched), for each corrected typo.
    `start`: the number of rows before this page.
    """

    results: tuple[Result, ...]
    count: int
    counted: bool
    next: str | None = None
    previous: str | None = None
    loosely: bool = False
    holding_all: int = 0
    corrections: tuple[tuple[str, str], ...] = ()
    filled_up: bool = False
    start: int = 0

    @property
    def first(self) -> int:
        """The number of the first row, from 1."""
        return self.start + 1

    @property
    def last(self) -> int:
        """The number of the last row."""
        return self.start + len(self.results)

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
    """The results of `search` at its cursor."""
    if search.order:
        return _sorted_page(search, search.order)
    return _listed_page(search) if search.is_list else _found_page(search)


def _sorted_page(search: CatalogSearch, sort: Sort) -> Page:
    """The results in another order than the default; for a search by words, only the `FEW` best (or oldest)."""
    hits, cursor = None if search.is_list else search.hits, search.cursor
    offset = int(cursor.key) if cursor and cursor.mode == "sorted" else 0
    tools = search.listed if hits is None else Tool.objects.filter(pk__in=_pks_found(hits))
    in_order = sorting.page_of(tools, sort, offset=offset, limit=search.limit + 1)
    pks, more = in_order[: search.limit], len(in_order) > search.limit
    if hits is None:
        count, counted = _counts.get_or_compute(search.depends_on, lambda: bounded_count(tools))
    else:
        count, counted = (hits.holding_all, True) if hits.filled_up else _count_found(search, hits)
    return Page(
        _results(search, _read_rows(pks), hits),
        count,
        counted,
        next=Cursor("sorted", offset + search.limit, 0).encode() if more else None,
        previous=Cursor("sorted", max(0, offset - search.limit), 0).encode() if offset else None,
        loosely=bool(hits and hits.loosely and not hits.filled_up),
        holding_all=hits.holding_all if hits else 0,
        corrections=search.plan.corrections if hits else (),
        start=offset,
    )


def _pks_found(hits: Hits) -> list[int]:
    """The tools to sort: if less exact ones only fill up the page, without these."""
    ranked = [pk for pk in hits.ranked if not hits.filled_up or pk in hits.exact]
    if hits.rest is None:
        return ranked
    return list(dict.fromkeys([*ranked, *search_index().matching(hits.rest, limit=FEW)]))


def _listed_page(search: CatalogSearch) -> Page:
    cursor = search.cursor if search.cursor and search.cursor.mode == "list" else None
    tools = search.listed
    if cursor is None:
        listed = tools.order_by("sort_name", "pk")
    elif cursor.backwards:
        listed = tools.filter(sort_name__lte=cursor.key).exclude(
            sort_name=cursor.key, pk__gte=cursor.pk
        )
        listed = listed.order_by("-sort_name", "-pk")
    else:
        listed = tools.filter(sort_name__gte=cursor.key).exclude(
            sort_name=cursor.key, pk__lte=cursor.pk
        )
        listed = listed.order_by("sort_name", "pk")
    rows = list(listed.for_rows()[: search.limit + 1])
    positions = [Cursor("list", tool.sort_name, tool.pk) for tool in rows]
    positions, before, after = window(positions, cursor, search.limit)
    by_key = {tool.pk: tool for tool in rows}
    results = _results(search, [by_key[position.pk] for position in positions])
    count, counted = _counts.get_or_compute(search.depends_on, lambda: bounded_count(tools))
    return Page(
        results, count, counted, next=after, previous=before, start=first_row(cursor, len(results))
    )


def _found_page(search: CatalogSearch) -> Page:
    hits, cursor = search.hits, search.cursor
    offset = int(cursor.key) if cursor and cursor.mode == "found" else 0
    beyond = cursor.pk if cursor and cursor.mode == "found" else 0
    if cursor and cursor.backwards:
        offset = max(0, offset - search.limit)
    in_order = _rows_at(search, hits, offset, beyond, backwards=bool(cursor and cursor.backwards))
    rows, more = in_order[: search.limit], len(in_order) > search.limit
    ranked = len(hits.ranked)
    after = (
        Cursor("found", offset + len(rows), rows[-1] if offset + len(rows) > ranked else 0)
        if more
        else None
    )
    before = (
        Cursor("found", offset, rows[0] if offset > ranked else 0, backwards=True)
        if offset and rows
        else None
    )
    count, counted = _count_found(search, hits)
    return Page(
        _results(search, _read_rows(rows), hits),
        count,
        counted,
        next=after.encode() if after else None,
        previous=before.encode() if before else None,
        loosely=hits.loosely,
        holding_all=hits.holding_all,
        corrections=search.plan.corrections,
        filled_up=hits.filled_up,
        start=offset,
    )


def _rows_at(
    search: CatalogSearch, hits: Hits, offset: int, beyond: int, *, backwards: bool
) -> list[int]:
    """Primary keys from `offset` on, one more than a page has; `beyond`: the previous one (backwards: the next)."""
    ranked, wanted = hits.ranked, search.limit + 1
    rows = list(ranked[offset : offset + wanted])
    if hits.rest is None or len(rows) == wanted:
        return rows
    index, known = search_index(), frozenset(ranked)
    if backwards and offset >= len(ranked) and beyond:
        found = index.matching(
            hits.rest, limit=search.limit + len(known), beyond=beyond, backwards=True
        )
        before = [pk for pk in found if pk not in known][: search.limit]
        return [*reversed(before), beyond]  # the tool at the cursor comes last
    start = beyond if offset >= len(ranked) else 0
    found = index.matching(hits.rest, limit=wanted + len(known), beyond=start)
    return [*rows, *(pk for pk in found if pk not in known)][:wanted]


def _read_rows(pks: Sequence[int]) -> list[Tool]:
    """These tools in this order, with the columns of a row."""
    tools = _rows.find(pks)
    return [tools[pk] for pk in pks if pk in tools]


def _results(
    search: CatalogSearch, tools: Sequence[Tool], hits: Hits | None = None
) -> tuple[Result, ...]:
    """The rows of these tools, without successors that are hidden; without `hits`, of a list.

    Whether they run is found for all of them at once. Fields are read only for tools that need them for an explanation.
    """
    explained = {}
    for tool in tools:
        tool.runnable = tool.tool_id in search.runnable_ids
        if not search.visibility.is_complete:
            tool.hide_successor(search.visibility)
        explained[tool.pk] = search.explainer.explain(tool)
    unexplained = {pk: one.unexplained for pk, one in explained.items() if one.unexplained}
    fields = search_index().fields(unexplained)
    results = []
    for tool in tools:
        shown = explained[tool.pk].explanation
        if tool.pk in fields:
            reasons = search.explainer.reasons(unexplained[tool.pk], fields[tool.pk])
            shown = replace(shown, reasons=reasons)
        results.append(Result(tool, shown, hits is None or hits.is_exact(tool.pk)))
    return tuple(results)


def _count_found(search: CatalogSearch, hits: Hits) -> tuple[int, bool]:
    if hits.rest is None:
        return len(hits.ranked), True
    rest = hits.rest
    return _counts.get_or_compute(
        search.depends_on, lambda: bounded(search_index().count(rest, at_most=COUNT_AT_MOST + 1))
    )


def bounded_count(tools: ToolQuerySet) -> tuple[int, bool]:
    """The number of `tools`, up to `COUNT_AT_MOST`, and whether that is all."""
    return bounded(tools.order_by()[: COUNT_AT_MOST + 1].count())


def bounded(count: int, at_most: int | None = None) -> tuple[int, bool]:
    """`count`, which was counted to `at_most` + 1, limited to `at_most`; and whether that is all."""
    at_most = COUNT_AT_MOST if at_most is None else at_most
    return min(count, at_most), count <= at_most
