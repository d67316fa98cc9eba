"""Pages to organise the catalog: its toolkits and tags, and the metadata of a tool that is not in its spec."""

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
from catalog.forms import DeprecateForm, OrganiseForm
from catalog.lifecycle import undo_deprecation
from catalog.metadata import may_hand_over
from catalog.models import Tool
from catalog.models.tools import NOTE_LENGTH, TAG_LENGTH, TOOLKIT_LENGTH
from catalog.publishing import publish
from catalog.search import tag_counts
from catalog.search.document import toolkit_of
from catalog.search.tag_counts import Kind
from catalog.shortcuts import revision_at, revision_of, tool_at

GROUPS_PER_PAGE = 100
SUGGESTED = 50
LIMITS = {"toolkit": TOOLKIT_LENGTH, "tag": TAG_LENGTH, "note": NOTE_LENGTH}

_GROUP_PAGES: dict[Kind, dict[str, str]] = {
    "toolkit": {
        "title": "Toolkits",
        "noun": "toolkit",
        "lead": "Tools that belong together: by what their ids begin with, or because somebody said so.",
        "empty": "A tool belongs to a toolkit when its id begins with a name and a point, as in mail.send.",
    },
    "tag": {
        "title": "Tags",
        "noun": "tag",
        "lead": "Words that specs give themselves, and words that people added.",
        "empty": "A spec gives itself tags in definition.tags; people add them on a tool's page.",
    },
}


# -- toolkits and tags ------------------------------------------------------------------------------------------------


@require_safe
def group_list(request: HttpRequest, kind: Kind) -> HttpResponse:
    """All toolkits or tags: the largest first, by name with `?order=name`, or those that begin with `?q=`."""
    beginning = request.GET.get("q", "").replace("\x00", "").strip()[:TOOLKIT_LENGTH]
    by_name = bool(beginning) or request.GET.get("order") == "name"
    shown, after = tag_counts.page_of(
        kind, beginning=beginning, by_name=by_name, after=request.GET.get("after", ""), limit=GROUPS_PER_PAGE
    )
    query = {"q": beginning} if beginning else {"order": "name"} if by_name else {}
    context = {
        "kind": kind,
        **_GROUP_PAGES[kind],
        "groups": shown,
        "beginning": beginning,
        "by_name": by_name,
        "next_url": "?" + urlencode({**query, "after": after}) if after else None,
    }
    return render(request, "catalog/groups.html", context)


# -- a tool -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def organise_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the toolkit, the tags and the owner of a tool. A refused form keeps what was typed."""
    tool = tool_at(slug)
    if request.method != "POST":
        return _organise_page(request, tool)
    form = OrganiseForm(tool, request.POST)
    if not form.save(by=actor(request)):
        return _organise_page(request, tool_at(slug), organising=form)
    messages.success(request, f"{tool.name} is organised as you said.")
    return redirect(tool)


@require_POST
@login_required
def deprecate_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Deprecate a tool, with a note and the id of its successor."""
    tool = tool_at(slug)
    form = DeprecateForm(tool, request.POST)
    if not form.save():
        return _organise_page(request, tool_at(slug), deprecating=form)
    messages.success(request, f"{tool.name} is deprecated. It works as before, and says so everywhere.")
    return redirect(tool)


@require_POST
@login_required
def undo_tool_deprecation(request: HttpRequest, slug: str) -> HttpResponse:
    """Remove the deprecation that people set; the spec's own stays."""
    tool = tool_at(slug)
    seen = request.POST.get("seen")
    try:
        still = undo_deprecation(tool, seen=[seen] if seen else None).deprecated
    except (HeldBySpec, RevisionConflict) as error:
        form = DeprecateForm(tool_at(slug), {**DeprecateForm(tool_at(slug)).initial})
        form.refuse(error)
        return _organise_page(request, tool_at(slug), deprecating=form)
    if still:
        messages.info(request, f"What was said is taken back; the spec of {tool.name} still calls it deprecated.")
    else:
        messages.success(request, f"{tool.name} is no longer deprecated.")
    return redirect(tool)


@require_safe
def restore_difference(request: HttpRequest, slug: str, number: int) -> HttpResponse:  # noqa: ARG001
    """Lead to what restoring a revision would change, where it can be restored."""
    tool = tool_at(slug)
    return redirect("catalog:revision_diff", slug, (revision_of(tool).number, revision_at(slug, number).number))


@require_POST
@login_required
def restore_revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Publish an old revision as the next one, if the current one is that which the person saw."""
    tool, revision = tool_at(slug), revision_at(slug, number)
    seen = request.POST.get("current", "")
    expected = int(seen) if seen.isascii() and seen.isdecimal() and len(seen) < 10 else None
    try:
        published = publish(revision.spec, by=actor(request), expected=expected or revision_of(tool).number)
    except RevisionConflict as error:
        messages.error(request, f"Nothing was restored. {error} Look at the difference again.")
        return redirect("catalog:revisions", slug)
    if published.outcome == "unchanged":
        messages.info(request, f"Revision {published.revision.number} has the text of revision {number} already.")
    else:
        messages.success(request, f"Revision {published.revision.number} is what revision {number} was.")
    return redirect(tool)


def _organise_page(
    request: HttpRequest,
    tool: Tool,
    *,
    organising: OrganiseForm | None = None,
    deprecating: DeprecateForm | None = None,
) -> HttpResponse:
    """The page with both forms; one of them may have been refused."""
    refused = organising or deprecating
    context: dict[str, Any] = {
        "tool": tool,
        "form": organising or OrganiseForm(tool),
        "deprecation": deprecating or DeprecateForm(tool),
        "toolkit_of_id": toolkit_of(tool.tool_id),
        "may_hand_over": may_hand_over(tool, actor(request)),
        "toolkits": [group.name for group in tag_counts.largest("toolkit", SUGGESTED)],
        "tags": [group.name for group in tag_counts.largest("tag", SUGGESTED)],
        "limits": LIMITS,
        "errors": refused.error_links if refused else [],
    }
    return render(request, "catalog/organise.html", context, status=refused.status if refused else 200)
