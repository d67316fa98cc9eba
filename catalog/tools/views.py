"""The page of a tool, and its star."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST, require_safe

from accounts.api_auth import actor
from catalog.access.rights import may
from catalog.tools.lookup import revision_of, tool_at
from catalog.tools.page import ToolPage
from catalog.tools.stars import star, star_html, unstar
from toolshelf_core.caching import MAX_CHARACTERS, LRUCache

# the outline and the documentation of a spec's schemas, by the revision's hash and whether they
# lead to its editor
_documentation: LRUCache[tuple[SafeString, SafeString]] = LRUCache(
    max_weight=MAX_CHARACTERS, weigh=lambda parts: sum(map(len, parts))
)


@require_safe
def tool_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool: description, parameters, return type, configuration and examples.

    Lint and similar tools have their own addresses; the page loads them when the reader scrolls
    there.
    """
    tool = tool_at(slug, request.user)
    docs = ToolPage(tool, site=request.build_absolute_uri("/"))
    edits = bool(may(request.user, "propose", tool))
    outline, documentation = _documentation.get_or_compute(
        (revision_of(tool).sha256, edits), lambda: _render_documentation(docs, edits=edits)
    )
    context = {
        "tool": tool,
        "docs": docs,
        "outline": outline,
        "documentation": documentation,
        "published_by": revision_of(tool).created_by,
    }
    return render(request, "catalog/tools/tool.html", context)


def _render_documentation(docs: ToolPage, *, edits: bool) -> tuple[SafeString, SafeString]:
    context = {
        "tool": docs.tool,
        "sections": docs.sections,
        "has_examples": bool(docs.examples),
        "edits": edits,
    }
    return (
        render_to_string("catalog/tools/_outline.html", context),
        render_to_string("catalog/tools/_documentation.html", context),
    )


@require_POST
@login_required
def star_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Star a tool, or with `starred=0` remove the star; then return to the page of the button.

    An htmx request gets the button in its new state.
    """
    tool, starred = tool_at(slug, request.user), request.POST.get("starred") != "0"
    change = star if starred else unstar
    change(tool, actor(request))
    if request.htmx:  # type: ignore[attr-defined]
        return HttpResponse(star_html(tool, starred=starred))
    page = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(
        page, {request.get_host()}, require_https=request.is_secure()
    ):
        return redirect(page)
    return redirect(tool)
