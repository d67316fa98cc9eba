"""Finding tools: one search, as the page and the API ask it. Both give the same tools in the same order."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from django.http import QueryDict

from catalog.models import Tool, ToolQuerySet
from catalog.search import Filter, Flag, Hit, Mode, search_index
from catalog.search.reasons import Explanation, explain, reasons_for, words_out_of_sight
from catalog.search.words import Query

COUNT_AT_MOST = 10_000
PAGE_SIZE = 20
YES_WORDS = {"1", "true", "yes"}
NO_WORDS = {"0", "false", "no"}


class BadCursor(ValueError):
    """A cursor that this site did not make."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """A place in a list: the tools after it, or before it.

    `mode` is how the words were matched on the first page ("all" or "any"), or "list" where there were none. `key` is
    what the list is ordered by: the rank, or the name.
    """

    mode: Literal["list", "all", "any"]
    key: float | str
    pk: int
    backwards: bool = False

    def encode(self) -> str:
        text = json.dumps(
            [self.mode, self.key, self.pk, int(self.backwards)], separators=(",", ":"), ensure_ascii=False
        )
        return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Cursor:
        """Read what `encode` wrote.

        Raises:
            BadCursor: it is something else.
        """
        try:
            decoded = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True).decode()
            mode, key, pk, backwards = json.loads(decoded)
        except (ValueError, binascii.Error, TypeError, RecursionError) as error:
            raise BadCursor("This is no cursor of this site; take it from `next`.") from error
        name_key = mode == "list" and isinstance(key, str) and "\x00" not in key
        rank_key = mode in ("all", "any") and isinstance(key, float) and math.isfinite(key)
        if not (name_key or rank_key) or type(pk) is not int or not 0 < pk < 2**63 or backwards not in (0, 1):
            raise BadCursor("This is no cursor of this site; take it from `next`.")
        return cls(mode, key, pk, bool(backwards))


@dataclass(frozen=True, slots=True)
class Result:
    """One row: the tool, and what to show of it with the hits marked."""

    tool: Tool
    shown: Explanation


@dataclass(frozen=True, slots=True)
class Page:
    """Some results in their order, with the cursors of the pages beside it.

    `loosely`: no tool holds all words, these hold some of them.
    `count` stops at `COUNT_AT_MOST`; then `counted` is False.
    """

    results: tuple[Result, ...]
    count: int
    counted: bool
    next: str | None = None
    previous: str | None = None
    loosely: bool = False


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a facet. `query` is the address that chooses it, or undoes the choice where it is chosen."""

    label: str
    count: int
    counted: bool
    chosen: bool
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    label: str
    options: tuple[Option, ...]


