"""Parts of a page with their own address, which it loads when the reader scrolls there."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers


def wants_part(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of a page.

    It asks for the whole page if it has lost the one to go back to.
    """
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def render_part_or_page(
    request: HttpRequest, part: str, page: str, context: dict[str, Any]
) -> HttpResponse:
    """Render the template `part` for a request of htmx, and the template `page` for all others."""
    template = part if wants_part(request) else page
    response = render(request, template, context)
    patch_vary_headers(response, ["HX-Request"])
    return response
