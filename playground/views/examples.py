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
from catalog.encryption import Unreadable
from catalog.errors import Busy
from catalog.shortcuts import revision_of, tool_at, tool_for
from catalog.tool_page import Sample
from playground.compiled_spec import compiled_spec_of
from playground.configurations.saved import (
    UNREADABLE,
    choices_for,
    find_configuration,
    open_configuration,
)
from playground.configurations.secret_members import Configuration
from playground.example_checks import begin_check
from playground.examples.results import results_of, sees_runs_of
from playground.factories.connections import factory_of
from playground.models import ExampleCheck, SavedConfiguration

MAX_IGNORED = 50


@require_http_methods(["GET", "HEAD", "POST"])
def examples(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest check of a tool's examples, and a button for another. An htmx request gets only the results."""
    tool = tool_at(slug, request.user)
    address = reverse("playground:tests", args=[slug])
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(address)
        return start_check(request, slug)
    check = ExampleCheck.objects.filter(tool=tool).select_related("revision", "by").first()
    factory = factory_of(tool)
    spec = compiled_spec_of(revision_of(tool)).spec
    results = results_of(check) if check else []
    is_detailed = check is not None and sees_runs_of(check, request.user)
    context = {
        "tool": tool,
        "check": check,
        "results": results if is_detailed else [result.summary() for result in results],
        "is_detailed": is_detailed,
        "is_current": bool(check and check.revision_id == tool.current_id),
        "can_run": factory is not None and factory.state == "ok",
        "samples": [Sample(number, example) for number, example in enumerate(spec.examples, 1)],
        "saved": choices_for(request.user, SavedConfiguration.objects.filter(tool=tool)),
        "poll": secrets.token_hex(4),
        "address": address,
    }
    template = "playground/_examples.html" if request.htmx else "playground/tests.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def start_check(request: HttpRequest, slug: str) -> HttpResponse:
    tool = tool_for(request.user, "run", slug)
    address = reverse("playground:tests", args=[slug])
    ignored = [word for word in request.POST.get("ignored", "").split() if word.startswith("/")][
        :MAX_IGNORED
    ]
    name = request.POST.get("configuration", "")
    configuration: Configuration | None = None
    if name:
        saved = find_configuration(actor(request), tool, name)
        try:
            configuration = open_configuration(saved, actor(request)) if saved else None
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
