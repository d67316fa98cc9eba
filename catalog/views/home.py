"""The first page of the site."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from catalog.listing.catalog_search import LIST_PARAMETERS


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduce the site, with what to do first.

    The list of tools used to have this address, so a query of the list leads to it, without parameters of other pages.
    """
    query = request.GET.copy()
    for name in set(query) - LIST_PARAMETERS:
        del query[name]
    if query:
        return redirect(f"{reverse('catalog:tool_list')}?{query.urlencode()}", permanent=True)
    return render(request, "catalog/home.html")
