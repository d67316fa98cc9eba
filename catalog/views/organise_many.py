"""The page that organises all tools that a search of the catalog finds."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from catalog.accounts.api_auth import actor
from catalog.bulk_changes import BulkResult, change_many
from catalog.forms.tools import OrganiseManyForm
from catalog.listing import groups
from catalog.listing.catalog_search import CatalogSearch
from catalog.models import Tool
from catalog.models.tools import NOTE_LENGTH, TOOLKIT_LENGTH
from catalog.search.document import GroupKind

MAX_TOOLS: Final = 500  # in one request; to change one takes about 10 ms
SKIPPED_SHOWN: Final = 20
SUGGESTED: Final = 50  # tags, and toolkits


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def organise_matches(request: HttpRequest) -> HttpResponse:
    """Set the toolkit, tags or owner of the tools that the query of a list finds, deprecate or archive them.

    `?archive=on` proposes the last. If other tools match than the page listed, nothing is changed
    and the page is shown again.
    """
    search = CatalogSearch.from_query(request.GET, request.user)
    matches = search.matching_all()
    tools = list(matches.select_related("owner").by_name()[: MAX_TOOLS + 1])
    form = OrganiseManyForm(tools, initial={"archive": "archive" in request.GET})
    if request.method == "POST":
        form = OrganiseManyForm(tools, request.POST)
        if len(tools) <= MAX_TOOLS and form.is_valid():
            _report(request, change_many(tools, form.change, by=actor(request)))
            return redirect(f"{reverse('catalog:tool_list')}{search.address()}")
    context = {
        "search": search,
        "tools": tools[:MAX_TOOLS],
        "too_many": len(tools) > MAX_TOOLS,
        "changeable": _changeable(request, tools),
        "form": form,
        "errors": form.error_links,
        "tags": _suggest("tag", search),
        "toolkits": _suggest("toolkit", search),
        "limits": {"toolkit": TOOLKIT_LENGTH, "note": NOTE_LENGTH},
    }
    status = 422 if form.errors else 200
    return render(request, "catalog/organise_many.html", context, status=status)


def _suggest(kind: GroupKind, search: CatalogSearch) -> list[str]:
    return [group.name for group in groups.largest(kind, SUGGESTED, search.visibility)]


def _changeable(request: HttpRequest, tools: list[Tool]) -> set[int]:
    """The primary keys of the tools that the person may organise, by one query."""
    listed = Tool.objects.filter(pk__in=[tool.pk for tool in tools])
    return set(listed.maintained_by(actor(request)).values_list("pk", flat=True))


def _report(request: HttpRequest, result: BulkResult) -> None:
    if result.changed:
        messages.success(request, f"{_count_tools(result.changed)} changed.")
    if result.skipped:
        shown = result.skipped[:SKIPPED_SHOWN]
        named = "; ".join(f"{tool.tool_id}: {reason}" for tool, reason in shown)
        more = len(result.skipped) - len(shown)
        rest = f"; and {more} more" if more else ""
        messages.warning(request, f"{_count_tools(len(result.skipped))} skipped. {named}{rest}")


def _count_tools(number: int) -> str:
    return "1 tool" if number == 1 else f"{number:,} tools"
