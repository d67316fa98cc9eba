"""Starring a tool, from any page that shows it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from catalog.accounts.api_auth import actor
from catalog.shortcuts import tool_at
from catalog.stars import star, unstar
from catalog.templatetags.stars import star_html


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
    if url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure()):
        return redirect(page)
    return redirect(tool)