@dataclass(frozen=True)
class CatalogSearch:
    """What is looked for. None of a facet: it does not matter."""

    words: str = ""
    runnable: bool | None = None
    configurable: bool | None = None
    examples: bool | None = None
    returns: bool | None = None
    archived: bool = False  # archived tools too
    cursor: Cursor | None = None
    limit: int = PAGE_SIZE

    @classmethod
    def from_query(cls, query: QueryDict) -> CatalogSearch:
        """Read a page's address. Links make it, so what makes no sense in it is as if it were not there."""
        try:
            cursor = Cursor.decode(text) if (text := query.get("cursor")) else None
        except BadCursor:
            cursor = None
        return cls(
            words=query.get("q", "").replace("\x00", " ").strip("\r\n"),
            runnable=_choice(query.get("runnable")),
            configurable=_choice(query.get("configurable")),
            examples=_choice(query.get("examples")),
            returns=_choice(query.get("returns")),
            archived=query.get("include") == "archived",
            cursor=cursor,
        )

    @cached_property
    def query(self) -> Query:
        return Query.from_text(self.words)

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The facets as an address says them: [("examples", "1")]."""
        said = {
            "runnable": _as_text(self.runnable),
            "configurable": _as_text(self.configurable),
            "examples": _as_text(self.examples),
            "returns": _as_text(self.returns),
            "include": "archived" if self.archived else None,
        }
        return [(name, text) for name, text in said.items() if text is not None]

    @property
    def narrowed_by_facets(self) -> bool:
        """Whether facets leave tools out that would be there without them."""
        return any(name != "include" for name, _ in self.choices)

    @property
    def narrowed(self) -> bool:
        """Whether anything at all is asked for."""
        return bool(self.query) or self.narrowed_by_facets

    @property
    def without_facets(self) -> str:
        """The address of the same words among all tools."""
        return self.address(runnable=None, configurable=None, examples=None, returns=None, include=None)

    def address(self, **changes: str | None) -> str:
        """This search as the query of an address ("?q=weather&examples=1"), changed; the cursor only if it is given."""
        said: dict[str, str | None] = {"q": self.words or None, **dict(self.choices), **changes}
        address = QueryDict(mutable=True)
        address.update({name: text for name, text in said.items() if text is not None})
        return f"?{address.urlencode()}"

    # -- results ------------------------------------------------------------------------------------------------------

    def page(self) -> Page:
        """The results at the cursor."""
        return self._found_page() if self.query else self._listed_page()

    def _listed_page(self) -> Page:
        cursor = self.cursor if self.cursor and self.cursor.mode == "list" else None
        tools = self.tools()
        if cursor is None:
            listed = tools.by_name()
        elif cursor.backwards:
            listed = tools.filter(sort_name__lte=cursor.key).exclude(sort_name=cursor.key, pk__gte=cursor.pk)
            listed = listed.order_by("-sort_name", "-pk")
        else:
            listed = tools.filter(sort_name__gte=cursor.key).exclude(sort_name=cursor.key, pk__lte=cursor.pk).by_name()
        rows = list(listed.for_rows()[: self.limit + 1])
        places = [Cursor("list", tool.sort_name, tool.pk) for tool in rows]
        places, before, after = _window(places, cursor, self.limit)
        by_key = {tool.pk: tool for tool in rows}
        results = tuple(Result(tool, _shown(self.query, tool)) for tool in (by_key[place.pk] for place in places))
        count, counted = bounded_count(tools)
        return Page(results, count, counted, next=after, previous=before)

    def _found_page(self) -> Page:
        index, chosen = search_index(), self.filter
        cursor = self.cursor if self.cursor and self.cursor.mode != "list" else None
        mode: Mode = "any" if cursor and cursor.mode == "any" else "all"
        beyond = Hit(float(cursor.key), cursor.pk) if cursor else None
        backwards = bool(cursor and cursor.backwards)
        hits = index.find(self.query, mode, chosen, limit=self.limit + 1, beyond=beyond, backwards=backwards)
        if not hits and cursor is None and len(self.query.words) > 1:
            mode = "any"
            hits = index.find(self.query, mode, chosen, limit=self.limit + 1)
        places, before, after = _window([Cursor(mode, hit.rank, hit.pk) for hit in hits], cursor, self.limit)
        count = index.count(self.query, mode, chosen, at_most=COUNT_AT_MOST + 1)
        return Page(
            self._results([place.pk for place in places]),
            min(count, COUNT_AT_MOST),
            count <= COUNT_AT_MOST,
            next=after,
            previous=before,
            loosely=mode == "any",
        )

    def _results(self, pks: Sequence[int]) -> tuple[Result, ...]:
        """Rows for these tools, in this order; parameters are looked up only where they are the reason."""
        tools = Tool.objects.for_rows().in_bulk(pks)
        shown = {pk: _shown(self.query, tools[pk]) for pk in pks if pk in tools}
        missing = {pk: words for pk in shown if (words := words_out_of_sight(self.query, shown[pk]))}
        texts = search_index().parameter_texts(missing)
        for pk, words in missing.items():
            if pk in texts:
                pairs = zip(texts[pk].names, texts[pk].descriptions, strict=False)
                shown[pk] = replace(shown[pk], reasons=reasons_for(words, pairs))
        return tuple(Result(tools[pk], shown[pk]) for pk in shown)

    # -- facets -------------------------------------------------------------------------------------------------------

    def facets(self, *, loosely: bool = False) -> tuple[Facet, ...]:
        """Every choice with the number of tools it would lead to. `loosely`: as the page says."""
        mode: Mode = "any" if loosely else "all"
        return (
            Facet("Runs", (self._option("Runnable here", "runnable", True, mode),)),
            Facet(
                "Configuration",
                (
                    self._option("Needs configuration", "configurable", True, mode),
                    self._option("Needs none", "configurable", False, mode),
                ),
            ),
            Facet(
                "Documentation",
                (
                    self._option("Has examples", "examples", True, mode),
                    self._option("Has a return type", "returns", True, mode),
                ),
            ),
            Facet("Archive", (self._archived_option(mode),)),
        )

    def _option(self, label: str, name: str, value: bool, mode: Mode) -> Option:
        there: CatalogSearch = replace(self, cursor=None, **{name: value})  # type: ignore[arg-type]
        chosen = getattr(self, name) is value
        count, counted = there.count(mode)
        return Option(label, count, counted, chosen, self.address(**{name: None if chosen else _as_text(value)}))

    def _archived_option(self, mode: Mode) -> Option:
        count, counted = replace(self, cursor=None, archived=True).count(mode, only=frozenset({"archived"}))
        address = self.address(include=None if self.archived else "archived")
        return Option("Show archived too", count, counted, self.archived, address)

    def count(self, mode: Mode = "all", *, only: frozenset[Flag] = frozenset()) -> tuple[int, bool]:
        """How many tools match, up to `COUNT_AT_MOST`, and whether that is all. `only`: those with these flags."""
        if not self.query:
            tools = self.tools()
            return bounded_count(tools.exclude(archived_at=None) if "archived" in only else tools)
        chosen = replace(self.filter, having=self.filter.having | only)
        count = search_index().count(self.query, mode, chosen, at_most=COUNT_AT_MOST + 1)
        return min(count, COUNT_AT_MOST), count <= COUNT_AT_MOST

    # -- the facets, as the two kinds of query take them --------------------------------------------------------------

    def tools(self) -> ToolQuerySet:
        """The tools of the chosen facets, without regard to words."""
        tools = Tool.objects.all() if self.archived else Tool.objects.available()
        if self.runnable is not None:
            tools = tools.runnable() if self.runnable else tools.exclude(pk__in=Tool.objects.runnable().values("pk"))
        if self.configurable is not None:
            tools = tools.filter(configurable=self.configurable)
        if self.examples is not None:
            tools = tools.filter(has_examples=self.examples)
        if self.returns is not None:
            tools = tools.filter(has_return_type=self.returns)
        return tools

    @cached_property
    def filter(self) -> Filter:
        facets: Mapping[Flag, bool | None] = {
            "configurable": self.configurable,
            "examples": self.examples,
            "returns": self.returns,
            "archived": None if self.archived else False,
        }
        runnable = (
            frozenset(Tool.objects.runnable().values_list("pk", flat=True)) if self.runnable is not None else None
        )
        return Filter(
            having=frozenset(flag for flag, wanted in facets.items() if wanted is True),
            lacking=frozenset(flag for flag, wanted in facets.items() if wanted is False),
            among=runnable if self.runnable else None,
            except_for=runnable or frozenset() if self.runnable is False else frozenset(),
        )


def bounded_count(tools: ToolQuerySet) -> tuple[int, bool]:
    """How many `tools` there are, up to `COUNT_AT_MOST`, and whether that is all."""
    count = tools.order_by()[: COUNT_AT_MOST + 1].count()
    return min(count, COUNT_AT_MOST), count <= COUNT_AT_MOST


def _window(places: list[Cursor], cursor: Cursor | None, limit: int) -> tuple[list[Cursor], str | None, str | None]:
    """Of `limit` + 1 places in the order they were read: those of the page, and the cursors before and after it."""
    more = len(places) > limit
    places = places[:limit]
    backwards = cursor is not None and cursor.backwards
    if backwards:
        places.reverse()
    if not places:
        return [], None, None
    has_before = more if backwards else cursor is not None
    has_after = True if backwards else more
    before = replace(places[0], backwards=True).encode() if has_before else None
    return places, before, places[-1].encode() if has_after else None


def _shown(query: Query, tool: Tool) -> Explanation:
    return explain(query, name=tool.name, tool_id=tool.tool_id, description=tool.description)


def _choice(text: str | None) -> bool | None:
    if text in YES_WORDS:
        return True
    return False if text in NO_WORDS else None


def _as_text(choice: bool | None) -> str | None:
    return None if choice is None else str(int(choice))
