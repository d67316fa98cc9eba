"""The API's operations for who owns, maintains and sees a tool or a toolkit."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest, HttpResponse
from ninja import Status
from pydantic import Field

from accounts.api_auth import actor, token_or_session
from catalog.access.models import Toolkit
from catalog.organise import lifecycle
from catalog.organise.access import (
    MAX_NAMES,
    Access,
    access_of,
    change_tool_access,
    change_toolkit_access,
)
from catalog.organise.lifecycle import deprecate, undo_deprecation
from catalog.organise.metadata import UNCHANGED, Organisation, organise
from catalog.router import router
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.lookup import tool_for, toolkit_for
from catalog.tools.models import Tool
from catalog.tools.schemas import (
    DeprecationIn,
    OrganisationIn,
    ToolOut,
)
from toolshelf_core.api import bodies as openapi_bodies
from toolshelf_core.api.headers import read_if_match
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.api.schemas import In, Out

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
    return _describe_access(tool_for(request.user, "organise", slug))


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
        tool, body.wanted(visibility=""), by=actor(request), seen=read_if_match(request)
    )
    response["ETag"] = changed.etag
    return _describe_access(changed)


@router.get(
    "/toolkits/{name}/access",
    response={200: AccessOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "publish"),
    summary="Get who owns, maintains and sees a toolkit",
)
def get_toolkit_access(request: HttpRequest, name: str) -> AccessOut:
    """Only for its owner, its maintainers and administrators."""
    return _describe_access(toolkit_for(request.user, "organise", name))


@router.put(
    "/toolkits/{name}/access",
    response={200: AccessOut, **errors(404), **REFUSED},
    auth=token_or_session("publish"),
    summary="Set who owns, maintains and sees a toolkit",
)
def put_toolkit_access(request: HttpRequest, name: str, body: AccessIn) -> AccessOut:
    """Applies to all of its tools; a tool's own settings take precedence.

    A visibility of null means everyone.
    """
    toolkit = toolkit_for(request.user, "organise", name)
    return _describe_access(
        change_toolkit_access(toolkit, body.wanted(visibility="everyone"), by=actor(request))
    )


def _describe_access(subject: Tool | Toolkit) -> AccessOut:
    stored = access_of(subject)
    return AccessOut.of(stored, owner=stored.owner or None, visibility=stored.visibility or None)


@router.patch(
    "/tools/{slug}",
    response={200: ToolOut, **errors(404, 409, 412), **REFUSED},
    auth=token_or_session("publish"),
    summary="Change the metadata of a tool",
    openapi_extra=openapi_bodies.OPTIONAL_IF_MATCH,
)
def organise_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: OrganisationIn
) -> ToolOut:
    """Changes the toolkit, the added tags and the owner. New revisions do not change them.

    If one of the changes is refused, none is made.
    """
    sent = body.model_fields_set
    wanted = Organisation(
        toolkit=body.toolkit if "toolkit" in sent else UNCHANGED,
        add_tags=body.add_tags,
        remove_tags=body.remove_tags,
        owner=(body.owner or "") if "owner" in sent else UNCHANGED,
    )
    tool = organise(
        tool_for(request.user, "organise", slug),
        wanted,
        by=actor(request),
        seen=read_if_match(request),
    )
    response["ETag"] = tool.etag
    return ToolOut.of(tool)


@router.put(
    "/tools/{slug}/deprecation",
    response={200: ToolOut, **errors(404, 412), **REFUSED},
    auth=token_or_session("publish"),
    summary="Deprecate a tool",
    openapi_extra=openapi_bodies.OPTIONAL_IF_MATCH,
)
def deprecate_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: DeprecationIn
) -> ToolOut:
    """A deprecated tool still works, but ranks lower in search results.

    Responses about it have the header `Deprecation` and, if it has a successor, `Link` with
    `rel="successor-version"`. Send the request again to replace the note and the successor.
    """
    tool = deprecate(
        tool_for(request.user, "deprecate", slug),
        note=body.note,
        superseded_by=body.superseded_by or "",
        by=actor(request),
        seen=read_if_match(request),
    )
    response["ETag"] = tool.etag
    add_deprecation_headers(response, tool)
    return ToolOut.of(tool)


@router.delete(
    "/tools/{slug}/deprecation",
    response={204: None, **errors(401, 403, 404, 409, 412)},
    auth=token_or_session("publish"),
    summary="Undo the deprecation of a tool",
    openapi_extra=openapi_bodies.OPTIONAL_IF_MATCH,
)
def undo_tool_deprecation(request: HttpRequest, slug: str) -> Status[None]:
    """Only if a user deprecated it: 409 if its spec declares the deprecation."""
    undo_deprecation(tool_for(request.user, "deprecate", slug), seen=read_if_match(request))
    return Status(204, None)


@router.delete(
    "/tools/{slug}",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("publish"),
    summary="Archive a tool",
)
def archive_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It no longer appears in lists and searches.

    Nothing is deleted: its URL, revisions and runs remain.
    """
    lifecycle.archive(tool_for(request.user, "archive", slug))
    return Status(204, None)


@router.post(
    "/tools/{slug}/restore",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("publish"),
    summary="Restore an archived tool",
)
def restore_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It appears in lists and searches again."""
    lifecycle.restore(tool_for(request.user, "restore", slug))
    return Status(204, None)
