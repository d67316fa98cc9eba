"""Scores on a page: `{% score_trend tool %}`, `{{ score|grade }}`."""

from __future__ import annotations

from typing import Any, Final

from django import template

from catalog.models import Tool
from catalog.score_trends import trend_of
from catalog.specs.lint.assessment import grade_of

register = template.Library()

WORDS: Final = {90: "good", 70: "warn", 0: "bad"}


@register.filter
def grade(score: int) -> str:
    """The colour of a score: "good", "warn" or "bad"."""
    return WORDS[grade_of(score)]


@register.inclusion_tag("catalog/lint/_trend.html")
def score_trend(tool: Tool) -> dict[str, Any]:
    """The scores of the last revisions as a line; nothing if they do not differ."""
    return {"trend": trend_of(tool)}
