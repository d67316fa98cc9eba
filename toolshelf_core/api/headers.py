"""The headers of conditional requests: `If-Match` and `If-None-Match`."""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags

Response = TypeVar("Response", bound=HttpResponse)


def read_if_match(request: HttpRequest) -> list[str] | None:
    """The entity tags in `If-Match`; None if it was not sent."""
    header = request.headers.get("If-Match")
    if header is None:
        return None
    return parse_etags(header)


def is_known(request: HttpRequest, etag: str) -> bool:
    """Whether the client has this version already, according to `If-None-Match`."""
    etags = parse_etags(request.headers.get("If-None-Match", ""))
    return not {"*", etag, f"W/{etag}"}.isdisjoint(etags)


def not_modified(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag})
