"""Tags for a tool's page: its runs, its examples, its factory, and code that calls it (`{% load runs %}`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import template

from catalog.models import Tool
from catalog.shortcuts import revision_of
from catalog.tool_page import Usage
from playground.examples.calls import call_of
from playground.factories.registry import registry
from playground.factories.specs import proposal_for
from playground.models import ExampleCheck
from playground.snippets.curl import TOKEN_VARIABLE
from playground.snippets.mcp_addresses import address_of_tool
from playground.snippets.mcp_clients import claude_code
from toolspec.conversion_report import Loss
from toolspec.exports.mcp_server import served_tool

register = template.Library()


register.simple_tag(call_of, name="tool_call")


@register.inclusion_tag("playground/_example_state.html")
def example_check(tool: Tool) -> dict[str, Any]:
    """The latest check of the examples of a tool's current revision, with a link to it."""
    check = ExampleCheck.objects.filter(tool=tool, revision=tool.current).first()
    return {"tool": tool, "check": check}


@register.inclusion_tag("playground/_factory_notice.html")
def factory_notice(tool: Tool) -> dict[str, Any]:
    """The differences between the installed factory's definition and a tool's spec; empty if there are none."""
    factory = registry().for_tool(tool.tool_id)
    return {"proposal": proposal_for(factory, tool) if factory else None}


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
