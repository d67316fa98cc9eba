"""The pages for runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.api_auth import actor
from accounts.models import Person
from accounts.roles import is_administrator
from catalog.access.rights import may
from catalog.tools.lookup import file_stem, tool_at
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.input_digest import stored_digest
from playground.configurations.sharing import share_with_groups
from playground.history.charts import runs_chart
from playground.history.comparison import Comparison
from playground.history.details import details_of
from playground.history.forms import ShareForm, first_error
from playground.history.overview import DEFAULT_PERIOD, PERIODS, overview_of
from playground.history.presenters import join_missing, phases, pinned
from playground.history.response_changes import like_example, like_last_run
from playground.history.response_table import as_table
from playground.history.run_sentence import VERDICT_WORDS, sentence
from playground.history.text_view import texts_of
from playground.runs import running, visitors
from playground.runs.filters import RunFilter
from playground.runs.lookup import own_run, require_own, run_at, runs_at
from playground.runs.models import MODES, OUTCOMES, VISITOR, Run, RunQuerySet
from playground.runs.rerun import CannotRepeat, repeat
from playground.runs.response_files import file_response
from playground.runs.run_json import run_text
from toolshelf_core.errors import Busy
from toolspec.errors import DocumentError
from toolspec.spec import ToolSpec

RAW_CHARACTERS = 65_536

RECENT_RUNS = 200


def result_context(request: HttpRequest, run: Run) -> dict[str, object]:
    """The context of `playground/history/_result.html` for a run, which is compared with runs of the user only."""
    viewer = request.user
    position = running.queue_position(run)
    compiled_spec = compiled_spec_of(run.revision)
    files = run.file_list()
    likenesses = [
        found
        for found in (like_last_run(run, viewer), like_example(run, compiled_spec.spec))
        if found
    ]
    compared = [likeness for likeness in likenesses if not likeness.is_same]
    raw = str(run.response) if run.response_cut else run.response_json or ""
    edit_href = edit_href_of(run, compiled_spec.spec, viewer)
    return {
        "run": run,
        "is_stored": not run._state.adding,  # False for the mock of a user who may not run the tool
        "position": position,
        "sentence": sentence(run, position),
        "violations": pinned(run.problems, compiled_spec.spec.return_type, edit_href)
        if run.has_response
        else [],
        "edit_href": edit_href,
        "table": as_table(run.response, join_missing(run.problems)) if run.has_response else None,
        "texts": texts_of(run.response, {likeness.key: likeness.value for likeness in compared})
        if run.has_response and not run.response_cut
        else [],
        "files": files,
        "whole": any(file.is_whole_response for file in files),
        "raw": raw[:RAW_CHARACTERS],
        "raw_is_cut": len(raw) > RAW_CHARACTERS,
        "return_type": compiled_spec.spec.return_type,
        "return_type_title": f"returnType of revision {run.revision.number}",
        "mock": run.mock,
        "likenesses": likenesses,
        "compared": compared,
        "marks": [mark for likeness in compared for mark in likeness.marks],
        "phases": phases(run),
        "input_digest": stored_digest(run.parameters),
        "waited_ms": run.waited.total_seconds() * 1000,
        "poll": secrets.token_hex(4),  # a new element each time, so that htmx polls again
        "poll_ms": poll_ms(run),
        "details": details_of(run, viewer, f"{request.scheme}://{request.get_host()}"),
    }


def edit_href_of(run: Run, spec: ToolSpec, viewer: Person) -> str:
    """The page that makes the return type accept the response, or describes it if there is none.

    "" for neither.

    The return type of an OpenAPI tool depends on the HTTP status, so it is not changed for one
    response.
    """
    differs = run.verdict == "violates" or spec.return_type is None
    if run.mode != "live" or not run.has_response or run.response_cut or not differs:
        return ""
    if "x-openapi" in spec.document or not may(viewer, "propose", run.tool):
        return ""
    return f"{reverse('playground:edit', args=[run.tool.slug])}?{urlencode({'match': run.pk})}"


def poll_ms(run: Run) -> int:
    """The milliseconds until a page polls a run again: few at first, then a second."""
    waited_ms = run.waited.total_seconds() * 1000
    return int(min(1000, max(150, waited_ms / 4)))


def open_to_its_visitor(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give `view` the run that the URL names, if the user may see it or started it in this browser as a visitor."""

    @login_required
    def find_run(request: HttpRequest, run_id: str, **values: int) -> HttpResponse:
        return view(request, run_at(run_id, request.user), **values)

    @wraps(view)
    def respond(request: HttpRequest, run_id: str, **values: int) -> HttpResponse:
        run = visitors.runs_of(request).filter(pk=run_id).first()
        if run is None:
            return find_run(request, run_id, **values)
        return view(request, run, **values)

    return respond


