"""The pages for the revisions of a tool: the list, the difference between two, and restoring."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.api_auth import actor
from catalog.revisions.differences import difference_between, history_of
from catalog.tools.lookup import revision_at, revision_of, tool_at, tool_for
from catalog.tools.models import Revision
from catalog.tools.publishing import publish
from toolshelf_core.errors import RevisionConflict
from toolshelf_core.paging import read_number, read_page
from toolshelf_core.rendering.text_diff import compare

REVISIONS_PER_PAGE = 50


@require_safe
def revision_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All revisions of a tool, newest first; with `?before=`, those before that number.

    With `?from=` and `?to=`, redirect to the difference between these two.
    """
    if "from" in request.GET or "to" in request.GET:
        return _compare_revisions(request, slug)
    tool = tool_at(slug, request.user)
    revisions = tool.revisions.defer("source").select_related("created_by", "assessment")
    before = read_number(request.GET.get("before", ""))
    shown, following = read_page(revisions, before, REVISIONS_PER_PAGE, "-number")
    older = f"?before={following}" if following else None
    context = {"tool": tool, "steps": history_of(shown), "next_url": older}
    return render(request, "catalog/revisions/tool_changes.html", context)


@require_safe
def revision_diff(request: HttpRequest, slug: str, pair: tuple[int, int]) -> HttpResponse:
    """The semantic and the textual difference between two revisions."""
    tool = tool_at(slug, request.user)
    found = {
        revision.number: revision
        for revision in Revision.objects.filter(tool=tool, number__in=pair)
    }
    old, new = found.get(pair[0]), found.get(pair[1])
    if old is None or new is None:
        raise Http404
    context = {
        "tool": tool,
        "old": old,
        "new": new,
        "older": f"revision {old.number}",
        "newer": f"revision {new.number}",
        "semantic_difference": difference_between(old, new),
        "difference": compare(old.source, new.source),
        "split": request.GET.get("view") == "split",
        "may_restore": old.pk == tool.current_id != new.pk and request.user.is_authenticated,
    }
    return render(request, "catalog/revisions/revision_diff.html", context)


def _compare_revisions(request: HttpRequest, slug: str) -> HttpResponse:
    """Redirect to the difference between `?from=` and `?to=`, limited to existing revisions."""
    newest = revision_of(tool_at(slug, request.user)).number
    pair = []
    for name in ("from", "to"):
        number = read_number(request.GET.get(name, ""))
        pair.append(newest if number is None else max(1, min(number, newest)))
    view = "?view=split" if request.GET.get("view") == "split" else ""
    return redirect(f"{reverse('catalog:revision_diff', args=[slug, tuple(pair)])}{view}")


@require_http_methods(["GET", "HEAD", "POST"])
def restore_revision(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Redirect to the difference between the current and an old revision, which a POST restores."""
    if request.method == "POST":
        return _restore(request, slug, number)
    tool = tool_at(slug, request.user)
    return redirect(
        "catalog:revision_diff",
        slug,
        (revision_of(tool).number, revision_at(slug, number, request.user).number),
    )


@login_required
def _restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Publish an old revision as the next one, if the user saw the current one."""
    tool, revision = tool_for(request.user, "revise", slug), revision_at(slug, number, request.user)
    expected = read_number(request.POST.get("current", "")) or revision_of(tool).number
    try:
        publication = publish(revision.spec, by=actor(request), expected=expected)
    except RevisionConflict as error:
        messages.error(request, f"Nothing was restored. {error} Check the difference again.")
        return redirect("catalog:tool_changes", slug)
    new = publication.revision.number
    if publication.outcome == "unchanged":
        messages.info(request, f"Revision {new} already has the text of revision {number}.")
    else:
        messages.success(request, f"Revision {number} is restored as revision {new}.")
    return redirect(tool)
