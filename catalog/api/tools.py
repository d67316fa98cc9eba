"""The API's operations for one tool: publish it, change its metadata, deprecate and archive it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Status

from catalog import lifecycle
from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.accounts.rate_limits import UPLOAD_THROTTLES
from catalog.api import openapi_bodies
from catalog.api.headers import (
    add_deprecation_headers,
    etags_seen,
    is_known,
    not_modified,
    seen_tool_at,
)
from catalog.api.request_body import spec_text
from catalog.api.router import router
from catalog.api.schemas.problems import REFUSED, errors
from catalog.api.schemas.tools import (
    DeprecationIn,
    OrganisationIn,
    ProposalOut,
    PublicationOut,
    ToolOut,
    ToolWithSpecOut,
)
from catalog.held_changes import Proposal, publish_or_hold
from catalog.lifecycle import deprecate, undo_deprecation
from catalog.metadata import UNCHANGED, Organisation, organise
from catalog.shortcuts import revision_of, tool_at, tool_for
from toolspec.errors import Problem, SpecError
from toolspec.spec import read_spec


@router.post(
    "/tools",
    response={200: PublicationOut, 201: PublicationOut, 202: ProposalOut, **errors(409), **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Publish a spec",
    openapi_extra=openapi_bodies.SPEC_BODY,
)
def publish_tool(
    request: HttpRequest, response: HttpResponse, dry_run: bool = False
) -> Status[PublicationOut] | Status[ProposalOut]:
    """201 for a new tool or the next revision of a tool; 200 if the same text is already stored.

    202 if the tool belongs to someone else: then the spec waits for their approval.

    With `dry_run=1` nothing is stored: the status is 200, and the response is the one that
    publishing would give. An archived tool gets the revision and stays archived.
    """
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    publication = publish_or_hold(spec, by=actor(request), dry_run=dry_run)
    if isinstance(publication, Proposal):
        return Status(202, ProposalOut.of_proposal(publication))
    status = 200 if dry_run or publication.outcome == "unchanged" else 201
    if status == 201:
        response["Location"] = reverse("api:get_tool", args=[publication.tool.slug])
    response["ETag"] = publication.tool.etag
    return Status(status, PublicationOut.of(publication, dry_run=dry_run))


@router.get(
    "/tools/{slug}",
    response={200: ToolWithSpecOut, **errors(404)},
    auth=open_to_all(),
    summary="Get a tool with its spec",
)
def get_tool(
    request: HttpRequest, response: HttpResponse, slug: str
) -> ToolWithSpecOut | HttpResponse:
    """Send its `ETag` as `If-Match` with a later `PUT`. Numbers in the spec are exactly as uploaded."""
    tool = tool_at(slug, request.user)
    if is_known(request, tool.etag):
        return add_deprecation_headers(not_modified(tool.etag), tool)
    response["ETag"] = tool.etag
    add_deprecation_headers(response, tool)
    return ToolWithSpecOut.of(tool)


@router.put(
    "/tools/{slug}",
    response={200: ToolWithSpecOut, 202: ProposalOut, **errors(404, 412, 428), **REFUSED},
    auth=token_or_session("publish"),
    throttle=UPLOAD_THROTTLES,
    summary="Publish the next revision of a tool",
    openapi_extra=openapi_bodies.SPEC_BODY | openapi_bodies.IF_MATCH,
)
def put_tool(
    request: HttpRequest, response: HttpResponse, slug: str
) -> Status[ToolWithSpecOut] | Status[ProposalOut]:
    """Only if the tool has not changed since you read it (`If-Match`); otherwise 412.

    202 if the tool belongs to someone else: then the spec waits for their approval.
    """
    tool = seen_tool_at(request, slug)
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = (
            f"The spec is for the tool {spec.tool_id!r}, but the URL is that of {tool.tool_id!r}."
        )
        raise SpecError([Problem("/definition", message, "publish.other-tool")])
    publication = publish_or_hold(spec, by=actor(request), expected=revision_of(tool).number)
    if isinstance(publication, Proposal):
        return Status(202, ProposalOut.of_proposal(publication))
    tool = tool_at(slug, request.user)
    response["ETag"] = tool.etag
    return Status(200, ToolWithSpecOut.of(tool))


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
        seen=etags_seen(request),
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
        seen=etags_seen(request),
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
    undo_deprecation(tool_for(request.user, "deprecate", slug), seen=etags_seen(request))
    return Status(204, None)


@router.delete(
    "/tools/{slug}",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("publish"),
    summary="Archive a tool",
)
def archive_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It no longer appears in lists and searches. Nothing is deleted: its URL, revisions and runs remain."""
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
