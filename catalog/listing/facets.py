"""The facets beside a list: what it can be narrowed by, and how many tools each choice would lead to.

Counts of a million tools are cheap or bounded. How many tools a toolkit or a tag has at all is known (see
search/groups.py); how many of those that are looked for is counted to `GROUP_COUNT_AT_MOST`, and only for the likely
ones: the largest of all, and those that the first results have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from django.urls import reverse

from catalog.caching import MAX_CHARACTERS, LRUCache
from catalog.hooks import hooks
from catalog.listing.results import COUNT_AT_MOST, CatalogSearch, bounded, bounded_count
from catalog.models import Tool
from catalog.search import search_index, tag_counts
from catalog.search.boolean_query import Token
from catalog.search.document import group_key
from catalog.search.retrieval import strict_match
from catalog.search.tag_counts import Kind, token_of_group
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES

OPTIONS_OF_GROUP: Final = 6
LOOKED_AT: Final = 200  # results whose groups are likely ones
GROUP_COUNT_AT_MOST: Final = 1_000
COUNTED_AT_ONCE: Final = 2_000  # tools; of a larger catalog, facets are counted after the results are there


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of a facet. `query` is the address that chooses it, or undoes the choice where it is chosen.

    `count` is None where it was not counted yet.
    """

    label: str
    count: int | None
    counted: bool
    chosen: bool
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    """`more` is the address of a page with all its options, and `more_label` what the link to it says.

    `note`: what is to be known of the counts.
    """

    label: str
    options: tuple[Option, ...]
    more: str = ""
    more_label: str = ""
    note: str = ""


def _characters(facets: tuple[Facet, ...]) -> int:
    """Of the addresses, each of which has the words that are searched."""
    return sum(len(option.query) for facet in facets for option in facet.options)


_facets: LRUCache[tuple[Facet, ...]] = LRUCache(max_weight=MAX_CHARACTERS, weigh=_characters)


def facets_of(search: CatalogSearch, *, person: str = "") -> tuple[Facet, ...]:
    """Every facet of `search` that has options; `person` is the name of who looks, "" where nobody is signed in."""
    return _facets.get_or_compute(facets_key(search, person), lambda: _with_options(_Faceting(search, person).facets()))


def facets_at_once(search: CatalogSearch, *, person: str = "") -> tuple[Facet, ...] | None:
    """The same, where that takes no time; None where they must be counted, among many tools."""
    if search.catalog_size <= COUNTED_AT_ONCE:
        return facets_of(search, person=person)
    return _facets.get(facets_key(search, person))


def uncounted_facets(search: CatalogSearch, *, person: str = "") -> tuple[Facet, ...]:
    """What of the facets takes no time: without counts, except those that are known anyway."""
    return _with_options(_Faceting(search, person, counts=False).facets())


def facets_key(search: CatalogSearch, person: str) -> Hashable:
    """What `facets_of` depends on."""
    return search.depends_on, hooks.tools_with_passing_examples(), person


def _with_options(facets: Iterable[Facet]) -> tuple[Facet, ...]:
    return tuple(facet for facet in facets if facet.options)


