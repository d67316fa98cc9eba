"""Tags for a tool's page: its runs, its examples, its factory, and code that calls it (`{% load runs %}`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.utils.safestring import SafeString

from catalog.mcp_snippets import claude_code
from catalog.models import Tool
from catalog.tool_page import Usage
from playground.examples.calls import ToolCall, call_of
from playground.factories.registry import registry
from playground.factories.specs import proposal_for
from playground.mcp_addresses import address_of_tool
from playground.models import ExampleCheck
from playground.run_charts import calls_chart, days_chart
from playground.run_overview import Counts
from playground.statistics import Call

register = template.Library()


@register.simple_tag
def calls(latest: Sequence[Call]) -> SafeString:
    """The chart of a tool's latest calls."""
    return calls_chart(latest)


@register.simple_tag
def runs_per_day(days: Sequence[Counts]) -> SafeString:
    """The small chart of a tool's runs per day."""
    return days_chart(days)


@register.inclusion_tag("playground/_example_state.html")
def example_check(tool: Tool) -> dict[str, Any]:
    """The latest check of the examples of a tool's current revision, with a link to it."""
    check = ExampleCheck.objects.filter(tool=tool, revision=tool.current).first()
    return {"tool": tool, "check": check}


@register.inclusion_tag("playground/_factory_notice.html")
def factory_notice(tool: Tool) -> dict[str, Any]:
    """Where the definition of the installed factory differs from a tool's spec; empty if it does not."""
    factory = registry().for_tool(tool.tool_id)
    return {"proposal": proposal_for(factory, tool) if factory else None}


@register.simple_tag
def tool_call(tool: Tool, site: str) -> ToolCall:
    """Code that calls a tool, live or as a mock."""
    return call_of(tool, site)


@register.simple_tag
def mcp_snippet(tool: Tool, site: str) -> Usage:
    """The command that connects Claude Code to the address of the MCP server that offers a tool."""
    return Usage("agent", "In a shell", claude_code(address_of_tool(tool).server(site, "$TOOLSHELF_TOKEN")))
