"""The operations on checks of a tool's examples."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Path, Query, Status
from pydantic import Field, StringConstraints

from accounts.api_auth import actor, open_to_all, token_or_session
from accounts.roles import has_scope_of_token, is_administrator
from catalog.proposals.actions import PendingSpec, publish_or_hold
from catalog.proposals.schemas import ProposalOut
from catalog.tools.lookup import revision_of, tool_at, tool_for
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.schemas import ConfigurationIn
from playground.examples.checks import begin_check, wait_in_all
from playground.examples.models import ExampleCheck
from playground.examples.results import ExampleResult, results_of, sees_runs_of
from playground.examples.save_as_example import (
    MAX_DESCRIPTION_CHARACTERS,
    CannotSaveExample,
    spec_with_run,
)
from playground.router import router
from playground.runs.api_access import RunId, configuration_of, refusal
from playground.runs.lookup import run_at
from playground.runs.run_json import Outcome, ToolOfRun, Verdict
from playground.runs.schemas import MAX_WAIT_S
from toolshelf_core.api.problems import REFUSED, SpecProblemOut, errors
from toolshelf_core.api.schemas import MAX_NUMBER, EmptyIsNone, In, Out, Page, PageQuery, UserName
from toolshelf_core.errors import NotAllowed
from toolshelf_core.rendering.text_diff import write_unified

MAX_IGNORED = 50
MAX_CHECKS = 100  # on one page of a list


Pointer = Annotated[str, StringConstraints(pattern="^/", max_length=1000)]


class ExampleCheckIn(ConfigurationIn):
    exactly: bool = Field(
        True,
        description=(
            "Whether a response must equal the example's value; "
            "else it only has to match the return type."
        ),
    )
    ignored: list[Pointer] = Field(
        [],
        max_length=MAX_IGNORED,
        description="JSON Pointers into the response whose values may differ.",
    )
    wait_s: float = Field(
        0,
        strict=True,
        ge=0,
        le=MAX_WAIT_S,
        description="How long the request waits for the check to end.",
    )


class DifferenceOut(Out):
    pointer: str = Field(description="JSON Pointer into the response.")
    kind: Literal["changed", "added", "missing"] = Field(
        description="`added`: it is only in the response; `missing`: it is only in the example."
    )


class ResultDetailsOut(Out):
    run: str | None = Field(description="The id of the run; null if the tool was not called.")
    differences: list[DifferenceOut] = Field(description="At most 20.")
    parameters_problems: list[SpecProblemOut] = Field(
        description="Why the example's parameters are not valid."
    )
    return_problems: list[SpecProblemOut] = Field(
        description="Why the example's return value does not match `returnType`."
    )


class ExampleResultOut(Out):
    number: int = Field(description="The number of the example in the spec; it counts from 1.")
    description: str
    passed: bool | None = Field(description="null while its run is active.")
    message: str = Field(description='The first failure; "" if there is none.')
    outcome: Annotated[Outcome | None, EmptyIsNone] = Field(
        description="null if the tool was not called."
    )
    verdict: Annotated[Verdict | None, EmptyIsNone]
    duration_ms: float | None
    details: ResultDetailsOut | None = Field(
        description="The run and its differences; null unless you may read the runs of the check."
    )


class ExampleCheckSummary(Out):
    """A check without the results of its examples."""

    id: int
    tool: ToolOfRun
    current: bool = Field(description="Whether it is a check of the tool's current revision.")
    state: Literal["running", "passed", "failed"]
    passed: int = Field(
        description="The number of examples that passed; 0 while the check is running."
    )
    failed: int
    by: UserName
    exactly: bool
    ignored: list[str] | None = Field(description="null unless you may read the runs of the check.")
    factory: Annotated[str | None, EmptyIsNone]
    created_at: datetime
    finished_at: datetime | None


class ExampleCheckOut(ExampleCheckSummary):
    examples: list[ExampleResultOut]


class ExampleChecksOut(Page[ExampleCheckSummary]):
    pass


class ExampleChecksQuery(PageQuery):
    limit: int = Field(20, ge=1, le=MAX_CHECKS)
    cursor: str = Field(
        "", pattern="^([1-9][0-9]{0,17})?$", description="`next` of the previous page."
    )


DEFAULTS = ExampleCheckIn.model_validate({})


def find_checks(request: HttpRequest, slug: str) -> QuerySet[ExampleCheck]:
    """The checks of the tool `slug`, which the user must be able to see."""
    checks = ExampleCheck.objects.filter(tool=tool_at(slug, request.user))
    return checks.select_related("tool", "by", "revision")


def may_read_runs_of(request: HttpRequest, check: ExampleCheck) -> bool:
    """Whether the caller may read the runs of `check`.

    A token needs the scope `read`, or `run` for its user's own check.
    """
    if not sees_runs_of(check, request.user):
        return False
    if has_scope_of_token(request.user, "read"):
        return True
    return check.by_id == request.user.pk and has_scope_of_token(request.user, "run")


def describe_check(check: ExampleCheck, *, is_detailed: bool) -> dict[str, object]:
    """The members of a response that differ from the attributes of `check`."""
    state = {None: "running", True: "passed", False: "failed"}[check.has_passed]
    tool = {"id": check.tool.tool_id, "slug": check.tool.slug, "revision": check.revision.number}
    return {
        "tool": tool,
        "current": check.revision_id == check.tool.current_id,
        "state": state,
        "ignored": check.ignored if is_detailed else None,
    }


def result_out(result: ExampleResult, *, is_detailed: bool) -> ExampleResultOut:
    if not is_detailed:
        return ExampleResultOut.of(result.summary(), details=None)
    run_id = result.run.pk if result.run else None
    details = ResultDetailsOut.of(result, run=run_id)
    return ExampleResultOut.of(result, details=details)


def check_out(request: HttpRequest, check: ExampleCheck) -> ExampleCheckOut:
    is_detailed = may_read_runs_of(request, check)
    results = [result_out(result, is_detailed=is_detailed) for result in results_of(check)]
    facts = describe_check(check, is_detailed=is_detailed)
    return ExampleCheckOut.of(check, examples=results, **facts)


@router.post(
    "/tools/{slug}/example-checks",
    response={201: ExampleCheckOut, 202: ExampleCheckOut, **errors(404, 429), **REFUSED},
    auth=token_or_session("run"),
    summary="Check the examples of a tool",
    tags=["example checks"],
)
def create_example_check(
    request: HttpRequest, response: HttpResponse, slug: str, body: ExampleCheckIn | None = None
) -> Status[ExampleCheckOut]:
    """Calls the tool with the parameters of each example, and compares the responses.

    201 with the results if all calls have ended after `wait_s`, else 202; `Location` has the URL of
    the check.
    """
    body = body or DEFAULTS
    tool = tool_for(request.user, "run", slug)
    revision = revision_of(tool)
    if not compiled_spec_of(revision).spec.examples:
        message = "The spec has no examples, so there is nothing to check."
        raise refusal(message, "check.no-examples", "")
    check = begin_check(
        tool,
        revision,
        by=actor(request),
        configuration=configuration_of(request, tool, body),
        configuration_name=body.saved_configuration or "",
        exactly=body.exactly,
        ignored=body.ignored,
    )
    check = wait_in_all(check, body.wait_s)
    response["Location"] = reverse("api:get_example_check", args=[slug, check.pk])
    return Status(202 if check.has_passed is None else 201, check_out(request, check))


@router.get(
    "/tools/{slug}/example-checks",
    response={200: ExampleChecksOut, **errors(404, 422)},
    auth=open_to_all(),
    summary="List example checks of a tool",
    tags=["example checks"],
)
def list_example_checks(
    request: HttpRequest, slug: str, query: Query[ExampleChecksQuery]
) -> ExampleChecksOut:
    """Of all revisions, newest first, without the results of the examples."""
    checks = find_checks(request, slug).defer("revision__source")

    def summarize(check: ExampleCheck) -> ExampleCheckSummary:
        facts = describe_check(check, is_detailed=may_read_runs_of(request, check))
        return ExampleCheckSummary.of(check, **facts)

    return ExampleChecksOut.read(checks, query, convert=summarize)


@router.get(
    "/tools/{slug}/example-checks/{int:check}",
    response={200: ExampleCheckOut, **errors(404)},
    auth=open_to_all(),
    summary="Get an example check",
    tags=["example checks"],
    url_name="get_example_check",
)
def get_example_check(request: HttpRequest, slug: str, check: int) -> ExampleCheckOut:
    """Each example with its result.

    Everyone sees whether an example passes. Its run and the differences of the response are for the
    user who started the check (a token needs the scope `run` or `read`) and for administrators
    (`read`).
    """
    stored_check = None
    if check < 2**63:  # the database compares no larger number
        stored_check = find_checks(request, slug).filter(pk=check).first()
    if stored_check is None:
        raise Http404
    return check_out(request, stored_check)


class SaveExampleIn(In):
    description: str = Field(
        "",
        max_length=MAX_DESCRIPTION_CHARACTERS,
        description="What the example shows; it becomes one line.",
    )
    revision: int | None = Field(
        None,
        ge=1,
        le=MAX_NUMBER,
        description=(
            "The current revision as you have seen it: 409 if another one was published since."
        ),
    )
    dry_run: bool = Field(False, description="Store nothing; only report the change.")


class SavedExampleOut(Out):
    outcome: Literal["revised"]
    revision: int = Field(description="The current revision after the request.")
    dry_run: bool
    example: int = Field(description="The number of the example in the spec; it counts from 1.")
    difference: str = Field(description="The change of the text, as a unified diff.")


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
    """Publishes the tool's next revision, with the run as a new example.

    The example has the parameters and the response of the run.

    202 if the tool belongs to someone else: then the spec with the example waits for their
    approval.

    The run must be live and have a response, and its parameters must be an object. Everyone who may
    see the tool can read them afterwards. It must be your own run. Administrators can save any run;
    a token also needs the scope `read` for that.
    """
    run = run_at(run_id, request.user)
    if run.by_id != request.user.pk and not is_administrator(request.user):
        message = (
            "Only the person who started this run and administrators can save it as an example."
        )
        raise NotAllowed(message)
    tool = tool_for(request.user, "propose", run.tool.slug)
    current = revision_of(tool)
    try:
        spec = spec_with_run(run, current, description=body.description)
    except CannotSaveExample as error:
        raise refusal(str(error), "example.cannot-save", "") from None
    expected = body.revision or current.number
    publication = publish_or_hold(spec, by=actor(request), expected=expected, dry_run=body.dry_run)
    if isinstance(publication, PendingSpec):
        return Status(202, ProposalOut.of_proposal(publication))
    number = current.number + 1
    names = {"old_name": f"revision {current.number}", "new_name": f"revision {number}"}
    saved = SavedExampleOut(
        outcome="revised",
        revision=current.number if body.dry_run else number,
        dry_run=body.dry_run,
        example=len(spec.examples),
        difference=write_unified(current.source, spec.source, **names),
    )
    if not body.dry_run:
        response["ETag"] = publication.tool.etag
    return Status(200 if body.dry_run else 201, saved)
