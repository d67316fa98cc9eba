"""Finding tools: one search, as the page and the API ask it. Both give the same tools in the same order."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote_plus

from django.db.models import F
from django.http import QueryDict

from catalog.accounts.models import User
from catalog.caching import LRUCache
from catalog.db.compiled_query import PreparedRows
from catalog.hooks import hooks
from catalog.indexing import distinct_tags
from catalog.listing.pagination import BadCursor, Cursor, window
from catalog.models import Tool, ToolQuerySet
from catalog.search import Match, search_index, vocabulary
from catalog.search.boolean_query import EVERY_TOOL, Token, any_of
from catalog.search.document import MAX_TAGS
from catalog.search.explain import Explainer, Explanation
from catalog.search.parser import Query
from catalog.search.plan import Plan, plan_of
from catalog.search.retrieval import Hits, find
from catalog.search.tag_counts import token_of_group
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES, grade_of, keys_from, keys_of_grade, usable_key

COUNT_AT_MOST = 10_000
FEW = 2_000  # tools that are sorted rather than looked for in order
PAGE_SIZE = 20
YES_WORDS = {"1", "true", "yes"}
NO_WORDS = {"0", "false", "no"}


_counts: LRUCache[tuple[int, bool]] = LRUCache()
_rows: Final = PreparedRows(lambda pks: Tool.objects.for_rows().filter(pk__in=pks))


@dataclass(frozen=True, slots=True)
class Result:
    """One row: the tool, and what to show of it with the hits marked."""

    tool: Tool
    shown: Explanation


@dataclass(frozen=True, slots=True)
class Page:
    """Some results in their order, with the cursors of the pages beside it.

    `count` stops at `COUNT_AT_MOST`; then `counted` is False.
    `loosely`: there are results that hold but some of the words; `holding_all` is how many hold them all.
    `corrections`: (as typed, as looked for), where a slip of the finger was mended.
    """

    results: tuple[Result, ...]
    count: int
    counted: bool
    next: str | None = None
    previous: str | None = None
    loosely: bool = False
    holding_all: int = 0
    corrections: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class CatalogSearch:
    """What is looked for. None of a facet: it does not matter."""

    words: str = ""
    runnable: bool | None = None
    configurable: bool | None = None
    examples: bool | None = None
    returns: bool | None = None
    deprecated: bool | None = None
    examples_hold: bool | None = None  # whether they passed when they were tried last
    usable: tuple[str, ...] = ()  # keys of formats, that all take it as it is
    grade: int | None = None  # of `GRADES`, by its lowest score
    score: int | None = None  # at least
    toolkit: str | None = None
    tags: tuple[str, ...] = ()  # all of them
    owner: str | None = None  # a person's name
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
            deprecated=_choice(query.get("deprecated")),
            examples_hold=_choice(query.get("examples_hold")),
            usable=tuple(key for key in FORMATS if key in query.getlist("usable")),
            grade=_number(query.get("grade"), [lowest for lowest, _ in GRADES]),
            score=_number(query.get("score"), range(101)),
            toolkit=query.get("toolkit") or None,
            tags=distinct_tags(query.getlist("tag"))[:MAX_TAGS],
            owner=query.get("owner") or None,
            archived=query.get("include") == "archived",
            cursor=cursor,
        )

    @cached_property
    def query(self) -> Query:
        return Query.from_text(self.words)

    @cached_property
    def _state_and_size(self) -> tuple[int, int]:
        return vocabulary.state_and_size()

    @property
    def state(self) -> int:
        """Of the index: another number, another catalog."""
        return self._state_and_size[0]

    @property
    def catalog_size(self) -> int:
        """How many tools there are, archived ones too."""
        return self._state_and_size[1]

    @cached_property
    def depends_on(self) -> Hashable:
        """What answers about this search depend on, whichever page of it is shown: another value, another answer."""
        asks_for_examples = self.examples_hold is not None or self.query.examples_hold is not None
        holding = hooks.tools_with_passing_examples() if asks_for_examples else None
        return self.state, hooks.runnable_tool_ids(), holding, replace(self, cursor=None, limit=PAGE_SIZE)

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.query)

    @cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.plan)

    @cached_property
    def owner_key(self) -> int:
        """The primary key of the person who shall own the tools; 0 where nobody is called that."""
        return User.objects.filter(username=self.owner).values_list("pk", flat=True).first() or 0

    @cached_property
    def finding(self) -> Hits:
        return find(search_index(), self.plan, self.chosen)

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The facets as an address says them: [("examples", "1")]."""
        chosen_values = {
            "toolkit": self.toolkit,
            "owner": self.owner,
            "runnable": _as_text(self.runnable),
            "configurable": _as_text(self.configurable),
            "examples": _as_text(self.examples),
            "returns": _as_text(self.returns),
            "deprecated": _as_text(self.deprecated),
            "examples_hold": _as_text(self.examples_hold),
            "grade": None if self.grade is None else str(self.grade),
            "score": None if self.score is None else str(self.score),
            "include": "archived" if self.archived else None,
        }
        chosen = [(name, text) for name, text in chosen_values.items() if text is not None]
        return [*chosen, *(("tag", tag) for tag in self.tags), *(("usable", key) for key in self.usable)]

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
        return CatalogSearch(words=self.words).address()

    def address(self, *, cursor: str | None = None) -> str:
        """This search as the query of an address ("?q=weather&examples=1"), from its beginning or from `cursor` on."""
        pairs = [("q", self.words)] if self.words else []
        pairs += self.choices
        if cursor:
            pairs.append(("cursor", cursor))
        return "?" + "&".join([f"{name}={_quoted(value)}" for name, value in pairs])

    # -- results ------------------------------------------------------------------------------------------------------

    def page(self) -> Page:
        """The results at the cursor."""
        return self._found_page() if self.query else self._listed_page()

    def _listed_page(self) -> Page:
        cursor = self.cursor if self.cursor and self.cursor.mode == "list" else None
        few = self._few
        tools = self.tools() if few is None else Tool.objects.filter(pk__in=few)
        by_tag = self.tags and few is None
        name, pk = ("sort_name", "pk")  # what is walked
        if by_tag:  # by other names: a condition on `tagged` itself would join the rows of tags once more
            tools = tools.alias(tag_name=F("tagged__sort_name"), tag_tool=F("tagged__tool_id"))
            name, pk = "tag_name", "tag_tool"
        if cursor is None:
            listed = tools.order_by(name, pk)
        elif cursor.backwards:
            listed = tools.filter(**{f"{name}__lte": cursor.key}).exclude(**{name: cursor.key, f"{pk}__gte": cursor.pk})
            listed = listed.order_by(f"-{name}", f"-{pk}")
        else:
            listed = tools.filter(**{f"{name}__gte": cursor.key}).exclude(**{name: cursor.key, f"{pk}__lte": cursor.pk})
            listed = listed.order_by(name, pk)
        rows = list(listed.for_rows()[: self.limit + 1])
        places = [Cursor("list", tool.sort_name, tool.pk) for tool in rows]
        places, before, after = window(places, cursor, self.limit)
        by_key = {tool.pk: tool for tool in rows}
        pks = [place.pk for place in places]
        results = tuple(Result(tool, self.explainer.explain(tool).explanation) for tool in map(by_key.__getitem__, pks))
        count, counted = _counts.get_or_compute(self.depends_on, lambda: bounded_count(tools))
        return Page(results, count, counted, next=after, previous=before)

    @cached_property
    def _few(self) -> list[int] | None:
        """All tools that have several chosen facets, where they are few.

        These are sorted: to walk a million tools by name until some are met that have all of it takes long.
        """
        if sum(name != "include" for name, _ in self.choices) < 2:
            return None
        found = search_index().matching(self.chosen, limit=FEW + 1)
        return found if len(found) <= FEW else None

    def _found_page(self) -> Page:
        finding, cursor = self.finding, self.cursor
        offset = int(cursor.key) if cursor and cursor.mode == "found" else 0
        beyond = cursor.pk if cursor and cursor.mode == "found" else 0
        if cursor and cursor.backwards:
            offset = max(0, offset - self.limit)
        in_order = self._rows_at(finding, offset, beyond, backwards=bool(cursor and cursor.backwards))
        rows, more = in_order[: self.limit], len(in_order) > self.limit
        ranked = len(finding.ranked)
        after = Cursor("found", offset + len(rows), rows[-1] if offset + len(rows) > ranked else 0) if more else None
        before = Cursor("found", offset, rows[0] if offset > ranked else 0, backwards=True) if offset and rows else None
        count, counted = self._count_found(finding)
        return Page(
            self._results(rows),
            count,
            counted,
            next=after.encode() if after else None,
            previous=before.encode() if before else None,
            loosely=finding.loosely,
            holding_all=finding.holding_all,
            corrections=self.plan.corrections,
        )

    def _rows_at(self, finding: Hits, offset: int, beyond: int, *, backwards: bool) -> list[int]:
        """Primary keys from `offset` on, one more than a page has; `beyond` is the one before, or the first after."""
        ranked, wanted = finding.ranked, self.limit + 1
        rows = list(ranked[offset : offset + wanted])
        if finding.rest is None or len(rows) == wanted:
            return rows
        index, known = search_index(), frozenset(ranked)
        if backwards and offset >= len(ranked) and beyond:
            found = index.matching(finding.rest, limit=self.limit + len(known), beyond=beyond, backwards=True)
            before = [pk for pk in found if pk not in known][: self.limit]
            return [*reversed(before), beyond]  # the one that the cursor stands at follows
        start = beyond if offset >= len(ranked) else 0
        found = index.matching(finding.rest, limit=wanted + len(known), beyond=start)
        return [*rows, *(pk for pk in found if pk not in known)][:wanted]

    def _results(self, pks: Sequence[int]) -> tuple[Result, ...]:
        """Rows for these tools, in this order; fields are looked up only where they are the reason."""
        tools = _rows.find(pks)
        explained = {pk: self.explainer.explain(tools[pk]) for pk in pks if pk in tools}
        unexplained = {pk: one.unexplained for pk, one in explained.items() if one.unexplained}
        fields = search_index().fields(unexplained)
        shown = {pk: one.explanation for pk, one in explained.items()}
        for pk, text in fields.items():
            shown[pk] = replace(shown[pk], reasons=self.explainer.reasons(unexplained[pk], text))
        return tuple(Result(tools[pk], explanation) for pk, explanation in shown.items())

    def _count_found(self, finding: Hits) -> tuple[int, bool]:
        if finding.rest is None:
            return len(finding.ranked), True
        rest = finding.rest
        return _counts.get_or_compute(
            self.depends_on, lambda: bounded(search_index().count(rest, at_most=COUNT_AT_MOST + 1))
        )

    # -- the facets, as the two kinds of query take them --------------------------------------------------------------

    def tools(self) -> ToolQuerySet:
        """The tools of the chosen facets, without regard to words."""
        tools = Tool.objects.all() if self.archived else Tool.objects.available()
        tools = tools.only_runnable(self.runnable).only_passing(self.examples_hold).usable_with(self.usable)
        if self.grade is not None:
            tools = tools.filter(grade=self.grade)
        if self.score is not None:
            tools = tools.filter(grade__gte=grade_of(self.score), score__gte=self.score)
        if self.configurable is not None:
            tools = tools.filter(configurable=self.configurable)
        if self.examples is not None:
            tools = tools.filter(has_examples=self.examples)
        if self.returns is not None:
            tools = tools.filter(has_return_type=self.returns)
        if self.deprecated is not None:
            tools = tools.filter(deprecated_at__isnull=not self.deprecated)
        if self.toolkit is not None:
            tools = tools.in_toolkit(self.toolkit)
        if self.owner is not None:
            tools = tools.filter(owner=self.owner_key)
        return tools.tagged(self.tags)

    @cached_property
    def chosen(self) -> Match:
        """The tools of the chosen facets, for the index."""
        facets: Mapping[str, bool | None] = {
            "f_configurable": self.configurable,
            "f_examples": self.examples,
            "f_returns": self.returns,
            "f_deprecated": self.deprecated,
            "f_archived": None if self.archived else False,
        }
        wanted = (
            *(Token(key) for key, choice in facets.items() if choice is True),
            *([Token(token_of_group("toolkit", self.toolkit))] if self.toolkit is not None else []),
            *(Token(token_of_group("tag", tag)) for tag in self.tags),
            *(Token(usable_key(key)) for key in self.usable),
            *([any_of(map(Token, keys_of_grade(self.grade)))] if self.grade is not None else []),
            *([any_of(map(Token, keys_from(self.score)))] if self.score is not None else []),
            *([Token(f"o_{self.owner_key}")] if self.owner is not None else []),
        )
        unwanted = tuple(Token(key) for key, choice in facets.items() if choice is False)
        among: frozenset[int] | None = None
        except_for: frozenset[int] = frozenset()
        asked: tuple[tuple[set[bool | None], Callable[[], frozenset[int]]], ...] = (
            ({self.runnable, self.query.runnable}, _runnable),
            ({self.examples_hold, self.query.examples_hold}, hooks.tools_with_passing_examples),
        )
        for choices, known in asked:
            if True in choices:
                among = known() if among is None else among & known()
            if False in choices:
                except_for |= known()
        return Match(wanted or (EVERY_TOOL,), unwanted, among, except_for)


