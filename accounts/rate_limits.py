"""Limits on how often one person or one address may call the API, upload and start runs.

All interfaces to one action share its limit: pages, the API and MCP. Commands have none. A request
that exceeds a limit gets 429 with `Retry-After`; every counted request tells the client its limits
and the remaining numbers. The rates are settings, with defaults that a program that uploads
thousands of specs one by one does not reach.

Without Redis, each process of the server counts alone, so a client gets up to `WEB_PROCESSES` times
a rate.

Source of the headers: draft-ietf-httpapi-ratelimit-headers-10, "RateLimit header fields for HTTP".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from accounts.cell_rate import Quota, Rate, count_request, memory_rates
from accounts.models import User
from toolshelf_core import audit
from toolshelf_core.client_address import network_of
from toolshelf_core.errors import Busy

EXPORTS: Final = Rate(20, 60)  # of up to 500 tools each
SIGN_IN_STARTS: Final = Rate(120, 60)  # a whole office may share one address
MOCKS: Final = Rate(120, 60)  # likewise
VISITOR_RUNS: Final = Rate(40, 600)  # each may take 10 s of one of two slots
RECORDED: Final = Rate(3, 600)  # events of the audit log for each client that exceeds a limit
# Likewise, and a form that is filled in sends what is typed after each short pause.
FORMS: Final = Rate(600, 60)
LARGE_FORMS: Final = Rate(30, 60)
LARGE_FORM_BYTES: Final = 64 * 1024

# Each limit raises `Busy` if there were too many requests of this person or, without an account,
# from this address.


def limit_api_requests(request: HttpRequest) -> None:
    if not isinstance(request.user, User):
        limit_requests_of_address(request)
        return
    client = f"api {_client_named(request.user)}"
    _take("person", client, settings.API_RATE, "You have sent too many requests")


def limit_requests_of_address(request: HttpRequest) -> None:
    """Count a request to the API by its address: it has no valid token."""
    client = f"api {network_of(request)}"
    _take("visitor", client, settings.API_RATE, "You have sent too many requests")


def limit_uploads(request: HttpRequest) -> None:
    """Count an upload of one or more specs, or a check of a spec."""
    client = f"upload {_client_of(request)}"
    _take("uploads", client, settings.UPLOAD_RATE, "You have uploaded too often")


def limit_previews(request: HttpRequest) -> None:
    """Count a check of text typed on the upload page.

    The limit is that of uploads, but they are counted separately.
    """
    client = f"preview {_client_of(request)}"
    _take("previews", client, settings.UPLOAD_RATE, "You have checked specs too often")


def limit_exports(request: HttpRequest) -> None:
    """Count an export of several tools on a page."""
    _take("exports", f"export {_client_of(request)}", EXPORTS, "You have exported too often")


def limit_run_starts(person: User) -> None:
    client = f"run {_client_named(person)}"
    _take("runs", client, settings.RUN_RATE, "You have started too many runs")


def limit_unsaved_mocks(request: HttpRequest) -> None:
    """Count a mock that is not stored."""
    client = f"mock {network_of(request)}"
    _take("mocks", client, MOCKS, "Your address has requested too many mocks")


def limit_visitor_runs(request: HttpRequest) -> None:
    """Count a live run that somebody starts who may not run tools."""
    complaint = "Your address has started too many runs"
    _take("visitor-runs", f"visitor run {network_of(request)}", VISITOR_RUNS, complaint)


def limit_forms_of_visitors(request: HttpRequest) -> None:
    """Count a form of somebody without an account: to read and draw a large one costs much time."""
    network = network_of(request)
    complaint = "Your address has sent too many forms"
    _take("forms", f"form {network}", FORMS, complaint)
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGE_FORM_BYTES:
        complaint += f" of more than {LARGE_FORM_BYTES:,} bytes"
        _take("large-forms", f"large form {network}", LARGE_FORMS, complaint)


def limit_sign_in_starts(request: HttpRequest) -> None:
    """Count a sign-in that begins with a provider or a passkey: each stores a session."""
    complaint = "Too many people are signing in from your address"
    _take("sign-ins", f"sign-in {network_of(request)}", SIGN_IN_STARTS, complaint)


class Throttle(BaseThrottle):
    """One of the limits above for operations of the API.

    It raises `Busy`: ninja's own refusal names no limit.
    """

    def __init__(self, limit: Callable[[HttpRequest], None]) -> None:
        self._limit = limit

    def allow_request(self, request: HttpRequest) -> bool:
        self._limit(request)
        return True


API_THROTTLES: Final[list[BaseThrottle]] = [Throttle(limit_api_requests)]
# An operation's own throttles replace those of the API, so it lists both.
UPLOAD_THROTTLES: Final[list[BaseThrottle]] = [*API_THROTTLES, Throttle(limit_uploads)]


# -- response headers ---------------------------------------------------------------------------

_counted: ContextVar[dict[str, Quota] | None] = ContextVar("counted_rates", default=None)


@contextmanager
def collect() -> Iterator[None]:
    """Collect the limits that count the request of a block, for `headers`."""
    token = _counted.set({})
    try:
        yield
    finally:
        _counted.reset(token)


def headers() -> dict[str, str]:
    """`RateLimit` and `RateLimit-Policy` of the current request; {} if no limit counted it."""
    quotas = _counted.get()
    if not quotas:
        return {}
    policies, limits = [], []
    for name, quota in quotas.items():
        policies.append(f'"{name}";q={quota.rate.requests};w={quota.rate.seconds}')
        limits.append(f'"{name}";r={quota.remaining};t={math.ceil(quota.reset_s)}')
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(limits)}


# -- counting -----------------------------------------------------------------------------------


def _client_of(request: HttpRequest) -> str:
    """The person or, without an account, the address."""
    return _client_named(request.user) if isinstance(request.user, User) else network_of(request)


def _client_named(person: User) -> str:
    return f"person {person.pk}"


def _take(name: str, client: str, rate: Rate | None, complaint: str) -> None:
    """Count a request of `client` for the limit `name`; without a rate there is no limit.

    Raises:
        Busy: it is refused; `complaint` begins the reason.
    """
    if rate is None:
        return
    quota = count_request(client, rate)
    quotas = _counted.get()
    if quotas is not None:
        quotas[name] = quota
    if not quota.wait_s:
        return
    # A client that goes on is recorded rarely.
    if not memory_rates.take(f"recorded {client}", RECORDED).wait_s:
        audit.record("request.limited", "limit", name, after={"limit": str(rate)})
    message = f"{complaint}: at most {rate} are allowed."
    raise Busy(message, retry_after_s=math.ceil(quota.wait_s))
