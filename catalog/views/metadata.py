"""The pages for toolkits, tags, and the metadata of a tool that is not in its spec."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.errors import HeldBySpec, RevisionConflict
from catalog.forms.tools import DeprecateForm, OrganiseForm
from catalog.lifecycle import undo_deprecation
from catalog.listing import groups
from catalog.listing.toolkits import cards_of
from catalog.models import Audience, Tool
from catalog.models.tools import NOTE_LENGTH, TAG_LENGTH, TOOLKIT_LENGTH
from catalog.rights import may
from catalog.search.document import GroupKind, toolkit_of
from catalog.shortcuts import tool_at, tool_for
from catalog.views.parts import part_or_page

GROUPS_PER_PAGE = 100
CARDS_PER_PAGE = 48
SUGGESTED = 50
LIMITS = {"toolkit": TOOLKIT_LENGTH, "tag": TAG_LENGTH, "note": NOTE_LENGTH}

_GROUP_PAGES: dict[GroupKind, dict[str, str]] = {
    "toolkit": {
        "title": "Toolkits",
        "noun": "toolkit",
        "lead": "Groups of tools, by the prefix of their ids or set by hand.",
        "empty": "A tool belongs to a toolkit if its id begins with a name and a dot, such as mail.send.",
    },
    "tag": {
        "title": "Tags",
        "noun": "tag",
        "lead": "Tags from the specs, and tags added by users.",
        "empty": "Tags come from definition.tags of a spec, or are added on the Organise page of a tool.",
    },
}


# -- toolkits and tags ------------------------------------------------------------------------------------------------


@require_safe
def group_list(request: HttpRequest, kind: GroupKind) -> HttpResponse:
    """All toolkits or tags: the largest first, by name with `?order=name`, or those with `?q=` in their names."""
    words = request.GET.get("q", "").strip()[:TOOLKIT_LENGTH]
    by_name = request.GET.get("order") == "name"
    visibility = Audience.objects.visibility_for(request.user)
    shown, after = groups.page_of(
        kind,
        visibility,
        containing=words,
        by_name=by_name,
        after=request.GET.get("after", ""),
        limit=CARDS_PER_PAGE if kind == "toolkit" else GROUPS_PER_PAGE,
    )
    query = ({"q": words} if words else {}) | ({"order": "name"} if by_name else {})
    context = {
        "kind": kind,
        **_GROUP_PAGES[kind],
        "groups": shown,
        "cards": cards_of(shown, visibility) if kind == "toolkit" else [],
        "words": words,
        "by_name": by_name,
        "next_url": "?" + urlencode({**query, "after": after}) if after else None,
    }
    return part_or_page(request, "catalog/_groups.html", "catalog/groups.html", context)


# -- a tool -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def organise_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the toolkit, the tags and the owner of a tool. A refused form is shown again with its entries."""
    tool = tool_for(request.user, "organise", slug)
    if request.method != "POST":
        return _organise_page(request, tool)
    form = OrganiseForm(tool, request.POST)
    if not form.save(by=actor(request)):
        return _organise_page(request, tool_at(slug, request.user), organising=form)
    messages.success(request, "Saved.")
    return redirect(tool)


@require_POST
@login_required
def deprecate_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Deprecate a tool, with a note and the id of its successor."""
    tool = tool_for(request.user, "deprecate", slug)
    form = DeprecateForm(tool, request.POST)
    if not form.save(by=actor(request)):
        return _organise_page(request, tool_at(slug, request.user), deprecating=form)
    messages.success(request, f"{tool.name} is deprecated. It still works and shows a warning.")
    return redirect(tool)


@require_POST
@login_required
def undo_tool_deprecation(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the deprecation that a user chose; the spec's own stays."""
    tool = tool_for(request.user, "deprecate", slug)
    seen = request.POST.get("seen")
    try:
        still = undo_deprecation(tool, seen=[seen] if seen else None).deprecated
    except (HeldBySpec, RevisionConflict) as error:
        current = tool_at(slug, request.user)
        form = DeprecateForm(current, {**DeprecateForm(current).initial})
        form.refuse(error)
        return _organise_page(request, current, deprecating=form)
    if still:
        messages.info(
            request,
            f"Your deprecation is removed; the spec of {tool.name} still marks it as deprecated.",
        )
    else:
        messages.success(request, f"{tool.name} is no longer deprecated.")
    return redirect(tool)


def _organise_page(
    request: HttpRequest,
    tool: Tool,
    *,
    organising: OrganiseForm | None = None,
    deprecating: DeprecateForm | None = None,
) -> HttpResponse:
    """The page with both forms, one of which may have errors."""
    refused = organising or deprecating
    visibility = Audience.objects.visibility_for(request.user)
    tags = [group.name for group in groups.largest("tag", SUGGESTED, visibility)]
    shown = Tool.objects.with_visibility(visibility)
    neighbours = (
        shown.available().in_toolkit(tool.toolkit).exclude(pk=tool.pk).order_by("sort_name")
    )
    context: dict[str, Any] = {
        "tool": tool,
        "form": organising or OrganiseForm(tool),
        "deprecation": deprecating or DeprecateForm(tool),
        "toolkit_of_id": toolkit_of(tool.tool_id),
        "may_hand_over": bool(may(request.user, "hand over", tool)),
        "toolkits": [group.name for group in groups.largest("toolkit", SUGGESTED, visibility)],
        "tags": [name for name in tags if name not in tool.tags],
        "owners": list(
            shown.filter(owner__isnull=False)
            .values_list("owner__username", flat=True)
            .distinct()[:SUGGESTED]
        ),
        "successors": list(neighbours.values_list("tool_id", flat=True)[:SUGGESTED]),
        "limits": LIMITS,
        "errors": refused.error_links if refused else [],
    }
    return render(
        request, "catalog/organise.html", context, status=refused.status if refused else 200
    )
