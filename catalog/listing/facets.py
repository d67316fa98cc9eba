"""The facets beside a list: filters, each with the number of tools that it would leave.

Counting is cheap or bounded, even for a million tools. The total size of a toolkit or tag is stored (see
search/tag_counts.py). Its number of tools among the results is counted up to `GROUP_COUNT_AT_MOST`, and only for the
likely ones: the largest of all, and those of the first results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from django.urls import reverse

from catalog.caching import MAX_CHARACTERS, LRUCache
from catalog.hooks import hooks
from catalog.listing import groups
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.results import COUNT_AT_MOST, bounded, bounded_count
from catalog.models import Tool, ToolQuerySet
from catalog.search import search_index
from catalog.search.boolean_query import Token
from catalog.search.document import GroupKind, group_key, token_of_group
from catalog.search.filters import ME
from catalog.search.parser import Query, without_filters
from catalog.search.retrieval import strict_match
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES

OPTIONS_OF_GROUP: Final = 6
FIRST_RESULTS: Final = 200  # results whose toolkits and tags are likely ones
GROUP_COUNT_AT_MOST: Final = 1_000
COUNTED_IMMEDIATELY: Final = (
    2_000  # tools; in a larger catalog, the page shows the results first and counts facets later
)

_WRITTEN: Final[Mapping[tuple[str, bool | int], str]] = {
    ("runnable", True): "runnable:yes",
    ("configurable", True): "needs:configuration",
    ("configurable", False): "needs:nothing",
    ("examples", True): "has:examples",
    ("examples_hold", True): "examples:pass",
    ("returns", True): "has:returns",
    ("starred", True): "is:starred",
    ("deprecated", True): "is:deprecated",
    ("grade", 90): "score:>=90",
    ("grade", 0): "score:<70",
}  # as filters of a query


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a facet. `query`: the URL's query that chooses it, or removes it if it is chosen.

    `count`: None if it was not counted yet. `counted`: whether `count` is exact rather than a lower bound.
    """

    label: str
    count: int | None
    counted: bool
    chosen: bool
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with its options.

    `more`: the URL of a page with all options, or about them; `more_label`: the text of its link. `note`: explains
    the counts. `folded`: a page shows the options when they are opened.
    """

    label: str
    options: tuple[Option, ...]
    more: str = ""
    more_label: str = ""
    note: str = ""
    folded: bool = False

    @property
    def shown(self) -> list[Option]:
        """The options that lead to tools, and the chosen ones."""
        return [option for option in self.options if option.count != 0 or option.chosen]

    @property
    def empty(self) -> list[Option]:
        """The options that lead to no tool."""
        return [option for option in self.options if option.count == 0 and not option.chosen]

    @property
    def largest(self) -> int:
        """The largest count of an option."""
        return max((option.count or 0 for option in self.options), default=0)

    @property
    def open(self) -> bool:
        """Whether a page shows its options at first: unless it is `folded`, or if one is chosen."""
        return not self.folded or any(option.chosen for option in self.options)


def _characters(facets: tuple[Facet, ...]) -> int:
    """The length of all queries, each of which repeats the words that are searched."""
    return sum(len(option.query) for facet in facets for option in facet.options)


_facets: LRUCache[tuple[Facet, ...]] = LRUCache(max_weight=MAX_CHARACTERS, weigh=_characters)


def facets_of(search: CatalogSearch, *, username: str = "") -> tuple[Facet, ...]:
    """Every facet of `search` that has options; `username` is that of the signed-in user, "" for anonymous users."""
    return _facets.get_or_compute(
        facets_key(search, username), lambda: _with_options(_Faceting(search, username).facets())
    )


def immediate_facets(search: CatalogSearch, *, username: str = "") -> tuple[Facet, ...] | None:
    """The same if they are cached or cheap to count, else None."""
    if search.catalog_size <= COUNTED_IMMEDIATELY:
        return facets_of(search, username=username)
    return _facets.get(facets_key(search, username))


def uncounted_facets(search: CatalogSearch, *, username: str = "") -> tuple[Facet, ...]:
    """The facets with stored counts only; cheap for any catalog."""
    return _with_options(_Faceting(search, username, counts=False).facets())


def facets_key(search: CatalogSearch, username: str) -> Hashable:
    """The cache key of `facets_of`: all that it depends on."""
    return search.depends_on, hooks.tools_with_passing_examples(), username, search.stars


def _with_options(facets: Iterable[Facet]) -> tuple[Facet, ...]:
    return tuple(facet for facet in facets if facet.options)


@dataclass(frozen=True)
class _Faceting:
    search: CatalogSearch
    username: str
    counts: bool = True  # False: only stored counts

    def facets(self) -> tuple[Facet, ...]:
        return (
            Facet("Runs", (self._option("Runnable", "runnable", True),)),
            self._groups("Toolkit", "toolkit"),
            Facet(
                "Lint score",
                tuple(self._option(label, "grade", lowest) for lowest, label in GRADES),
                more=reverse("catalog:lint_rules"),
                more_label="Findings by rule",
                note=self._not_assessed(),
            ),
            self._groups("Tag", "tag"),
            Facet(
                "Configuration",
                (
                    self._option("Needs configuration", "configurable", True),
                    self._option("No configuration", "configurable", False),
                ),
                folded=True,
            ),
            Facet(
                "Documentation",
                (
                    self._option("Has examples", "examples", True),
                    self._option("Examples pass", "examples_hold", True),
                    self._option("Has a return type", "returns", True),
                ),
                folded=True,
            ),
            Facet("Works with", tuple(map(self._format, FORMATS)), folded=True),
            Facet("Stars", tuple(self._stars()), folded=True),
            Facet("Owner", tuple(self._owners()), folded=True),
            Facet(
                "Status",
                (self._option("Deprecated", "deprecated", True), self._archived_option()),
                folded=True,
            ),
        )

    def _option(
        self,
        label: str,
        name: str,
        value: Any,
        written: str = "",
        *,
        without: Any = None,
        chosen: bool | None = None,
    ) -> Option:
        """The option that sets the parameter `name` to `value`; for the rest see `_choice`."""
        count, counted = self._count_of(**{name: value})
        written = written or _WRITTEN.get((name, value), "")
        is_chosen, address = self._choice(name, without, value, written, chosen=chosen)
        return Option(label, count, counted, is_chosen, address)

    def _format(self, key: str) -> Option:
        chosen = self.search.usable
        rest = tuple(other for other in chosen if other != key)
        label = FORMATS[key].label
        return self._option(
            label, "usable", (*rest, key), f"usable:{key}", without=rest, chosen=key in chosen
        )

    def _not_assessed(self) -> str:
        """The number of tools that the counts of scores and formats do not include."""
        if not self.counts:
            return ""
        count, counted = bounded(self._unassessed[: COUNT_AT_MOST + 1].count())
        return f"{count:,}{'' if counted else '+'} not assessed yet" if count else ""

    @property
    def _unassessed(self) -> ToolQuerySet:
        return Tool.objects.with_visibility(self.search.visibility).filter(score=None)

    def _stars(self) -> list[Option]:
        return [self._option("Starred by you", "starred", True)] if self.username else []

    def _owners(self) -> list[Option]:
        """The signed-in user, and the chosen owner."""
        names = dict.fromkeys(name for name in (self.username, self.search.owner) if name)
        return [
            self._option(
                "Mine" if name == self.username else f"Owned by {name}",
                "owner",
                name,
                f'owner:"{name}"',
            )
            for name in names
        ]

    def _archived_option(self) -> Option:
        count, counted = self._count_of(archived=True)
        return Option(
            "Include archived",
            count,
            counted,
            self.search.archived,
            self._address(archived=not self.search.archived),
        )

    def _choice(
        self, name: str, without: Any, value: Any, written: str, *, chosen: bool | None = None
    ) -> tuple[bool, str]:
        """Whether a value is chosen, and the URL's query that chooses it, or removes it.

        `written` is the equivalent filter of a query. If the query contains it, in any spelling, the value is chosen.
        """
        if chosen or (chosen is None and getattr(self.search, name) == value):
            return True, self._address(**{name: without})
        found = self._filters.get(self._meaning(written)) if written and self._filters else None
        if found is not None:
            return True, self._address(words=without_filters(self.search.words, found))
        return False, self._address(**{name: value})

    @cached_property
    def _filters(self) -> dict[Hashable, str]:
        """The filters in the query, by their parsed meaning."""
        return {self._meaning(written): written for written in self.search.query.filters}

    def _meaning(self, written: str) -> Hashable:
        query = Query.from_text(written)
        owners = [(self.username if name == ME else name, wanted) for name, wanted in query.owners]
        return query.conditions, query.runnable, query.examples_hold, query.starred, *owners

    def _address(self, **choice: Any) -> str:
        return replace(self.search, **choice).address()

    def _count_of(self, **choice: Any) -> tuple[int | None, bool]:
        """The number of tools with another choice, up to `COUNT_AT_MOST`, and whether that is all.

        If results contain only some of the words, it is the number of these results that match the choice; with the
        choice there may be other results. For archived tools, it is the number that would be added to the results.
        """
        if not self.counts:
            return None, True
        search, other = self.search, replace(self.search, cursor=None, **choice)
        only_archived = "archived" in choice
        if search.query and search.hits.loosely:
            tools = other.tools().filter(pk__in=search.hits.ranked)
            return bounded_count(tools.exclude(archived_at=None) if only_archived else tools)
        chosen = other.chosen
        if only_archived:
            chosen = replace(chosen, wanted=(Token("f_archived"), *chosen.wanted))
        strict = strict_match(search.plan, chosen)
        return (
            bounded(search_index().count(strict, at_most=COUNT_AT_MOST + 1))
            if strict
            else (0, True)
        )

    # -- toolkits and tags --------------------------------------------------------------------------------------------

    def _groups(self, label: str, kind: GroupKind) -> Facet:
        chosen = {group_key(name): name for name in self._chosen(kind)}
        counted = [one for one in self._counted(kind) if group_key(one[0]) not in chosen]
        options = [
            *(
                Option(name, *self._count_of(), *self._choice_of(kind, name))
                for name in chosen.values()
            ),
            *(
                Option(name, count, whole, *self._choice_of(kind, name))
                for name, count, whole in counted
            ),
        ]
        more = reverse(f"catalog:{kind}s") if chosen or len(options) >= OPTIONS_OF_GROUP else ""
        return Facet(label, tuple(options[:OPTIONS_OF_GROUP]), more, f"All {kind}s")

    def _chosen(self, kind: GroupKind) -> Sequence[str]:
        if kind == "tag":
            return self.search.tags
        return [self.search.toolkit] if self.search.toolkit is not None else []

    def _choice_of(self, kind: GroupKind, name: str) -> tuple[bool, str]:
        """`_choice` of a toolkit, which replaces the chosen one, or of a tag, which is added to the others."""
        search, key = self.search, group_key(name)
        written = f'{kind}:"{key}"'  # the key, because a name may contain quotation marks
        if kind == "tag":
            without = tuple(tag for tag in search.tags if group_key(tag) != key)
            chosen = len(without) < len(search.tags)
            return self._choice("tags", without, (*without, name), written, chosen=chosen)
        chosen = search.toolkit is not None and group_key(search.toolkit) == key
        return self._choice("toolkit", None, name, written, chosen=chosen)

    def _counted(self, kind: GroupKind) -> list[tuple[str, int, bool]]:
        """The likely groups with their numbers of results, the largest first; without groups that have none.

        A tool has one toolkit: if one is chosen, no other has any of the results.
        """
        if kind == "toolkit" and self.search.toolkit is not None:
            return []
        if not self.search.narrowed and not self.search.archived:
            return [
                (group.name, group.tools, True)
                for group in groups.largest(kind, OPTIONS_OF_GROUP, self.search.visibility)
            ]
        if not self.counts:
            return []
        seen = self._seen[kind]
        if self._seen_are_all:
            return [
                (self._seen_names[token], count, True)
                for token, count in seen.most_common(OPTIONS_OF_GROUP)
            ]
        names = {
            token: self._seen_names[token] for token, _ in seen.most_common(OPTIONS_OF_GROUP // 2)
        }
        for group in groups.largest(kind, OPTIONS_OF_GROUP // 2, self.search.visibility):
            names.setdefault(token_of_group(kind, group.name), group.name)
        strict = strict_match(self.search.plan, replace(self.search, cursor=None).chosen)
        if strict is None:
            return []
        found = []
        for token, name in names.items():
            in_group = replace(strict, wanted=(Token(token), *strict.wanted))
            count, whole = bounded(
                search_index().count(in_group, at_most=GROUP_COUNT_AT_MOST + 1), GROUP_COUNT_AT_MOST
            )
            if count:
                found.append((name, count, whole))
        return sorted(found, key=lambda one: -one[1])

    @cached_property
    def _seen_are_all(self) -> bool:
        """Whether `_first_results` are all results."""
        hits = self.search.hits
        return hits.rest is None or (not hits.ranked and len(self._first_results) < FIRST_RESULTS)

    @cached_property
    def _first_results(self) -> list[tuple[str, str, str]]:
        """(toolkit, tags of the spec, added tags) of the first results."""
        ranked, rest = self.search.hits.ranked, self.search.hits.rest
        pks = ranked or (search_index().matching(rest, limit=FIRST_RESULTS) if rest else [])
        return list(
            Tool.objects.filter(pk__in=pks).values_list("toolkit", "spec_tags", "added_tags")
        )

    @cached_property
    def _seen_names(self) -> dict[str, str]:
        """The names of the groups of the first results, by token."""
        names: dict[str, str] = {}
        for toolkit, *tags in self._first_results:
            if toolkit:
                names.setdefault(token_of_group("toolkit", toolkit), toolkit)
            for tag in _tags_in(tags):
                names.setdefault(token_of_group("tag", tag), tag)
        return names

    @cached_property
    def _seen(self) -> dict[GroupKind, Counter[str]]:
        """The number of first results in each group, by token."""
        seen: dict[GroupKind, Counter[str]] = {"toolkit": Counter(), "tag": Counter()}
        for toolkit, *tags in self._first_results:
            if toolkit:
                seen["toolkit"][token_of_group("toolkit", toolkit)] += 1
            seen["tag"].update({token_of_group("tag", tag) for tag in _tags_in(tags)})
        return seen


def _tags_in(texts: Sequence[str]) -> list[str]:
    return [tag for text in texts for tag in text.splitlines()]
