"""A search of the catalog from its URL: words, facets, order and page. `results.py` finds the matching tools."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote_plus

from django.contrib.auth.models import AnonymousUser
from django.http import QueryDict

from catalog.accounts.models import Person, User
from catalog.hooks import hooks
from catalog.indexing import distinct_tags
from catalog.listing import sorting
from catalog.listing.pagination import BadCursor, Cursor
from catalog.listing.sorting import Sort
from catalog.models import Audience, Tool, ToolQuerySet
from catalog.search import Match, search_index, vocabulary
from catalog.search.boolean_query import EVERY_TOOL, Token, any_of
from catalog.search.document import MAX_TAGS, group_key, token_of_group
from catalog.search.explain import Explainer
from catalog.search.filter_corrections import SIGN_IN_FIRST, FilterProblem
from catalog.search.filters import CHOICES, ME
from catalog.search.parser import Query
from catalog.search.plan import Plan, plan_of
from catalog.search.retrieval import Hits, find
from catalog.search.visibility import Visibility
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES, grade_of, keys_from, keys_of_grade, usable_key
from catalog.stars import starred_ids

PAGE_SIZE = 20


def visitors_see() -> Visibility:
    """The visibility of an anonymous visitor, which is the smallest."""
    return Audience.objects.visibility_for(AnonymousUser())


# The facets that are yes or no.
_YES_OR_NO: Final = (
    "runnable",
    "configurable",
    "examples",
    "returns",
    "deprecated",
    "examples_hold",
    "starred",
)
# The parameters of the URL of a list of tools (`CatalogSearch.from_query`).
LIST_PARAMETERS: Final = frozenset(
    [
        *_YES_OR_NO,
        "q",
        "usable",
        "grade",
        "score",
        "toolkit",
        "tag",
        "owner",
        "include",
        "sort",
        "cursor",
    ]
)


@dataclass(frozen=True)
class CatalogSearch:
    """The words and facets of a search. A facet that is None does not filter.

    It finds what `visibility` shows; a search without one finds what visitors see.
    """

    words: str = ""
    runnable: bool | None = None
    configurable: bool | None = None
    examples: bool | None = None
    returns: bool | None = None
    deprecated: bool | None = None
    examples_hold: bool | None = None  # whether they passed when last run
    starred: bool | None = None  # by `person`
    usable: tuple[str, ...] = ()  # keys of formats that accept the tool without changes
    grade: int | None = None  # a key of `GRADES`: its lowest score
    score: int | None = None  # at least
    toolkit: str | None = None
    tags: tuple[str, ...] = ()  # all of them
    owner: str | None = None  # a username
    archived: bool = False  # include archived tools
    sort: Sort = ""  # "": by relevance, or by name if there are no words
    runnable_first: bool = False  # the default order without words; for pages
    cursor: Cursor | None = None
    limit: int = PAGE_SIZE
    visibility: Visibility = field(default_factory=visitors_see)
    person: Person | None = field(
        default=None, compare=False
    )  # whose stars and tools a filter may mean

    @classmethod
    def from_query(cls, query: QueryDict, person: Person | None) -> CatalogSearch:
        """Read the query of a page's URL. It usually comes from a link, so invalid values are ignored."""
        try:
            cursor = Cursor.decode(text) if (text := query.get("cursor")) else None
        except BadCursor:
            cursor = None
        return cls(
            words=query.get("q", "").strip("\r\n"),
            **{name: CHOICES.get(query.get(name, "")) for name in _YES_OR_NO},
            usable=tuple(key for key in FORMATS if key in query.getlist("usable")),
            grade=_number(query.get("grade"), [lowest for lowest, _ in GRADES]),
            score=_number(query.get("score"), range(101)),
            toolkit=query.get("toolkit") or None,
            tags=distinct_tags(query.getlist("tag"))[:MAX_TAGS],
            owner=query.get("owner") or None,
            archived=query.get("include") == "archived",
            sort=sorting.read(query.get("sort")),
            runnable_first=True,
            cursor=cursor,
            limit=PAGE_SIZE,
            visibility=Audience.objects.visibility_for(person),
            person=person,
        )

    @property
    def order(self) -> Sort:
        """The order of the results: that of the URL, or else the default."""
        if self.sort or not self.runnable_first or self.words.strip() or self.runnable is not None:
            return self.sort
        return "runnable"

    @cached_property
    def query(self) -> Query:
        query = Query.from_text(self.words)
        if (query.personal or self.starred is not None) and self.user is None:
            return replace(query, problems=(*query.problems, SIGN_IN_FIRST))
        return query

    @property
    def user(self) -> User | None:
        """The person, if they have signed in."""
        return self.person if isinstance(self.person, User) else None

    @cached_property
    def stars(self) -> frozenset[int]:
        """The primary keys of the tools that the person has starred."""
        return starred_ids(self.user) if self.user else frozenset()

    @cached_property
    def _state_and_size(self) -> tuple[int, int]:
        return vocabulary.state_and_size()

    @property
    def state(self) -> int:
        """Identifies the state of the index: it differs after each change."""
        return self._state_and_size[0]

    @property
    def catalog_size(self) -> int:
        """The number of tools, including archived ones."""
        return self._state_and_size[1]

    @cached_property
    def runnable_ids(self) -> frozenset[str]:
        return hooks.runnable_tool_ids()

    @cached_property
    def depends_on(self) -> Hashable:
        """A cache key: everything that results of this search depend on, except the page."""
        asks_for_examples = self.examples_hold is not None or self.query.examples_hold is not None
        passing = hooks.tools_with_passing_examples() if asks_for_examples else None
        most_run = hooks.most_run_tools() if self.sort == "runs" else ()
        is_personal = self.query.personal or self.starred is not None
        personal = (self.user and self.user.pk, self.stars) if is_personal else None
        whole = replace(self, cursor=None, limit=PAGE_SIZE)
        return self.state, self.runnable_ids, passing, most_run, personal, whole

    @cached_property
    def plan(self) -> Plan:
        return plan_of(self.query, self.visibility)

    @cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.plan)

    @property
    def toolkit_key(self) -> str:
        """The key of the chosen toolkit; "" if none is chosen."""
        return group_key(self.toolkit or "")

    @cached_property
    def owner_key(self) -> int:
        """The primary key of the chosen owner; 0 if there is no such user."""
        return _key_of_user(self.owner or "")

    @cached_property
    def owners(self) -> list[tuple[int, bool]]:
        """The owners in the words, as primary keys, and whether each is wanted."""
        me = self.user.pk if self.user else 0
        return [
            (me if name == ME else _key_of_user(name), wanted) for name, wanted in self.query.owners
        ]

    @cached_property
    def hits(self) -> Hits:
        if self.query.problems:
            return Hits()
        return find(search_index(), self.plan, self.chosen)

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The facets as parameters of a URL: [("examples", "1")]."""
        chosen_values: dict[str, str | int | None] = {  # yes is 1, no is 0
            "toolkit": self.toolkit,
            "owner": self.owner,
            **{name: getattr(self, name) for name in _YES_OR_NO},
            "grade": self.grade,
            "score": self.score,
            "include": "archived" if self.archived else None,
        }
        chosen = [
            (name, str(int(value)) if isinstance(value, bool) else str(value))
            for name, value in chosen_values.items()
            if value is not None
        ]
        return [
            *chosen,
            *(("tag", tag) for tag in self.tags),
            *(("usable", key) for key in self.usable),
        ]

    @property
    def narrowed_by_facets(self) -> bool:
        """Whether facets exclude tools."""
        return any(name != "include" for name, _ in self.choices)

    @property
    def narrowed(self) -> bool:
        """Whether words or facets exclude tools."""
        return bool(self.query) or self.narrowed_by_facets

    @property
    def without_facets(self) -> str:
        """The URL's query for the same words without facets."""
        return CatalogSearch(words=self.words, sort=self.sort, visibility=self.visibility).address()

    def address(self, *, cursor: str | None = None) -> str:
        """This search as the query of a URL ("?q=weather&examples=1"), from the beginning or from `cursor` on."""
        pairs = [("q", self.words)] if self.words else []
        pairs += self.choices
        if self.sort:
            pairs.append(("sort", self.sort))
        if cursor:
            pairs.append(("cursor", cursor))
        return "?" + "&".join([f"{name}={_quoted(value)}" for name, value in pairs])

    @property
    def repairs(self) -> list[tuple[FilterProblem, str]]:
        """The problems of the query, each with the address of the query with what to write instead."""
        return [
            (
                one,
                replace(
                    self, cursor=None, words=self.words.replace(one.written, one.instead, 1)
                ).address(),
            )
            for one in self.query.problems
        ]

    def matching_all(self) -> ToolQuerySet:
        """The tools that match the chosen facets and all of the words; unordered.

        The list also shows tools that match only some of the words. None if the query has problems.
        """
        if self.query.problems:
            return Tool.objects.none()
        return self.tools().matching(self.words, self.user)

    def tools(self) -> ToolQuerySet:
        """The tools that match the chosen facets, regardless of the words."""
        tools = Tool.objects.with_visibility(self.visibility)
        tools = tools if self.archived else tools.available()
        tools = (
            tools.only_runnable(self.runnable)
            .only_passing(self.examples_hold)
            .usable_with(self.usable)
        )
        if self.starred is not None:
            tools = (
                tools.filter(pk__in=self.stars)
                if self.starred
                else tools.exclude(pk__in=self.stars)
            )
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
        """Matches the chosen facets in the index."""
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
            *(Token(f"o_{key}") for key, holds in self.owners if holds),
        )
        unwanted = (
            *(Token(key) for key, choice in facets.items() if choice is False),
            *(Token(f"o_{key}") for key, holds in self.owners if not holds),
        )
        among: frozenset[int] | None = None
        except_for: frozenset[int] = frozenset()
        outside_index: tuple[tuple[set[bool | None], Callable[[], frozenset[int]]], ...] = (
            ({self.runnable, self.query.runnable}, _runnable),
            ({self.examples_hold, self.query.examples_hold}, hooks.tools_with_passing_examples),
            ({self.starred, self.query.starred}, lambda: self.stars),
        )
        for choices, matching in outside_index:
            if True in choices:
                among = matching() if among is None else among & matching()
            if False in choices:
                except_for |= matching()
        if self.query.problems:  # nothing is found, and no facet leads to anything
            among = frozenset()
        return self.visibility.among(Match(wanted or (EVERY_TOOL,), unwanted, among, except_for))


@lru_cache(maxsize=256)
def _quoted(value: str) -> str:
    """Quoted for a URL's query; cached, since every link of a page repeats the words."""
    return quote_plus(value)


def _key_of_user(name: str) -> int:
    """The primary key of the user with this name; 0 if there is none."""
    return User.objects.filter(username=name).values_list("pk", flat=True).first() or 0


def _runnable() -> frozenset[int]:
    return frozenset(Tool.objects.runnable().values_list("pk", flat=True))


def _number(text: str | None, among: Container[int]) -> int | None:
    """The number in `text` if it is one of `among`, else None."""
    if not text or not text.isascii() or not text.isdecimal() or len(text) > len("100"):
        return None
    return int(text) if int(text) in among else None
