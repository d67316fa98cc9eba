"""A summary of the catalog: how many tools a person sees, in which toolkits, and with which lint scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from django.db.models import Count

from catalog.caching import LRUCache
from catalog.listing.groups import largest
from catalog.models import Tool
from catalog.search import vocabulary
from catalog.search.tag_counts import Group
from catalog.search.visibility import Visibility
from catalog.specs.lint.assessment import GRADES

TOOLKITS_SHOWN: Final = 8


@dataclass(frozen=True, slots=True)
class Grade:
    """How many tools have a lint score of this grade, with the value of the catalog's filter."""

    lowest: int
    label: str
    tools: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The available tools that somebody sees: their number, the largest toolkits, and the tools of each grade."""

    tools: int
    toolkits: tuple[Group, ...]
    grades: tuple[Grade, ...]

    @property
    def largest(self) -> int:
        """The number of tools of the largest toolkit; 1 if there is none, as a divisor."""
        return max((group.tools for group in self.toolkits), default=1)

    @property
    def assessed(self) -> int:
        """The number of tools with a score."""
        return sum(grade.tools for grade in self.grades)


_summaries: Final[LRUCache[Summary]] = LRUCache(max_weight=1_000)


def summary_for(visibility: Visibility) -> Summary:
    """What somebody with this visibility sees; counted once for each state of the catalog."""
    state, _ = vocabulary.state_and_size()
    return _summaries.get_or_compute((state, visibility), lambda: _counted(visibility))


def _counted(visibility: Visibility) -> Summary:
    tools = Tool.objects.available().with_visibility(visibility).order_by()
    counts = dict(tools.values_list("grade").annotate(Count("pk")))
    grades = tuple(Grade(lowest, label, counts.get(lowest, 0)) for lowest, label in GRADES)
    return Summary(sum(counts.values()), tuple(largest("toolkit", TOOLKITS_SHOWN, visibility)), grades)
