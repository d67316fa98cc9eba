"""The page that checks a tool's examples."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from catalog.accounts.api_auth import actor
from catalog.errors import Busy
from catalog.shortcuts import revision_of, tool_at
from playground.compiled_spec import compiled_spec_of
from playground.configurations.encryption import Unreadable
from playground.configurations.saved import UNREADABLE, open_configuration
from playground.configurations.secret_members import Configuration
from playground.example_checks import begin_check
from playground.examples.results import results_of
from playground.factories.registry import registry
from playground.models import ExampleCheck, SavedConfiguration

MAX_IGNORED = 50


@require_http_methods(["GET", "HEAD", "POST"])
def examples(request: HttpRequest, slug: str) -> HttpResponse:
    """Whether a tool's examples hold: the latest check, and a button for another. htmx gets the results alone."""
    tool = tool_at(slug)
    address = reverse("playground:examples", args=[slug])
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(address)
        return start_check(request, slug)
    check = ExampleCheck.objects.filter(tool=tool).select_related("revision", "by").first()
    factory = registry().for_tool(tool.tool_id)
    context = {
        "tool": tool,
        "check": check,
        "results": results_of(check) if check else [],
        "is_current": bool(check and check.revision_id == tool.current_id),
        "can_run": factory is not None and factory.state == "ok",
        "has_examples": bool(compiled_spec_of(revision_of(tool)).spec.examples),
        "saved_names": saved_names(request, tool.pk),
        "poll": secrets.token_hex(4),
        "address": address,
    }
    template = "playground/_examples.html" if request.htmx else "playground/examples.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def start_check(request: HttpRequest, slug: str) -> HttpResponse:
    tool = tool_at(slug)
    address = reverse("playground:examples", args=[slug])
    ignored = [word for word in request.POST.get("ignored", "").split() if word.startswith("/")][:MAX_IGNORED]
    name = request.POST.get("configuration", "")
    configuration: Configuration | None = None
    if name:
        saved = SavedConfiguration.objects.filter(owner=actor(request), tool=tool, name=name).first()
        try:
            configuration = open_configuration(saved) if saved else None
        except Unreadable:
            messages.error(request, UNREADABLE)
            return redirect(address)
    try:
        begin_check(
            tool,
            revision_of(tool),
            by=actor(request),
            configuration=configuration,
            configuration_name=name if configuration else "",
            exactly=request.POST.get("how") != "conform",
            ignored=ignored,
        )
    except Busy as busy:
        messages.error(request, f"{busy} Try again in {busy.retry_after_s} s.")
    return redirect(address)


def saved_names(request: HttpRequest, tool_pk: int) -> list[str]:
    if not request.user.is_authenticated:
        return []
    saved = SavedConfiguration.objects.filter(owner=actor(request), tool_id=tool_pk)
    return list(saved.values_list("name", flat=True))
