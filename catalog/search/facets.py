"""The facets beside a list: filters, each with the number of matches that it would leave.

The matches are read once, up to `COUNT_AT_MOST`; among more, the numbers are lower bounds. If there
is neither a query nor a filter, toolkits and tags have the numbers of the whole catalog (see
groups.py).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Final

from django.urls import reverse

from catalog.index import search_index
from catalog.index.boolean_query import Token
from catalog.index.document import GroupKind
from catalog.index.filters import ME, OWNER, write_filter
from catalog.index.parser import Query, remove_filters
from catalog.index.retrieval import strict_match
from catalog.search import groups
from catalog.search.catalog_search import CatalogSearch
from catalog.search.figures import count_formats
from catalog.search.results import COUNT_AT_MOST, limit_count
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache
from toolspec.catalog_names import MAX_TAGS, group_key
from toolspec.exports import FORMATS

OPTIONS_OF_GROUP: Final = 6
OPTIONS_AT_MOST: Final = 20  # the others are folded; the search field suggests all of them
FAIR_SCORE: Final = 80  # a row shows a lower score, and a facet lists the tools that have one
LOW_SCORE: Final = f"score:<{FAIR_SCORE}"
# Tools; in a larger catalog, facets are counted after the results.
COUNTED_IMMEDIATELY: Final = 2_000
_COLUMNS: Final = (
    "pk",
    "tool_id",
    "toolkit",
    "spec_tags",
    "added_tags",
    "score",
    "usable_formats",
    "configurable",
    "has_examples",
    "has_return_type",
    "deprecated_at",
    "owner_id",
    "effect",
)


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a facet.

    Attributes:
        count: None if it was not counted yet.
        counted: whether `count` is exact rather than a lower bound.
        query: the URL's query that chooses it, or removes it if it is chosen.
        adds: it lists more tools rather than fewer.
    """

    label: str
    count: int | None
    counted: bool
    chosen: bool
    query: str
    adds: bool = False


@dataclass(frozen=True, slots=True)
class Facet:
    """A filter with its options.

    Attributes:
        further: options that are folded.
        more: the URL of a page about them; `more_label` is the text of its link.
        note: explains the counts.
    """

    label: str
    options: tuple[Option, ...]
    further: tuple[Option, ...] = ()
    more: str = ""
    more_label: str = ""
    note: str = ""


def _measure(facets: tuple[Facet, ...]) -> int:
    """The length of all queries, each of which repeats the words that are searched."""
    length = 0
    for facet in facets:
        length += sum(len(option.query) for option in facet.options + facet.further)
    return length


_facets: LRUCache[tuple[Facet, ...]] = LRUCache(max_weight=MAX_CHARACTERS, weigh=_measure)


def facets_of(search: CatalogSearch) -> tuple[Facet, ...]:
    """Every facet of `search` that has options."""
    return _facets.get_or_compute(
        facets_key(search), lambda: _make_facets(search, _count_matches(search))
    )


def immediate_facets(search: CatalogSearch) -> tuple[Facet, ...] | None:
    """The same if they are cached or cheap to count, else None."""
    if search.catalog_size <= COUNTED_IMMEDIATELY:
        return facets_of(search)
    return _facets.get(facets_key(search))


def uncounted_facets(search: CatalogSearch) -> tuple[Facet, ...]:
    """The facets without numbers of matches; cheap for any catalog."""
    return _make_facets(search, None)


def facets_key(search: CatalogSearch) -> Hashable:
    """The cache key of `facets_of`: all that it depends on."""
    passing = hooks.tools_with_passing_examples()
    return search.depends_on, passing, search.user and search.user.pk, search.stars


def _make_facets(search: CatalogSearch, counts: _Counts | None) -> tuple[Facet, ...]:
    """The facets with the options that are chosen, or that narrow the list but do not empty it."""
    faceting = _Faceting(search, counts)
    facets = []
    for facet in faceting.list_facets():
        options = tuple(filter(faceting.is_useful, facet.options))
        further = tuple(filter(faceting.is_useful, facet.further))
        if options or further:
            facets.append(replace(facet, options=options, further=further))
    return tuple(facets)


@dataclass(frozen=True, slots=True)
class _Counts:
    """The numbers of matches.

    Attributes:
        all: of a search; counted up to `COUNT_AT_MOST`.
        complete: whether these are all.
        by_filter: with each filter.
        groups: in each toolkit and with each tag, by key.
        names: of these, by key, as the first tool spells them.
        not_assessed: without a lint score.
    """

    all: int
    complete: bool
    by_filter: Mapping[str, int]
    groups: Mapping[GroupKind, Counter[str]]
    names: Mapping[GroupKind, Mapping[str, str]]
    not_assessed: int

    def limit(self, number: int) -> tuple[int | None, bool]:
        """`Option.count` and `Option.counted` of an option with `number` of these matches.

        0 among the first of many matches says nothing about the others.
        """
        count = number if number or self.complete else None
        return count, self.complete


