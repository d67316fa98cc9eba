"""The page of a person's account: tokens, sessions, saved configurations, theme, and how they sign in."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.accounts.models import ApiToken
from catalog.accounts.session_store import usable_sessions
from catalog.models import Tool
from playground.configurations.saved import delete_configuration
from playground.models import SavedConfiguration

CONFIGURATIONS_SHOWN = 100


@require_safe
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """What belongs to the present user, each with a link to the page that changes it."""
    person = actor(request)
    saved = SavedConfiguration.objects.filter(owner=person, tool__in=Tool.objects.visible_to(person))
    context = {
        "tokens": sum(token.state == "usable" for token in ApiToken.objects.filter(user=person)),
        "sessions": usable_sessions(timezone.now()).filter(user=person).count(),
        "has_password": person.has_usable_password(),
        "configurations": saved.select_related("tool").defer("encrypted", "tool__description")[:CONFIGURATIONS_SHOWN],
    }
    return render(request, "account/index.html", context)


@require_POST
@login_required
def remove_configuration(request: HttpRequest, pk: int) -> HttpResponse:
    """Remove one of the user's own saved configurations."""
    person = actor(request)
    saved = get_object_or_404(SavedConfiguration.objects.select_related("tool"), pk=pk, owner=person)
    delete_configuration(person, saved.tool, saved.name)
    messages.success(request, f"Configuration “{saved.name}” of {saved.tool.name} removed.")
    return redirect("account")
