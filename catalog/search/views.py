"""The catalog's pages: the first page, the list, and one tool with what is similar to it."""

from __future__ import annotations

from dataclasses import asdict, replace
from itertools import chain
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
from catalog.index.visibility import Visibility
from catalog.search.catalog_search import CatalogSearch
from catalog.search.comparison import compare_sections
from catalog.search.facets import Facet, facets_key, facets_of, immediate_facets, uncounted_facets
from catalog.search.figures import find_card
from catalog.search.results import numbered_pages, page_of, results_of
from catalog.search.similar import find_similar_tools
from catalog.search.sorting import SORTS
from catalog.search.suggestions import suggest
from catalog.search.toolkit_groups import read_groups, toolkit_pages
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
    facets = immediate_facets(search)
    number = _read_page_number(request)
    key = (facets_key(search), facets is not None, number)
    results = _lists.get_or_compute(key, lambda: _render_results(search, number, facets))
    is_part = wants_part(request)
    response = HttpResponse(results) if is_part else _render_list(request, search, results)
    patch_vary_headers(response, ["HX-Request"])
    return response


def _render_list(request: HttpRequest, search: CatalogSearch, results: SafeString) -> HttpResponse:
    context = {"search": search, "results": results}
    return render(request, "catalog/search/tool_list.html", context)


def _read_page_number(request: HttpRequest) -> int:
    """The number in `?page=`. It usually comes from a link, so an invalid one is the first page."""
    text = request.GET.get("page", "")
    return int(text) if text.isascii() and text.isdecimal() and len(text) < MAX_DIGITS else 1


def _render_results(
    search: CatalogSearch, number: int, facets: tuple[Facet, ...] | None
) -> SafeString:
    """The results with their facets; a second request counts these if they are None."""
    context: dict[str, Any] = {
        "search": search,
        "facets": facets or uncounted_facets(search),
        "facets_url": None,
        "sorts": _list_sorts(search),
        "toolkit": find_card(search.toolkit_key, search.visibility),
    }
    if facets is None:
        context["facets_url"] = f"{reverse('catalog:facets')}{search.address()}"
    if search.is_grouped and search.catalog_size:
        toolkits = toolkit_pages(search).get_page(number)
        context["groups"] = read_groups(search, toolkits)
        sizes = toolkits.paginator.object_list
        context["toolkits"] = sum(size.key != "" for size in sizes)
        context["tools"] = sum(size.tools for size in sizes)
        summary = f"Toolkits {_describe_range(toolkits)}"
        context |= _paginate(search, toolkits, summary)
    else:
        current = numbered_pages(search).get_page(number)
        page = results_of(search, current)
        summary = _describe_range(current)
        if not page.counted:
            summary += "+"
        context["page"] = page
        context |= _paginate(search, current, summary)
    return render_to_string("catalog/search/_results.html", context)


def _list_sorts(search: CatalogSearch) -> list[tuple[str, bool, str]]:
    """The orders of a list: the name, whether it is this one, and the URL's query."""
    labels = dict(SORTS)
    if search.is_grouped or (search.is_list and not search.narrowed):
        labels[""] = "Toolkits"
    elif search.is_list:
        labels[""] = labels.pop("runnable")
    sorts = []
    for sort, label in labels.items():
        query = replace(search, sort=sort).address()
        sorts.append((label, sort == search.sort, query))
    return sorts


def _describe_range(page: Page[Any]) -> str:
    return f"{page.start_index():,} to {page.end_index():,} of {page.paginator.count:,}"


def _paginate(search: CatalogSearch, page: Page[Any], summary: str) -> dict[str, Any]:
    """The context of `_pagination.html` for a list whose pages have numbers."""
    context: dict[str, Any] = {"previous_url": None, "next_url": None, "summary": summary}
    if page.has_previous():
        context["previous_url"] = search.address(page=page.number - 1)
    if page.has_next():
        context["next_url"] = search.address(page=page.number + 1)
    pages = []
    for number in page.paginator.get_elided_page_range(page.number, on_each_side=1, on_ends=1):
        query = search.address(page=number) if isinstance(number, int) else ""
        pages.append((number, query, number == page.number))
    return {**context, "pages": pages}


@require_safe
def facet_list(request: HttpRequest) -> HttpResponse:
    """The facets of a list with their counts.

    The list page of a large catalog requests them after the results. A browser without JavaScript
    gets the entire page with counts.
    """
    search = CatalogSearch.from_query(request.GET, request.user)
    facets = facets_of(search)
    if request.htmx:  # type: ignore[attr-defined]
        context = {"search": search, "facets": facets}
        response = render(request, "catalog/search/_facets.html", context)
    else:
        results = _render_results(search, _read_page_number(request), facets)
        response = _render_list(request, search, results)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def similar_page(request: HttpRequest, slug: str) -> HttpResponse:
    """The tools most similar to a tool; an htmx request gets only the list."""
    tool = tool_at(slug, request.user)
    context = {"tool": tool, "similar": find_similar_tools(tool, request.user)}
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
    label = "tool_id" if old.name == new.name else "name"
    context = {
        "old": old,
        "new": new,
        "old_label": getattr(old, label),
        "new_label": getattr(new, label),
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
    slugs = set(chain.from_iterable(splits))
    existing = set(Tool.objects.filter(slug__in=slugs).values_list("slug", flat=True))
    for pair in splits:
        if existing.issuperset(pair):
            return pair
    return splits[0]


TOOLS_SHOWN: Final = 8


@require_safe
def palette_entries(request: HttpRequest) -> JsonResponse:
    """The first tools that match `?q=`, and suggestions for the query from `start` on.

    {"tools": [{"name", "id", "href", "text"}], "start", "suggestions": [{"text", "note"}]}, where
    the text of a tool is the start of its description.
    """
    search = replace(CatalogSearch.from_query(request.GET, request.user), limit=TOOLS_SHOWN)
    results = page_of(search).results if search.words.strip() else ()
    tools = []
    for result in results:
        tool = result.tool
        text = as_line(tool.description)
        href = tool.get_absolute_url()
        tools.append({"name": tool.name, "id": tool.tool_id, "href": href, "text": text})
    return JsonResponse({"tools": tools, **_suggest(search.words, search.visibility)})


@require_safe
def query_suggestions(request: HttpRequest) -> JsonResponse:
    """Replacements for the end of `?q=` from `start` on.

    {"start", "suggestions": [{"text", "note"}]}
    """
    visibility = Audience.objects.visibility_for(request.user)
    return JsonResponse(_suggest(request.GET.get("q", ""), visibility))


def _suggest(query: str, visibility: Visibility) -> dict[str, Any]:
    start, suggestions = suggest(query, visibility)
    return {"start": start, "suggestions": list(map(asdict, suggestions))}
