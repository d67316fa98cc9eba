"""Tags for the runs on a tool's page: `{% load runs %}` provides `run_figures`, `example_check` and `tool_call`."""

from __future__ import annotations

from typing import Any

from django import template

from catalog.models import Tool
from playground.examples.calls import ToolCall, call_of
from playground.models import ExampleCheck
from playground.statistics import statistics_of

register = template.Library()


@register.inclusion_tag("playground/_tool_runs.html")
def run_figures(tool: Tool) -> dict[str, Any]:
    """The figures of a tool's live runs with a chart, and a link to one's own runs; nothing where there are none."""
    return {"tool": tool, "figures": statistics_of(tool)}


@register.inclusion_tag("playground/_example_state.html")
def example_check(tool: Tool) -> dict[str, Any]:
    """Whether the examples of a tool's current revision hold, by the latest check, with a link to it."""
    check = ExampleCheck.objects.filter(tool=tool, revision=tool.current).first()
    return {"tool": tool, "check": check}


@register.simple_tag
def tool_call(tool: Tool, site: str) -> ToolCall:
    """How to call a tool from elsewhere, live or as a mock."""
    return call_of(tool, site)
