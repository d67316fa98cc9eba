"""Suggestions of the palette (Ctrl+K) and of the search field of the list."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Final

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.results import page_of
from catalog.listing.suggestions import suggestions_for
from catalog.models import Audience
from catalog.rendering.markdown import as_line

TOOLS_SHOWN: Final = 8


@require_safe
def palette_entries(request: HttpRequest) -> JsonResponse:
    """The first tools that match `?q=`, and suggestions that can replace the query from position `start` on.

    {"tools": [{"name", "id", "href", "text"}], "start", "suggestions": [{"text", "note"}]}, where
    the text of a tool is the start of its description.
    """
    search = replace(CatalogSearch.from_query(request.GET, request.user), limit=TOOLS_SHOWN)
    tools = [result.tool for result in page_of(search).results] if search.words.strip() else []
    start, suggestions = suggestions_for(search.words, search.visibility)
    return JsonResponse(
        {
            "tools": [
                {
                    "name": tool.name,
                    "id": tool.tool_id,
                    "href": tool.get_absolute_url(),
                    "text": as_line(tool.description),
                }
                for tool in tools
            ],
            "start": start,
            "suggestions": [asdict(one) for one in suggestions],
        }
    )


@require_safe
def query_suggestions(request: HttpRequest) -> JsonResponse:
    """Replacements for the end of `?q=` from `start` on: {"start", "suggestions": [{"text", "note"}]}."""
    query = request.GET.get("q", "")
    start, found = suggestions_for(query, Audience.objects.visibility_for(request.user))
    return JsonResponse({"start": start, "suggestions": [asdict(one) for one in found]})
