"""The JSON API of the playground: runs, factories, saved configurations."""

from __future__ import annotations

from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Path, Query, Router
from ninja.errors import HttpError
from pydantic import StringConstraints

from catalog.accounts.api_auth import actor, has_scope, open_to_all, token_or_session
from catalog.api.deprecation import add_deprecation_headers
from catalog.errors import DocumentError, Problem
from catalog.jsontext.reader import JSON, dumps
from catalog.models import Revision, Tool
from catalog.shortcuts import revision_of, tool_at
from playground import api_schemas
from playground.compiled_spec import compiled_spec_of
from playground.configurations.saved import UNREADABLE, Unreadable, open_configuration, save_configuration, shown
from playground.configurations.secret_members import Configuration
from playground.factories.registry import registry
from playground.models import Run, RunQuerySet, SavedConfiguration
from playground.run_filter import RunFilter
from playground.run_json import moment, run_text, summary
from playground.running import cancel, start, wait

router = Router(tags=["runs"])

RunId = Annotated[str, StringConstraints(pattern="^[0-9a-f]{32}$")]


def exact(text: str, status: int = 200, headers: dict[str, str] | None = None) -> HttpResponse:
    """A response whose JSON text exists already."""
    return HttpResponse(text, status=status, content_type="application/json; charset=utf-8", headers=headers)


@router.post(
    "/tools/{slug}/runs",
    response={201: api_schemas.RunOut, 202: api_schemas.RunOut},
    auth=token_or_session("run"),
    summary="Run a tool",
    description=(
        "201 with the run when it has ended, whatever its outcome: also when it was refused because the parameters or "
        "the configuration do not fit their schema. 202 with a `Location` to ask again when `wait_s` passed first, or "
        "when the server has no thread left to wait with. 429 when too many runs wait."
    ),
)
def create_run(request: HttpRequest, slug: str, body: api_schemas.RunIn) -> HttpResponse:
    tool = tool_at(slug)
    revision = revision_of(tool)
    if body.revision is not None:
        revision = get_object_or_404(Revision.objects.defer("source"), tool=tool, number=body.revision)
    run = start(
        tool,
        revision,
        body.parameters,
        by=actor(request),
        configuration=configuration_of(request, tool, body),
        configuration_name=body.saved_configuration or "",
        mode=body.mode,
        timeout_s=body.timeout_s,
        defer_sync=body.wait_s > 0,
    )
    run = wait(run, body.wait_s)
    status = 202 if run.is_active else 201
    headers = {"Location": reverse("api:get_run", args=[run.id])}
    return add_deprecation_headers(exact(run_text(run), status, headers), tool)


def configuration_of(request: HttpRequest, tool: Tool, body: api_schemas.RunIn) -> Configuration | None:
    """The run's configuration: the one sent, or the saved one that is named.

    Raises:
        DocumentError: both are given, or the saved one does not exist or cannot be decrypted.
    """
    sent = "configuration" in body.model_fields_set
    if body.saved_configuration is None:
        return Configuration(body.configuration) if sent else None
    if sent:
        raise refusal("Send `configuration` or `saved_configuration`, not both.", "configuration.both")
    saved = SavedConfiguration.objects.filter(owner=actor(request), tool=tool, name=body.saved_configuration).first()
    if saved is None:
        raise refusal("You have no saved configuration of this name for this tool.", "configuration.unknown")
    try:
        return open_configuration(saved)
    except Unreadable:
        raise refusal(UNREADABLE, "configuration.unreadable") from None


def refusal(message: str, rule: str) -> DocumentError:
    return DocumentError([Problem("/saved_configuration", message, rule)])


@router.get(
    "/runs",
    response=api_schemas.RunsOut,
    auth=token_or_session("read", "run"),
    summary="List runs",
    description=(
        "Your runs, the latest first; for staff, everybody's (a token needs the scope `read` for that). `tool` is "
        "a slug."
    ),
)
def list_runs(request: HttpRequest, query: Query[api_schemas.RunsQuery]) -> HttpResponse:
    run_filter = RunFilter(
        tool=query.tool,
        outcome=query.outcome or "",
        verdict=query.verdict or "",
        mode=query.mode or "",
        person=query.by,
        since=query.since,
        until=query.until,
        before=query.cursor,
    )
    page = run_filter.page(readable_runs(request), query.limit)
    return exact(dumps({"items": [summary(run) for run in page.runs], "next": page.older or None}))


