"""The API's operation that checks the live calls of the last 30 days against a spec."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from catalog.accounts.api_auth import actor, token_or_session
from catalog.accounts.rate_limits import UPLOAD_THROTTLES
from catalog.api import openapi_bodies
from catalog.api.request_body import spec_text
from catalog.api.schemas.problems import REFUSED, errors
from catalog.held_changes import current_revision
from playground.api.router import router
from playground.api.schemas.real_calls import CallCheckOut
from playground.run_pages.real_calls import Checked, RealCalls, check_real_calls
from toolspec.spec import read_spec


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
    """How many live calls of the last 30 days the spec would refuse, and how many responses would not match it.

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
