"""The schemas of a check of real calls."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from pydantic import Field

from accounts.api_auth import actor, token_or_session
from accounts.rate_limits import UPLOAD_THROTTLES
from catalog.proposals.actions import current_revision
from catalog.uploads.request_body import spec_text
from playground.real_calls.checks import Checked, RealCalls, check_real_calls
from playground.router import router
from toolshelf_core.api import bodies as openapi_bodies
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.api.schemas import Out
from toolspec.spec import read_spec


class FailingCallOut(Out):
    run: str = Field(validation_alias="run_id", description="The id of the run.")
    pointer: str = Field(description="JSON Pointer into the parameters or the response.")
    message: str = Field(description="The first reason.")


class CheckedCallsOut(Out):
    checked: int = Field(validation_alias="number")
    failing: int
    cut: bool = Field(
        validation_alias="is_cut",
        description="Whether there are more calls, or there was no time to check them all.",
    )
    first: list[FailingCallOut] = Field(
        validation_alias="shown", description="The latest of those that fail, at most 5."
    )


class CallCheckOut(Out):
    tool: str = Field(description="The id of the tool.")
    revision: int | None = Field(
        description=(
            "The number of its current revision; null if you see no such tool, "
            "which then has no calls."
        )
    )
    days: int = Field(description="Calls of this many days were checked.")
    calls: CheckedCallsOut = Field(description="`failing`: those that the spec would refuse.")
    responses: CheckedCallsOut | None = Field(
        description=(
            "`failing`: those that would not match the return type. null if they cannot be "
            "checked: without a return type, and for a tool of an OpenAPI document."
        )
    )


@router.post(
    "/specs/check-calls",
    response={200: CallCheckOut, **errors(429), **REFUSED},
    auth=token_or_session("read"),
    throttle=UPLOAD_THROTTLES,
    summary="Check recent calls against a spec",
    openapi_extra=openapi_bodies.SPEC_BODY,
    tags=["runs"],
)
def check_recent_calls(request: HttpRequest) -> CallCheckOut:
    """Count the live calls of the last 30 days that the spec would refuse.

    It also counts the responses that would not match it.

    The tool is not called and the spec is not stored. Only calls that you may read count, at most
    the latest 10,000; refused calls are left out, and a secret, which is not stored, counts as
    given.
    """
    spec = read_spec(spec_text(request), max_bytes=settings.MAX_SPEC_BYTES)
    current = current_revision(spec.tool_id, request.user)
    if current is None:
        found, number = RealCalls(Checked(), None), None
    else:
        found, number = check_real_calls(current.tool, spec, actor(request)), current.number
    return CallCheckOut.of(found, tool=spec.tool_id, revision=number)
