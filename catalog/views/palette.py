"""The tools that the palette (Ctrl+K) offers for what is typed into it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe

from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.results import page_of
from catalog.markdown import as_line

TOOLS_SHOWN: Final = 8


@require_safe
def palette_tools(request: HttpRequest) -> JsonResponse:
    """The first tools that match `?q=`: {"tools": [{"name", "id", "href", "text"}]}, `text` the description's start."""
    search = replace(CatalogSearch.from_query(request.GET, request.user), limit=TOOLS_SHOWN)
    tools = [result.tool for result in page_of(search).results] if search.words.strip() else []
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
            ]
        }
    )