@require_safe
@open_to_its_visitor
def run_detail(request: HttpRequest, run: Run) -> HttpResponse:
    """The permanent URL of a run, which leads to it on the page Try.

    A request of htmx gets the result alone: the page polls it during the run.
    """
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/history/_result.html", result_context(request, run))
    return redirect(f"{reverse('playground:try', args=[run.tool.slug])}?run={run.pk}")


@require_POST
@open_to_its_visitor
def run_cancel(request: HttpRequest, run: Run) -> HttpResponse:
    if run.mode != VISITOR:
        require_own(run, request.user)
    run = running.cancel(run)
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/history/_result.html", result_context(request, run))
    return redirect(run)


@login_required
@require_POST
def run_share(request: HttpRequest, run_id: str) -> HttpResponse:
    """Share a run with the groups `groups`, whose members then see it; with none it is private."""
    run = own_run(run_id, request.user)
    form = ShareForm(request.POST)
    if not form.is_valid():
        messages.error(request, first_error(form))
        return redirect(run)
    names = form.cleaned_data["groups"]
    try:
        share_with_groups(run, names, by=actor(request))
    except DocumentError as error:
        messages.error(request, str(error))
        return redirect(run)
    messages.success(
        request, f"The run is shared with {', '.join(names)}." if names else "The run is private."
    )
    return redirect(run)


@login_required
@require_POST
def run_again(request: HttpRequest, run_id: str) -> HttpResponse:
    """Repeat a run: with `revision=same` on its own revision, else on the tool's current one."""
    run = run_at(run_id, request.user)
    on_same_revision = request.POST.get("revision") == "same"
    try:
        again = repeat(run, by=actor(request), on_same_revision=on_same_revision, interface="page")
    except CannotRepeat as error:
        messages.info(request, str(error))
        return redirect(f"{reverse('playground:try', args=[run.tool.slug])}?run={run.pk}")
    except Busy as busy:
        messages.error(request, f"{busy} Try again in {busy.retry_after_s} s.")
        return redirect(run)
    return redirect(again)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def run_comparison(request: HttpRequest, first_id: str, second_id: str) -> HttpResponse:
    """Compare two runs of one tool, the earlier one first.

    A POST runs both again and compares the new runs.
    """
    first, second = runs = runs_at(sorted([first_id, second_id]), request.user)
    if first.tool_id != second.tool_id:
        raise Http404
    if request.method == "POST":
        try:
            again = [repeat(run, by=actor(request), interface="page") for run in runs]
        except CannotRepeat as error:
            messages.info(request, str(error))
            return redirect(request.path)
        except Busy as busy:
            messages.error(request, f"{busy} Try again in {busy.retry_after_s} s.")
            return redirect(request.path)
        return redirect("playground:run_comparison", *(run.pk for run in again))
    context = {
        "tool": first.tool,
        "nav_section": "tools",
        "comparison": Comparison(first, second),
        "can_repeat": all(
            not run.configuration_fingerprint or run.configuration_name for run in runs
        ),
    }
    return render(request, "playground/history/run_comparison.html", context)


