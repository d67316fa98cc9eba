"""A search of the catalog from its URL: query, order and page.

`results.py` finds the matching tools.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Final
from urllib.parse import quote_plus

from django.contrib.auth.models import AnonymousUser
from django.db.models import F
from django.http import QueryDict

from accounts.models import Person, User
from catalog.access.models import Audience
from catalog.index import Match, search_index, vocabulary
from catalog.index.boolean_query import EVERY_TOOL, Expression, Token
from catalog.index.document import GROUP_PREFIXES
from catalog.index.explain import Explainer
from catalog.index.filter_corrections import SIGN_IN_FIRST, FilterProblem
from catalog.index.filters import ME, PASSING, RUNNABLE, STARRED
from catalog.index.parser import Query, remove_filters
from catalog.index.plan import Plan, make_plan
from catalog.index.retrieval import Hits, apply_conditions, find, strict_match
from catalog.index.visibility import Visibility
from catalog.search import sorting
from catalog.search.pagination import Cursor
from catalog.search.sorting import Sort
from catalog.search.url_parameters import PARAMETERS, add_filters, read_parameters
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool, ToolQuerySet
from catalog.tools.stars import starred_ids

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
    # Whose stars and tools a filter may mean.
    person: Person | None = field(default=None, compare=False)

    @classmethod
    def from_query(cls, query: QueryDict, person: Person | None) -> CatalogSearch:
        """Read the query of a page's URL.

        It usually comes from a link, so invalid values are ignored.
        """
        return cls(
            words=add_filters(query.get("q", "").strip("\r\n"), read_parameters(query)),
            archived=query.get("include") == "archived",
            sort=sorting.read(query.get("sort")),
            runnable_first=True,
            visibility=Audience.objects.visibility_for(person),
            person=person,
        )

    @property
    def order(self) -> Sort:
        """The order of the results: that of the URL, or else the default."""
        if self.sort or not self.runnable_first or not self.is_list:
            return self.sort
        return "" if self.query.has_condition(RUNNABLE) else "runnable"

    @cached_property
    def query(self) -> Query:
        query = Query.from_text(self.words)
        if query.personal and self.user is None:
            return replace(query, problems=(*query.problems, SIGN_IN_FIRST))
        return query

    @property
    def is_list(self) -> bool:
        """Whether it lists tools by filters alone, rather than by words."""
        return not (self.query.words or self.query.phrases or self.query.excluded)

    @property
    def is_grouped(self) -> bool:
        """Whether a page shows some tools of each toolkit: nothing selects or orders tools."""
        return self.runnable_first and not (self.query or self.sort or self.archived)

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
        asks_for_examples = self.query.has_condition(PASSING)
        passing = hooks.tools_with_passing_examples() if asks_for_examples else None
        most_run = hooks.most_run_tools() if self.sort == "runs" else ()
        personal = (self.user and self.user.pk, self.stars) if self.query.personal else None
        any_page = replace(self, cursor=None, limit=PAGE_SIZE)
        return self.state, self.runnable_ids, passing, most_run, personal, any_page

    @cached_property
    def plan(self) -> Plan:
        return make_plan(self.query, self.visibility)

    @cached_property
    def explainer(self) -> Explainer:
        return Explainer(self.plan)

    @property
    def toolkit_key(self) -> str:
        """The key of the toolkit that a filter chooses; "" if there is none, or several."""
        prefix = GROUP_PREFIXES["toolkit"]
        keys = [condition.key for condition in self.query.conditions if condition.holds]
        toolkits = [key.removeprefix(prefix) for key in keys if key.startswith(prefix)]
        return toolkits[0] if len(toolkits) == 1 else ""

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
        """The query as the search field shows it: with a space after a filter at its end."""
        words = self.words.rstrip()
        return f"{words} " if words.endswith(self.query.filters) else self.words

    @property
    def words_alone(self) -> str:
        """The query without its filters."""
        return remove_filters(self.words, *self.query.filters)

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
        return "?" + "&".join([f"{name}={_quote(value)}" for name, value in pairs])

    @property
    def repairs(self) -> list[tuple[FilterProblem, str]]:
        """The problems of the query, each with the address of the corrected query."""
        repairs = []
        for problem in self.query.problems:
            words = self.words.replace(problem.written, problem.instead, 1)
            repairs.append((problem, replace(self, words=words).address()))
        return repairs

    def matching_all(self) -> ToolQuerySet:
        """The tools that match the filters and all of the words; unordered.

        Empty if the query has problems. The list also shows tools that match only some of the
        words.
        """
        if not self.query:
            return self._visible_tools
        match = strict_match(self.plan, self.chosen)
        if match is None:
            return Tool.objects.none()
        match = replace(match, required=(*self.plan.phrases, *match.required))  # also in a sentence
        return Tool.objects.filter(pk__in=search_index().subquery(match))

    @property
    def _visible_tools(self) -> ToolQuerySet:
        tools = Tool.objects.with_visibility(self.visibility)
        return tools if self.archived else tools.available()

    @cached_property
    def listed(self) -> ToolQuerySet:
        """The tools that match the filters, regardless of the words; unordered."""
        if not self.query:
            return self._visible_tools
        index = search_index()
        match = apply_conditions(self.plan, self.chosen, phrases=False)
        pks = index.subquery(match)
        if index.count(match, at_most=FEW + 1) <= FEW:
            return Tool.objects.filter(pk__in=pks)  # the index has only visible ones
        # Many are read in the order of the list; a condition on the key itself would sort them.
        return self._visible_tools.alias(key=F("pk") + 0).filter(key__in=pks)

    @cached_property
    def chosen(self) -> Match:
        """Matches the tools among which the query searches.

        They are the visible ones, restricted by facts outside the index.
        """
        owners: list[Expression] = []
        excluded: list[Expression] = [] if self.archived else [Token("f_archived")]
        among: frozenset[int] | None = None
        except_for: frozenset[int] = frozenset()
        for condition in self.query.conditions:
            if condition.is_indexed:  # part of the plan
                continue
            if condition.owner:
                tokens = owners if condition.holds else excluded
                tokens.append(Token(f"o_{self._find_owner(condition.owner)}"))
            elif condition.holds:
                pks = self._read_pks(condition.key)
                among = pks if among is None else among & pks
            else:
                except_for |= self._read_pks(condition.key)
        if self.query.problems:  # nothing is found, and no facet leads to anything
            among = frozenset()
        match = Match(tuple(owners) or (EVERY_TOOL,), tuple(excluded), among, except_for)
        return self.visibility.limit(match)

    def _read_pks(self, key: str) -> frozenset[int]:
        """The primary keys of the tools that have a key which is not in the index."""
        if key == RUNNABLE:
            return frozenset(Tool.objects.runnable().values_list("pk", flat=True))
        return self.stars if key == STARRED else hooks.tools_with_passing_examples()

    def _find_owner(self, name: str) -> int:
        """The primary key of the user with this name, or of the person for `ME`; maybe 0."""
        if name == ME:
            return self.user.pk if self.user else 0
        return User.objects.filter(username=name).values_list("pk", flat=True).first() or 0


@lru_cache(maxsize=256)
def _quote(value: str) -> str:
    """Quoted for a URL's query; cached, since every link of a page repeats the words."""
    return quote_plus(value)
