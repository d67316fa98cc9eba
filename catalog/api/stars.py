"""The API's operations for starred tools."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Status

from catalog.accounts.api_auth import actor, token_or_session
from catalog.api.router import router
from catalog.api.schemas.problems import errors
from catalog.shortcuts import tool_at
from catalog.stars import star, unstar


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
