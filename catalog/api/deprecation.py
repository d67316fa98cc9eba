"""The headers of responses about a deprecated tool.

Source: RFC 9745, "The Deprecation HTTP Response Header Field"; RFC 5829 (successor-version).
"""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpResponse
from django.urls import reverse

from catalog.models import Tool

Response = TypeVar("Response", bound=HttpResponse)


def add_deprecation_headers(response: Response, tool: Tool) -> Response:
    """If the tool is deprecated, add `Deprecation` (the date) and a link to the successor."""
    if tool.deprecated_at:
        response["Deprecation"] = f"@{int(tool.deprecated_at.timestamp())}"
        if tool.superseded_by:
            address = reverse("api:get_tool", args=[tool.superseded_by.slug])
            response["Link"] = f'<{address}>; rel="successor-version"'
    return response
