"""The results of a search of the catalog, for the page and the API: both return the same tools in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import F

from catalog.caching import LRUCache
from catalog.db.compiled_query import PreparedRows
from catalog.listing import sorting
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.pagination import Cursor, first_row, window
from catalog.listing.sorting import Sort
from catalog.models import Tool, ToolQuerySet
from catalog.search import search_index
from catalog.search.explain import Explanation
from catalog.search.retrieval import Hits

COUNT_AT_MOST = 10_000
FEW = 2_000  # tools that are sorted, rather than read from an index in order

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
    return _found_page(search) if search.query else _listed_page(search)


def _sorted_page(search: CatalogSearch, sort: Sort) -> Page:
    """The results in another order than the default; for a search by words, only the `FEW` best (or oldest)."""
    hits, cursor = search.hits if search.query else None, search.cursor
    offset = int(cursor.key) if cursor and cursor.mode == "sorted" else 0
    few = _few(search) if hits is None else _pks_found(hits)
    tools = (
        search.tools() if few is None else Tool.objects.filter(pk__in=few)
    )  # `few` has only visible ones
    in_order = sorting.page_of(tools, sort, offset=offset, limit=search.limit + 1)
    pks, more = in_order[: search.limit], len(in_order) > search.limit
    if hits is None:
        count, counted = _counts.get_or_compute(search.depends_on, lambda: bounded_count(tools))
    else:
        count, counted = (hits.holding_all, True) if hits.filled_up else _count_found(search, hits)
    return Page(
        _results(search, pks, hits or Hits(rest=search.chosen)),
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
    few = _few(search)
    tools = (
        search.tools() if few is None else Tool.objects.filter(pk__in=few)
    )  # `few` has only visible ones
    by_tag = search.tags and few is None
    name, pk = ("sort_name", "pk")  # the columns that order the list
    if by_tag:  # aliases, since a condition on `tagged` itself would join the tags again
        tools = tools.alias(tag_name=F("tagged__sort_name"), tag_tool=F("tagged__tool_id"))
        name, pk = "tag_name", "tag_tool"
    if cursor is None:
        listed = tools.order_by(name, pk)
    elif cursor.backwards:
        listed = tools.filter(**{f"{name}__lte": cursor.key}).exclude(
            **{name: cursor.key, f"{pk}__gte": cursor.pk}
        )
        listed = listed.order_by(f"-{name}", f"-{pk}")
    else:
        listed = tools.filter(**{f"{name}__gte": cursor.key}).exclude(
            **{name: cursor.key, f"{pk}__lte": cursor.pk}
        )
        listed = listed.order_by(name, pk)
    rows = _shown(search, listed.for_rows()[: search.limit + 1])
    positions = [Cursor("list", tool.sort_name, tool.pk) for tool in rows]
    positions, before, after = window(positions, cursor, search.limit)
    by_key = {tool.pk: tool for tool in rows}
    pks = [position.pk for position in positions]
    results = tuple(
        Result(tool, search.explainer.explain(tool).explanation)
        for tool in map(by_key.__getitem__, pks)
    )
    count, counted = _counts.get_or_compute(search.depends_on, lambda: bounded_count(tools))
    return Page(
        results, count, counted, next=after, previous=before, start=first_row(cursor, len(results))
    )


def _few(search: CatalogSearch) -> list[int] | None:
    """All tools that match several chosen facets, if they are few; else None.

    Sorting them is faster than reading a million tools by name until enough of them match.
    """
    if sum(name != "include" for name, _ in search.choices) < 2:
        return None
    found = search_index().matching(search.chosen, limit=FEW + 1)
    return found if len(found) <= FEW else None


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
        _results(search, rows, hits),
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


def _results(search: CatalogSearch, pks: Sequence[int], hits: Hits) -> tuple[Result, ...]:
    """Rows for these tools, in this order; fields are read only for tools that need them for an explanation."""
    tools = {tool.pk: tool for tool in _shown(search, _rows.find(pks).values())}
    explained = {pk: search.explainer.explain(tools[pk]) for pk in pks if pk in tools}
    unexplained = {pk: one.unexplained for pk, one in explained.items() if one.unexplained}
    fields = search_index().fields(unexplained)
    shown = {pk: one.explanation for pk, one in explained.items()}
    for pk, text in fields.items():
        shown[pk] = replace(shown[pk], reasons=search.explainer.reasons(unexplained[pk], text))
    return tuple(Result(tools[pk], one, hits.is_exact(pk)) for pk, one in shown.items())


def _shown(search: CatalogSearch, tools: Iterable[Tool]) -> list[Tool]:
    """The tools, without successors that are hidden. Whether they run is found for all of them at once."""
    shown = list(tools)
    runnable = search.runnable_ids
    for tool in shown:
        tool.runnable = tool.tool_id in runnable
    if not search.visibility.is_complete:
        for tool in shown:
            tool.hide_successor(search.visibility)
    return shown


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
