"""The API's operations for runs and saved configurations."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Path, Query, Status
from ninja.errors import HttpError

from catalog.accounts.api_auth import actor, token_or_session
from catalog.api.headers import add_deprecation_headers
from catalog.api.schemas.problems import REFUSED, errors
from catalog.models import Revision, Tool
from catalog.rights import may
from catalog.shortcuts import revision_of, tool_at, tool_for
from playground.api.access import RunId, configuration_of, exact, started
from playground.api.router import router
from playground.api.schemas import runs as schemas
from playground.compiled_spec import compiled_spec_of
from playground.configurations import saved as saved_configurations
from playground.configurations.saved import save_configuration, share, shown
from playground.configurations.secret_members import Configuration
from playground.models import Run, SavedConfiguration
from playground.response_files import file_response
from playground.run_json import RunOut, RunSummary, run_text
from playground.run_pages.filters import RunConditions, RunFilter
from playground.running import cancel, start, wait
from playground.sharing import share_with_groups
from playground.shortcuts import own_run, run_at

FILE_ANSWER = {
    "responses": {
        200: {
            "description": "The content of the file.",
            "content": {
                "application/octet-stream": {"schema": {"type": "string", "format": "binary"}}
            },
        }
    }
}


@router.post(
    "/tools/{slug}/runs",
    response={201: RunOut, 202: RunOut},
    auth=token_or_session("run"),
    summary="Run a tool",
    description=(
        "Starts a run and waits up to `wait_s` seconds for its end. If it ends in that time, the response is 201 with "
        "the run. The run's `outcome` tells whether the tool was called: `refused` means that the parameters or the "
        "configuration do not match their schema. If the run has not ended, or if the server is too busy to wait, the "
        "response is 202, and `Location` is the run's URL. If too many runs are waiting, the response is 429."
    ),
    operation_id="playground_api_create_run",
)
def create_run(request: HttpRequest, slug: str, body: schemas.RunIn) -> HttpResponse:
    """Returns the run's JSON text (see `exact`)."""
    tool = tool_at(slug, request.user)
    revision = revision_of(tool)
    if body.revision is not None:
        revision = get_object_or_404(
            Revision.objects.defer("source"), tool=tool, number=body.revision
        )
    run = start(
        tool,
        revision,
        body.parameters,
        by=actor(request),
        configuration=configuration_of(request, tool, body),
        configuration_name=body.saved_configuration or "",
        mode=body.mode,
        timeout_s=body.timeout_s,
        interface="api",
    )
    return started(wait(run, body.wait_s))


@router.get(
    "/runs",
    response=schemas.RunsOut,
    auth=token_or_session("read", "run"),
    summary="List runs",
    description=(
        "Your runs and those that are shared with your groups, newest first. Administrators get the runs of all "
        "users. A token without the scope `read` gets only your own."
    ),
    operation_id="playground_api_list_runs",
)
def list_runs(request: HttpRequest, query: Query[schemas.RunsQuery]) -> schemas.RunsOut:
    conditions = query.model_dump(include=set(RunConditions.model_fields))
    run_filter = RunFilter(**conditions, person=query.by, before=query.cursor)
    page = run_filter.page(Run.objects.visible_to(request.user), query.limit)
    items = [RunSummary.of_run(run) for run in page.runs]
    return schemas.RunsOut(items=items, next=page.older)


@router.get(
    "/runs/{run_id}",
    response=RunOut,
    auth=token_or_session("read", "run"),
    summary="Get a run",
    description=(
        "One of your runs, or one that is shared with you. Administrators get the runs of all users. A token without "
        "the scope `read` gets only your own."
    ),
    url_name="get_run",
    operation_id="playground_api_get_run",
)
def get_run(request: HttpRequest, run_id: Path[RunId]) -> HttpResponse:
    """Returns the run's JSON text (see `exact`)."""
    run = run_at(run_id, request.user)
    return add_deprecation_headers(exact(run_text(run)), run.tool)


@router.get(
    "/runs/{run_id}/file",
    response={200: None},
    auth=token_or_session("read", "run"),
    summary="Download a file of a run",
    description=(
        "The content of a file of the run's response, with its media type. `files` of the run lists all of them. 404 "
        "if the run has no such file."
    ),
    openapi_extra=FILE_ANSWER,
    operation_id="playground_api_get_run_file",
)
def get_run_file(
    request: HttpRequest, run_id: Path[RunId], query: Query[schemas.FileQuery]
) -> HttpResponse:
    """Returns the content itself."""
    run = run_at(run_id, request.user)
    file = run.files.filter(number=query.number).first()
    if file is None:
        raise HttpError(404, f"This run has no file {query.number}.")
    return add_deprecation_headers(file_response(file, inline=False), run.tool)


@router.post(
    "/runs/{run_id}/cancel",
    response=RunOut,
    auth=token_or_session("run"),
    summary="Cancel a run",
    description="Kills all processes of the run. A run that has ended does not change.",
    operation_id="playground_api_cancel_run",
)
def cancel_run(request: HttpRequest, run_id: Path[RunId]) -> HttpResponse:
    """Returns the run's JSON text (see `exact`)."""
    run = own_run(run_id, request.user)
    return add_deprecation_headers(exact(run_text(cancel(run))), run.tool)


@router.put(
    "/runs/{run_id}/groups",
    response={200: schemas.SharedOut, **errors(404), **REFUSED},
    auth=token_or_session("run"),
    summary="Share a run with groups",
    operation_id="playground_api_share_run",
)
def share_run(
    request: HttpRequest, run_id: Path[RunId], body: schemas.ShareIn
) -> schemas.SharedOut:
    """Members of the groups see the run if they may see its tool. An empty list makes it private again."""
    run = own_run(run_id, request.user)
    share_with_groups(run, body.groups, by=actor(request))
    return schemas.SharedOut(groups=body.groups)


