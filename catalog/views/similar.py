"""The page of tools that are like another one, which a tool's page fetches when a reader gets there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_safe

from catalog.listing.similar import similar_tools
from catalog.shortcuts import tool_at


@require_safe
def similar_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools that are most like a tool; an htmx request gets the list alone."""
    tool = tool_at(slug)
    wants_part = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    template = "catalog/similar/_list.html" if wants_part else "catalog/similar/page.html"
    response = render(request, template, {"tool": tool, "similar": similar_tools(tool)})
    patch_vary_headers(response, ["HX-Request"])
    return response
