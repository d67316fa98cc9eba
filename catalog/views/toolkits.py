"""The page of a toolkit."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.toolkits import card_of
from catalog.models import Audience, Tool, Toolkit
from catalog.rights import may
from catalog.search.document import group_key

TOOLS_SHOWN = 50


@require_safe
def toolkit_page(request: HttpRequest, name: str) -> HttpResponse:
    """A toolkit: its tools that the person may see, its figures, and where to use it."""
    key = group_key(name)
    visibility = Audience.objects.visibility_for(request.user)
    tools = Tool.objects.available().with_visibility(visibility).in_toolkit(name)
    named = tools.by_name().values_list("toolkit", flat=True).first()
    card = card_of(named, key, visibility) if named is not None else None
    if card is None:
        raise Http404
    settings = Toolkit.objects.select_related("owner").filter(key=key).first() or Toolkit(
        key=key, name=card.name
    )
    search = CatalogSearch(toolkit=card.name, visibility=visibility)
    context = {
        "toolkit": card,
        "tools": tools.for_rows().by_name()[:TOOLS_SHOWN],
        "list_query": search.address(),
        "settings": settings,
        "may_change": bool(may(request.user, "organise", settings)),
    }
    return render(request, "catalog/toolkit.html", context)
