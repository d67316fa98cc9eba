"""A press of *Run*, or on a stop, in the demonstration of the first page."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from catalog.accounts.rate_limits import limit_visitor_runs
from catalog.errors import Busy
from catalog.models import Audience
from catalog.shortcuts import revision_of
from playground import running, visitors
from playground.home.demonstration import PARAMETER, STOPS, Demonstration, demonstration_for


@require_POST
def run_demonstration(request: HttpRequest) -> HttpResponse:
    """Run the tool at the stop `hours` as a visitor; the first page then shows the run, or with htmx the form does."""
    shown = demonstration_for(Audience.objects.visibility_for(request.user))
    hours = {str(stop): stop for stop in STOPS}.get(request.POST.get("hours", ""))
    if shown is None or hours is None:  # switched off since the page was opened, or made up
        return redirect("catalog:home")
    try:
        limit_visitor_runs(request)
        run = running.start_for_visitor(shown.tool, revision_of(shown.tool), {PARAMETER: hours})
    except Busy as busy:
        refusal = f"{busy} Try again in {busy.retry_after_s} s."
        return answer(request, replace(shown, refusal=refusal))
    run = running.wait(run, running.VISITOR_TIMEOUT_S)
    response = answer(request, replace(shown, run=run))
    visitors.remember_run(request, response, run)
    return response


def answer(request: HttpRequest, shown: Demonstration) -> HttpResponse:
    """The form for htmx, with 200 because browsers log any error status; else the way to the first page."""
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/_demonstration.html", {"demonstration": shown})
    home = reverse("catalog:home")
    if shown.run is not None:
        return redirect(f"{home}?run={shown.run.pk}#demonstration")
    messages.error(request, shown.refusal)
    return redirect(home)
