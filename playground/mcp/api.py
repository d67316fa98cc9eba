"""The API's operations for the configurations that MCP calls use."""

from __future__ import annotations

from django.http import Http404, HttpRequest
from ninja import Router
from pydantic import Field

from catalog.accounts.api_auth import actor, token_or_session
from catalog.accounts.models import Person
from catalog.api.schemas.base import In, Out, with_example
from catalog.api.schemas.problems import errors
from catalog.models import Tool
from catalog.shortcuts import tool_at
from playground.configurations.mcp_choice import (
    choose_for_tool,
    choose_for_toolkit,
    chosen_for_tool,
    chosen_for_toolkit,
)

router = Router(tags=["configurations"])


class MCPConfigurationOut(Out):
    model_config = with_example({"saved_configuration": "work"})

    saved_configuration: str | None = Field(
        description="The name of one of your saved configurations, or OWNER/NAME; null for none."
    )


class MCPConfigurationIn(In):
    model_config = with_example({"saved_configuration": "work"})

    saved_configuration: str | None = Field(
        max_length=255,
        description="The name of one of your saved configurations, or OWNER/NAME; null for none.",
    )


@router.get(
    "/tools/{slug}/mcp-configuration",
    response={200: MCPConfigurationOut, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="Get the configuration that MCP calls of a tool use",
)
def get_tool_mcp_configuration(request: HttpRequest, slug: str) -> MCPConfigurationOut:
    """If none is chosen for the tool itself, the choice for its toolkit applies."""
    return MCPConfigurationOut(
        saved_configuration=chosen_for_tool(actor(request), tool_at(slug, request.user)) or None
    )


@router.put(
    "/tools/{slug}/mcp-configuration",
    response={200: MCPConfigurationOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Choose the configuration that MCP calls of a tool use",
)
def put_tool_mcp_configuration(
    request: HttpRequest, slug: str, body: MCPConfigurationIn
) -> MCPConfigurationOut:
    """MCP clients cannot send a configuration. Its secrets are used for your calls and never returned."""
    choose_for_tool(actor(request), tool_at(slug, request.user), body.saved_configuration or "")
    return MCPConfigurationOut(saved_configuration=body.saved_configuration or None)


@router.get(
    "/toolkits/{name}/mcp-configuration",
    response={200: MCPConfigurationOut, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="Get the configuration that MCP calls of a toolkit use",
)
def get_toolkit_mcp_configuration(request: HttpRequest, name: str) -> MCPConfigurationOut:
    return MCPConfigurationOut(
        saved_configuration=chosen_for_toolkit(actor(request), existing(name, request.user)) or None
    )


@router.put(
    "/toolkits/{name}/mcp-configuration",
    response={200: MCPConfigurationOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Choose the configuration that MCP calls of a toolkit use",
)
def put_toolkit_mcp_configuration(
    request: HttpRequest, name: str, body: MCPConfigurationIn
) -> MCPConfigurationOut:
    """Each tool of the toolkit uses your saved configuration of this name, if it has one."""
    choose_for_toolkit(actor(request), existing(name, request.user), body.saved_configuration or "")
    return MCPConfigurationOut(saved_configuration=body.saved_configuration or None)


def existing(toolkit: str, person: Person) -> str:
    """`toolkit`, which has a tool that `person` may see.

    Raises:
        Http404: it has none.
    """
    if not Tool.objects.visible_to(person).in_toolkit(toolkit).exists():
        raise Http404
    return toolkit