@login_required
@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs that the user may see, newest first, under a chart of them.

    With `?compare=` twice, compare two.
    """
    wanted = RunFilter.from_query(request.GET)
    visible = Run.objects.visible_to(actor(request))
    chosen = request.GET.getlist("compare")
    if chosen and are_comparable(visible, chosen):
        return redirect("playground:run_comparison", *sorted(chosen))
    page = wanted.page(visible.with_parameters_start())
    query = wanted.query()
    prefix = f"?{query}&" if query else "?"
    tool = None
    if wanted.tool and not (request.htmx and page.runs):  # type: ignore[attr-defined]
        found = Tool.objects.visible_to(request.user).with_current()
        tool = found.filter(slug=wanted.tool, current__isnull=False).first()
    unfiltered = RunFilter(tool=wanted.tool if tool else "", period=wanted.period)
    overview = overview_of(
        wanted.without_times().apply(visible),
        PERIODS[wanted.period or DEFAULT_PERIOD],
        timezone.now(),
        wanted.bounds_ms if wanted.has_times else None,
    )
    context: dict[str, object] = {
        "filter": wanted,
        "tool": tool,
        "nav_section": "tools" if tool else "",  # the runs of a tool are one of its tabs
        "overview": overview,
        "chart": runs_chart(overview, wanted),
        "periods": [(each, wanted.query(period=each.key)) for each in PERIODS.values()],
        "runs": page.runs,
        "previous_url": f"{prefix}after={page.newer}" if page.newer else "",
        "next_url": f"{prefix}before={page.older}" if page.older else "",
        "is_filtered": wanted.without_times()
        != unfiltered,  # other than by time, which the heading of the chart shows
        "is_narrowed": wanted.with_changes(tool="" if tool else wanted.tool).is_narrowed,
        "unrun": tool,
        "all_url": f"{request.path}?{unfiltered.query()}".removesuffix("?"),
        "all_times_query": wanted.query(hour="", since=None, until=None),
        "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in OUTCOMES],
        "verdicts": VERDICT_WORDS.items(),
        "modes": MODES,
        "chosen": chosen,
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/history/_runs.html", context)
    context |= {
        "recent_tools": recent_tools(visible),
    }
    if is_administrator(request.user):
        context["recent_people"] = recent_people(visible)
    return render(request, "playground/history/run_list.html", context)


@login_required
@require_safe
def tool_runs(request: HttpRequest, slug: str) -> HttpResponse:
    """The runs of one tool, beside the addresses of its other pages."""
    tool = tool_at(slug, request.user)
    return redirect(f"{reverse('playground:runs')}?{RunFilter(tool=tool.slug).query()}")


def are_comparable(visible: RunQuerySet, run_ids: list[str]) -> bool:
    """Whether these are two runs of one tool that the user may see."""
    tools = list(visible.filter(pk__in=run_ids[:3]).order_by().values_list("tool", flat=True))
    return len(run_ids) == len(tools) == 2 and len(set(tools)) == 1


def recent_tools(visible: RunQuerySet) -> list[tuple[str, str]]:
    """The tools of the latest runs, (slug, name), to suggest for the filter."""
    latest = visible.order_by("-id").values_list("tool__slug", "tool__name")[:RECENT_RUNS]
    return sorted(set(latest), key=lambda found: found[1].lower())


def recent_people(visible: RunQuerySet) -> list[str]:
    """The user names of the latest runs, to suggest for the filter."""
    latest = visible.order_by("-id").values_list("by__username", flat=True)[:RECENT_RUNS]
    return sorted({name for name in latest if name}, key=str.lower)


@login_required
@require_safe
def run_download(request: HttpRequest, run_id: str) -> HttpResponse:
    """Download the run as JSON."""
    run = run_at(run_id, request.user)
    return attachment(run_text(run), f"{file_stem(run.tool.slug)}-run-{run.pk}.json")


@require_safe
@open_to_its_visitor
def response_download(_request: HttpRequest, run: Run) -> HttpResponse:
    """Download the response as JSON; of a response that is cut, the file with all of it."""
    if run.response_json is None:
        raise Http404
    if run.response_cut and (whole := run.files.filter(is_whole_response=True).first()):
        return file_response(whole, inline=False)
    return attachment(run.response_json, f"{file_stem(run.tool.slug)}-response-{run.pk}.json")


@require_safe
@open_to_its_visitor
def run_file(request: HttpRequest, run: Run, number: int) -> HttpResponse:
    """A file of the response: an image or sound is shown, without `?download`.

    Any other is downloaded.
    """
    file = get_object_or_404(run.files, number=number)
    return file_response(file, inline="download" not in request.GET)


def attachment(text: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="application/json; charset=utf-8", headers=headers)