def _count_matches(search: CatalogSearch) -> _Counts:
    """Count the tools with each value of a facet, among the first `COUNT_AT_MOST` matches."""
    rows = _read_matches(search)
    complete = len(rows) <= COUNT_AT_MOST
    rows = rows[:COUNT_AT_MOST]
    columns = list(zip(*rows, strict=True)) or [()] * len(_COLUMNS)
    pks, tool_ids, toolkits, spec_tags, added_tags, scores, usable, *others = columns
    configurable, examples, returns, deprecation_times, owners, effects = others
    runnable = len(search.runnable_ids.intersection(tool_ids))
    formats = count_formats(Counter(usable))
    by_filter = {
        "is:runnable": runnable,
        "-is:runnable": len(rows) - runnable,
        "is:read-only": effects.count("read-only"),
        "is:destructive": effects.count("destructive"),
        LOW_SCORE: sum(score is not None and score < FAIR_SCORE for score in scores),
        "needs:configuration": sum(configurable),
        "needs:nothing": len(rows) - sum(configurable),
        "has:examples": sum(examples),
        "examples:pass": len(hooks.tools_with_passing_examples().intersection(pks)),
        "has:returns": sum(returns),
        "is:starred": len(search.stars.intersection(pks)),
        "is:deprecated": len(rows) - deprecation_times.count(None),
        **{f"usable:{key}": formats[key] for key in FORMATS},
    }
    if search.user:
        by_filter["owner:me"] = owners.count(search.user.pk)
    names: dict[GroupKind, dict[str, str]] = {"toolkit": {}, "tag": {}}
    groups: dict[GroupKind, Counter[str]] = {"toolkit": Counter(), "tag": Counter()}
    for toolkit, *tags in zip(toolkits, spec_tags, added_tags, strict=True):
        _count_groups(groups["toolkit"], names["toolkit"], [toolkit])
        _count_groups(groups["tag"], names["tag"], "\n".join(tags).splitlines())
    return _Counts(len(rows), complete, by_filter, groups, names, scores.count(None))


def _count_groups(counts: Counter[str], names_by_key: dict[str, str], names: Iterable[str]) -> None:
    """Add the toolkit or the tags of one tool to `counts`, and to the names by key."""
    keys = {key: name for name in names if (key := group_key(name))}
    counts.update(keys.keys())
    for key, name in keys.items():
        names_by_key.setdefault(key, name)


def _read_matches(search: CatalogSearch) -> list[tuple[Any, ...]]:
    """The `_COLUMNS` of up to `COUNT_AT_MOST` + 1 matches, in the order of their primary keys."""
    if search.is_list:
        tools = search.listed
    else:
        hits = search.hits
        pks: Sequence[int] = hits.ranked
        if hits.rest is not None:
            pks = search_index().find(hits.rest, limit=COUNT_AT_MOST + 1)
        tools = Tool.objects.filter(pk__in=pks)
    return list(tools.order_by("pk").values_list(*_COLUMNS)[: COUNT_AT_MOST + 1])


@lru_cache(maxsize=1_000)
def _read_meaning(written: str, username: str) -> Hashable:
    """The meaning of a filter, however spelled, to the user with this name; "" for visitors."""
    meaning = []
    for condition in Query.from_text(written).conditions:
        if condition.owner == ME:
            meaning.append(replace(condition, key=OWNER + username))
        else:
            meaning.append(condition)
    return tuple(meaning)


