"""The page of similar tools, which a tool's page loads when the reader scrolls there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from catalog.listing.similar import similar_tools
from catalog.shortcuts import tool_at
from catalog.views.parts import part_or_page


@require_safe
def similar_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools most similar to a tool; an htmx request gets only the list."""
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "similar": similar_tools(tool, request.user)}
    return part_or_page(request, "catalog/similar/_list.html", "catalog/similar/page.html", context)
