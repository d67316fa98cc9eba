"""Limits on how often one token, one person and one address may call the API, upload and start runs.

All interfaces to one action share its limit: pages, the API and MCP. Commands have none. A request that exceeds a limit
gets 429 with `Retry-After`; every counted request tells the client its limits and the remaining numbers. The rates are
settings, with defaults that a program that uploads thousands of specs one by one does not reach.

Source of the headers: draft-ietf-httpapi-ratelimit-headers-10, "RateLimit header fields for HTTP".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final, NamedTuple

from django.conf import settings
from django.http import HttpRequest
from ninja.throttling import BaseThrottle

from catalog import audit
from catalog.accounts.client_address import network_of
from catalog.accounts.models import ApiToken, User
from catalog.accounts.redis_rates import RedisRates
from catalog.accounts.shared_rates import Quota, Rate, SharedRates
from catalog.errors import Busy

EXPORTS: Final = Rate(20, 60)  # of up to 500 tools each
SIGN_IN_STARTS: Final = Rate(120, 60)  # a whole office may share one address
MOCKS: Final = Rate(120, 60)  # likewise
RECORDED: Final = Rate(3, 600)  # events of the audit log for each client that exceeds a limit
FORMS: Final = Rate(
    600, 60
)  # likewise, and a form that is filled in sends what is typed after each short pause
LARGE_FORMS: Final = Rate(30, 60)
LARGE_FORM_BYTES: Final = 64 * 1024
shared_rates: Final = (
    SharedRates()
)  # created when the server loads its modules, before it forks its processes


class Policy(NamedTuple):
    """One limit of a request. `name` is for the headers, `client` is counted, `complaint` begins the refusal."""

    name: str
    client: str
    rate: Rate | None  # None: no limit
    complaint: str


def limit_api_requests(request: HttpRequest) -> None:
    """Count a request to the API by its token, its person and its address.

    Raises:
        Busy: there were too many requests of one of them.
    """
    network = network_of(request)
    policies = [_address_policy(network)]
    if isinstance(request.user, User):
        client = _client_named(request.user)
        policies.append(
            Policy("person", f"api {client}", settings.API_RATE, "You have sent too many requests")
        )
        token = getattr(request, "auth", None)
        if isinstance(token, ApiToken):
            complaint = "This token was used for too many requests"
            policies.append(
                Policy("token", f"token {token.pk}", settings.API_TOKEN_RATE, complaint)
            )
    else:
        policies.append(_visitor_policy(network))
    _take(policies)


def limit_requests_of_address(request: HttpRequest) -> None:
    """Count a request to the API by its address alone: its token is not valid.

    Raises:
        Busy: there were too many requests from this address.
    """
    network = network_of(request)
    _take([_address_policy(network), _visitor_policy(network)])


def limit_uploads(request: HttpRequest) -> None:
    """Count an upload of one or more specs, or a check of a spec.

    Raises:
        Busy: there were too many of this person or, without an account, from this address.
    """
    _take(
        [
            Policy(
                "uploads",
                f"upload {_client_of(request)}",
                settings.UPLOAD_RATE,
                "You have uploaded too often",
            )
        ]
    )


def limit_previews(request: HttpRequest) -> None:
    """Count a check of text typed on the upload page: the limit is that of uploads, but they are counted separately.

    Raises:
        Busy: there were too many of this person.
    """
    complaint = "You have checked specs too often"
    _take([Policy("previews", f"preview {_client_of(request)}", settings.UPLOAD_RATE, complaint)])


def limit_exports(request: HttpRequest) -> None:
    """Count an export of several tools on a page.

    Raises:
        Busy: there were too many of this person or, without an account, from this address.
    """
    _take(
        [Policy("exports", f"export {_client_of(request)}", EXPORTS, "You have exported too often")]
    )


def limit_run_starts(person: User) -> None:
    """Count a run that `person` starts.

    Raises:
        Busy: there were too many.
    """
    complaint = "You have started too many runs"
    _take([Policy("runs", f"run {_client_named(person)}", settings.RUN_RATE, complaint)])


def limit_unsaved_mocks(request: HttpRequest) -> None:
    """Count a mock that is not stored.

    Raises:
        Busy: there were too many from this address.
    """
    complaint = "Your address has requested too many mocks"
    _take([Policy("mocks", f"mock {network_of(request)}", MOCKS, complaint)])


def limit_forms_of_visitors(request: HttpRequest) -> None:
    """Count a form that somebody without an account sends: reading and drawing it costs time, a large one much.

    Raises:
        Busy: there were too many from this address.
    """
    network = network_of(request)
    complaint = "Your address has sent too many forms"
    policies = [Policy("forms", f"form {network}", FORMS, complaint)]
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGE_FORM_BYTES:
        complaint = f"Your address has sent too many forms of more than {LARGE_FORM_BYTES:,} bytes"
        policies.append(Policy("large-forms", f"large form {network}", LARGE_FORMS, complaint))
    _take(policies)


def limit_sign_in_starts(request: HttpRequest) -> None:
    """Count a sign-in that begins with a provider or a passkey: each stores a session.

    Raises:
        Busy: there were too many from this address.
    """
    complaint = "Too many people are signing in from your address"
    _take([Policy("sign-ins", f"sign-in {network_of(request)}", SIGN_IN_STARTS, complaint)])


class Throttle(BaseThrottle):
    """One of the limits above for operations of the API. It raises `Busy`: ninja's own refusal names no limit."""

    def __init__(self, limit: Callable[[HttpRequest], None]) -> None:
        self._limit = limit

    def allow_request(self, request: HttpRequest) -> bool:
        self._limit(request)
        return True


