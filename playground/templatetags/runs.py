"""What a tool's page shows of its runs: `{% load runs %}{% run_figures tool %}` and `{% example_check tool %}`."""

from __future__ import annotations

from typing import Any

from django import template

from catalog.models import Tool
from playground.figures import figures_of
from playground.models import ExampleCheck

register = template.Library()


@register.inclusion_tag("playground/_tool_runs.html")
def run_figures(tool: Tool) -> dict[str, Any]:
    """The figures of a tool's live runs with a chart, and a link to one's own runs; nothing where there are none."""
    return {"tool": tool, "figures": figures_of(tool)}


@register.inclusion_tag("playground/_example_state.html")
def example_check(tool: Tool) -> dict[str, Any]:
    """Whether the examples of a tool's current revision hold, by the latest check, with a link to it."""
    check = ExampleCheck.objects.filter(tool=tool, revision=tool.current).first()
    return {"tool": tool, "check": check}
