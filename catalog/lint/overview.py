"""Lint over the whole catalog: how the scores are spread, and which tools break a rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlencode

from django.db.models import F
from django.urls import reverse
from django.utils.safestring import SafeString

from catalog.index.visibility import Visibility
from catalog.tools.lint_models import read_findings
from catalog.tools.models import Tool, ToolQuerySet
from toolshelf_core.rendering.charts import Bar, Tone, draw_histogram
from toolspec.lint.assessment import grade_of

# Of the histogram: from, and below.
RANGES: Final = ((0, 50), (50, 60), (60, 70), (70, 80), (80, 90), (90, 101))
TONES: Final[Mapping[int, Tone]] = {90: "good", 70: "warn", 0: "bad"}


def chart_of_scores(scores: Mapping[int | None, int]) -> SafeString:
    """A histogram of the numbers of tools with each score. Each bar leads to its tools."""
    bars, tones = [], []
    for lowest, end in RANGES:
        count = sum(scores.get(score, 0) for score in range(lowest, end))
        words = f"score:>={lowest}"
        if end <= 100:
            words += f" score:<{end}"
        query = urlencode({"q": words})
        url = f"{reverse('catalog:tool_list')}?{query}" if count else ""
        bars.append(Bar(f"{lowest}-{end - 1}" if lowest else f"below {end}", (count,), url))
        tones.append(TONES[grade_of(lowest)])
    return draw_histogram(bars, label="Tools by lint score", tones=tones)


def tools_that_break(rule: str, visibility: Visibility) -> ToolQuerySet:
    """The available tools with findings of `rule`, by name.

    They have a row's columns, and `assessment_findings`.
    """
    tools = Tool.objects.available().with_visibility(visibility).for_rows()
    broken = tools.filter(current__assessment__findings__contains=f" {rule}:")
    findings = F("current__assessment__findings")
    return broken.annotate(assessment_findings=findings).by_name()


def findings_of(tool: Tool, rule: str) -> int:
    """The number of findings of `rule` in a tool of `tools_that_break`."""
    return read_findings(vars(tool)["assessment_findings"])[rule]
