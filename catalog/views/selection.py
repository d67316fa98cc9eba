"""The page of several selected tools: change them together, export them, or compare two.

Tools are selected by `?tool=` (their slugs), or are the first results of a search (`?all=1` and the list's query).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import get_random_string
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.accounts.rate_limits import limit_exports
from catalog.bulk_changes import KINDS, MAX_TOOLS, BulkChange, BulkResult, change_many, kind_of
from catalog.jsontext.pretty import print_json
from catalog.jsontext.reader import JSON
from catalog.listing import groups
from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.results import first_of
from catalog.models import Audience, Tool
from catalog.models.tools import NOTE_LENGTH, TAG_LENGTH, TOOLKIT_LENGTH
from catalog.rendering.text_diff import compare
from catalog.rights import may
from catalog.search.document import GroupKind
from catalog.shortcuts import revision_of
from catalog.specs.exporters import FORMATS, export
from catalog.tool_comparison import compare_sections
from catalog.tool_page import SpecText

SKIPPED_SHOWN: Final = 20
SUGGESTED: Final = 50  # tags, and toolkits
CHANGES: Final = (
    "selection_changes"  # in the session, by their id: of two tabs, each can undo its own
)
CHANGES_STORED: Final = 3


@require_safe
def selection(request: HttpRequest) -> HttpResponse:
    """The selected tools, or those of a change (`?change=`), with everything that can be done to them."""
    slugs = selected_slugs(request)
    change = request.session.get(CHANGES, {}).get(
        request.GET.get("change"), {"tools": [], "archived": []}
    )
    tools = tools_with(request, slugs or change["tools"])
    changeable = _changeable(request, tools)
    context = {
        "tools": tools,
        "changeable": changeable,
        "formats": FORMATS,
        "tags": _suggested("tag", request),
        "toolkits": _suggested("toolkit", request),
        "limits": {"tag": TAG_LENGTH, "toolkit": TOOLKIT_LENGTH, "note": NOTE_LENGTH},
        "any_archived": any(tool.archived for tool in tools),
        "archived": [] if slugs else change["archived"],
        "most": MAX_TOOLS,
        "is_full": len(tools) >= MAX_TOOLS,
    }
    return render(request, "catalog/selection/page.html", context)


@require_POST
@login_required
def change_selection(request: HttpRequest) -> HttpResponse:
    """Change the selected tools; those that the person may not change are skipped and named."""
    kind = kind_of(request.POST.get("do"))
    if kind is None:
        raise Http404
    tools = tools_with(request, request.POST.getlist("tool")[:MAX_TOOLS])
    change = BulkChange(
        kind,
        tags=tuple(tag.strip() for tag in request.POST.get("tags", "").split(",") if tag.strip()),
        toolkit=request.POST.get("toolkit", ""),
        note=request.POST.get("note", "").replace("\r\n", "\n"),
        superseded_by=request.POST.get("superseded_by", "").strip(),
    )
    archived: list[str] = []
    if kind in {"tag", "untag"} and not change.tags:
        messages.error(request, "Nothing was changed. Enter at least one tag.")
    else:
        before = {tool.pk for tool in tools if tool.archived}
        result = change_many(tools, change, by=actor(request))
        _report(request, result, KINDS[kind][1])
        if kind == "archive":
            archived = [tool.slug for tool in result.changed if tool.pk not in before]
    return redirect(f"{reverse('catalog:selection')}?change={_stored(request, tools, archived)}")


def _stored(request: HttpRequest, tools: Sequence[Tool], archived: list[str]) -> str:
    """Store a change in the session, and return its id."""
    key = get_random_string(8)
    stored = {
        **request.session.get(CHANGES, {}),
        key: {"tools": [tool.slug for tool in tools], "archived": archived},
    }
    request.session[CHANGES] = dict(list(stored.items())[-CHANGES_STORED:])
    return key


@require_http_methods(["GET", "HEAD", "POST"])  # 500 tools are too many for a URL
def export_selection(request: HttpRequest) -> HttpResponse:
    """The selected tools as one JSON list in an export format (`?format=`)."""
    key = (request.POST or request.GET).get("format", "mcp")
    if key not in FORMATS:
        raise Http404
    limit_exports(request)
    tools = tools_with(request, selected_slugs(request))
    documents: list[JSON] = [export(revision_of(tool).spec, key).document for tool in tools]
    response = HttpResponse(print_json(documents), content_type="application/json")
    response["Content-Disposition"] = f'attachment; filename="tools-{key}.json"'
    return response


@require_safe
def compare_tools(request: HttpRequest) -> HttpResponse:
    """The properties of two selected tools side by side; `?view=` unfolds the differences of their specs."""
    tools = tools_with(request, selected_slugs(request)[:2])
    if len(tools) != 2:
        messages.info(request, "Select two tools to compare them.")
        return redirect("catalog:selection")
    old, new = tools
    texts = [SpecText(revision_of(tool).source).text for tool in tools]
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
    return render(request, "catalog/selection/compare.html", context)


def selected_slugs(request: HttpRequest) -> list[str]:
    """The slugs of the selected tools, at most `MAX_TOOLS`."""
    if request.GET.get("all"):
        pks = first_of(CatalogSearch.from_query(request.GET, request.user), MAX_TOOLS)
        found = Tool.objects.filter(pk__in=pks).by_name()
        return list(found.values_list("slug", flat=True))
    slugs = (request.POST or request.GET).getlist("tool")
    return list(dict.fromkeys(slug.replace("\x00", "") for slug in slugs))[:MAX_TOOLS]


def tools_with(request: HttpRequest, slugs: Sequence[str]) -> list[Tool]:
    """The tools with these slugs that the person may see, by name."""
    found = Tool.objects.visible_to(request.user).filter(
        slug__in=[slug.replace("\x00", "") for slug in slugs]
    )
    return list(found.with_current().by_name())


def _suggested(kind: GroupKind, request: HttpRequest) -> list[str]:
    visibility = Audience.objects.visibility_for(request.user)
    return [group.name for group in groups.largest(kind, SUGGESTED, visibility)]


def _changeable(request: HttpRequest, tools: Sequence[Tool]) -> set[int]:
    """The primary keys of the tools that the person may organise, by one query."""
    if not request.user.is_authenticated:
        return set()
    pks = {tool.pk for tool in tools}
    if may(request.user, "administer"):
        return pks
    return set(
        Tool.objects.filter(pk__in=pks).maintained_by(actor(request)).values_list("pk", flat=True)
    )


def _report(request: HttpRequest, result: BulkResult, done: str) -> None:
    if result.changed:
        messages.success(request, f"{_tools_of(len(result.changed))} {done}.")
    if result.skipped:
        named = "; ".join(
            f"{tool.tool_id}: {reason}" for tool, reason in result.skipped[:SKIPPED_SHOWN]
        )
        more = len(result.skipped) - SKIPPED_SHOWN
        rest = f"; and {more} more" if more > 0 else ""
        messages.warning(request, f"{_tools_of(len(result.skipped))} skipped. {named}{rest}")


def _tools_of(number: int) -> str:
    return "1 tool" if number == 1 else f"{number:,} tools"
