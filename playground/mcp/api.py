"""The API's operations for the configurations that MCP calls use."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from accounts.api_auth import actor, token_or_session
from catalog.tools.lookup import tool_at
from playground.configurations.mcp_choice import choose_configuration, chosen_configuration
from toolshelf_core.api.problems import errors
from toolshelf_core.api.schemas import In, Out, with_example

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
    chosen = chosen_configuration(actor(request), tool_at(slug, request.user))
    return MCPConfigurationOut(saved_configuration=chosen or None)


@router.put(
    "/tools/{slug}/mcp-configuration",
    response={200: MCPConfigurationOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Choose the configuration that MCP calls of a tool use",
)
def put_tool_mcp_configuration(
    request: HttpRequest, slug: str, body: MCPConfigurationIn
) -> MCPConfigurationOut:
    """MCP clients cannot send a configuration.

    Its secrets are used for your calls and never returned.
    """
    choose_configuration(
        actor(request), tool_at(slug, request.user), body.saved_configuration or ""
    )
    return MCPConfigurationOut(saved_configuration=body.saved_configuration or None)
