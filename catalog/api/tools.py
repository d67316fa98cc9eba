"""The API's part about one tool: publishing, organising, deprecating and archiving it."""
# ruff: noqa: ARG001 - an operation has its request, whether it looks at it or not

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from ninja import Status

from catalog import lifecycle
from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.api import openapi_bodies, schemas
from catalog.api.deprecation import add_deprecation_headers
from catalog.api.etags import REFUSED, etags_seen, is_known, not_modified, seen_tool_at, url_of
from catalog.api.router import router
from catalog.api.serializers import publication_json, tool_json, tool_with_spec
from catalog.errors import Problem, SpecError
from catalog.lifecycle import deprecate, undo_deprecation
from catalog.metadata import UNCHANGED, Organisation, organise
from catalog.publishing import publish
from catalog.request_body import spec_text
from catalog.shortcuts import revision_of, tool_at
from catalog.specs.spec import read_spec


@router.post(
    "/tools",
    response={200: schemas.PublicationOut, 201: schemas.PublicationOut, 409: schemas.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Publish a spec",
    openapi_extra=openapi_bodies.SPEC_BODY,
)
def publish_tool(request: HttpRequest, response: HttpResponse, dry_run: bool = False) -> Status[dict[str, Any]]:
    """A new tool or its next revision: 201. The text that is stored already: 200.

    With `dry_run=1` nothing is stored, and the answer is what a real one would be.
    An archived tool gets its revision and stays archived.
    """
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    publication = publish(spec, by=actor(request), dry_run=dry_run)
    status = 200 if dry_run or publication.outcome == "unchanged" else 201
    if status == 201:
        response["Location"] = url_of("get_tool", publication.tool.slug)
    response["ETag"] = publication.tool.etag
    return Status(status, publication_json(publication, dry_run=dry_run))


@router.get(
    "/tools/{slug}",
    response={200: schemas.ToolWithSpecOut, 404: schemas.ErrorOut},
    auth=open_to_all(),
    summary="Get a tool with its spec",
)
def get_tool(request: HttpRequest, response: HttpResponse, slug: str) -> dict[str, Any] | HttpResponse:
    """`ETag` is what a later `PUT` sends as `If-Match`."""
    tool = tool_at(slug)
    if is_known(request, tool.etag):
        return add_deprecation_headers(not_modified(tool.etag), tool)
    response["ETag"] = tool.etag
    add_deprecation_headers(response, tool)
    return tool_with_spec(tool)


@router.put(
    "/tools/{slug}",
    response={
        200: schemas.ToolWithSpecOut,
        404: schemas.ErrorOut,
        412: schemas.ErrorOut,
        428: schemas.ErrorOut,
        **REFUSED,
    },
    auth=token_or_session("publish"),
    summary="Publish the next revision of a tool",
    openapi_extra=openapi_bodies.SPEC_BODY | openapi_bodies.IF_MATCH,
)
def put_tool(request: HttpRequest, response: HttpResponse, slug: str) -> dict[str, Any]:
    """Only on top of the revision that you have seen: 412 if another one landed since."""
    tool = seen_tool_at(request, slug)
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    if spec.tool_id != tool.tool_id:
        message = f"This is a spec of {spec.tool_id!r}, and the address is that of {tool.tool_id!r}."
        raise SpecError([Problem("/definition", message, "publish.other-tool")])
    publish(spec, by=actor(request), expected=revision_of(tool).number)
    tool = tool_at(slug)
    response["ETag"] = tool.etag
    return tool_with_spec(tool)


@router.patch(
    "/tools/{slug}",
    response={200: schemas.ToolOut, 404: schemas.ErrorOut, 409: schemas.ErrorOut, 412: schemas.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Organise a tool",
    openapi_extra=openapi_bodies.IF_MATCH_OR_NOT,
)
def organise_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: schemas.OrganisationIn
) -> dict[str, Any]:
    """Its toolkit, tags and owner; they stay so whatever is published. All of it is done, or nothing."""
    sent = body.model_fields_set
    wanted = Organisation(
        toolkit=body.toolkit if "toolkit" in sent else UNCHANGED,
        add_tags=body.add_tags,
        remove_tags=body.remove_tags,
        owner=(body.owner or "") if "owner" in sent else UNCHANGED,
    )
    tool = organise(tool_at(slug), wanted, by=actor(request), seen=etags_seen(request))
    response["ETag"] = tool.etag
    return tool_json(tool)


@router.put(
    "/tools/{slug}/deprecation",
    response={200: schemas.ToolOut, 404: schemas.ErrorOut, 412: schemas.ErrorOut, **REFUSED},
    auth=token_or_session("publish"),
    summary="Deprecate a tool",
    openapi_extra=openapi_bodies.IF_MATCH_OR_NOT,
)
def deprecate_tool(
    request: HttpRequest, response: HttpResponse, slug: str, body: schemas.DeprecationIn
) -> dict[str, Any]:
    """It works as before, and is found after others. Answers about it have the header `Deprecation` from then on.

    If there is a successor, `Link` names it with `rel="successor-version"`. Sent again, the note and the successor are
    said anew.
    """
    tool = deprecate(tool_at(slug), note=body.note, superseded_by=body.superseded_by or "", seen=etags_seen(request))
    response["ETag"] = tool.etag
    add_deprecation_headers(response, tool)
    return tool_json(tool)


@router.delete(
    "/tools/{slug}/deprecation",
    response={
        204: None,
        401: schemas.ErrorOut,
        403: schemas.ErrorOut,
        404: schemas.ErrorOut,
        409: schemas.ErrorOut,
        412: schemas.ErrorOut,
    },
    auth=token_or_session("publish"),
    summary="Take back that a tool is deprecated",
    openapi_extra=openapi_bodies.IF_MATCH_OR_NOT,
)
def undo_tool_deprecation(request: HttpRequest, slug: str) -> Status[None]:
    """Only what people said: 409 where it is the spec that says so."""
    undo_deprecation(tool_at(slug), seen=etags_seen(request))
    return Status(204, None)


@router.delete(
    "/tools/{slug}",
    response={204: None, 401: schemas.ErrorOut, 403: schemas.ErrorOut, 404: schemas.ErrorOut},
    auth=token_or_session("publish"),
    summary="Archive a tool",
)
def archive_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It leaves the lists and searches. Nothing is destroyed: its address, revisions and runs stay."""
    lifecycle.archive(tool_at(slug))
    return Status(204, None)


@router.post(
    "/tools/{slug}/restore",
    response={204: None, 401: schemas.ErrorOut, 403: schemas.ErrorOut, 404: schemas.ErrorOut},
    auth=token_or_session("publish"),
    summary="Restore an archived tool",
)
def restore_tool(request: HttpRequest, slug: str) -> Status[None]:
    """It is in the lists and searches again."""
    lifecycle.restore(tool_at(slug))
    return Status(204, None)
