"""The API's operations for sources: their settings, syncs, tools and held changes."""
# ruff: noqa: ARG001 - every operation has a request parameter, even if it does not use it

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Query, Status

from accounts.api_auth import actor, token_or_session
from catalog.access.models import Audience
from catalog.access.rights import require
from catalog.proposals.api import page_of_changes
from catalog.proposals.schemas import HeldChangesOut, HeldChangesQuery
from catalog.router import sources_router as router
from catalog.sources.document_body import DocumentBody
from catalog.sources.lookup import source_at
from catalog.sources.models import Source
from catalog.sources.registration import (
    SourceForm,
    add_source,
    address_for,
    change_source,
    remove_source,
)
from catalog.sources.schedule import sync_in_background
from catalog.sources.schemas import (
    SourceChangesIn,
    SourceIn,
    SourceOut,
    SourcesOut,
    SourceToolsOut,
    SyncIn,
    SyncOut,
    SyncQuery,
    SyncReportOut,
    SyncsOut,
    ToolsQuery,
)
from catalog.sources.sync import hide_changes
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.api.schemas import PageQuery


@router.get(
    "/sources",
    response={200: SourcesOut, **errors(401, 403, 422)},
    auth=token_or_session("read", "admin"),
    summary="List sources",
)
def list_sources(request: HttpRequest, query: Query[PageQuery]) -> SourcesOut:
    """Ordered by name."""
    sources = Source.objects.with_state().select_related("owner")
    return SourcesOut.read(sources, query, "name", partial(_listed_source, request))


@router.post(
    "/sources",
    response={201: SourceOut, **REFUSED},
    auth=token_or_session("admin"),
    summary="Add a source",
)
def create_source(
    request: HttpRequest, response: HttpResponse, body: Annotated[SourceIn, DocumentBody(...)]
) -> Status[SourceOut]:
    """For administrators. Start a sync to read its tools; with `every_minutes` the first one starts soon."""
    source = add_source(SourceForm(body.model_dump()), by=actor(request))
    response["Location"] = reverse("api:get_source", args=[source.name])
    return Status(201, source_out(request, source))


@router.get(
    "/sources/{name}",
    response={200: SourceOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "admin"),
    summary="Get a source",
)
def get_source(request: HttpRequest, name: str) -> SourceOut:
    """With its last sync. Credentials are never sent back, only the names of their headers."""
    return source_out(request, source_at(name))


@router.patch(
    "/sources/{name}",
    response={200: SourceOut, **errors(404), **REFUSED},
    auth=token_or_session("admin"),
    summary="Change a source",
)
def patch_source(
    request: HttpRequest, name: str, body: Annotated[SourceChangesIn, DocumentBody(...)]
) -> SourceOut:
    """For administrators. If `address` moves to another server without new `headers`, the credentials are removed."""
    source = source_at(name)
    sent = body.model_dump(exclude_unset=True)
    changed = {
        key: value for key, value in sent.items() if value is not None or key == "every_minutes"
    }
    return source_out(request, change_source(SourceForm(changed, source=source)))


@router.delete(
    "/sources/{name}",
    response={204: None, **errors(401, 403, 404, 409)},
    auth=token_or_session("admin"),
    summary="Remove a source",
)
def delete_source(request: HttpRequest, name: str) -> Status[None]:
    """For administrators. Its tools stay in the catalog; its syncs and changes are deleted."""
    require(request.user, "administer")
    remove_source(source_at(name))
    return Status(204, None)


@router.post(
    "/sources/{name}/sync",
    response={200: SyncReportOut, 202: SyncReportOut, **errors(401, 403, 404, 409, 422)},
    auth=token_or_session("admin"),
    summary="Sync a source",
)
def sync_source(
    request: HttpRequest,
    response: HttpResponse,
    name: str,
    query: Query[SyncQuery],
    body: SyncIn | None = None,
) -> Status[SyncReportOut]:
    """For administrators: reads the source, and publishes or holds what changed.

    200 with the report if it ended within `wait_s`, else 202 with the report's URL in `Location`. A
    source that cannot be read is a report with the state `failed`; it changes nothing. 409 if a
    sync of the source is running.
    """
    require(request.user, "administer")
    source = source_at(name)
    record, thread = sync_in_background(source, by=actor(request))
    thread.join(max(query.wait_s, body.wait_s if body else 0))
    record = source.syncs.select_related("by").get(pk=record.pk)
    response["Location"] = reverse("api:get_sync", args=[name, record.pk])
    hide_changes(record, Audience.objects.visibility_for(request.user))
    return Status(202 if record.state == "running" else 200, SyncReportOut.of(record))


@router.get(
    "/sources/{name}/syncs",
    response={200: SyncsOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "admin"),
    summary="List the syncs of a source",
)
def list_syncs(request: HttpRequest, name: str) -> SyncsOut:
    """Newest first."""
    return SyncsOut(
        items=[SyncOut.of(record) for record in source_at(name).syncs.select_related("by")]
    )


@router.get(
    "/sources/{name}/syncs/{int:sync}",
    response={200: SyncReportOut, **errors(401, 403, 404)},
    auth=token_or_session("read", "admin"),
    summary="Get a sync",
)
def get_sync(request: HttpRequest, name: str, sync: int) -> SyncReportOut:
    """Its state, and what it changed."""
    record = get_object_or_404(source_at(name).syncs.select_related("by"), pk=sync)
    hide_changes(record, Audience.objects.visibility_for(request.user))
    return SyncReportOut.of(record)


@router.get(
    "/sources/{name}/tools",
    response={200: SourceToolsOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("read", "admin"),
    summary="List the tools of a source",
)
def list_source_tools(request: HttpRequest, name: str, query: Query[ToolsQuery]) -> SourceToolsOut:
    """By tool id, with those that it no longer lists."""
    visible = source_at(name).tools.with_visibility(Audience.objects.visibility_for(request.user))
    tools = visible.select_related("catalog_tool")
    if query.gone is not None:
        tools = tools.filter(gone_at__isnull=not query.gone)
    return SourceToolsOut.read(tools, query, "tool_id")


@router.get(
    "/sources/{name}/changes",
    response={200: HeldChangesOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("read", "publish", "admin"),
    summary="List the changes of a source",
)
def list_changes(request: HttpRequest, name: str, query: Query[HeldChangesQuery]) -> HeldChangesOut:
    """The changes that the policy of the source did not publish by itself, with the decisions on them."""
    return page_of_changes(source_at(name).proposals.visible_to(request.user), query)


def source_out(request: HttpRequest, source: Source) -> SourceOut:
    stored = Source.objects.with_state().select_related("owner").get(pk=source.pk)
    return _listed_source(request, stored)


def _listed_source(request: HttpRequest, source: Any) -> SourceOut:
    """`source`: as `Source.objects.with_state()` loads it."""
    return SourceOut.of(
        source,
        address=address_for(source, request.user),
        tools=source.listed,
        held=source.held,
        last_sync=SyncOut.of(source.newest[0]) if source.newest else None,
    )