def readable_runs(request: HttpRequest) -> RunQuerySet:
    """The runs that the caller may read: their own; with the scope `read`, all that are visible to them."""
    visible = Run.objects.visible_to(actor(request))
    return visible if has_scope(request, "read") else visible.filter(by=actor(request))


@router.get(
    "/runs/{run_id}",
    response=api_schemas.RunOut,
    auth=token_or_session("read", "run"),
    summary="One run",
    url_name="get_run",
)
def get_run(request: HttpRequest, run_id: Path[RunId]) -> HttpResponse:
    """One of your runs; for staff, anybody's (a token needs the scope `read` for that)."""
    run = get_object_or_404(readable_runs(request).with_names(), pk=run_id)
    return add_deprecation_headers(exact(run_text(run)), run.tool)


@router.post("/runs/{run_id}/cancel", response=api_schemas.RunOut, auth=token_or_session("run"), summary="Cancel a run")
def cancel_run(request: HttpRequest, run_id: Path[RunId]) -> HttpResponse:
    """Kill all processes of the run. A run that has ended does not change."""
    run = get_object_or_404(Run.objects.visible_to(actor(request)).with_names(), pk=run_id)
    return add_deprecation_headers(exact(run_text(cancel(run))), run.tool)


@router.get(
    "/factories",
    response=api_schemas.FactoriesOut,
    auth=open_to_all(),
    summary="Registered factories",
    tags=["factories"],
)
def list_factories(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """The installed factories, the tool that each serves, and the broken ones with their errors."""
    factories = registry().all()
    ids = {factory.tool_id for factory in factories if factory.tool_id}
    slugs = dict(Tool.objects.filter(tool_id__in=ids).values_list("tool_id", "slug"))
    items: list[JSON] = [
        {
            "key": factory.key,
            "reference": factory.reference,
            "origin": factory.origin,
            "distribution": factory.distribution or None,
            "version": factory.version or None,
            "state": factory.state,
            "error": factory.error,
            "tool": {"id": factory.tool_id, "slug": slugs.get(factory.tool_id)} if factory.tool_id else None,
            "configurable": factory.configurable,
        }
        for factory in factories
    ]
    return exact(dumps({"items": items}))


def saved_json(saved: SavedConfiguration, tool: Tool) -> JSON:
    seen = shown(saved, compiled_spec_of(revision_of(tool)).configuration)
    return {
        "name": seen.name,
        "configuration": seen.value,
        "secrets": [{"pointer": pointer, "set_at": moment(at)} for pointer, at in seen.secrets.items()],
        "readable": seen.is_readable,
        "created_at": moment(seen.created_at),
        "updated_at": moment(seen.updated_at),
    }


@router.get(
    "/tools/{slug}/configurations",
    response=api_schemas.SavedConfigurationsOut,
    auth=token_or_session("run"),
    summary="Your saved configurations of a tool",
    tags=["configurations"],
)
def list_configurations(request: HttpRequest, slug: str) -> HttpResponse:
    """Without their secrets, which are never returned."""
    tool = tool_at(slug)
    saved = SavedConfiguration.objects.filter(owner=actor(request), tool=tool)
    return add_deprecation_headers(exact(dumps({"items": [saved_json(one, tool) for one in saved]})), tool)


@router.post(
    "/tools/{slug}/configurations",
    response={201: api_schemas.SavedConfigurationOut},
    auth=token_or_session("run"),
    summary="Save a configuration",
    tags=["configurations"],
)
def create_configuration(request: HttpRequest, slug: str, body: api_schemas.SavedConfigurationIn) -> HttpResponse:
    """Stored encrypted, visible only to you; replaces one of the same name. A secret that is left out is retained."""
    tool = tool_at(slug)
    schema = compiled_spec_of(revision_of(tool)).configuration
    saved = save_configuration(
        actor(request), tool, body.name, Configuration(body.configuration), schema, removed=body.remove_secrets
    )
    return add_deprecation_headers(exact(dumps(saved_json(saved, tool)), 201), tool)


@router.delete(
    "/tools/{slug}/configurations/{name}",
    response={204: None},
    auth=token_or_session("run"),
    summary="Remove a saved configuration",
    tags=["configurations"],
)
def delete_configuration(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    gone, _ = SavedConfiguration.objects.filter(owner=actor(request), tool=tool_at(slug), name=name).delete()
    if not gone:
        raise HttpError(404, "You have no saved configuration of this name for this tool.")
    return HttpResponse(status=204)
