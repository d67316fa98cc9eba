"""Scores on a page: their grades."""

from __future__ import annotations

from typing import Final

from django import template

from catalog.lint.judging import grade_of

register = template.Library()

WORDS: Final = {90: "good", 70: "warn", 0: "bad"}


@register.filter
def grade(score: int) -> str:
    """The colour of a score: "good", "warn" or "bad"."""
    return WORDS[grade_of(score)]
