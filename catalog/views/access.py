"""The pages that set who owns, maintains and sees a tool or a toolkit."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from catalog.access import change_tool_access, change_toolkit_access
from catalog.accounts.api_auth import actor
from catalog.forms.tools import AccessForm
from catalog.models import Tool, Toolkit
from catalog.rights import may
from catalog.shortcuts import tool_for, toolkit_for


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def tool_access(request: HttpRequest, slug: str) -> HttpResponse:
    """Set the owner, the maintainers and the visibility of a tool."""
    tool = tool_for(request.user, "organise", slug)
    form = AccessForm(tool, request.POST if request.method == "POST" else None)
    if form.stored_by(
        lambda: change_tool_access(tool, form.access, by=actor(request), seen=form.seen_etags)
    ):
        messages.success(request, f"Access to {tool.name} saved.")
        return (
            redirect("catalog:tool_access", slug)
            if may(request.user, "organise", tool)
            else redirect(tool)
        )
    return _access_page(request, tool, form, reverse("catalog:tool_access", args=[slug]))


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def toolkit_access(request: HttpRequest, name: str) -> HttpResponse:
    """Set the owner, the maintainers and the visibility of a toolkit, which apply to all of its tools."""
    toolkit = toolkit_for(request.user, "organise", name)
    form = AccessForm(toolkit, request.POST if request.method == "POST" else None)
    if form.stored_by(lambda: change_toolkit_access(toolkit, form.access, by=actor(request))):
        messages.success(request, f"Access to the toolkit {toolkit.name} saved.")
        return redirect("catalog:toolkits")
    return _access_page(
        request, toolkit, form, reverse("catalog:toolkit_access", args=[toolkit.key])
    )


def _access_page(
    request: HttpRequest, one: Tool | Toolkit, form: AccessForm, action: str
) -> HttpResponse:
    context = {
        "subject": one,
        "tool": one if isinstance(one, Tool) else None,
        "form": form,
        "action": action,
        "may_hand_over": isinstance(one, Toolkit) or bool(may(request.user, "hand over", one)),
        "groups": list(Group.objects.order_by("name").values_list("name", flat=True)),
        "errors": form.error_links,
    }
    return render(
        request, "catalog/access.html", context, status=form.status if form.errors else 200
    )
