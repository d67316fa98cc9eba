"""The settings of a tool that are not in a spec."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from catalog.accounts.api_auth import actor
from catalog.forms.tools import (
    AccessForm,
    ArchiveForm,
    DeprecateForm,
    MetadataForm,
    OrganiseForm,
    RestoreForm,
    UndoDeprecationForm,
)
from catalog.listing import groups
from catalog.models import Audience, Tool
from catalog.models.tools import NOTE_LENGTH, TOOLKIT_LENGTH
from catalog.rights import may
from catalog.search.document import toolkit_of
from catalog.shortcuts import tool_at, tool_for

SUGGESTED: Final = 50

_FORMS: Final[dict[str, type[MetadataForm]]] = {
    "organisation": OrganiseForm,
    "access": AccessForm,
    "deprecation": DeprecateForm,
    "undo-deprecation": UndoDeprecationForm,
    "archive": ArchiveForm,
    "restore": RestoreForm,
}


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
def tool_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """The settings of a tool. A POST changes those of its `section`; a refused form keeps its entries."""
    tool = tool_for(request.user, "organise", slug)
    form_class = _FORMS.get(request.POST.get("section", ""))
    if form_class is None:
        return _settings_page(request, tool)
    form = form_class(tool, request.POST)
    if form.save(by=actor(request)) is None:
        return _settings_page(request, tool_at(slug, request.user), form)
    messages.success(request, form.saved_message)
    # its new access settings may exclude this person
    if may(request.user, "organise", Tool.objects.get(pk=tool.pk)):
        return redirect("catalog:tool_settings", slug)
    return redirect(tool)


def _settings_page(
    request: HttpRequest, tool: Tool, refused: MetadataForm | None = None
) -> HttpResponse:
    """The page with a form for each section, one of which may have been refused."""
    visibility = Audience.objects.visibility_for(request.user)
    shown = Tool.objects.with_visibility(visibility)
    neighbours = shown.available().in_toolkit(tool.toolkit).exclude(pk=tool.pk)
    owners = shown.filter(owner__isnull=False).values_list("owner__username", flat=True)
    tags = [group.name for group in groups.largest("tag", SUGGESTED, visibility)]
    toolkits = [group.name for group in groups.largest("toolkit", SUGGESTED, visibility)]
    successors = neighbours.order_by("sort_name").values_list("tool_id", flat=True)
    context: dict[str, Any] = {
        "tool": tool,
        "form": refused if isinstance(refused, OrganiseForm) else OrganiseForm(tool),
        "access": refused if isinstance(refused, AccessForm) else AccessForm(tool),
        "deprecation": refused if isinstance(refused, DeprecateForm) else DeprecateForm(tool),
        "toolkit_of_id": toolkit_of(tool.tool_id),
        "may_hand_over": bool(may(request.user, "hand over", tool)),
        "owners": owners.distinct()[:SUGGESTED],
        "groups": list(Group.objects.order_by("name").values_list("name", flat=True)),
        "tags": [name for name in tags if name not in tool.tags],
        "toolkits": toolkits,
        "successors": successors[:SUGGESTED],
        "toolkit_length": TOOLKIT_LENGTH,
        "note_length": NOTE_LENGTH,
        "errors": refused.error_links if refused else [],
    }
    status = refused.status if refused else 200
    return render(request, "catalog/tool_settings.html", context, status=status)
