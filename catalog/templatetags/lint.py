"""Scores on a page: `{% score_trend tool %}`, `{{ score|grade }}`."""

from __future__ import annotations

from typing import Any

from django import template

from catalog.linting.overview import TONES
from catalog.linting.score_trends import trend_of
from catalog.models import Tool
from catalog.specs.lint.assessment import grade_of

register = template.Library()


@register.filter
def grade(score: int) -> str:
    """The colour of a score: "good", "warn" or "bad"."""
    return TONES[grade_of(score)]


@register.inclusion_tag("catalog/lint/_trend.html")
def score_trend(tool: Tool) -> dict[str, Any]:
    """The scores of the last revisions as a line; nothing if they do not differ."""
    return {"trend": trend_of(tool)}
