"""`{% tool_header tool %}`: the header of every page about a tool, with tabs to its pages and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django import template
from django.http import HttpRequest
from django.template.context import Context
from django.urls import reverse

from catalog.accounts.api_auth import actor
from catalog.hooks import hooks
from catalog.models import Tool
from catalog.rights import may
from catalog.shortcuts import revision_of
from catalog.specs.exporters import FORMATS
from playground.compiled_spec import compiled_spec_of
from playground.models import Run

register = template.Library()

RUNS_COUNTED: Final = 100

# the tab of each page; pages without a tab, such as the settings, are reached by the menu
_TAB_OF_VIEW: Final = {
    "catalog:tool": "docs",
    "catalog:similar": "docs",
    "playground:try": "try",
    "playground:examples": "examples",
    "playground:save_example": "examples",
    "playground:runs": "runs",
    "playground:run": "runs",
    "playground:run_comparison": "runs",
    "catalog:revisions": "revisions",
    "catalog:revision_diff": "revisions",
    "catalog:tool_lint": "lint",
    "catalog:lint_changes": "lint",
    "catalog:lint_fixes": "lint",
    "catalog:lint_waivers": "lint",
    "catalog:exports": "exports",
    "catalog:spec": "exports",
    "catalog:compatibility": "exports",
    "catalog:export": "exports",
    "catalog:code": "exports",
}


@dataclass(frozen=True, slots=True)
class Tab:
    """A link to one page of a tool. `number` is a count as shown, or ""; `meaning` explains it in words."""

    key: str
    label: str
    href: str
    number: str = ""
    meaning: str = ""
    passes: bool = False  # the number gets a check mark


@register.inclusion_tag("catalog/_tool_header.html", takes_context=True)
def tool_header(context: Context, tool: Tool) -> dict[str, Any]:
    """The header of a page about a tool that the user may see, with its current revision loaded (`tool_at`, `run_at`).

    It costs a query for the user's stars, one for the number of runs that they may see, and one for the rights of those
    who do not own the tool; a visitor costs none.
    """
    request: HttpRequest = context["request"]
    view = request.resolver_match.view_name if request.resolver_match else ""
    return {
        "tool": tool,
        "tabs": list(_tabs(tool, _runs(tool, request))),
        "current": _TAB_OF_VIEW.get(view, ""),
        "is_page_of_tab": view in _FIRST_VIEWS,
        "may_change": bool(may(request.user, "organise", tool)),
        "user": request.user,
        "request": request,
    }


@register.simple_tag(takes_context=True)
def tool_numbers(context: Context, tool: Tool) -> list[Tab]:
    """The tabs of a tool that have a number."""
    return [tab for tab in _tabs(tool, _runs(tool, context["request"])) if tab.number]


_FIRST_VIEWS: Final = frozenset(
    (
        "catalog:tool",
        "playground:try",
        "playground:examples",
        "catalog:revisions",
        "catalog:tool_lint",
    )
)


def _runs(tool: Tool, request: HttpRequest) -> str:
    """The number of the tool's runs that the user may see, at most "99+"; "" if there are none."""
    if not request.user.is_authenticated:
        return ""
    found = (
        Run.objects.of_visible_tools(actor(request))
        .filter(tool=tool)
        .values("pk")[:RUNS_COUNTED]
        .count()
    )
    if found == RUNS_COUNTED:
        return f"{RUNS_COUNTED - 1}+"
    return str(found or "")


def _tabs(tool: Tool, runs: str) -> Iterator[Tab]:
    slug = [tool.slug]
    yield Tab("docs", "Docs", tool.get_absolute_url())
    yield Tab("try", "Try", reverse("playground:try", args=slug))
    examples = len(compiled_spec_of(revision_of(tool)).spec.examples)
    passes = bool(examples) and tool.pk in hooks.tools_with_passing_examples()
    meaning = "all pass" if passes else ""
    yield Tab(
        "examples",
        "Examples",
        reverse("playground:examples", args=slug),
        str(examples or ""),
        meaning,
        passes=passes,
    )
    yield Tab("runs", "Runs", f"{reverse('playground:runs')}?tool={tool.slug}", runs)
    yield Tab(
        "revisions",
        "Revisions",
        reverse("catalog:revisions", args=slug),
        str(revision_of(tool).number),
    )
    score = "" if tool.score is None else str(tool.score)
    yield Tab(
        "lint", "Lint", reverse("catalog:tool_lint", args=slug), score, "of 100" if score else ""
    )
    usable = "" if tool.score is None else f"{len(tool.usable)}/{len(FORMATS)}"
    meaning = "formats accept it without changes" if usable else ""
    yield Tab(
        "exports",
        "Exports",
        reverse("catalog:export", args=[*slug, _first_format(tool)]),
        usable,
        meaning,
    )


def _first_format(tool: Tool) -> str:
    """The key of the first format that takes the tool without changes, or of the first of all."""
    return next(iter(tool.usable), next(iter(FORMATS)))
