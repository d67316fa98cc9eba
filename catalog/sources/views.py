"""The pages of sources: the list, one source. People see them, administrators change them."""

from __future__ import annotations

import time
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from accounts.api_auth import actor
from catalog.access.models import Audience
from catalog.access.rights import may, require
from catalog.proposals.models import Proposal
from catalog.sources.destinations import servers_of
from catalog.sources.lookup import source_at
from catalog.sources.models import Source, SourceSync, SourceToolQuerySet
from catalog.sources.registration import (
    SourceForm,
    address_for,
    change_source,
    remove_source,
)
from catalog.sources.schedule import sync_in_background
from catalog.sources.sync import AlreadySyncing, hide_changes
from catalog.tools.models import Tool
from toolshelf_core.form_problems import list_error_links
from toolshelf_core.page_parts import wants_part
from toolshelf_core.paging import read_page
from toolspec.text.containers import items_of, members_of

TOOLS_PER_PAGE: Final = 100
SYNCS_SHOWN: Final = 10
DECIDED_SHOWN: Final = 20
POLL_MS: Final = 1_000
SUGGESTED_FROM: Final = 50


@require_safe
@login_required
def source_list(request: HttpRequest) -> HttpResponse:
    """All sources with their state."""
    sources = list(Source.objects.with_state().order_by("name"))
    return render(request, "catalog/sources/list.html", {"sources": sources})


@require_safe
@login_required
def source_page(request: HttpRequest, name: str) -> HttpResponse:
    """One source: state, held changes, last syncs, tools. `?gone=1` lists the tools that it no longer lists.

    While a sync runs, the page asks for its part with the state again and again.
    """
    source = source_at(name)
    if wants_part(request):
        return render(request, "catalog/sources/_state.html", _state_of(request, source))
    return _source_page(request, source, SourceForm(source=source))


@sensitive_post_parameters()
@require_POST
@login_required
def change_settings(request: HttpRequest, name: str) -> HttpResponse:
    """Change the address, the credentials, the policy or the schedule."""
    require(request.user, "administer")
    source = source_at(name)
    form = SourceForm(request.POST, request.FILES, source=source)
    if not form.is_valid():
        return _source_page(request, source_at(name), form)
    change_source(form)
    messages.success(request, f"{name} saved.")
    return redirect(source)


@require_POST
@login_required
def sync_now(request: HttpRequest, name: str) -> HttpResponse:
    """Start a sync; the page of the source shows its progress."""
    require(request.user, "administer")
    source = source_at(name)
    try:
        sync_in_background(source, by=actor(request))
    except AlreadySyncing as error:
        messages.info(request, str(error))
    return redirect(source)


@require_POST
@login_required
def remove(request: HttpRequest, name: str) -> HttpResponse:
    """Remove a source; its tools stay."""
    require(request.user, "administer")
    source = source_at(name)
    try:
        remove_source(source)
    except AlreadySyncing as error:
        messages.error(request, str(error))
        return redirect(source)
    messages.success(request, f"{name} removed. Its tools stay in the catalog.")
    return redirect("catalog:sources")


def _source_page(request: HttpRequest, source: Source, form: SourceForm) -> HttpResponse:
    is_to_connect = not source.is_connected and bool(may(request.user, "administer"))
    context = {
        **_state_of(request, source),
        "form": form,
        "errors": list_error_links(form),
        "called": servers_of(source) if is_to_connect else [],
        "decided": source.proposals.visible_to(request.user)
        .exclude(state=Proposal.HELD)
        .select_related("decided_by")[:DECIDED_SHOWN],
    }
    return render(
        request, "catalog/sources/source.html", context, status=422 if form.errors else 200
    )


def _state_of(request: HttpRequest, source: Source) -> dict[str, object]:
    """The context of `_state.html`."""
    syncs: list[SourceSync] = list(source.syncs.select_related("by")[:SYNCS_SHOWN])
    visibility = Audience.objects.visibility_for(request.user)
    for sync in syncs:
        hide_changes(sync, visibility)
    query = request.GET.urlencode()
    runnable = source.tools.runnable().with_visibility(visibility)
    return {
        **_tools_of(request, source),
        "query": f"?{query}" if query else "",
        "source": source,
        "runnable_count": runnable.count(),
        "suggested": suggest_tool(runnable),
        "address": address_for(source, request.user),
        "syncs": syncs,
        "last": syncs[0] if syncs else None,
        "held": source.proposals.visible_to(request.user)
        .filter(state=Proposal.HELD)
        .defer("text")
        .select_related("base__tool"),
        "may_manage": bool(may(request.user, "administer")),
        "poll": time.monotonic_ns(),
        "poll_ms": POLL_MS,
    }


def suggest_tool(listed: SourceToolQuerySet) -> Tool | None:
    """The tool to try first: the first of those with the fewest required parameters, and read-only if there is one."""
    rows = listed.select_related("catalog_tool__current")[:SUGGESTED_FROM]
    tools = [row.catalog_tool for row in rows if row.catalog_tool and row.catalog_tool.current]
    return min(tools, key=_effort_of, default=None)


def _effort_of(tool: Tool) -> tuple[bool, int]:
    document = tool.current.spec.document if tool.current else {}
    method = members_of(document.get("x-openapi")).get("method", "get")
    parameters = members_of(members_of(document.get("definition")).get("parameters"))
    return str(method).lower() != "get", len(items_of(parameters.get("required")))


def _tools_of(request: HttpRequest, source: Source) -> dict[str, object]:
    """The context of `_tools.html`, besides the source."""
    gone = request.GET.get("gone") == "1"
    after = request.GET.get("after")
    visible = source.tools.with_visibility(Audience.objects.visibility_for(request.user))
    tools = visible.filter(gone_at__isnull=not gone).select_related("catalog_tool")
    shown, following = read_page(tools, after, TOOLS_PER_PAGE, "tool_id")
    further = {"gone": "1"} if gone else {}
    return {
        "tools": shown,
        "gone": gone,
        "gone_count": visible.exclude(gone_at=None).count(),
        "listed_count": visible.filter(gone_at=None).count(),
        "next_url": f"?{urlencode({**further, 'after': following})}#tools" if following else None,
    }
