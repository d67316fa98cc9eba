"""The API's operations to repeat a run, save a run as an example, and get a tool's statistics."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Path, Status

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.accounts.roles import is_administrator
from catalog.api.schemas.problems import REFUSED, errors
from catalog.api.schemas.tools import ProposalOut
from catalog.errors import NotAllowed
from catalog.held_changes import Proposal, publish_or_hold
from catalog.rendering.text_diff import unified
from catalog.shortcuts import revision_of, tool_at, tool_for
from playground.api.access import RunId, configuration_of, refusal, started
from playground.api.router import router
from playground.api.schemas.repeats import (
    RunAgainIn,
    SavedExampleOut,
    SaveExampleIn,
    StatisticsOut,
)
from playground.examples.save_as_example import CannotSaveExample, spec_with_run
from playground.repeats import CannotRepeat, repeat
from playground.run_json import RunOut
from playground.run_pages.statistics import statistics_of
from playground.running import wait
from playground.shortcuts import run_at

DEFAULTS = RunAgainIn.model_validate({})


@router.post(
    "/runs/{run_id}/again",
    response={201: RunOut, 202: RunOut, **errors(404, 429), **REFUSED},
    auth=token_or_session("run"),
    summary="Repeat a run",
    description=(
        "Starts the same call again, with the run's parameters, mode and time limit. The response is that of a new "
        "run (`POST /tools/{slug}/runs`). 422 if the run had parameters with secrets, which are not stored, or "
        "an unsaved configuration that you do not send again."
    ),
)
def run_again(
    request: HttpRequest, run_id: Path[RunId], body: RunAgainIn | None = None
) -> HttpResponse:
    """Returns the new run's JSON text (see `access.exact`)."""
    body = body or DEFAULTS
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


@router.post(
    "/runs/{run_id}/example",
    response={
        200: SavedExampleOut,
        201: SavedExampleOut,
        202: ProposalOut,
        **errors(404, 409),
        **REFUSED,
    },
    auth=token_or_session("publish"),
    summary="Save a run as an example",
)
def save_run_as_example(
    request: HttpRequest, response: HttpResponse, run_id: Path[RunId], body: SaveExampleIn
) -> Status[SavedExampleOut] | Status[ProposalOut]:
    """Publishes the tool's next revision, with the parameters and the response of the run as a new example.

    202 if the tool belongs to someone else: then the spec with the example waits for their
    approval.

    The run must be live and have a response, and its parameters must be an object. Everyone who may
    see the tool can read them afterwards. It must be your own run. Administrators can save any run;
    a token also needs the scope `read` for that.
    """
    run = run_at(run_id, request.user)
    if run.by_id != request.user.pk and not is_administrator(request.user):
        raise NotAllowed(
            "Only the person who started this run and administrators can save it as an example."
        )
    tool = tool_for(request.user, "propose", run.tool.slug)
    current = revision_of(tool)
    try:
        spec = spec_with_run(run, current, description=body.description)
    except CannotSaveExample as error:
        raise refusal(str(error), "example.cannot-save", "") from None
    expected = body.revision or current.number
    publication = publish_or_hold(spec, by=actor(request), expected=expected, dry_run=body.dry_run)
    if isinstance(publication, Proposal):
        return Status(202, ProposalOut.of_proposal(publication))
    number = current.number + 1
    names = {"old_name": f"revision {current.number}", "new_name": f"revision {number}"}
    saved = SavedExampleOut(
        outcome="revised",
        revision=current.number if body.dry_run else number,
        dry_run=body.dry_run,
        example=len(spec.examples),
        difference=unified(current.source, spec.source, **names),
    )
    if not body.dry_run:
        response["ETag"] = publication.tool.etag
    return Status(200 if body.dry_run else 201, saved)


@router.get(
    "/tools/{slug}/run-statistics",
    response={200: StatisticsOut, **errors(404)},
    auth=open_to_all(),
    summary="Get the run statistics of a tool",
)
def get_run_statistics(request: HttpRequest, slug: str) -> StatisticsOut:
    """Statistics of the latest live runs of all users, as on the tool's page; without refused runs."""
    return StatisticsOut.of(statistics_of(tool_at(slug, request.user)))
