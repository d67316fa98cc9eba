"""Conditional requests: `If-Match` and `If-None-Match`."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.utils.http import parse_etags
from ninja.errors import HttpError

from catalog.indexing import require_seen
from catalog.models import Tool
from catalog.shortcuts import tool_at


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
        raise HttpError(428, "Send `If-Match` with the `ETag` of the tool as you last read it.")
    tool = tool_at(slug, request.user)
    require_seen(tool, seen)
    return tool


def is_known(request: HttpRequest, etag: str) -> bool:
    """Whether the client has this version already, according to `If-None-Match`."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in (one.removeprefix("W/") for one in known)


def not_modified(etag: str) -> HttpResponse:
    return HttpResponseNotModified(headers={"ETag": etag})
