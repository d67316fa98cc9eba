"""The pages that organise a tool, a toolkit, or all tools that a search finds."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group
from django.db.models.functions import Length
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.api_auth import actor
from accounts.rate_limits import limit_exports
from catalog.access.models import Audience, Toolkit
from catalog.access.rights import may
from catalog.index.document import GroupKind
from catalog.index.filters import write_filter
from catalog.organise.forms import (
    AccessForm,
    ArchiveForm,
    DeprecateForm,
    MetadataForm,
    OrganiseForm,
    OrganiseManyForm,
    RestoreForm,
    UndoDeprecationForm,
)
from catalog.organise.organise_many import BulkResult, change_many
from catalog.search import groups
from catalog.search.catalog_search import CatalogSearch
from catalog.search.figures import find_card
from catalog.tools.lookup import revision_of, tool_at, tool_for, toolkit_at, toolkit_for
from catalog.tools.models import NOTE_LENGTH, TOOLKIT_LENGTH, Tool
from toolspec.catalog_names import toolkit_of
from toolspec.exports import FORMATS, export
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON

SUGGESTED: Final = 50  # tags, toolkits, owners and successors
MAX_EXPORTED: Final = 500  # tools
MAX_EXPORTED_CHARACTERS: Final = (
    2_000_000  # of their specs: each is converted, which takes up to 0.5 s
)
MAX_TOOLS: Final = 500  # in one request; to change one takes about 10 ms
SKIPPED_SHOWN: Final = 20

_FORMS: Final[dict[str, type[MetadataForm]]] = {
    "organisation": OrganiseForm,
    "access": AccessForm,
    "deprecation": DeprecateForm,
    "undo-deprecation": UndoDeprecationForm,
    "archive": ArchiveForm,
    "restore": RestoreForm,
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def tool_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of a tool.

    A POST changes those of its `section`; a refused form keeps its entries.
    """
    tool = tool_for(request.user, "organise", slug)
    form_class = _FORMS.get(request.POST.get("section", ""))
    if form_class is None:
        return _tool_page(request, tool)
    form = form_class(tool, request.POST)
    if form.save(by=actor(request)) is None:
        return _tool_page(request, tool_at(slug, request.user), form)
    messages.success(request, form.saved_message)
    # its new access settings may exclude this person
    if may(request.user, "organise", Tool.objects.get(pk=tool.pk)):
        return redirect("catalog:tool_settings", slug)
    return redirect(tool)


def _tool_page(
    request: HttpRequest, tool: Tool, rejected: MetadataForm | None = None
) -> HttpResponse:
    """The page with a form for each section, one of which may have been rejected."""
    visibility = Audience.objects.visibility_for(request.user)
    visible = Tool.objects.with_visibility(visibility)
    neighbours = visible.available().in_toolkit(tool.toolkit).exclude(pk=tool.pk)
    owners = visible.filter(owner__isnull=False).values_list("owner__username", flat=True)
    tags = [group.name for group in groups.visible_groups("tag", visibility)[:SUGGESTED]]
    toolkits = [group.name for group in groups.visible_groups("toolkit", visibility)[:SUGGESTED]]
    successors = neighbours.order_by("sort_name").values_list("tool_id", flat=True)
    context: dict[str, Any] = {
        "tool": tool,
        "form": OrganiseForm(tool),
        "access": AccessForm(tool),
        "deprecation": DeprecateForm(tool),
        "toolkit_of_id": toolkit_of(tool.tool_id),
        "may_hand_over": bool(may(request.user, "hand over", tool)),
        "owners": owners.distinct()[:SUGGESTED],
        "groups": list(Group.objects.order_by("name").values_list("name", flat=True)),
        "tags": [name for name in tags if name not in tool.tags],
        "toolkits": toolkits,
        "successors": successors[:SUGGESTED],
        "toolkit_length": TOOLKIT_LENGTH,
        "note_length": NOTE_LENGTH,
        "errors": [],
    }
    status = 200
    if rejected:
        status = rejected.status
        context["errors"] = rejected.error_links
        forms = {"form": OrganiseForm, "access": AccessForm, "deprecation": DeprecateForm}
        for name, form_class in forms.items():
            if isinstance(rejected, form_class):
                context[name] = rejected
    return render(request, "catalog/organise/tool_settings.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def toolkit_settings(request: HttpRequest, name: str) -> HttpResponse:
    """The owner, maintainers and visibility of a toolkit, which a POST changes.

    `?format=` exports its tools.
    """
    if request.method == "POST":
        return _change_access(request, name)
    if "format" in request.GET:
        return _export_toolkit(request, name, request.GET["format"])
    toolkit = toolkit_at(name)
    return _toolkit_page(request, toolkit, AccessForm(toolkit))


@login_required
def _change_access(request: HttpRequest, name: str) -> HttpResponse:
    toolkit = toolkit_for(request.user, "organise", name)
    form = AccessForm(toolkit, request.POST)
    if not form.save(by=actor(request)):
        return _toolkit_page(request, toolkit, form)
    messages.success(request, f"Access to the toolkit {toolkit.name} saved.")
    return redirect(f"{reverse('catalog:tool_list')}{_list_query(toolkit.name)}")


def _toolkit_page(request: HttpRequest, toolkit: Toolkit, form: AccessForm) -> HttpResponse:
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
    return render(request, "catalog/organise/toolkit_settings.html", context, status=status)


def _list_query(name: str) -> str:
    """The query of a list's URL that finds the tools of the toolkit."""
    return CatalogSearch(write_filter("toolkit", name)).address()


def _export_toolkit(request: HttpRequest, name: str, key: str) -> HttpResponse:
    """The tools of a toolkit that the person may see, as one JSON list in a format.

    The first 500 by name.
    """
    if key not in FORMATS:
        raise Http404
    limit_exports(request)
    visible = Tool.objects.available().visible_to(request.user).in_toolkit(name)
    exported = visible.with_current().by_name()[:MAX_EXPORTED]
    lengths = exported.values_list(Length("current__source"), flat=True)
    if not lengths:
        raise Http404
    if sum(lengths) > MAX_EXPORTED_CHARACTERS:
        message = (
            "This toolkit is too large to be exported at once. Export its tools one by one, or "
            "use the API."
        )
        messages.error(request, message)
        return redirect("catalog:toolkit_settings", name)
    documents: list[JSON] = [export(revision_of(tool).spec, key).document for tool in exported]
    response = HttpResponse(print_json(documents), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="tools-{key}.json"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def organise_matches(request: HttpRequest) -> HttpResponse:
    """Organise, deprecate or archive the tools that the query of a list finds.

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
    return render(request, "catalog/organise/organise_many.html", context, status=status)


def _suggest(kind: GroupKind, search: CatalogSearch) -> list[str]:
    largest = groups.visible_groups(kind, search.visibility)[:SUGGESTED]
    return [group.name for group in largest]


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
