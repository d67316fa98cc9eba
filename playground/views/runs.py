"""The playground's pages: trying a tool, one run, all runs, the factories."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.errors import Busy, RevisionConflict, SpecError
from catalog.models import Tool
from catalog.publishing import publish
from catalog.shortcuts import file_stem, revision_of, tool_at
from catalog.specs.spec import read_spec
from catalog.text_diff import compare
from playground import running
from playground.annotations import pinned
from playground.compiled_spec import compiled_spec_of
from playground.configurations.encryption import Unreadable
from playground.configurations.saved import open_configuration
from playground.configurations.secret_members import Configuration, secret_members
from playground.examples.save_as_example import CannotSaveExample, with_example
from playground.factories.registry import registry
from playground.models import MODES, OUTCOMES, VERDICTS, Run, SavedConfiguration
from playground.presenters import as_table, phases, sentence, snippets
from playground.run_comparison import Comparison
from playground.run_filter import RunFilter
from playground.run_json import run_text
from playground.statistics import statistics_of

RAW_CHARACTERS = 65_536
EARLIER_SHOWN = 5


def run_for(request: HttpRequest, run_id: str) -> Run:
    """The run, if the person may see it.

    Raises:
        Http404: there is none, or it is somebody else's.
    """
    run = Run.objects.visible_to(actor(request)).with_names().filter(pk=run_id).first()
    if run is None:
        raise Http404
    return run


def result_context(run: Run) -> dict[str, object]:
    """The context of `playground/_result.html` for a run."""
    position = running.queue_position(run)
    contract = compiled_spec_of(run.revision)
    return {
        "run": run,
        "position": position,
        "sentence": sentence(run, position),
        "violations": pinned(run.problems, contract.spec.return_type) if run.has_response else [],
        "table": as_table(run.response) if run.has_response else None,
        "raw": (run.response_json or "")[:RAW_CHARACTERS],
        "raw_is_cut": len(run.response_json or "") > RAW_CHARACTERS,
        "return_type": contract.spec.return_type,
        "return_type_title": f"returnType of revision {run.revision.number}",
        "mock": run.mock,
        "phases": phases(run),
        "waited_ms": run.waited.total_seconds() * 1000,
        "poll": secrets.token_hex(4),  # a new element each time, so that it asks again
        "poll_ms": poll_ms(run),
    }


def poll_ms(run: Run) -> int:
    """When a page asks again for a run: soon at first, then every second."""
    waited_ms = run.waited.total_seconds() * 1000
    return int(min(1000, max(150, waited_ms / 4)))


@login_required
@require_safe
def run_detail(request: HttpRequest, run_id: str) -> HttpResponse:
    """One run, for ever at one address. An htmx request gets the result alone, as a running run asks for itself."""
    run = run_for(request, run_id)
    context = result_context(run)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/_result.html", context)
    site = f"{request.scheme}://{request.get_host()}"
    context |= {
        "snippets": snippets(run, site),
        "is_current": run.tool.current_id == run.revision_id,
        "can_repeat": not run.configuration_fingerprint or bool(run.configuration_name),
        "can_be_kept": run.has_response and run.mode == "live",
        "earlier": earlier_runs(request, run),
    }
    return render(request, "playground/run.html", context)


def earlier_runs(request: HttpRequest, run: Run) -> list[Run]:
    """The runs of the same tool before `run`, to compare it with."""
    runs = Run.objects.visible_to(actor(request)).filter(tool=run.tool_id, pk__lt=run.pk).without_texts().with_names()
    return list(runs.order_by("-id")[:EARLIER_SHOWN])


@login_required
@require_POST
def run_cancel(request: HttpRequest, run_id: str) -> HttpResponse:
    run = running.cancel(run_for(request, run_id))
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/_result.html", result_context(run))
    return redirect(run)


def saved_again(request: HttpRequest, run: Run) -> Configuration | None:
    """The saved configuration that `run` was made with, as it is now; None where there is none."""
    saved = SavedConfiguration.objects.filter(
        owner=actor(request), tool=run.tool_id, name=run.configuration_name
    ).first()
    try:
        return open_configuration(saved) if saved and run.configuration_name else None
    except Unreadable:
        return None


@login_required
@require_POST
def run_again(request: HttpRequest, run_id: str) -> HttpResponse:
    """Make the same run again: with `revision=same` by the schemas of then, else by the tool's current ones."""
    run = run_for(request, run_id)
    configuration = saved_again(request, run)
    if run.configuration_fingerprint and configuration is None:
        messages.info(request, "The configuration of that run is not at hand any more. Fill it in to run again.")
        return redirect(f"{reverse('playground:try', args=[run.tool.slug])}?run={run.pk}")
    if secret_members(compiled_spec_of(run.revision).parameters, run.parameters, by_name=False):
        return redirect(f"{reverse('playground:try', args=[run.tool.slug])}?run={run.pk}")
    revision = run.revision if request.POST.get("revision") == "same" else run.tool.current or run.revision
    try:
        again = running.start(
            run.tool,
            revision,
            run.parameters,
            by=actor(request),
            configuration=configuration,
            configuration_name=run.configuration_name,
            mode=run.mode,
            timeout_s=run.timeout_s,
        )
    except Busy as busy:
        messages.error(request, f"{busy} Try again in {busy.retry_after_s} s.")
        return redirect(run)
    return redirect(again)


