"""Parts of a tool's page that have their own address: the page loads them when the reader scrolls there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def part_or_page(request: HttpRequest, part: str, page: str, context: dict[str, Any]) -> HttpResponse:
    """Render the template `part` for a request of htmx, and the template `page` for all others."""
    wants_part = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    response = render(request, part if wants_part else page, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
