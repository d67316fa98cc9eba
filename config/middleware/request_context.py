"""The identity of each request for the logs, the audit log, and the client (`X-Request-ID`)."""

from __future__ import annotations

import logging
import re
import secrets
import time
from functools import partial
from typing import Final

from django.db import DatabaseError
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts import rate_limits
from accounts.cell_rate import Rate, memory_rates
from accounts.models import ApiToken, User
from config.middleware.base import Middleware
from playground.mcp.protocol import is_mcp
from toolshelf_core import audit, log_context
from toolshelf_core.client_address import network_of, read_client_address

_ID: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")
RECORDED_REFUSALS: Final = Rate(10, 60)
NOT_LOGGED: Final = ("/healthz", "/readyz", "/metrics")

log = logging.getLogger("toolshelf.requests")


class RequestContextMiddleware(Middleware):
    """Gives each request an id, the sender's or a new one; the logs name it and the actor."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        request_id = request.headers.get("X-Request-ID", "")
        if not _ID.fullmatch(request_id):
            request_id = secrets.token_hex(16)
        facts = log_context.bind(
            request_id=request_id,
            method=request.method,
            path=request.path,
            person_id=partial(find_known_person, request),
        )
        origin = audit.Origin(
            interface_of(request.path_info), partial(actor_of, request, request_id)
        )
        with facts, audit.act_for(origin), rate_limits.collect():
            response = self.get_response(request)
            record_refusal(request, response.status_code)
            response["X-Request-ID"] = request_id
            for name, value in rate_limits.headers().items():
                response[name] = value
            if request.path_info not in NOT_LOGGED and log.isEnabledFor(logging.INFO):
                status = response.status_code
                duration_ms = round((time.perf_counter() - began) * 1000, 1)
                extra = {"facts": {"status": status, "duration_ms": duration_ms}}
                log.info("%s %s %s", request.method, request.path, status, extra=extra)
            return response


def record_refusal(request: HttpRequest, status: int) -> None:
    """Record that a person or a token may not do what it asked for; visitors are not recorded.

    At most `RECORDED_REFUSALS` of a network are recorded, so that nobody can fill the disk.
    """
    if status not in {401, 403}:
        return
    user = getattr(request, "user", None)
    if "Authorization" not in request.headers and not (user and user.is_authenticated):
        return
    client = f"recorded refusals {network_of(request)}"
    if memory_rates.take(client, RECORDED_REFUSALS).wait_s:
        return
    try:
        audit.record(
            "request.refused",
            "request",
            request.path,
            after={"method": request.method, "status": status},
        )
    except DatabaseError as error:  # the disk may be full, but the response is right
        logging.getLogger(__name__).warning("A refused request could not be recorded: %s", error)


def interface_of(path: str) -> audit.Interface:
    if path.startswith("/api/"):
        return "api"
    return "mcp" if is_mcp(path) else "page"


def actor_of(request: HttpRequest, request_id: str) -> audit.Actor:
    """The person, the token and the address of a request, as far as they are known now."""
    token = getattr(request, "auth", None)
    return audit.Actor.of(
        getattr(request, "user", None),
        client=f"token {token}" if isinstance(token, ApiToken) else "",
        address=read_client_address(request)[:64],
        request_id=request_id,
    )


def find_known_person(request: HttpRequest) -> int | None:
    """The id of the request's person, if the session has been read: a log line does not read it."""
    user = getattr(request, "_cached_user", None) or request.__dict__.get("user")
    # A lazy object looks like a user, and reads the session.
    if isinstance(user, User) and (type(user) is User or hasattr(request, "_cached_user")):
        return user.pk
    return None
