"""Pages of lint: the rules and their documentation; what could be better in a tool's spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog.lint import RULES, SEVERITIES, Rule, Severity
from catalog.lint.illustrations import illustrations
from catalog.lint.sources import SOURCES

MEANINGS: Final[Mapping[Severity, tuple[str, str]]] = {
    "error": ("Errors", "The tool cannot be used as it is described, or ought not to be."),
    "warning": ("Warnings", "A model, a provider or a person will stumble over it."),
    "info": ("Hints", "More could be said."),
}


@require_safe
def rule_list(request: HttpRequest) -> HttpResponse:
    """Every rule of lint, the gravest first."""
    groups = [
        (severity, *MEANINGS[severity], [rule for rule in RULES.values() if rule.severity == severity])
        for severity in SEVERITIES
    ]
    return render(request, "catalog/lint/rules.html", {"groups": groups, "total": len(RULES)})


@require_safe
def rule_page(request: HttpRequest, rule: str) -> HttpResponse:
    """One rule: what it finds and why it matters, an example of it and put right, where the rule comes from."""
    found = _rule_at(rule)
    shown = illustrations()[found.id]
    context = {
        "rule": found,
        "meaning": MEANINGS[found.severity][1],
        "shown": shown,
        "notes": shown.notes(found.id),
        "mended": shown.is_mended(found.id),
        "sources": SOURCES[found.id],
    }
    return render(request, "catalog/lint/rule.html", context)


def _rule_at(name: str) -> Rule:
    if name not in RULES:
        raise Http404
    return RULES[name]
