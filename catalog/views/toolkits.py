"""The page of a toolkit, and its export."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.db.models.functions import Length
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from catalog.accounts.rate_limits import limit_exports
from catalog.jsontext.pretty import print_json
from catalog.jsontext.reader import JSON
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.figures import cards_of
from catalog.listing.groups import Group
from catalog.models import Audience, Tool, Toolkit
from catalog.rights import may
from catalog.search.document import group_key
from catalog.search.filters import write_filter
from catalog.shortcuts import revision_of
from catalog.specs.exporters import FORMATS, export

TOOLS_SHOWN: Final = 50
MAX_EXPORTED: Final = 500  # tools
MAX_EXPORTED_CHARACTERS: Final = (
    2_000_000  # of their specs: each is converted, which takes up to 0.5 s
)


@require_safe
def toolkit_page(request: HttpRequest, name: str) -> HttpResponse:
    """A toolkit: its tools that the person may see, its figures, and where to use it."""
    key = group_key(name)
    visibility = Audience.objects.visibility_for(request.user)
    tools = Tool.objects.available().with_visibility(visibility).in_toolkit(name)
    named = tools.by_name().values_list("toolkit", flat=True).first()
    cards = cards_of([Group(key, named or "", 0)], visibility)
    if not cards:
        raise Http404
    [card] = cards
    settings = Toolkit.objects.select_related("owner").filter(key=key).first() or Toolkit(
        key=key, name=card.name
    )
    search = CatalogSearch(write_filter("toolkit", card.name), visibility=visibility)
    context = {
        "toolkit": card,
        "tools": tools.for_rows().by_name()[:TOOLS_SHOWN],
        "list_query": search.address(),
        "settings": settings,
        "may_change": bool(may(request.user, "organise", settings)),
        "formats": FORMATS,
        "most": MAX_EXPORTED,
    }
    return render(request, "catalog/toolkit.html", context)


@require_safe
def export_toolkit(request: HttpRequest, name: str) -> HttpResponse:
    """The tools of a toolkit that the person may see, the first 500 by name, as one JSON list in `?format=`."""
    key = request.GET.get("format", "mcp")
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
        return redirect("catalog:toolkit", name)
    documents: list[JSON] = [export(revision_of(tool).spec, key).document for tool in exported]
    response = HttpResponse(print_json(documents), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="tools-{key}.json"'
    return response
