"""A summary of the catalog: how many tools a person sees, in which toolkits, for which formats, with which scores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.db.models import Count

from catalog.caching import LRUCache
from catalog.listing.groups import largest
from catalog.models import Tool
from catalog.search import vocabulary
from catalog.search.visibility import Visibility
from catalog.specs.exporters import FORMATS
from catalog.specs.lint.assessment import GRADES, grade_of

TOOLKITS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Share:
    """A part of the catalog: its name, its number of tools, and the query that lists them."""

    label: str
    tools: int
    query: str
    grade: int | None = None  # the grade's lowest score; None for other shares


@dataclass(frozen=True, slots=True)
class Summary:
    """The available tools that a person sees: their number, and the numbers by toolkit, format and grade.

    `toolkits` has only the largest; `formats` counts the tools that each format accepts without changes.
    """

    tools: int
    toolkits: tuple[Share, ...]
    formats: tuple[Share, ...]
    grades: tuple[Share, ...]

    @property
    def largest(self) -> int:
        """The number of tools of the largest toolkit; 1 if there is none, as a divisor."""
        return max((share.tools for share in self.toolkits), default=1)

    @property
    def assessed(self) -> int:
        """The number of tools with a score."""
        return sum(share.tools for share in self.grades)


_summaries: Final[LRUCache[Summary]] = LRUCache(max_weight=1_000)


def summary_for(visibility: Visibility) -> Summary:
    """The summary for people with this visibility; counted once for each state of the catalog."""
    state, _ = vocabulary.state_and_size()
    return _summaries.get_or_compute((state, visibility), lambda: _counted(visibility))


def _counted(visibility: Visibility) -> Summary:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    counts: Counter[int | None] = Counter()
    accepted: Counter[str] = Counter()
    for score, usable, number in tools.values_list("score", "usable_formats").annotate(Count("pk")):
        counts[None if score is None else grade_of(score)] += number
        accepted.update(dict.fromkeys(usable.split(), number))
    toolkits = largest("toolkit", TOOLKITS_SHOWN, visibility)
    return Summary(
        sum(counts.values()),
        tuple(Share(group.name, group.tools, _query(toolkit=group.name)) for group in toolkits),
        tuple(
            Share(target.label, accepted[key], _query(usable=key))
            for key, target in FORMATS.items()
        ),
        tuple(
            Share(label, counts[lowest], _query(grade=lowest), lowest) for lowest, label in GRADES
        ),
    )


def _query(**choice: object) -> str:
    return f"?{urlencode(choice)}"
