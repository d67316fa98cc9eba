"""The settings of a toolkit, which apply to all of its tools, and its export."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group
from django.db.models.functions import Length
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from catalog.accounts.api_auth import actor
from catalog.accounts.rate_limits import limit_exports
from catalog.forms.tools import AccessForm
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.figures import find_card
from catalog.models import Audience, Tool, Toolkit
from catalog.rights import may
from catalog.search.filters import write_filter
from catalog.shortcuts import revision_of, toolkit_at, toolkit_for
from toolspec.exports import FORMATS, export
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON

MAX_EXPORTED: Final = 500  # tools
MAX_EXPORTED_CHARACTERS: Final = (
    2_000_000  # of their specs: each is converted, which takes up to 0.5 s
)


@require_http_methods(["GET", "HEAD", "POST"])
def toolkit_settings(request: HttpRequest, name: str) -> HttpResponse:
    """The owner, maintainers and visibility of a toolkit, which a POST changes; `?format=` exports its tools."""
    if request.method == "POST":
        return _change_access(request, name)
    if "format" in request.GET:
        return _export(request, name, request.GET["format"])
    toolkit = toolkit_at(name)
    return _settings_page(request, toolkit, AccessForm(toolkit))


@login_required
def _change_access(request: HttpRequest, name: str) -> HttpResponse:
    toolkit = toolkit_for(request.user, "organise", name)
    form = AccessForm(toolkit, request.POST)
    if not form.save(by=actor(request)):
        return _settings_page(request, toolkit, form)
    messages.success(request, f"Access to the toolkit {toolkit.name} saved.")
    return redirect(f"{reverse('catalog:tool_list')}{_list_query(toolkit.name)}")


def _settings_page(request: HttpRequest, toolkit: Toolkit, form: AccessForm) -> HttpResponse:
    card = find_card(toolkit.key, Audience.objects.visibility_for(request.user))
    may_change = bool(may(request.user, "organise", toolkit))
    if card is None and not may_change:
        raise Http404
    toolkit.name = card.name if card else toolkit.name
    context = {
        "toolkit": toolkit,
        "tools": card.tools if card else 0,
        "list_query": _list_query(toolkit.name),
        "access": form,
        "may_change": may_change,
        "may_hand_over": True,
        "groups": list(Group.objects.order_by("name").values_list("name", flat=True)),
        "errors": form.error_links,
        "formats": FORMATS,
        "most": MAX_EXPORTED,
    }
    status = form.status if form.errors else 200
    return render(request, "catalog/toolkit_settings.html", context, status=status)


def _list_query(name: str) -> str:
    """The query of a list's URL that finds the tools of the toolkit."""
    return CatalogSearch(write_filter("toolkit", name)).address()


def _export(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """The tools of a toolkit that the person may see, the first 500 by name, as one JSON list in a format."""
    if key not in FORMATS:
        raise Http404
    limit_exports(request)
    visible = Tool.objects.available().visible_to(request.user).in_toolkit(name)
    exported = visible.with_current().by_name()[:MAX_EXPORTED]
    lengths = exported.values_list(Length("current__source"), flat=True)
    if not lengths:
        raise Http404
    if sum(lengths) > MAX_EXPORTED_CHARACTERS:
        message = "This toolkit is too large to be exported at once. Export its tools one by one, or use the API."
        messages.error(request, message)
        return redirect("catalog:toolkit_settings", name)
    documents: list[JSON] = [export(revision_of(tool).spec, key).document for tool in exported]
    response = HttpResponse(print_json(documents), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="tools-{key}.json"'
    return response