@login_required
@require_safe
def run_comparison(request: HttpRequest, first_id: str, second_id: str) -> HttpResponse:
    """Two runs of one tool side by side, the earlier one first."""
    first, second = (run_for(request, run_id) for run_id in sorted([first_id, second_id]))
    if first.tool_id != second.tool_id:
        raise Http404
    return render(
        request, "playground/run_comparison.html", {"tool": first.tool, "comparison": Comparison(first, second)}
    )


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def save_example(request: HttpRequest, run_id: str) -> HttpResponse:
    """Make a run an example of its tool: see what that changes in the spec, then publish it."""
    run = run_for(request, run_id)
    tool = tool_at(run.tool.slug)
    current = revision_of(tool)
    description = " ".join(request.POST.get("description", "").split())[:200]
    context: dict[str, object] = {
        "run": run,
        "tool": tool,
        "description": description,
        "next_number": current.number + 1,
    }
    if not run.has_response or run.mode == "mock":
        context["refusal"] = "Only a live run that gave a response can be kept."
        return render(request, "playground/save_example.html", context, status=422)
    try:
        text = with_example(
            current.source, description=description, parameters=run.parameters, return_value=run.response
        )
        spec = read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
        if request.POST.get("do") == "publish":
            expected = int(request.POST.get("expected", "0")) if request.POST.get("expected", "").isdecimal() else 0
            publish(spec, by=actor(request), expected=expected)
            messages.success(request, "The example was kept.")
            return redirect(tool)
    except (CannotSaveExample, SpecError, RevisionConflict) as error:
        context["refusal"] = str(error)
        return render(request, "playground/save_example.html", context, status=422)
    context["difference"] = compare(current.source, text)
    return render(request, "playground/save_example.html", context)


@login_required
@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs that the person may see, the latest first."""
    wanted = RunFilter.from_query(request.GET)
    visible = Run.objects.visible_to(actor(request))
    page = wanted.page(visible)
    query = wanted.query()
    prefix = f"?{query}&" if query else "?"
    tool = Tool.objects.filter(slug=wanted.tool).first() if wanted.tool else None
    context = {
        "filter": wanted,
        "tool": tool,
        "figures": statistics_of(tool) if tool and not request.htmx else None,  # type: ignore[attr-defined]
        "runs": page.runs,
        "previous_url": f"{prefix}after={page.newer}" if page.newer else "",
        "next_url": f"{prefix}before={page.older}" if page.older else "",
        "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in OUTCOMES],
        "verdicts": VERDICTS,
        "modes": MODES,
    }
    template = "playground/_runs.html" if request.htmx else "playground/run_list.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@login_required
@require_safe
def run_download(request: HttpRequest, run_id: str) -> HttpResponse:
    """The whole run as JSON."""
    run = run_for(request, run_id)
    return attachment(run_text(run), f"{file_stem(run.tool.slug)}-run-{run.pk}.json")


@login_required
@require_safe
def response_download(request: HttpRequest, run_id: str) -> HttpResponse:
    """The whole response as JSON."""
    run = run_for(request, run_id)
    if run.response_json is None:
        raise Http404
    return attachment(run.response_json, f"{file_stem(run.tool.slug)}-response-{run.pk}.json")


def attachment(text: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json; charset=utf-8", headers=headers)


@require_safe
def factories(request: HttpRequest) -> HttpResponse:
    """What is installed, which tool each factory serves, what is broken, and how runs are isolated."""
    found = registry().all()
    served = Tool.objects.filter(tool_id__in=[info.tool_id for info in found if info.tool_id])
    tools = {tool.tool_id: tool for tool in served}
    context = {
        "factories": [{"info": info, "tool": tools.get(info.tool_id or "")} for info in found],
        "broken": sum(info.state != "ok" for info in found),
        "isolation": registry().isolation(),
    }
    return render(request, "playground/factories.html", context)
