"""The first page of the site."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduce the site, with what to do first.

    The list of tools used to have this address, so an address with a query leads to the list.
    """
    if query := request.META["QUERY_STRING"]:
        return redirect(f"{reverse('catalog:tool_list')}?{query}", permanent=True)
    return render(request, "catalog/home.html")
