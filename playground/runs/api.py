"""The API's operations for runs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from ninja import Path, Query
from ninja.errors import HttpError

from accounts.api_auth import actor, token_or_session
from catalog.tools.headers import add_deprecation_headers
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.models import Revision
from playground.configurations.schemas import SharedOut, ShareIn
from playground.configurations.sharing import share_with_groups
from playground.router import router
from playground.runs import schemas
from playground.runs.api_access import RunId, configuration_of, exact, refusal, started
from playground.runs.filters import RunConditions, RunFilter
from playground.runs.lookup import own_run, run_at
from playground.runs.models import Run
from playground.runs.rerun import CannotRepeat, repeat
from playground.runs.response_files import file_response
from playground.runs.run_json import RunOut, RunSummary, run_text
from playground.runs.running import cancel, start, wait
from playground.runs.schemas import RunAgainIn
from toolshelf_core.api.problems import REFUSED, errors

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
        "Starts a run and waits up to `wait_s` seconds for its end. If it ends in that time, the "
        "response is 201 with the run. The run's `outcome` tells whether the tool was called: "
        "`refused` means that the parameters or the configuration do not match their schema. If "
        "the run has not ended, or if the server is too busy to wait, the response is 202, and "
        "`Location` is the run's URL. If too many runs are waiting, the response is 429."
    ),
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
        "Your runs and those that are shared with your groups, newest first. Administrators get "
        "the runs of all users. A token without the scope `read` gets only your own."
    ),
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
        "One of your runs, or one that is shared with you. Administrators get the runs of all "
        "users. A token without the scope `read` gets only your own."
    ),
    url_name="get_run",
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
        "The content of a file of the run's response, with its media type. `files` of the run "
        "lists all of them. 404 if the run has no such file."
    ),
    openapi_extra=FILE_ANSWER,
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
)
def cancel_run(request: HttpRequest, run_id: Path[RunId]) -> HttpResponse:
    """Returns the run's JSON text (see `exact`)."""
    run = own_run(run_id, request.user)
    return add_deprecation_headers(exact(run_text(cancel(run))), run.tool)


@router.put(
    "/runs/{run_id}/groups",
    response={200: SharedOut, **errors(404), **REFUSED},
    auth=token_or_session("run"),
    summary="Share a run with groups",
)
def share_run(request: HttpRequest, run_id: Path[RunId], body: ShareIn) -> SharedOut:
    """Members of the groups see the run if they may see its tool.

    An empty list makes it private again.
    """
    run = own_run(run_id, request.user)
    share_with_groups(run, body.groups, by=actor(request))
    return SharedOut(groups=body.groups)


RUN_AGAIN_DEFAULTS = RunAgainIn.model_validate({})


@router.post(
    "/runs/{run_id}/again",
    response={201: RunOut, 202: RunOut, **errors(404, 429), **REFUSED},
    auth=token_or_session("run"),
    summary="Repeat a run",
    description=(
        "Starts the same call again, with the run's parameters, mode and time limit. The "
        "response is that of a new run (`POST /tools/{slug}/runs`). 422 if the run had "
        "parameters with secrets, which are not stored, or an unsaved configuration that you do "
        "not send again."
    ),
)
def run_again(
    request: HttpRequest, run_id: Path[RunId], body: RunAgainIn | None = None
) -> HttpResponse:
    """Returns the new run's JSON text (see `api_access.exact`)."""
    body = body or RUN_AGAIN_DEFAULTS
    run = run_at(run_id, request.user)
    try:
        again = repeat(
            run,
            by=actor(request),
            on_same_revision=body.revision == "same",
            configuration=configuration_of(request, run.tool, body),
            configuration_name=body.saved_configuration or "",
            interface="api",
        )
    except CannotRepeat as error:
        raise refusal(str(error), "run.cannot-repeat", "") from None
    return started(wait(again, body.wait_s))
