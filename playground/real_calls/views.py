"""The pages that check the live calls of the last 30 days against another spec of their tool."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts.api_auth import actor
from accounts.rate_limits import limit_previews
from catalog.proposals.actions import current_revision
from catalog.proposals.lookup import proposal_at
from catalog.tools.lookup import revision_at, tool_at
from catalog.tools.models import Tool
from playground.real_calls.checks import check_real_calls
from toolshelf_core.page_parts import render_part_or_page
from toolspec.spec import ToolSpec


@login_required
@require_safe
def change_calls(request: HttpRequest, pk: int) -> HttpResponse:
    """How the calls would fare with a change that waits for review."""
    change = proposal_at(pk, request.user)
    current = current_revision(change.tool_id, request.user)
    if current is None or not change.is_held:
        raise Http404
    return _page(request, current.tool, change.spec, "this change", change.get_absolute_url())


@login_required
@require_safe
def revision_calls(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """How the calls, of any revision, would fare with this one."""
    tool = tool_at(slug, request.user)
    revision = revision_at(slug, number, request.user)
    changes_url = reverse("catalog:tool_changes", args=[slug])
    return _page(request, tool, revision.spec, f"revision {number}", changes_url)


def _page(
    request: HttpRequest, tool: Tool, spec: ToolSpec, subject: str, parent_url: str
) -> HttpResponse:
    """The calls of `tool` with `spec`, as a page or as its part.

    Raises:
        Busy: the person asked too often; checks of calls and of typed specs share a limit.
    """
    limit_previews(request)
    context = {
        "tool": tool,
        "subject": subject,
        "parent_url": parent_url,
        "real": check_real_calls(tool, spec, actor(request)),
    }
    return render_part_or_page(
        request,
        "playground/real_calls/_real_calls.html",
        "playground/real_calls/real_calls.html",
        context,
    )
