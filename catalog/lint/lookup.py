"""Look up a rule for a URL."""

from __future__ import annotations

from django.http import Http404

from toolspec.lint import RULES, Rule


def rule_at(name: str) -> Rule:
    """A lint rule.

    Raises:
        Http404: there is none.
    """
    if name not in RULES:
        raise Http404
    return RULES[name]
