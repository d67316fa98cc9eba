"""The headers of conditional requests: `If-Match` and `If-None-Match`."""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

Response = TypeVar("Response", bound=HttpResponse)


def etags_seen(request: HttpRequest) -> list[str] | None:
    """The entity tags in `If-Match`; None if it was not sent."""
    return parse_etags(request.headers["If-Match"]) if "If-Match" in request.headers else None


def is_known(request: HttpRequest, etag: str) -> bool:
    """Whether the client has this version already, according to `If-None-Match`."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in (one.removeprefix("W/") for one in known)


def not_modified(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag})