@lru_cache(maxsize=256)
def _quoted(value: str) -> str:
    """As in a URL's query. Cached: every link beside a list of results repeats the words that were searched for."""
    return quote_plus(value)


def _runnable() -> frozenset[int]:
    return frozenset(Tool.objects.runnable().values_list("pk", flat=True))


def bounded_count(tools: ToolQuerySet) -> tuple[int, bool]:
    """How many `tools` there are, up to `COUNT_AT_MOST`, and whether that is all."""
    return bounded(tools.order_by()[: COUNT_AT_MOST + 1].count())


def bounded(count: int, at_most: int | None = None) -> tuple[int, bool]:
    """A number that was counted up to one more than `at_most` (`COUNT_AT_MOST`): up to that, and whether it is all."""
    at_most = COUNT_AT_MOST if at_most is None else at_most
    return min(count, at_most), count <= at_most


def _choice(text: str | None) -> bool | None:
    if text in YES_WORDS:
        return True
    return False if text in NO_WORDS else None


def _number(text: str | None, among: Container[int]) -> int | None:
    """A number of an address; None where it is none of those."""
    if not text or not text.isascii() or not text.isdecimal() or len(text) > len("100"):
        return None
    return int(text) if int(text) in among else None


def _as_text(choice: bool | None) -> str | None:
    return None if choice is None else str(int(choice))
