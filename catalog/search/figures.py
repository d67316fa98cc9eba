"""Figures of the available tools that a person sees, and of their toolkits.

They are counted once for each state of the catalog.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Count, F, Q
from django.urls import reverse

from catalog.index import vocabulary
from catalog.index.filters import write_filter
from catalog.index.visibility import Visibility
from catalog.search.groups import Group, visible_groups
from catalog.tools.hooks import hooks
from catalog.tools.lint_models import read_findings
from catalog.tools.models import Tool
from toolshelf_core.caching import LRUCache
from toolspec.lint.assessment import grade_of

TOOLKITS_SHOWN: Final = 8
NAMES_SHOWN: Final = 3
WITHOUT_TOOLKIT: Final = "Tools without a toolkit"


@dataclass(frozen=True, slots=True)
class Figures:
    """Of all available tools.

    `scores`: the number of tools with each lint score; None for those not assessed yet.
    """

    scores: Counter[int | None]

    @property
    def tools(self) -> int:
        return self.scores.total()

    @property
    def number_assessed(self) -> int:
        return self.tools - self.scores[None]


def count_grades(scores: Mapping[int | None, int]) -> Counter[int]:
    """The number of tools in each grade, from those with each score."""
    grades: Counter[int] = Counter()
    for score, number in scores.items():
        if score is not None:
            grades[grade_of(score)] += number
    return grades


def count_formats(usable: Mapping[str, int]) -> Counter[str]:
    """The number of tools that each format accepts, from the number with each `usable_formats`."""
    formats: Counter[str] = Counter()
    for keys, number in usable.items():
        formats.update(dict.fromkeys(keys.split(), number))
    return formats


_figures: Final[LRUCache[Figures]] = LRUCache()
_overviews: Final[LRUCache[Overview]] = LRUCache(max_weight=100)
_rules: Final[LRUCache[Counter[str]]] = LRUCache()
_cards: Final[LRUCache[list[ToolkitCard]]] = LRUCache(max_weight=10_000, weigh=len)


def figures_for(visibility: Visibility) -> Figures:
    """The figures of all available tools for people with this visibility."""
    state, _ = vocabulary.state_and_size()
    return _figures.get_or_compute((state, visibility), lambda: _count_tools(visibility))


def _count_tools(visibility: Visibility) -> Figures:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    return Figures(Counter(dict(tools.values_list("score").annotate(Count("pk")))))


@dataclass(frozen=True, slots=True)
class Overview:
    """The catalog on the first page: numbers of all and of runnable tools, and some toolkits."""

    tools: int
    runnable: int
    cards: Sequence[ToolkitCard]


def overview_for(visibility: Visibility) -> Overview:
    """The overview for people with this visibility.

    Toolkits with runnable tools come first, then the largest ones.
    """
    state, _ = vocabulary.state_and_size()
    key = (state, hooks.runnable_tool_ids(), visibility)
    return _overviews.get_or_compute(key, lambda: _count_overview(visibility))


def _count_overview(visibility: Visibility) -> Overview:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    runnable: Counter[str] = Counter(
        dict(tools.runnable().values_list("toolkit_key").annotate(Count("pk")))
    )
    groups = [Group("", WITHOUT_TOOLKIT, 0), *visible_groups("toolkit", visibility)]
    groups.sort(key=lambda group: (-runnable[group.key], -group.tools))
    cards = make_cards(groups[:TOOLKITS_SHOWN], visibility)
    return Overview(figures_for(visibility).tools, runnable.total(), cards)


def count_broken_rules(visibility: Visibility) -> Counter[str]:
    """The number of tools that break each lint rule."""
    state, _ = vocabulary.state_and_size()
    return _rules.get_or_compute((state, visibility), lambda: _count_rules(visibility))


def _count_rules(visibility: Visibility) -> Counter[str]:
    """Few assessments differ in a large catalog, so the database groups equal ones."""
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    findings = tools.filter(current__assessment__isnull=False).values_list(
        "current__assessment__findings"
    )
    rules: Counter[str] = Counter()
    for text, number in findings.annotate(Count("pk")):
        rules.update(dict.fromkeys(read_findings(text), number))
    return rules


@dataclass(frozen=True, slots=True)
class ToolkitCard:
    """A toolkit, without its archived tools.

    Attributes:
        key: in the form used for comparisons and addresses.
        names: of its first tools.
        runnable: the number of tools that run here.
    """

    key: str
    name: str
    names: Sequence[str]
    tools: int
    runnable: int

    @property
    def url(self) -> str:
        """The list of its tools."""
        if not self.key:
            return reverse("catalog:tool_list")
        query = urlencode({"q": write_filter("toolkit", self.name)})
        return f"{reverse('catalog:tool_list')}?{query}"


def find_card(key: str, visibility: Visibility) -> ToolkitCard | None:
    """The card of one toolkit; None if people with this visibility see none of its tools."""
    groups = [group for group in visible_groups("toolkit", visibility) if group.key == key]
    return next(iter(make_cards(groups, visibility)), None)


def make_cards(groups: Sequence[Group], visibility: Visibility) -> list[ToolkitCard]:
    """The cards of those of these toolkits that have tools, in their order."""
    state, _ = vocabulary.state_and_size()
    key = (state, hooks.runnable_tool_ids(), visibility, tuple(groups))
    return _cards.get_or_compute(key, lambda: _count_by_toolkit(groups, visibility))


def _count_by_toolkit(groups: Sequence[Group], visibility: Visibility) -> list[ToolkitCard]:
    keys = [group.key for group in groups]
    tools = Tool.objects.available().with_visibility(visibility).filter(toolkit_key__in=keys)
    names = defaultdict(list)
    for key, name in tools.by_name().values_list("toolkit_key", "name"):
        names[key].append(name)
    counts = {
        "tools": Count("pk"),
        "runnable": Count("pk", filter=Q(pk__in=Tool.objects.runnable().values("pk"))),
    }
    figures: dict[str, Mapping[str, Any]] = {}
    for row in tools.order_by().values(key=F("toolkit_key")).annotate(**counts):
        figures[row["key"]] = row
    cards = []
    for group in groups:
        if group.key in figures:
            first_names = names[group.key][:NAMES_SHOWN]
            cards.append(ToolkitCard(name=group.name, names=first_names, **figures[group.key]))
    return cards
