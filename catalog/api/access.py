"""The API's operations for who owns, maintains and sees a tool or a toolkit."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest, HttpResponse
from pydantic import Field

from catalog.access import MAX_NAMES, Access, access_of, change_tool_access, change_toolkit_access
from catalog.accounts.api_auth import actor, token_or_session
from catalog.api import openapi_bodies
from catalog.api.headers import etags_seen
from catalog.api.router import router
from catalog.api.schemas.base import In, Out
from catalog.api.schemas.problems import REFUSED, errors
from catalog.models import Tool, Toolkit
from catalog.shortcuts import tool_for, toolkit_for

_VISIBILITY = (
    "`everyone`, `signed-in` people, or `groups` with the maintainers. For a tool, null "
    "means: the same as its toolkit."
)


class AccessOut(Out):
    owner: str | None
    maintainers: list[str] = Field(description="Usernames.")
    maintainer_groups: list[str] = Field(description="Names of groups.")
    visibility: Literal["everyone", "signed-in", "groups"] | None = Field(description=_VISIBILITY)
    groups: list[str] = Field(description="Names of the groups that see it.")


class AccessIn(In):
    owner: str | None = Field(
        None, max_length=150, description="A username; null for nobody. Default: unchanged."
    )
    maintainers: list[str] = Field([], max_length=MAX_NAMES, description="Usernames.")
    maintainer_groups: list[str] = Field([], max_length=MAX_NAMES, description="Names of groups.")
    visibility: Literal["everyone", "signed-in", "groups"] | None = Field(
        None, description=_VISIBILITY
    )
    groups: list[str] = Field(
        [], max_length=MAX_NAMES, description="Names of the groups that see it."
    )

    def wanted(self, *, visibility: str) -> Access:
        """The settings; `visibility` replaces a visibility of null."""
        return Access(
            owner=(self.owner or "") if "owner" in self.model_fields_set else None,
            maintainers=self.maintainers,
            maintainer_groups=self.maintainer_groups,
            visibility=self.visibility or visibility,
            groups=self.groups,
        )


@router.get(
    "/tools/{slug}/access",
    response={200: AccessOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "publish"),
    summary="Get who owns, maintains and sees a tool",
)
def get_tool_access(request: HttpRequest, slug: str) -> AccessOut:
    """Only for its owner, its maintainers and administrators."""
    return _shown(tool_for(request.user, "organise", slug))


@router.put(
    "/tools/{slug}/access",
    response={200: AccessOut, **errors(404, 412), **REFUSED},
    auth=token_or_session("publish"),
    summary="Set who owns, maintains and sees a tool",
    openapi_extra=openapi_bodies.OPTIONAL_IF_MATCH,
)
def put_tool_access(
    request: HttpRequest, response: HttpResponse, slug: str, body: AccessIn
) -> AccessOut:
    """Only for its owner, its maintainers and administrators; maintainers cannot change the owner."""
    tool = tool_for(request.user, "organise", slug)
    changed = change_tool_access(
        tool, body.wanted(visibility=""), by=actor(request), seen=etags_seen(request)
    )
    response["ETag"] = changed.etag
    return _shown(changed)


@router.get(
    "/toolkits/{name}/access",
    response={200: AccessOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "publish"),
    summary="Get who owns, maintains and sees a toolkit",
)
def get_toolkit_access(request: HttpRequest, name: str) -> AccessOut:
    """Only for its owner, its maintainers and administrators."""
    return _shown(toolkit_for(request.user, "organise", name))


@router.put(
    "/toolkits/{name}/access",
    response={200: AccessOut, **errors(404), **REFUSED},
    auth=token_or_session("publish"),
    summary="Set who owns, maintains and sees a toolkit",
)
def put_toolkit_access(request: HttpRequest, name: str, body: AccessIn) -> AccessOut:
    """Applies to all of its tools; a tool's own settings take precedence. A visibility of null means everyone."""
    toolkit = toolkit_for(request.user, "organise", name)
    return _shown(
        change_toolkit_access(toolkit, body.wanted(visibility="everyone"), by=actor(request))
    )


def _shown(one: Tool | Toolkit) -> AccessOut:
    stored = access_of(one)
    return AccessOut.of(stored, owner=stored.owner or None, visibility=stored.visibility or None)
