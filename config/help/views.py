"""The help: its index, and each document of `docs/`."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import conditional_page, require_safe

from config.help.pages import help_groups, help_page


@conditional_page
@require_safe
def help_index(request: HttpRequest) -> HttpResponse:
    """List the documents by subject."""
    return render(request, "help/index.html", {"groups": help_groups()})


@conditional_page
@require_safe
def help_document(request: HttpRequest, slug: str) -> HttpResponse:
    """One document of `docs/`."""
    page = help_page(slug)
    if page is None:
        raise Http404(f"There is no help page “{slug}”.")
    group, pages = next((title, pages) for title, pages in help_groups() if page in pages)
    return render(request, "help/page.html", {"page": page, "group": group, "pages": pages})