API_THROTTLES: Final[list[BaseThrottle]] = [Throttle(limit_api_requests)]
# An operation's own throttles replace those of the API, so it lists both.
UPLOAD_THROTTLES: Final[list[BaseThrottle]] = [*API_THROTTLES, Throttle(limit_uploads)]


# -- response headers -------------------------------------------------------------------------------------------------

Counted = dict[str, Quota]
_counted: ContextVar[Counted | None] = ContextVar("counted_rates", default=None)


@contextmanager
def collected() -> Iterator[None]:
    """Collect the limits that count the request of a block, for `headers`."""
    token = _counted.set({})
    try:
        yield
    finally:
        _counted.reset(token)


def headers() -> dict[str, str]:
    """`RateLimit` and `RateLimit-Policy` of the current request; {} if no limit counted it."""
    counted = _counted.get()
    if not counted:
        return {}
    policies = (
        f'"{name}";q={quota.rate.requests};w={quota.rate.seconds}'
        for name, quota in counted.items()
    )
    left = (
        f'"{name}";r={quota.remaining};t={max(0, math.ceil(quota.ahead_s))}'
        for name, quota in counted.items()
    )
    return {"RateLimit-Policy": ", ".join(policies), "RateLimit": ", ".join(left)}


# -- counting ---------------------------------------------------------------------------------------------------------


def _address_policy(network: str) -> Policy:
    complaint = "Your address has sent too many requests"
    return Policy("address", f"address {network}", settings.API_ADDRESS_RATE, complaint)


def _visitor_policy(network: str) -> Policy:
    return Policy(
        "visitor", f"api {network}", settings.API_ANONYMOUS_RATE, "You have sent too many requests"
    )


def _client_of(request: HttpRequest) -> str:
    """The person or, without an account, the address."""
    return _client_named(request.user) if isinstance(request.user, User) else network_of(request)


def _client_named(person: User) -> str:
    return f"person {person.pk}"


def _take(policies: Iterable[Policy]) -> None:
    limited = [(policy, policy.rate) for policy in policies if policy.rate is not None]
    if not limited:
        return
    found = _rates(settings.REDIS_URL).take_all([(policy.client, rate) for policy, rate in limited])
    counted = _counted.get()
    if counted is not None:
        counted.update(
            (policy.name, quota) for (policy, _), quota in zip(limited, found, strict=True)
        )
    (policy, rate), slowest = max(zip(limited, found, strict=True), key=lambda pair: pair[1].wait_s)
    if slowest.wait_s:
        message = f"{policy.complaint}: at most {rate} are allowed."
        _record_excess(policy, rate)
        raise Busy(message, retry_after_s=math.ceil(slowest.wait_s))


def _record_excess(policy: Policy, rate: Rate) -> None:
    """Record in the audit log that a limit was exceeded; a client that goes on is recorded rarely."""
    if not shared_rates.take(f"recorded {policy.client}", RECORDED):
        audit.record("request.limited", "limit", policy.name, after={"limit": str(rate)})


@cache
def _rates(redis_url: str) -> SharedRates | RedisRates:
    """The numbers in Redis if there is one, else in memory."""
    return RedisRates(redis_url, shared_rates) if redis_url else shared_rates