@dataclass(frozen=True)
class _Faceting:
    search: CatalogSearch
    counts: _Counts | None  # None: not counted

    def list_facets(self) -> Iterator[Facet]:
        available = {"Runs here": "is:runnable", "Mock only": "-is:runnable"}
        effects = {"Read-only": "is:read-only", "Destructive": "is:destructive"}
        formats = {FORMATS[key].label: f"usable:{key}" for key in FORMATS}
        parts = {
            "Return type": "has:returns",
            "Examples": "has:examples",
            "Tests that pass": "examples:pass",
            "Configuration": "needs:configuration",
            "No configuration": "needs:nothing",
        }
        yield Facet("Available", self._make_options(available))
        yield Facet("Effect", self._make_options(effects))
        yield self._make_group_facet("Toolkit", "toolkit")
        yield self._make_group_facet("Tag", "tag")
        yield Facet("Works unchanged in", self._make_options(formats))
        yield Facet("Has", self._make_options(parts))
        yield Facet(
            "Lint score",
            self._make_options({f"Below {FAIR_SCORE}": LOW_SCORE}),
            more=reverse("catalog:lint_rules"),
            more_label="Findings by rule",
            note=self._not_assessed_note,
        )
        if self.search.user:
            yield Facet("Yours", self._make_options({"Starred": "is:starred", "Owned": "owner:me"}))
        status = self._make_options({"Deprecated": "is:deprecated"})
        yield Facet("Status", (*status, self._make_archived_option()))

    def is_useful(self, option: Option) -> bool:
        """Whether an option is chosen, or lists some of the matches but not all of them."""
        if option.chosen or option.count is None:
            return True
        if option.adds:
            return option.count > 0
        return 0 < option.count < self._all_matches or (option.count > 0 and not option.counted)

    @property
    def _all_matches(self) -> int:
        return self.counts.all if self.counts else 0

    @cached_property
    def _username(self) -> str:
        return self.search.user.username if self.search.user else ""

    @cached_property
    def _filters(self) -> dict[Hashable, str]:
        """The filters in the query, by their meaning."""
        filters = self.search.query.filters
        return {_read_meaning(text, self._username): text for text in filters}

    def _make_options(self, choices: Mapping[str, str]) -> tuple[Option, ...]:
        """The options with these labels and filters."""
        options = []
        for label, filter_ in choices.items():
            count, counted = None, True
            if self.counts:
                count, counted = self.counts.limit(self.counts.by_filter[filter_])
            options.append(self._make_option(label, filter_, count, counted))
        return tuple(options)

    def _make_option(self, label: str, filter_: str, count: int | None, counted: bool) -> Option:
        """An option that writes `filter_` after the query, or removes it."""
        words = self.search.words
        written = self._filters.get(_read_meaning(filter_, self._username))
        if written:
            words = remove_filters(words, written)
        elif words.strip():
            words = f"{words} {filter_}"
        else:
            words = filter_
        query = replace(self.search, words=words).address()
        return Option(label, count, counted, bool(written), query)

    @property
    def _not_assessed_note(self) -> str:
        """The number of matches that the counts of scores and formats do not include."""
        if not self.counts or not self.counts.not_assessed:
            return ""
        more = "" if self.counts.complete else "+"
        return f"{self.counts.not_assessed:,}{more} not assessed yet"

    @property
    def _all(self) -> tuple[int | None, bool]:
        return (self.counts.all, self.counts.complete) if self.counts else (None, True)

    def _make_archived_option(self) -> Option:
        """The option that adds archived tools; it counts those that fulfil the entire query."""
        search = replace(self.search, archived=True)
        count, counted = None, True
        if self.counts:
            strict = strict_match(search.plan, search.chosen)
            count = 0
            if strict:
                match = replace(strict, required=(Token("f_archived"), *strict.required))
                count, counted = limit_count(search_index().count(match, at_most=COUNT_AT_MOST + 1))
        chosen = self.search.archived
        query = replace(search, archived=not chosen).address()
        return Option("Include archived", count, counted, chosen, query, adds=True)

    # -- toolkits and tags -------------------------------------------------------------------------

    def _make_group_facet(self, label: str, kind: GroupKind) -> Facet:
        """The chosen groups, and the largest ones of the matches.

        A tool has one toolkit, so a chosen one replaces the others.
        """
        chosen = self._read_chosen(kind)
        names = self.counts.names[kind] if self.counts else {}
        options = []
        for key, name in chosen.items():
            label_of_group = names.get(key, name)
            options.append(self._make_option(label_of_group, write_filter(kind, name), *self._all))
        if kind == "tag" or not chosen:
            for name, count, counted in self._list_largest(kind):
                if group_key(name) not in chosen:
                    option = self._make_option(name, write_filter(kind, name), count, counted)
                    options.append(option)
        first, further = options[:OPTIONS_OF_GROUP], options[OPTIONS_OF_GROUP:OPTIONS_AT_MOST]
        return Facet(label, tuple(first), tuple(further))

    def _read_chosen(self, kind: GroupKind) -> dict[str, str]:
        """The names of the groups that filters of the query choose, by key."""
        chosen = {}
        for written in self.search.query.filters:
            name, _, value = written.partition(":")
            if name.lower() == kind:
                chosen[group_key(value)] = value.strip('"“”')
        return chosen

    def _list_largest(self, kind: GroupKind) -> list[tuple[str, int | None, bool]]:
        """The groups with the most matches, and their numbers."""
        if not self.search.narrowed and not self.search.archived:
            largest = groups.visible_groups(kind, self.search.visibility)[:OPTIONS_AT_MOST]
            return [(group.name, group.tools, True) for group in largest]
        if not self.counts:
            return []
        counts, names = self.counts, self.counts.names[kind]
        largest_keys = counts.groups[kind].most_common(OPTIONS_AT_MOST + MAX_TAGS)
        return [(names[key], *counts.limit(number)) for key, number in largest_keys]
