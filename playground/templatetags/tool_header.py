"""The header of every page about a tool, with tabs to its pages and their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django import template
from django.http import HttpRequest, QueryDict
from django.template.context import Context
from django.urls import reverse

from accounts.api_auth import actor
from catalog.access.rights import may
from catalog.tools.hooks import hooks
from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import compiled_spec_of
from playground.runs.models import Run
from toolspec.exports import FORMATS
from toolspec.schema.describe import plural

register = template.Library()

RUNS_COUNTED: Final = 100

# the tab of each page; pages without a tab, such as the settings, are reached by the menu
_TAB_OF_VIEW: Final = {
    "catalog:tool": "docs",
    "catalog:similar": "docs",
    "catalog:tool_lint": "docs",
    "catalog:lint_changes": "docs",
    "catalog:lint_fixes": "docs",
    "catalog:lint_waivers": "docs",
    "playground:try": "try",
    "playground:tests": "tests",
    "playground:save_example": "tests",
    "playground:runs": "runs",
    "playground:run_comparison": "runs",
    "catalog:tool_changes": "changes",
    "catalog:revision_diff": "changes",
    "catalog:formats": "formats",
    "catalog:format": "formats",
}


@dataclass(frozen=True, slots=True)
class Tab:
    """A link to one page of a tool.

    `number` is a count as shown, or ""; `meaning` explains it in words.
    """

    key: str
    label: str
    href: str
    number: str = ""
    meaning: str = ""
    passes: bool = False  # the number gets a check mark


@dataclass(frozen=True, slots=True)
class ToolFact:
    """One of the facts beside a tool's name, and the page that says more; "" if none does."""

    text: str
    href: str = ""


@register.inclusion_tag("catalog/tools/_tool_header.html", takes_context=True)
def tool_header(context: Context, tool: Tool) -> dict[str, Any]:
    """The header of a page about a tool that the user may see.

    Its current revision is loaded (`tool_at`, `run_at`).

    It costs a query for the user's stars, one for the number of runs that they may see, and one for
    the rights of those who do not own the tool; a visitor costs none.
    """
    request: HttpRequest = context["request"]
    view = request.resolver_match.view_name if request.resolver_match else ""
    is_edit = view == "playground:edit"
    return {
        "tool": tool,
        "facts": [] if is_edit else list(_facts(tool)),
        "tabs": list(_tabs(tool, _runs(tool, request))),
        "current": _TAB_OF_VIEW.get(view, ""),
        "is_page_of_tab": view in _FIRST_VIEWS,
        "is_edit": is_edit,
        "may_edit": bool(may(request.user, "propose", tool)),
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
        "playground:tests",
        "catalog:tool_changes",
        "catalog:formats",
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
    args = [tool.slug]
    yield Tab("docs", "Docs", tool.get_absolute_url())
    yield Tab("try", "Try", reverse("playground:try", args=args))
    example_count = len(compiled_spec_of(revision_of(tool)).spec.examples)
    passes = bool(example_count) and tool.pk in hooks.tools_with_passing_examples()
    meaning = "all pass" if passes else ""
    yield Tab(
        "tests",
        "Tests",
        reverse("playground:tests", args=args),
        number=str(example_count or ""),
        meaning=meaning,
        passes=passes,
    )
    yield Tab("runs", "Runs", f"{reverse('playground:runs')}?tool={tool.slug}", runs)
    yield Tab(
        "changes",
        "Changes",
        reverse("catalog:tool_changes", args=args),
        str(revision_of(tool).number),
    )
    yield Tab("formats", "Formats", reverse("catalog:formats", args=args))


def _facts(tool: Tool) -> Iterator[ToolFact]:
    if tool.toolkit:
        of_toolkit = QueryDict(mutable=True)
        of_toolkit["toolkit"] = tool.toolkit
        yield ToolFact(tool.toolkit, f"{reverse('catalog:tool_list')}?{of_toolkit.urlencode()}")
    if required := _required_of(tool):
        yield ToolFact(required)
    if tool.score is None:
        return
    yield ToolFact(
        f"works unchanged in {len(tool.usable)} of {len(FORMATS)} formats",
        reverse("catalog:formats", args=[tool.slug]),
    )
    yield ToolFact(
        "no findings" if tool.score == 100 else f"lint score {tool.score}",
        reverse("catalog:tool_lint", args=[tool.slug]),
    )


def _required_of(tool: Tool) -> str:
    """How many parameters must be given: "1 of 5 parameters required".

    "" if the root of their schema does not list them.
    """
    if tool.parameter_count is None:
        return ""
    if not tool.parameter_count:
        return "no parameters"
    total = f"{tool.parameter_count} {plural('parameter', tool.parameter_count)}"
    if not tool.required_count:
        return f"{total}, none required"
    return f"{tool.required_count} of {total} required"
