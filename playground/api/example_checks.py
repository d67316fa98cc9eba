"""The API's operations for checks of a tool's examples.

Everyone may read a check, as on its page. The runs are private like other runs: only those who may
read them see which run it was and where its response differs (`sees_runs_of`).
"""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Query, Status

from catalog.accounts.api_auth import actor, open_to_all, token_or_session
from catalog.accounts.roles import has_scope_of_token
from catalog.api.schemas.problems import REFUSED, errors
from catalog.shortcuts import revision_of, tool_at, tool_for
from playground.api.access import configuration_of, refusal
from playground.api.router import router
from playground.api.schemas.example_checks import (
    ExampleCheckIn,
    ExampleCheckOut,
    ExampleChecksOut,
    ExampleChecksQuery,
    ExampleCheckSummary,
    ExampleResultOut,
    ResultDetailsOut,
)
from playground.compiled_spec import compiled_spec_of
from playground.example_checks import begin_check, wait_in_all
from playground.examples.results import ExampleResult, results_of, sees_runs_of
from playground.models import ExampleCheck

DEFAULTS = ExampleCheckIn.model_validate({})


def may_read_runs_of(request: HttpRequest, check: ExampleCheck) -> bool:
    """Whether the caller may read the runs of `check`: a token needs `read`, or `run` for its user's own check."""
    if not sees_runs_of(check, request.user):
        return False
    return has_scope_of_token(request.user, "read") or (
        has_scope_of_token(request.user, "run") and check.by_id == request.user.pk
    )


def members(check: ExampleCheck, *, is_detailed: bool) -> dict[str, object]:
    """The members of a response that differ from the attributes of `check`."""
    state = "running" if check.has_passed is None else "passed" if check.has_passed else "failed"
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
    details = ResultDetailsOut.of(result, run=result.run.pk if result.run else None)
    return ExampleResultOut.of(result, details=details)


def check_out(request: HttpRequest, check: ExampleCheck) -> ExampleCheckOut:
    is_detailed = may_read_runs_of(request, check)
    results = [result_out(result, is_detailed=is_detailed) for result in results_of(check)]
    return ExampleCheckOut.of(check, examples=results, **members(check, is_detailed=is_detailed))


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
        raise refusal(
            "The spec has no examples, so there is nothing to check.", "check.no-examples", ""
        )
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
    checks = ExampleCheck.objects.filter(tool=tool_at(slug, request.user)).select_related(
        "tool", "by", "revision"
    )

    def summarize(check: ExampleCheck) -> ExampleCheckSummary:
        facts = members(check, is_detailed=may_read_runs_of(request, check))
        return ExampleCheckSummary.of(check, **facts)

    return ExampleChecksOut.read(checks.defer("revision__source"), query, convert=summarize)


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
    checks = ExampleCheck.objects.filter(tool=tool_at(slug, request.user)).select_related(
        "tool", "by", "revision"
    )
    found = checks.filter(pk=check).first() if check < 2**63 else None
    if found is None:
        raise Http404
    return check_out(request, found)
