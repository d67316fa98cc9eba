"""Pages to organise the catalog: its toolkits and tags, and what people say of a tool besides its spec."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.errors import DocumentError, HeldBySpec, NotTheOwner, RevisionConflict, ToolshelfError
from catalog.jsontext.pointers import split_pointer
from catalog.lifecycle import deprecate, undo_deprecation
from catalog.metadata import UNCHANGED, Organisation, may_hand_over, organise
from catalog.models import Tool
from catalog.models.tools import NOTE_LENGTH, TAG_LENGTH, TOOLKIT_LENGTH
from catalog.publishing import publish
from catalog.search import tag_counts
from catalog.search.document import group_key, toolkit_of
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
    said = {"q": beginning} if beginning else {"order": "name"} if by_name else {}
    context = {
        "kind": kind,
        **_GROUP_PAGES[kind],
        "groups": shown,
        "beginning": beginning,
        "by_name": by_name,
        "next_url": "?" + urlencode({**said, "after": after}) if after else None,
    }
    return render(request, "catalog/groups.html", context)


# -- a tool -----------------------------------------------------------------------------------------------------------


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def organise_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Toolkit, tags and owner of a tool; with what was typed and why it was refused, where it was."""
    tool = tool_at(slug)
    if request.method != "POST":
        return _organise_page(request, tool)
    typed = {name: request.POST.get(name, "") for name in ("toolkit", "tags", "tags_were", "owner")}
    try:
        organise(tool, _wanted(request, tool), by=actor(request), seen=_seen(request))
    except (DocumentError, HeldBySpec, NotTheOwner, RevisionConflict) as error:
        return _organise_page(request, tool_at(slug), typed=typed, error=error)
    messages.success(request, f"{tool.name} is organised as you said.")
    return redirect(tool)


@require_POST
@login_required
def deprecate_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Call a tool deprecated, with a note and the id of its successor."""
    tool = tool_at(slug)
    typed = {name: request.POST.get(name, "") for name in ("note", "superseded_by")}
    note = typed["note"].replace("\r\n", "\n")
    try:
        deprecate(tool, note=note, superseded_by=typed["superseded_by"].strip(), seen=_seen(request))
    except (DocumentError, RevisionConflict) as error:
        return _organise_page(request, tool_at(slug), typed=typed, error=error)
    messages.success(request, f"{tool.name} is deprecated. It works as before, and says so everywhere.")
    return redirect(tool)


@require_POST
@login_required
def undo_tool_deprecation(request: HttpRequest, slug: str) -> HttpResponse:
    """Take back what people said."""
    tool = tool_at(slug)
    try:
        still = undo_deprecation(tool, seen=_seen(request)).deprecated
    except (HeldBySpec, RevisionConflict) as error:
        return _organise_page(request, tool_at(slug), error=error)
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


def _wanted(request: HttpRequest, tool: Tool) -> Organisation:
    """What a form says: all tags that people gave, so that those which it showed and leaves out go."""
    choice, typed = request.POST.get("toolkit_from"), request.POST.get("toolkit", "")
    if typed.strip() and not tool.toolkit_chosen:
        choice = "name"  # somebody has written it into an empty field, and left the choice beside it alone
    stored = ",".join(tool.added_tags.splitlines())
    said = (request.POST.get("tags", ""), request.POST.get("tags_were", stored))
    tags, shown = ([tag.strip() for tag in text.split(",") if tag.strip()] for text in said)
    given = {group_key(tag) for tag in tags}
    return Organisation(
        toolkit=None if choice == "id" else typed,
        add_tags=tags,
        remove_tags=[tag for tag in shown if group_key(tag) not in given],
        owner=request.POST["owner"].strip() if "owner" in request.POST else UNCHANGED,
    )


def _seen(request: HttpRequest) -> list[str] | None:
    return [request.POST["seen"]] if request.POST.get("seen") else None


def _organise_page(
    request: HttpRequest, tool: Tool, *, typed: dict[str, str] | None = None, error: ToolshelfError | None = None
) -> HttpResponse:
    refused = typed or {}
    errors = list(_errors(error)) if error else []
    context: dict[str, Any] = {
        "tool": tool,
        "typed": {
            "toolkit": tool.toolkit if tool.toolkit_chosen else "",
            "tags": ", ".join(tool.added_tags.splitlines()),
            "tags_were": ", ".join(tool.added_tags.splitlines()),
            "owner": tool.owner.username if tool.owner else "",
            "note": tool.deprecation_note,
            "superseded_by": tool.superseded_by.tool_id if tool.superseded_by else "",
        }
        | refused,
        "by_id": request.POST.get("toolkit_from") == "id" if "toolkit" in refused else not tool.toolkit_chosen,
        "toolkit_of_id": toolkit_of(tool.tool_id),
        "may_hand_over": may_hand_over(tool, actor(request)),
        "toolkits": [group.name for group in tag_counts.largest("toolkit", SUGGESTED)],
        "tags": [group.name for group in tag_counts.largest("tag", SUGGESTED)],
        "limits": LIMITS,
        "errors": errors,
        "error_at": {error["href"][1:]: error["message"] for error in errors},
    }
    return render(request, "catalog/organise.html", context, status=_status(error) if error else 200)


def _errors(error: ToolshelfError) -> list[dict[str, str]]:
    """What is wrong, each with the field that it stands at."""
    if not isinstance(error, DocumentError):
        field = {HeldBySpec: "#tags", NotTheOwner: "#owner"}.get(type(error), "")
        return [{"href": field, "message": str(error)}]
    places = {"add_tags": "tags"}
    return [
        {"href": f"#{places.get(name, name)}", "message": problem.message}
        for problem in error.problems
        for name in split_pointer(problem.pointer)[:1]
    ]


def _status(error: ToolshelfError) -> int:
    return {HeldBySpec: 409, NotTheOwner: 403, RevisionConflict: 409}.get(type(error), 422)
