"""Shared by the API's operations: conditional requests, URLs, documented errors."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.urls import reverse
from django.utils.http import parse_etags
from ninja.errors import HttpError

from catalog.api import schemas
from catalog.errors import RevisionConflict
from catalog.models import Tool
from catalog.shortcuts import tool_at

REFUSED = {
    400: schemas.ErrorOut,
    401: schemas.ErrorOut,
    403: schemas.ErrorOut,
    413: schemas.ErrorOut,
    422: schemas.ErrorOut,
}


def etags_seen(request: HttpRequest) -> list[str] | None:
    """The entity tags in `If-Match`; None if it was not sent."""
    return parse_etags(request.headers["If-Match"]) if "If-Match" in request.headers else None


def seen_tool_at(request: HttpRequest, slug: str) -> Tool:
    """The tool, if its entity tag matches `If-Match`.

    Raises:
        HttpError: 428: `If-Match` is missing.
        RevisionConflict: the tool has changed.
    """
    seen = etags_seen(request)
    if not seen:
        raise HttpError(428, "Send `If-Match` with the `ETag` of the tool as you saw it.")
    tool = tool_at(slug)
    if not tool.is_as_seen(seen):
        raise RevisionConflict(f"The tool is at {tool.etag} now. Get it again and look at what changed.")
    return tool


def is_known(request: HttpRequest, etag: str) -> bool:
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in (one.removeprefix("W/") for one in known)


def not_modified(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag})


def url_of(operation: str, slug: str) -> str:
    return reverse(f"api:{operation}", args=[slug])
