"""Review: the changes that wait for approval, and one change with its difference."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts.api_auth import actor
from catalog.access.rights import may
from catalog.proposals.actions import approve, current_revision, difference_of_change, reject
from catalog.proposals.lookup import proposal_at
from catalog.proposals.models import Proposal
from toolshelf_core.errors import RevisionConflict
from toolshelf_core.paging import read_number, read_page
from toolshelf_core.rendering.text_diff import compare
from toolspec.errors import SpecError

CHANGES_PER_PAGE: Final = 50


@require_safe
@login_required
def review_list(request: HttpRequest) -> HttpResponse:
    """The changes that wait for approval: proposals of the user, and what they may decide about.

    `?state=` lists those that were decided.
    """
    state = request.GET.get("state", Proposal.HELD)
    if state not in Proposal.STATES:
        state = Proposal.HELD
    changes = Proposal.objects.visible_to(request.user).filter(state=state)
    changes = changes.select_related("source", "proposed_by", "decided_by")
    before = read_number(request.GET.get("before", ""), digits=18)
    page, following = read_page(changes.defer("text", "source__document"), before, CHANGES_PER_PAGE)
    query = urlencode({"state": state, "before": following})
    context = {
        "changes": page,
        "state": state,
        "states": Proposal.STATES,
        "next_url": f"?{query}" if following else None,
    }
    return render(request, "catalog/proposals/review_list.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def review(request: HttpRequest, pk: int) -> HttpResponse:
    """A change that waits for approval, with its proofs; POST approves or rejects it."""
    change = proposal_at(pk, request.user)
    if request.method == "POST":
        return _decide(request, change)
    current = current_revision(change.tool_id, request.user)
    older, source = (f"revision {current.number}", current.source) if current else ("", "")
    context = {
        "change": change,
        "state": Proposal.STATES[change.state],
        "source": change.source,
        "current": current,
        "older": older,
        "newer": "this change",
        "semantic_difference": None,
        "difference": None,
        "split": request.GET.get("view") == "split",
        "may_decide": change.is_held and bool(may(request.user, "approve", change)),
    }
    if change.is_held:
        context["semantic_difference"] = difference_of_change(change, current)
        context["difference"] = compare(source, change.text)
    return render(request, "catalog/proposals/review.html", context)


def _decide(request: HttpRequest, change: Proposal) -> HttpResponse:
    try:
        if request.POST.get("decision") == "reject":
            reject(change, by=actor(request))
            messages.success(
                request, f"Change to {change.tool_id} rejected. The tool does not change."
            )
        else:
            publication = approve(
                change, by=actor(request), seen=read_number(request.POST.get("seen", ""))
            )
            messages.success(
                request, f"Revision {publication.revision.number} of {change.tool_id} is published."
            )
    except (RevisionConflict, SpecError) as error:
        messages.error(request, str(error))
        return redirect(change)
    return redirect("catalog:review_list")
