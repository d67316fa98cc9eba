"""Lint over the whole catalog: how the scores are spread, and which tools break a rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.db.models import Count, F
from django.urls import reverse
from django.utils.safestring import SafeString

from catalog.caching import LRUCache
from catalog.models import Assessment, Tool, ToolQuerySet
from catalog.rendering.charts import Bar, Tone, histogram
from catalog.search import vocabulary
from catalog.search.visibility import Visibility
from catalog.specs.lint.assessment import ASSESSED_BY, grade_of

RANGES: Final = (
    (0, 50),
    (50, 60),
    (60, 70),
    (70, 80),
    (80, 90),
    (90, 101),
)  # of the histogram: from, and below
TONES: Final[Mapping[int, Tone]] = {90: "good", 70: "warn", 0: "bad"}


@dataclass(frozen=True, slots=True)
class LintOverview:
    """The available tools that a person sees: how many have each score, and how many break each rule."""

    scores: Mapping[int, int]
    rules: Mapping[str, int]

    @property
    def assessed(self) -> int:
        return sum(self.scores.values())

    @property
    def most(self) -> int:
        """The number of tools that break the most frequent rule; 1 if there is none, as a divisor."""
        return max(self.rules.values(), default=1)

    @property
    def chart(self) -> SafeString:
        """A histogram of the scores. Each bar leads to its tools."""
        bars, tones = [], []
        for lowest, end in RANGES:
            count = sum(number for score, number in self.scores.items() if lowest <= score < end)
            query = urlencode({"q": f"score:>={lowest}" + ("" if end > 100 else f" score:<{end}")})
            url = f"{reverse('catalog:tool_list')}?{query}" if count else ""
            bars.append(Bar(f"{lowest}-{end - 1}" if lowest else f"below {end}", (count,), url))
            tones.append(TONES[grade_of(lowest)])
        return histogram(bars, label="Tools by lint score", tones=tones)


_overviews: Final[LRUCache[LintOverview]] = LRUCache(max_weight=1_000)


def overview_for(visibility: Visibility) -> LintOverview:
    """The overview for this visibility; counted once for each state of the catalog and of its assessments."""
    state, _ = vocabulary.state_and_size()
    assessed = Assessment.objects.filter(
        assessed_by=ASSESSED_BY
    ).count()  # an upgrade changes these without the index
    return _overviews.get_or_compute((state, assessed, visibility), lambda: _counted(visibility))


def _counted(visibility: Visibility) -> LintOverview:
    """Few assessments differ in a large catalog, so the database groups equal ones."""
    tools = (
        Tool.objects.available().with_visibility(visibility).filter(score__isnull=False).order_by()
    )
    scores: Counter[int] = Counter()
    rules: Counter[str] = Counter()
    groups = tools.values_list(
        "current__assessment__score", "current__assessment__findings"
    ).annotate(Count("pk"))
    for score, findings, number in groups:
        if score is not None:
            scores[score] += number
            rules.update(
                dict.fromkeys((each.rpartition(":")[0] for each in findings.split()), number)
            )
    return LintOverview(dict(scores), dict(rules))


def tools_that_break(rule: str, visibility: Visibility) -> ToolQuerySet:
    """The available tools with findings of `rule`, by name, with a row's columns and `assessment_findings`."""
    tools = Tool.objects.available().with_visibility(visibility).for_rows()
    broken = tools.filter(current__assessment__findings__contains=f" {rule}:")
    return broken.annotate(assessment_findings=F("current__assessment__findings")).order_by(
        "sort_name", "pk"
    )


def findings_of(tool: Tool, rule: str) -> int:
    """The number of findings of `rule` in a tool of `tools_that_break`."""
    findings: str = vars(tool)["assessment_findings"]
    return next(
        int(each.rpartition(":")[2]) for each in findings.split() if each.rpartition(":")[0] == rule
    )
