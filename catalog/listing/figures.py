"""Figures of the available tools that a person sees, and of their toolkits.

They are counted once for each state of the catalog.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import Avg, Count, F, Q

from catalog.caching import LRUCache
from catalog.hooks import hooks
from catalog.listing.groups import Group, largest
from catalog.models import Tool
from catalog.models.lint import read_findings
from catalog.search import vocabulary
from catalog.search.visibility import Visibility
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES, grade_of

TOOLKITS_SHOWN: Final = 8
NAMES_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the catalog: its name, its number of tools, and the query that lists them."""

    label: str
    tools: int
    query: str
    grade: int | None = None  # the grade's lowest score; None for other shares


@dataclass(frozen=True, slots=True)
class Figures:
    """Of all available tools.

    Attributes:
        scores: the number of tools with each lint score; those that are not assessed yet have None.
        formats: the number of tools that each format accepts unchanged, by its key.
        shares_of_toolkits: the largest ones.
    """

    scores: Counter[int | None]
    formats: Counter[str]
    shares_of_toolkits: list[Share]

    @property
    def tools(self) -> int:
        return self.scores.total()

    @property
    def number_assessed(self) -> int:
        return self.tools - self.scores[None]

    @property
    def shares_of_formats(self) -> list[Share]:
        shares = []
        for key, target in FORMATS.items():
            shares.append(Share(target.label, self.formats[key], f"?usable={key}"))
        return shares

    @property
    def shares_of_grades(self) -> list[Share]:
        grades = count_grades(self.scores)
        return [
            Share(label, grades[lowest], f"?grade={lowest}", lowest) for lowest, label in GRADES
        ]


def count_grades(scores: Mapping[int | None, int]) -> Counter[int]:
    """The number of tools in each grade, from those with each score."""
    grades: Counter[int] = Counter()
    for score, number in scores.items():
        if score is not None:
            grades[grade_of(score)] += number
    return grades


def count_formats(usable: Mapping[str, int]) -> Counter[str]:
    """The number of tools that each format accepts, from those with each value of `usable_formats`."""
    formats: Counter[str] = Counter()
    for keys, number in usable.items():
        formats.update(dict.fromkeys(keys.split(), number))
    return formats


_figures: Final[LRUCache[Figures]] = LRUCache()
_rules: Final[LRUCache[Counter[str]]] = LRUCache()
_cards: Final[LRUCache[list[ToolkitCard]]] = LRUCache(max_weight=10_000, weigh=len)


def figures_for(visibility: Visibility) -> Figures:
    """The figures of all available tools for people with this visibility."""
    state, _ = vocabulary.state_and_size()
    return _figures.get_or_compute((state, visibility), lambda: _count_tools(visibility))


def _count_tools(visibility: Visibility) -> Figures:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    scores: Counter[int | None] = Counter()
    usable: Counter[str] = Counter()
    for score, keys, number in tools.values_list("score", "usable_formats").annotate(Count("pk")):
        scores[score] += number
        usable[keys] += number
    return Figures(scores, count_formats(usable), _largest_toolkits(visibility))


def _largest_toolkits(visibility: Visibility) -> list[Share]:
    shares = []
    for group in largest("toolkit", TOOLKITS_SHOWN, visibility):
        query = urlencode({"toolkit": group.name})
        shares.append(Share(group.name, group.tools, f"?{query}"))
    return shares


def rules_broken(visibility: Visibility) -> Counter[str]:
    """The number of tools that break each lint rule."""
    state, _ = vocabulary.state_and_size()
    return _rules.get_or_compute((state, visibility), lambda: _count_rules(visibility))


def _count_rules(visibility: Visibility) -> Counter[str]:
    """Few assessments differ in a large catalog, so the database groups equal ones."""
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    assessed = tools.filter(current__assessment__isnull=False)
    rules: Counter[str] = Counter()
    for text, number in assessed.values_list("current__assessment__findings").annotate(Count("pk")):
        rules.update(dict.fromkeys(read_findings(text), number))
    return rules


@dataclass(frozen=True, slots=True)
class ToolkitCard:
    """A toolkit, without its archived tools.

    Attributes:
        key: in the form used for comparisons and addresses.
        names: of its first tools.
        average: of the lint scores of its tools; None if none is assessed yet.
        runnable, configured, deprecated: the numbers of tools that run here, that need a configuration, and that are
            deprecated.
    """

    key: str
    name: str
    names: Sequence[str]
    tools: int
    average: float | None
    runnable: int
    configured: int
    deprecated: int

    @property
    def score(self) -> int | None:
        return None if self.average is None else round(self.average)

    @property
    def more(self) -> int:
        """The number of tools that `names` leaves out."""
        return self.tools - len(self.names)


def cards_of(groups: Sequence[Group], visibility: Visibility) -> list[ToolkitCard]:
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
        "average": Avg("score"),
        "runnable": Count("pk", filter=Q(pk__in=Tool.objects.runnable().values("pk"))),
        "configured": Count("pk", filter=Q(configurable=True)),
        "deprecated": Count("deprecated_at"),
    }
    figures: dict[str, Mapping[str, Any]] = {}
    for row in tools.order_by().values(key=F("toolkit_key")).annotate(**counts):
        figures[row["key"]] = row
    return [
        ToolkitCard(name=group.name, names=names[group.key][:NAMES_SHOWN], **figures[group.key])
        for group in groups
        if group.key in figures
    ]