@router.put(
    "/tools/{slug}/configurations/{name}/groups",
    response={200: schemas.SharedOut, **errors(404), **REFUSED},
    auth=token_or_session("run"),
    summary="Share a saved configuration with groups",
    tags=["configurations"],
    operation_id="playground_api_share_configuration_with_groups",
)
def share_configuration_with_groups(
    request: HttpRequest, slug: str, name: str, body: schemas.ShareIn
) -> schemas.SharedOut:
    """Members of the groups can run the tool with it, without seeing its contents. Only you can change it."""
    tool = tool_for(request.user, "run", slug)
    saved = get_object_or_404(SavedConfiguration, owner=actor(request), tool=tool, name=name)
    share_with_groups(saved, body.groups, by=actor(request))
    return schemas.SharedOut(groups=body.groups)


def visible_configuration(saved: SavedConfiguration, tool: Tool) -> schemas.SavedConfigurationOut:
    visible = shown(saved, compiled_spec_of(revision_of(tool)).configuration)
    secrets = [
        schemas.SecretOut(pointer=pointer, set_at=at) for pointer, at in visible.secrets.items()
    ]
    return schemas.SavedConfigurationOut.of(
        saved, value=visible.value, secrets=secrets, is_readable=visible.is_readable
    )


@router.get(
    "/tools/{slug}/configurations",
    response=schemas.SavedConfigurationsOut,
    auth=token_or_session("run"),
    summary="List your saved configurations of a tool",
    tags=["configurations"],
    operation_id="playground_api_list_configurations",
)
def list_configurations(
    request: HttpRequest, response: HttpResponse, slug: str
) -> schemas.SavedConfigurationsOut:
    """Secrets are never returned. Configurations that others share are listed by name only."""
    tool = tool_for(request.user, "run", slug)
    usable = (
        SavedConfiguration.objects.filter(tool=tool)
        .usable_by(actor(request))
        .order_by("name", "owner__username")
    )
    add_deprecation_headers(response, tool)
    return schemas.SavedConfigurationsOut(
        items=[visible_configuration(one, tool) for one in usable if one.owner == actor(request)],
        shared=[
            schemas.SharedConfigurationOut(
                reference=one.reference_for(actor(request)),
                name=one.name,
                shared_by=one.owner.get_username(),
                updated_at=one.updated_at,
            )
            for one in usable
            if one.owner != actor(request)
        ],
    )


@router.post(
    "/tools/{slug}/configurations",
    response={201: schemas.SavedConfigurationOut},
    auth=token_or_session("run"),
    summary="Save a configuration",
    tags=["configurations"],
    operation_id="playground_api_create_configuration",
)
def create_configuration(
    request: HttpRequest, response: HttpResponse, slug: str, body: schemas.SavedConfigurationIn
) -> Status[schemas.SavedConfigurationOut]:
    """It is stored encrypted, visible only to you, and replaces the one with the same name.

    A value that does not match the schema is refused; members may be missing, which a run then
    reports. Secrets that you leave out are retained; if the tool would send them to another URL
    than before, for instance because you changed `baseUrl`, the request is refused with their
    pointers. If the replaced one is shared, everyone uses the new contents from their next run on.
    """
    tool = tool_for(request.user, "run", slug)
    schema = compiled_spec_of(revision_of(tool)).configuration
    saved = save_configuration(
        actor(request),
        tool,
        body.name,
        Configuration(body.configuration),
        schema,
        removed=body.remove_secrets,
        must_conform=True,
    )
    add_deprecation_headers(response, tool)
    return Status(201, visible_configuration(saved, tool))


@router.patch(
    "/tools/{slug}/configurations/{name}",
    response={200: schemas.VisibilityOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("run"),
    summary="Share a saved configuration, or stop sharing it",
    tags=["configurations"],
)
def share_configuration(
    request: HttpRequest, slug: str, name: str, body: schemas.VisibilityIn
) -> schemas.VisibilityOut:
    """Everyone who may run the tool can use a shared configuration; its contents are shown only to its owner.

    Its secrets are removed from responses and logs of all runs. Save it again under the same name
    to replace a secret. Administrators can share any configuration, or stop sharing it; their token
    needs the scope `admin` for that.
    """
    tool = tool_for(request.user, "run", slug)
    saved = SavedConfiguration.objects.filter(tool=tool, name=name).select_related("owner")
    if not may(actor(request), "administer"):
        saved = saved.usable_by(actor(request))
    found = saved.filter(owner__username=body.owner or actor(request).get_username()).first()
    if found is None:
        raise HttpError(
            404, "There is no such saved configuration for this tool, or you have no access to it."
        )
    share(found, body.visibility, by=actor(request))
    return schemas.VisibilityOut(
        name=found.name, owner=found.owner.get_username(), visibility=body.visibility
    )


@router.delete(
    "/tools/{slug}/configurations/{name}",
    response={204: None},
    auth=token_or_session("run"),
    summary="Delete a saved configuration",
    tags=["configurations"],
    operation_id="playground_api_delete_configuration",
)
def delete_configuration(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    if not saved_configurations.delete_configuration(
        actor(request), tool_for(request.user, "run", slug), name
    ):
        raise HttpError(404, "You have no saved configuration of this name for this tool.")
    return HttpResponse(status=204)
