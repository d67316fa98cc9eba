"""The catalog's pages: the first page, the list, and one tool with what is similar to it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Final

from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from catalog.access.models import Audience
from catalog.search.catalog_search import CatalogSearch
from catalog.search.comparison import compare_sections
from catalog.search.facets import Facet, facets_key, facets_of, immediate_facets, uncounted_facets
from catalog.search.figures import find_card
from catalog.search.results import numbered_pages, page_of, results_of
from catalog.search.similar import similar_tools
from catalog.search.sorting import SORTS
from catalog.search.suggestions import suggestions_for
from catalog.search.toolkit_groups import groups_of, toolkit_pages
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.models import Tool
from catalog.tools.page import SpecText
from catalog.tools.views import tool_page
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache
from toolshelf_core.page_parts import render_part_or_page, wants_part
from toolshelf_core.rendering.markdown import as_line
from toolshelf_core.rendering.text_diff import compare

MAX_DIGITS: Final = 7  # of a page number

_lists: LRUCache[SafeString] = LRUCache(max_weight=MAX_CHARACTERS, weigh=len)


@require_safe
def tool_list(request: HttpRequest) -> HttpResponse:
    """List the tools that match `?q=` and the facets; an htmx request gets only the results.

    The results are rendered again only after the catalog has changed.
    """
    search = CatalogSearch.from_query(request.GET, request.user)
    counted = immediate_facets(search)
    number = _page_number(request)
    key = (facets_key(search), counted is not None, number)
    results = _lists.get_or_compute(
        key,
        lambda: _results(
            search,
            number,
            counted or uncounted_facets(search),
            counted=counted is not None,
        ),
    )
    response = (
        HttpResponse(results) if wants_part(request) else _list_page(request, search, results)
    )
    patch_vary_headers(response, ["HX-Request"])
    return response


def _list_page(request: HttpRequest, search: CatalogSearch, results: SafeString) -> HttpResponse:
    context = {"search": search, "results": results}
    return render(request, "catalog/search/tool_list.html", context)


def _page_number(request: HttpRequest) -> int:
    """The number in `?page=`. It usually comes from a link, so an invalid one is the first page."""
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS else 1


def _results(
    search: CatalogSearch, number: int, facets: tuple[Facet, ...], *, counted: bool
) -> SafeString:
    context: dict[str, Any] = {
        "search": search,
        "facets": facets,
        "facets_url": None if counted else f"{reverse('catalog:facets')}{search.address()}",
        "sorts": _sorts(search),
        "toolkit": find_card(search.toolkit_key, search.visibility),
    }
    if search.is_grouped and search.catalog_size:
        toolkits = toolkit_pages(search).get_page(number)
        context["groups"] = groups_of(search, toolkits)
        sizes = toolkits.paginator.object_list
        context["toolkits"] = sum(size.key != "" for size in sizes)
        context["tools"] = sum(size.tools for size in sizes)
        context |= _pagination_context(search, toolkits, f"Toolkits {_range(toolkits)}")
    else:
        current = numbered_pages(search).get_page(number)
        page = results_of(search, current)
        context["page"] = page
        context |= _pagination_context(
            search, current, f"{_range(current)}{'' if page.counted else '+'}"
        )
    return render_to_string("catalog/search/_results.html", context)


def _sorts(search: CatalogSearch) -> list[tuple[str, bool, str]]:
    """The orders of a list: the name, whether it is this one, and the URL's query."""
    labels = dict(SORTS)
    if search.is_grouped or (search.is_list and not search.narrowed):
        labels[""] = "Toolkits"
    elif search.is_list:
        labels[""] = labels.pop("runnable")
    return [
        (label, sort == search.sort, replace(search, sort=sort).address())
        for sort, label in labels.items()
    ]


def _range(page: Page[Any]) -> str:
    return f"{page.start_index():,} to {page.end_index():,} of {page.paginator.count:,}"


def _pagination_context(search: CatalogSearch, page: Page[Any], summary: str) -> dict[str, Any]:
    """The context of `_pagination.html` for a list whose pages have numbers."""
    pages = page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1)
    return {
        "previous_url": search.address(page=page.number - 1) if page.has_previous() else None,
        "next_url": search.address(page=page.number + 1) if page.has_next() else None,
        "pages": [
            (
                number,
                search.address(page=number) if isinstance(number, int) else "",
                number == page.number,
            )
            for number in pages
        ],
        "summary": summary,
    }


@require_safe
def facet_list(request: HttpRequest) -> HttpResponse:
    """The facets of a list with their counts, which the list page of a large catalog requests after the results.

    A browser without JavaScript gets the whole page with counts.
    """
    search = CatalogSearch.from_query(request.GET, request.user)
    facets = facets_of(search)
    if request.htmx:  # type: ignore[attr-defined]
        response = render(
            request, "catalog/search/_facets.html", {"search": search, "facets": facets}
        )
    else:
        results = _results(search, _page_number(request), facets, counted=True)
        response = _list_page(request, search, results)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def similar_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools most similar to a tool; an htmx request gets only the list."""
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "similar": similar_tools(tool, request.user)}
    return render_part_or_page(
        request, "catalog/search/similar/_list.html", "catalog/search/similar/page.html", context
    )


@require_safe
def compare_tools(request: HttpRequest, slug: str, other: str) -> HttpResponse:
    """The properties of two tools side by side; `?view=` unfolds the differences of their specs.

    The slug of one tool may have two dots too.
    """
    path = f"{slug}..{other}"
    if Tool.objects.filter(slug=path).exists():
        return tool_page(request, path)
    slug, other = _split_slugs(path)
    old, new = tool_at(slug, request.user), tool_at(other, request.user)
    texts = [SpecText(revision_of(tool).source).text for tool in (old, new)]
    view = request.GET.get("view", "")
    context = {
        "old": old,
        "new": new,
        "old_label": old.name if old.name != new.name else old.tool_id,
        "new_label": new.name if old.name != new.name else new.tool_id,
        "sections": list(compare_sections(old, new)),
        "difference": compare(*texts),
        "view": view,
        "split": view == "split",
    }
    return render(request, "catalog/search/similar/compare.html", context)


def _split_slugs(path: str) -> tuple[str, str]:
    """The slugs of two tools, which ".." joins; each may have two dots too."""
    words = path.split("..")
    splits = [("..".join(words[:cut]), "..".join(words[cut:])) for cut in range(1, len(words))]
    slugs = {slug for pair in splits for slug in pair}
    existing = set(Tool.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    for pair in splits:
        if existing.issuperset(pair):
            return pair
    return splits[0]


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