@dataclass(frozen=True)
class _Faceting:
    search: CatalogSearch
    person: str
    counts: bool = True  # else nothing is counted

    def facets(self) -> tuple[Facet, ...]:
        return (
            Facet("Runs", (self._option("Runnable here", "runnable", True),)),
            self._groups("Toolkit", "toolkit"),
            self._groups("Tag", "tag"),
            Facet(
                "Configuration",
                (
                    self._option("Needs configuration", "configurable", True),
                    self._option("Needs none", "configurable", False),
                ),
            ),
            Facet(
                "Documentation",
                (
                    self._option("Has examples", "examples", True),
                    self._option("Examples hold", "examples_hold", True),
                    self._option("Has a return type", "returns", True),
                ),
            ),
            Facet("Usable as it is with", tuple(map(self._format, FORMATS))),
            Facet("Lint score", tuple(self._grade(*grade) for grade in GRADES), note=self._unjudged()),
            Facet("Owner", tuple(self._owners())),
            Facet("Standing", (self._option("Deprecated", "deprecated", True), self._archived_option())),
        )

    def _option(self, label: str, name: str, value: bool) -> Option:
        chosen = getattr(self.search, name) is value
        count, counted = self._count_of(**{name: value})
        return Option(label, count, counted, chosen, self._address(**{name: None if chosen else value}))

    def _format(self, key: str) -> Option:
        chosen = self.search.usable
        rest = tuple(other for other in chosen if other != key)
        with_it = (*rest, key)
        count, counted = self._count_of(usable=with_it)
        address = self._address(usable=rest if key in chosen else with_it)
        return Option(FORMATS[key].label, count, counted, key in chosen, address)

    def _grade(self, lowest: int, label: str) -> Option:
        chosen = self.search.grade == lowest
        count, counted = self._count_of(grade=lowest)
        return Option(label, count, counted, chosen, self._address(grade=None if chosen else lowest))

    def _unjudged(self) -> str:
        """What the counts of scores and formats leave out."""
        if not self.counts:
            return ""
        count, counted = bounded(Tool.objects.filter(score=None)[: COUNT_AT_MOST + 1].count())
        return f"{count:,}{'' if counted else '+'} not judged yet" if count else ""

    def _owners(self) -> list[Option]:
        """The person who looks, and whoever is chosen."""
        names = dict.fromkeys(name for name in (self.person, self.search.owner) if name)
        return [self._owner(name) for name in names]

    def _owner(self, name: str) -> Option:
        chosen = self.search.owner == name
        count, counted = self._count_of(owner=name)
        label = "Mine" if name == self.person else f"Of {name}"
        return Option(label, count, counted, chosen, self._address(owner=None if chosen else name))

    def _archived_option(self) -> Option:
        count, counted = self._count_of(archived=True)
        return Option(
            "Show archived too", count, counted, self.search.archived, self._address(archived=not self.search.archived)
        )

    def _address(self, **choice: Any) -> str:
        return replace(self.search, **choice).address()

    def _count_of(self, **choice: Any) -> tuple[int | None, bool]:
        """How many tools there are with another choice, up to `COUNT_AT_MOST`, and whether that is all.

        Where results hold but some of the words, it is how many of them have what is chosen: with the choice there may
        be others. Of archived tools it is how many would come to the results.
        """
        if not self.counts:
            return None, True
        search, there = self.search, replace(self.search, cursor=None, **choice)
        only_archived = "archived" in choice
        if search.query and search.finding.loosely:
            tools = there.tools().filter(pk__in=search.finding.ranked)
            return bounded_count(tools.exclude(archived_at=None) if only_archived else tools)
        chosen = there.chosen
        if only_archived:
            chosen = replace(chosen, wanted=(Token("f_archived"), *chosen.wanted))
        strict = strict_match(search.plan, chosen)
        return bounded(search_index().count(strict, at_most=COUNT_AT_MOST + 1)) if strict else (0, True)

    # -- toolkits and tags --------------------------------------------------------------------------------------------

    def _groups(self, label: str, kind: Kind) -> Facet:
        chosen = {group_key(name): name for name in self._chosen(kind)}
        counted = [one for one in self._counted(kind) if group_key(one[0]) not in chosen]
        options = [
            *(Option(name, *self._count_of(), True, self._toggled(kind, name)) for name in chosen.values()),
            *(Option(name, count, whole, False, self._toggled(kind, name)) for name, count, whole in counted),
        ]
        more = reverse(f"catalog:{kind}s") if chosen or len(options) >= OPTIONS_OF_GROUP else ""
        return Facet(label, tuple(options[:OPTIONS_OF_GROUP]), more, f"All {kind}s")

    def _chosen(self, kind: Kind) -> Sequence[str]:
        if kind == "tag":
            return self.search.tags
        return [self.search.toolkit] if self.search.toolkit is not None else []

    def _toggled(self, kind: Kind, name: str) -> str:
        """The address with this toolkit instead of another, or this tag besides others; without it if it is chosen."""
        search, key = self.search, group_key(name)
        without = tuple(tag for tag in search.tags if group_key(tag) != key)
        if kind == "tag":
            return self._address(tags=without if len(without) < len(search.tags) else (*without, name))
        is_chosen = search.toolkit is not None and group_key(search.toolkit) == key
        return self._address(toolkit=None if is_chosen else name)

    def _counted(self, kind: Kind) -> list[tuple[str, int, bool]]:
        """The likely groups with how many results each has, the most first; those that have none are left out.

        A tool belongs to one toolkit: where one is chosen, no other has any of the results.
        """
        if kind == "toolkit" and self.search.toolkit is not None:
            return []
        if not self.search.narrowed and not self.search.archived:
            return [(group.name, group.tools, True) for group in tag_counts.largest(kind, OPTIONS_OF_GROUP)]
        if not self.counts:
            return []
        seen = self._seen[kind]
        if self._seen_are_all:
            return [(self._seen_names[token], count, True) for token, count in seen.most_common(OPTIONS_OF_GROUP)]
        names = {token: self._seen_names[token] for token, _ in seen.most_common(OPTIONS_OF_GROUP // 2)}
        for group in tag_counts.largest(kind, OPTIONS_OF_GROUP // 2):
            names.setdefault(token_of_group(kind, group.name), group.name)
        strict = strict_match(self.search.plan, replace(self.search, cursor=None).chosen)
        if strict is None:
            return []
        found = []
        for token, name in names.items():
            there = replace(strict, wanted=(Token(token), *strict.wanted))
            count, whole = bounded(search_index().count(there, at_most=GROUP_COUNT_AT_MOST + 1), GROUP_COUNT_AT_MOST)
            if count:
                found.append((name, count, whole))
        return sorted(found, key=lambda one: -one[1])

    @cached_property
    def _seen_are_all(self) -> bool:
        """Whether what was looked at are all results."""
        finding = self.search.finding
        return finding.rest is None or (not finding.ranked and len(self._first_results) < LOOKED_AT)

    @cached_property
    def _first_results(self) -> list[tuple[str, str, str]]:
        """(toolkit, tags of the spec, tags that were added) of the first results."""
        ranked, rest = self.search.finding.ranked, self.search.finding.rest
        pks = ranked or (search_index().matching(rest, limit=LOOKED_AT) if rest else [])
        return list(Tool.objects.filter(pk__in=pks).values_list("toolkit", "spec_tags", "added_tags"))

    @cached_property
    def _seen_names(self) -> dict[str, str]:
        """What the groups of the first results are called, by token."""
        names: dict[str, str] = {}
        for toolkit, *tags in self._first_results:
            if toolkit:
                names.setdefault(token_of_group("toolkit", toolkit), toolkit)
            for tag in _tags_in(tags):
                names.setdefault(token_of_group("tag", tag), tag)
        return names

    @cached_property
    def _seen(self) -> dict[Kind, Counter[str]]:
        """How many of the first results have each group, by token."""
        seen: dict[Kind, Counter[str]] = {"toolkit": Counter(), "tag": Counter()}
        for toolkit, *tags in self._first_results:
            if toolkit:
                seen["toolkit"][token_of_group("toolkit", toolkit)] += 1
            seen["tag"].update({token_of_group("tag", tag) for tag in _tags_in(tags)})
        return seen


def _tags_in(texts: Sequence[str]) -> list[str]:
    return [tag for text in texts for tag in text.splitlines()]
