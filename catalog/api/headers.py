"""Headers: conditional requests (`If-Match`, `If-None-Match`), and responses about deprecated tools.

Source: RFC 9745, "The Deprecation HTTP Response Header Field"; RFC 5829 (successor-version).
"""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.urls import reverse
from django.utils.http import parse_etags
from ninja.errors import HttpError

from catalog.indexing import require_seen
from catalog.models import Tool
from catalog.shortcuts import tool_at

Response = TypeVar("Response", bound=HttpResponse)


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


def add_deprecation_headers(response: Response, tool: Tool) -> Response:
    """If the tool is deprecated, add `Deprecation` (the date) and a link to the successor."""
    if tool.deprecated_at:
        response["Deprecation"] = f"@{int(tool.deprecated_at.timestamp())}"
        if tool.superseded_by:
            address = reverse("api:get_tool", args=[tool.superseded_by.slug])
            response["Link"] = f'<{address}>; rel="successor-version"'
    return response
