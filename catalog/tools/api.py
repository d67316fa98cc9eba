"""The API's operations for starred tools."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Status

from accounts.api_auth import actor, open_to_all, token_or_session
from catalog.router import router
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.lookup import tool_at
from catalog.tools.schemas import ToolWithSpecOut
from catalog.tools.stars import star, unstar
from toolshelf_core.api.headers import is_known, not_modified
from toolshelf_core.api.problems import errors


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


@router.get(
    "/tools/{slug}",
    response={200: ToolWithSpecOut, **errors(404)},
    auth=open_to_all(),
    summary="Get a tool with its spec",
)
def get_tool(
    request: HttpRequest, response: HttpResponse, slug: str
) -> ToolWithSpecOut | HttpResponse:
    """Send its `ETag` as `If-Match` with a later `PUT`.

    Numbers in the spec are exactly as uploaded.
    """
    tool = tool_at(slug, request.user)
    if is_known(request, tool.etag):
        return add_deprecation_headers(not_modified(tool.etag), tool)
    response["ETag"] = tool.etag
    add_deprecation_headers(response, tool)
    return ToolWithSpecOut.of(tool)
