"""Tags for a tool's page: runs, examples, factory, and calls in code (`{% load runs %}`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template
from django.template.context import Context

from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from catalog.tools.page import Usage
from playground.examples.calls import call_of
from playground.examples.models import ExampleCheck
from playground.factories.registry import registry
from playground.factories.specs import FactoryComparison, compare_factory
from playground.history.factory_use import Use, use_of
from playground.mcp.addresses import address_of_tool
from playground.mcp.clients import claude_code
from toolshelf_core.curl import TOKEN_VARIABLE
from toolspec.conversion_report import Loss
from toolspec.exports.mcp_server import served_tool

register = template.Library()


register.simple_tag(call_of, name="tool_call")


@register.inclusion_tag("playground/examples/_example_state.html")
def example_check(tool: Tool) -> dict[str, Any]:
    """The latest check of the examples of a tool's current revision, with a link to it."""
    check = ExampleCheck.objects.filter(tool=tool, revision=tool.current).first()
    return {"tool": tool, "check": check}


@register.inclusion_tag("playground/factories/_factory_notice.html")
def factory_notice(tool: Tool) -> dict[str, Any]:
    """The differences between the installed factory's definition and a tool's spec.

    Empty if there are none.
    """
    factory = registry().for_tool(tool.tool_id)
    return {"comparison": compare_factory(factory, tool) if factory else None}


@register.simple_tag(takes_context=True)
def with_use(
    context: Context, comparisons: Sequence[FactoryComparison]
) -> list[tuple[FactoryComparison, Use | None]]:
    """Each of the comparisons of factories with how its tool ran lately.

    It counts the runs that the user may see.
    """
    tools = [comparison.tool.pk for comparison in comparisons if comparison.tool]
    uses = use_of(tools, context["user"])
    return [
        (comparison, uses.get(comparison.tool.pk) if comparison.tool else None)
        for comparison in comparisons
    ]


@register.simple_tag
def mcp_snippet(tool: Tool, site: str) -> Usage:
    """The command that connects Claude Code to the address of the MCP server that offers a tool."""
    return Usage(
        "agent", "In a shell", claude_code(address_of_tool(tool).server(site, f"${TOKEN_VARIABLE}"))
    )


@register.simple_tag
def served_changes(tool: Tool) -> Sequence[Loss]:
    """What agents get differently at the address of a tool's toolkit than its spec has it."""
    if not tool.toolkit_key:
        return ()
    return served_tool(revision_of(tool).spec, any_result=True).changes
