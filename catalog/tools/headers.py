"""The headers of requests and responses about one tool: its entity tag, and its deprecation.

Source: RFC 9745, "The Deprecation HTTP Response Header Field"; RFC 5829 (successor-version).
"""

from __future__ import annotations

from django.http import HttpRequest
from django.urls import reverse
from ninja.errors import HttpError

from catalog.tools.indexing import require_seen
from catalog.tools.lookup import tool_at
from catalog.tools.models import Tool
from toolshelf_core.api.headers import Response, read_if_match


def seen_tool_at(request: HttpRequest, slug: str) -> Tool:
    """The tool, if its entity tag matches `If-Match`.

    Raises:
        HttpError: 428: `If-Match` is missing.
        RevisionConflict: the tool has changed.
    """
    seen = read_if_match(request)
    if not seen:
        raise HttpError(428, "Send `If-Match` with the `ETag` of the tool as you last read it.")
    tool = tool_at(slug, request.user)
    require_seen(tool, seen)
    return tool


def add_deprecation_headers(response: Response, tool: Tool) -> Response:
    """If the tool is deprecated, add `Deprecation` (the date) and a link to the successor."""
    if tool.deprecated_at:
        response["Deprecation"] = f"@{int(tool.deprecated_at.timestamp())}"
        if tool.superseded_by:
            address = reverse("api:get_tool", args=[tool.superseded_by.slug])
            response["Link"] = f'<{address}>; rel="successor-version"'
    return response
