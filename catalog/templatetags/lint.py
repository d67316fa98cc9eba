"""Scores on a page: `{{ score|grade }}`."""

from __future__ import annotations

from django import template

from catalog.lint.overview import TONES
from toolspec.lint.assessment import grade_of

register = template.Library()


@register.filter
def grade(score: int) -> str:
    """The colour of a score: "good", "warn" or "bad"."""
    return TONES[grade_of(score)]
