"""A press of *Run*, or on a stop, in the demonstration of the first page."""

from __future__ import annotations

from dataclasses import replace

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from accounts.rate_limits import limit_visitor_runs
from catalog.access.models import Audience
from catalog.search.catalog_search import LIST_PARAMETERS
from catalog.tools.lookup import revision_of
from playground.home.demonstration import PARAMETER, STOPS, Demonstration, find_demonstration
from playground.runs import running, visitors
from toolshelf_core.errors import Busy


@require_POST
def run_demonstration(request: HttpRequest) -> HttpResponse:
    """Run the tool at the stop `hours` as a visitor.

    The first page then shows the run; with htmx the form does.
    """
    demonstration = find_demonstration(Audience.objects.visibility_for(request.user))
    hours = {str(stop): stop for stop in STOPS}.get(request.POST.get("hours", ""))
    if demonstration is None or hours is None:  # switched off in the meantime, or made up
        return redirect("playground:home")
    try:
        limit_visitor_runs(request)
        tool = demonstration.tool
        run = running.start_for_visitor(tool, revision_of(tool), {PARAMETER: hours})
    except Busy as busy:
        refusal = f"{busy} Try again in {busy.retry_after_s} s."
        return render_answer(request, replace(demonstration, refusal=refusal))
    run = running.wait(run, visitors.VISITOR_TIMEOUT_S)
    response = render_answer(request, replace(demonstration, run=run))
    visitors.remember_run(request, response, run)
    return response


def render_answer(request: HttpRequest, demonstration: Demonstration) -> HttpResponse:
    """The form for htmx, with 200 because browsers log any error status; else a redirect."""
    if request.htmx:  # type: ignore[attr-defined]
        context = {"demonstration": demonstration}
        return render(request, "playground/home/_demonstration.html", context)
    home = reverse("playground:home")
    if demonstration.run is not None:
        return redirect(f"{home}?run={demonstration.run.pk}#demonstration")
    messages.error(request, demonstration.refusal)
    return redirect(home)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Introduce the site, with what to do first.

    The list of tools used to have this address, so a query of the list leads to it, without
    parameters of other pages.
    """
    query = request.GET.copy()
    for name in set(query) - LIST_PARAMETERS:
        del query[name]
    if query:
        return redirect(f"{reverse('catalog:tool_list')}?{query.urlencode()}", permanent=True)
    return render(request, "playground/home/home.html")
