"""A search of the catalog from its URL: query, order and page. `results.py` finds the matching tools."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote_plus

from django.contrib.auth.models import AnonymousUser
from django.db.models import F
from django.http import QueryDict

from catalog.accounts.models import Person, User
from catalog.hooks import hooks
from catalog.listing import sorting
from catalog.listing.pagination import Cursor
from catalog.listing.sorting import Sort
from catalog.listing.url_parameters import PARAMETERS, read_parameters, with_filters
from catalog.models import Audience, Tool, ToolQuerySet
from catalog.search import Match, search_index, vocabulary
from catalog.search.boolean_query import EVERY_TOOL, Token
from catalog.search.document import GROUP_PREFIXES
from catalog.search.explain import Explainer
from catalog.search.filter_corrections import SIGN_IN_FIRST, FilterProblem
from catalog.search.filters import ME
from catalog.search.parser import Query, without_filters
from catalog.search.plan import Plan, plan_of
from catalog.search.retrieval import Hits, find, with_conditions
from catalog.search.visibility import Visibility
from catalog.stars import starred_ids

PAGE_SIZE = 20


def visitors_see() -> Visibility:
    """The visibility of an anonymous visitor, which is the smallest."""
    return Audience.objects.visibility_for(AnonymousUser())


# The parameters of the URL of a list of tools (`CatalogSearch.from_query`).
LIST_PARAMETERS: Final = PARAMETERS.union(["q", "include", "sort"])
FEW: Final = 2_000  # tools that are sorted, rather than read from an index in order


@dataclass(frozen=True)
class CatalogSearch:
    """A query, with its filters, and the order and page of its results.

    It finds what `visibility` shows; a search without one finds what visitors see.
    """

    words: str = ""
    archived: bool = False  # include archived tools
    sort: Sort = ""  # "": by relevance, or by name if there are only filters
    runnable_first: bool = False  # the default order without words; for pages
    cursor: Cursor | None = None  # for programs, which read the default order without words by name
    limit: int = PAGE_SIZE
    visibility: Visibility = field(default_factory=visitors_see)
    person: Person | None = field(
        default=None, compare=False
    )  # whose stars and tools a filter may mean

    @classmethod
    def from_query(cls, query: QueryDict, person: Person | None) -> CatalogSearch:
        """Read the query of a page's URL. It usually comes from a link, so invalid values are ignored."""
        return cls(
            words=with_filters(query.get("q", "").strip("\r\n"), read_parameters(query)),
            archived=query.get("include") == "archived",
            sort=sorting.read(query.get("sort")),
            runnable_first=True,
            visibility=Audience.objects.visibility_for(person),
            person=person,
        )

    @property
    def order(self) -> Sort:
        """The order of the results: that of the URL, or else the default."""
        chosen = self.sort or not self.runnable_first or self.query.runnable is not None
        return self.sort if chosen or not self.is_list else "runnable"

    @cached_property
    def query(self) -> Query:
        query = Query.from_text(self.words)
        if query.personal and self.user is None:
            return replace(query, problems=(*query.problems, SIGN_IN_FIRST))
        return query

    @property
    def is_list(self) -> bool:
        """Whether it lists tools by filters alone, rather than by words."""
        return not (self.query.words or self.query.phrases or self.query.unwanted)

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
        asks_for_examples = self.query.examples_hold is not None
        passing = hooks.tools_with_passing_examples() if asks_for_examples else None
        most_run = hooks.most_run_tools() if self.sort == "runs" else ()
        personal = (self.user and self.user.pk, self.stars) if self.query.personal else None
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
        """The key of the toolkit that a filter chooses; "" if there is none, or several."""
        prefix = GROUP_PREFIXES["toolkit"]
        chosen = [
            one.key for one in self.query.conditions if one.holds and one.key.startswith(prefix)
        ]
        return chosen[0].removeprefix(prefix) if len(chosen) == 1 else ""

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
    def narrowed(self) -> bool:
        """Whether words or filters exclude tools."""
        return bool(self.query)

    @property
    def field_text(self) -> str:
        """The query as the search field shows it: after filters alone, with a space before the first word."""
        return f"{self.words.rstrip()} " if self.words.strip() and self.is_list else self.words

    @property
    def words_alone(self) -> str:
        """The query without its filters."""
        return without_filters(self.words, *self.query.filters)

    @property
    def without_facets(self) -> str:
        """The URL's query for the same words without filters."""
        return replace(self, words=self.words_alone, archived=False).address()

    def address(self, *, page: int = 1) -> str:
        """One of the pages of this search as the query of a URL ("?q=weather")."""
        pairs = [("q", self.words)] if self.words else []
        if self.archived:
            pairs.append(("include", "archived"))
        if self.sort:
            pairs.append(("sort", self.sort))
        if page > 1:
            pairs.append(("page", str(page)))
        return "?" + "&".join([f"{name}={_quoted(value)}" for name, value in pairs])

    @property
    def repairs(self) -> list[tuple[FilterProblem, str]]:
        """The problems of the query, each with the address of the query with what to write instead."""
        return [
            (
                one,
                replace(self, words=self.words.replace(one.written, one.instead, 1)).address(),
            )
            for one in self.query.problems
        ]

    def matching_all(self) -> ToolQuerySet:
        """The tools that match the filters and all of the words; unordered. None if the query has problems.

        The list also shows tools that match only some of the words.
        """
        return self._seen_tools.matching(self.words, self.user)

    @property
    def _seen_tools(self) -> ToolQuerySet:
        tools = Tool.objects.with_visibility(self.visibility)
        return tools if self.archived else tools.available()

    @cached_property
    def listed(self) -> ToolQuerySet:
        """The tools that match the filters, regardless of the words; unordered."""
        if not self.query:
            return self._seen_tools
        index, match = search_index(), with_conditions(self.plan, self.chosen, phrases=False)
        matching = index.subquery(match)
        if index.count(match, at_most=FEW + 1) <= FEW:
            return Tool.objects.filter(pk__in=matching)  # the index has only visible ones
        # Many are read in the order of the list; a condition on the key itself would sort them.
        return self._seen_tools.alias(key=F("pk") + 0).filter(key__in=matching)

    @cached_property
    def chosen(self) -> Match:
        """Matches the tools among which the query searches: visible ones, restricted by facts outside the index."""
        wanted = [Token(f"o_{key}") for key, holds in self.owners if holds]
        unwanted = [Token(f"o_{key}") for key, holds in self.owners if not holds]
        if not self.archived:
            unwanted.append(Token("f_archived"))
        among: frozenset[int] | None = None
        except_for: frozenset[int] = frozenset()
        outside_index: tuple[tuple[bool | None, Callable[[], frozenset[int]]], ...] = (
            (self.query.runnable, _runnable),
            (self.query.examples_hold, hooks.tools_with_passing_examples),
            (self.query.starred, lambda: self.stars),
        )
        for choice, matching in outside_index:
            if choice is True:
                among = matching() if among is None else among & matching()
            elif choice is False:
                except_for |= matching()
        if self.query.problems:  # nothing is found, and no facet leads to anything
            among = frozenset()
        match = Match(tuple(wanted) or (EVERY_TOOL,), tuple(unwanted), among, except_for)
        return self.visibility.among(match)


@lru_cache(maxsize=256)
def _quoted(value: str) -> str:
    """Quoted for a URL's query; cached, since every link of a page repeats the words."""
    return quote_plus(value)


def _key_of_user(name: str) -> int:
    """The primary key of the user with this name; 0 if there is none."""
    return User.objects.filter(username=name).values_list("pk", flat=True).first() or 0


def _runnable() -> frozenset[int]:
    return frozenset(Tool.objects.runnable().values_list("pk", flat=True))
