"""The API's operations for starred tools."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Schema, Status
from pydantic import Field

from catalog.accounts.api_auth import actor, token_or_session
from catalog.api.renderer import number_that_fits
from catalog.api.router import router
from catalog.api.schemas.base import Out
from catalog.api.schemas.problems import errors
from catalog.api.schemas.tools import ToolOut
from catalog.shortcuts import tool_at
from catalog.stars import star, starred_tools, unstar

MAX_LISTED = 200


class StarsOut(Out):
    count: int = Field(
        description="The number of starred tools, including those that are not in `items`."
    )
    items: list[ToolOut] = Field(description="The most recently starred first.")


class StarsQuery(Schema):
    limit: int = Field(
        50,
        ge=1,
        le=MAX_LISTED,
        description="The list has fewer tools if they would exceed 1 MiB together.",
    )


@router.get(
    "/stars",
    response={200: StarsOut, **errors(401, 403, 422)},
    auth=token_or_session("read"),
    summary="List your starred tools",
)
def list_stars(request: HttpRequest, query: Query[StarsQuery]) -> StarsOut:
    """The tools that you have starred and may see, without archived ones."""
    tools = starred_tools(actor(request))
    items = [ToolOut.of(tool) for tool in tools[: query.limit]]
    fitting = items[: number_that_fits(item.model_dump() for item in items)]
    return StarsOut(count=tools.count(), items=fitting)


@router.put(
    "/tools/{slug}/star",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="Star a tool",
)
def star_tool(request: HttpRequest, slug: str) -> Status[None]:
    """Has no effect if you have already starred it. Nobody else sees your stars."""
    star(tool_at(slug, request.user), actor(request))
    return Status(204, None)


@router.delete(
    "/tools/{slug}/star",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("run"),
    summary="Unstar a tool",
)
def unstar_tool(request: HttpRequest, slug: str) -> Status[None]:
    """Has no effect if you have not starred it."""
    unstar(tool_at(slug, request.user), actor(request))
    return Status(204, None)
