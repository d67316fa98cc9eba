"""The page that checks a tool's examples."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.api_auth import actor
from catalog.access.rights import may
from catalog.proposals.actions import WHO_DECIDES, PendingSpec, own_proposal, publish_or_hold
from catalog.tools.lookup import revision_of, tool_at, tool_for
from catalog.tools.page import Sample
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import (
    UNREADABLE,
    find_configuration,
    list_usable_choices,
    open_configuration,
)
from playground.configurations.secret_members import Configuration
from playground.examples.checks import begin_check
from playground.examples.forms import ExampleForm
from playground.examples.models import ExampleCheck
from playground.examples.results import ExampleResult, ExampleSummary, results_of, sees_runs_of
from playground.examples.save_as_example import CannotSaveExample, spec_with_run
from playground.factories.connections import factory_of
from playground.history.forms import first_error
from playground.runs.lookup import own_run
from toolshelf_core.encryption import Unreadable
from toolshelf_core.errors import Busy, RevisionConflict
from toolshelf_core.rendering.text_diff import compare
from toolspec.errors import SpecError

MAX_IGNORED = 50


@require_http_methods(["GET", "HEAD", "POST"])
def examples(request: HttpRequest, slug: str) -> HttpResponse:
    """The latest check of a tool's examples, and a button for another.

    An htmx request gets only the results.
    """
    tool = tool_at(slug, request.user)
    address = reverse("playground:tests", args=[slug])
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect_to_login(address)
        return start_check(request, slug)
    check = ExampleCheck.objects.filter(tool=tool).select_related("revision", "by").first()
    factory = factory_of(tool)
    spec = compiled_spec_of(revision_of(tool)).spec
    results: Sequence[ExampleResult | ExampleSummary] = []
    is_detailed = check is not None and sees_runs_of(check, request.user)
    if check is not None:
        details = results_of(check)
        results = details if is_detailed else [result.summary() for result in details]
    context = {
        "tool": tool,
        "check": check,
        "results": results,
        "is_detailed": is_detailed,
        "is_current": bool(check and check.revision_id == tool.current_id),
        "can_run": factory is not None and factory.state == "ok",
        "samples": [Sample(number, example) for number, example in enumerate(spec.examples, 1)],
        "saved": list_usable_choices(request.user, SavedConfiguration.objects.filter(tool=tool)),
        "poll": secrets.token_hex(4),
        "address": address,
    }
    is_part = request.htmx  # type: ignore[attr-defined]
    template = "playground/examples/_examples.html" if is_part else "playground/examples/tests.html"
    return render(request, template, context)


def start_check(request: HttpRequest, slug: str) -> HttpResponse:
    tool = tool_for(request.user, "run", slug)
    address = reverse("playground:tests", args=[slug])
    words = request.POST.get("ignored", "").split()
    pointers = [word for word in words if word.startswith("/")]
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
            ignored=pointers[:MAX_IGNORED],
        )
    except Busy as busy:
        messages.error(request, f"{busy} Try again in {busy.retry_after_s} s.")
    return redirect(address)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def save_example(request: HttpRequest, run_id: str) -> HttpResponse:
    """Save a run as an example of its tool.

    Preview the change to the spec, then publish or propose it.
    """
    run = own_run(run_id, request.user)
    tool = tool_for(request.user, "propose", run.tool.slug)
    current = revision_of(tool)
    form = ExampleForm(request.POST)
    is_valid = form.is_valid()
    sent = form.cleaned_data
    context: dict[str, object] = {
        "run": run,
        "tool": tool,
        "description": sent.get("description", ""),
        "next_number": current.number + 1,
        "may_publish": bool(may(request.user, "revise", tool)),
        "proposal": own_proposal(tool, request.user),
    }
    if not is_valid:
        context["refusal"] = first_error(form)
        return render(request, "playground/examples/save_example.html", context, status=422)
    try:
        spec = spec_with_run(run, current, description=sent["description"])
        if sent["do"] == "publish":
            outcome = publish_or_hold(spec, by=actor(request), expected=sent["expected"])
            if isinstance(outcome, PendingSpec):
                messages.success(request, f"The example is in review. {WHO_DECIDES}")
                return redirect(outcome.get_absolute_url())
            messages.success(request, f"Example added in revision {current.number + 1}.")
            return redirect(tool)
    except (CannotSaveExample, SpecError, RevisionConflict) as error:
        context["refusal"] = str(error)
        return render(request, "playground/examples/save_example.html", context, status=422)
    context["difference"] = compare(current.source, spec.source)
    return render(request, "playground/examples/save_example.html", context)
