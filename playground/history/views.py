"""The pages for runs."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import wraps
from itertools import chain
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
from playground.history.charts import draw_chart
from playground.history.comparison import Comparison
from playground.history.details import details_of
from playground.history.forms import ShareForm, first_error
from playground.history.overview import DEFAULT_PERIOD, PERIODS, overview_of
from playground.history.presenters import annotate, join_missing, phases
from playground.history.response_changes import like_example, like_last_run
from playground.history.response_table import make_table
from playground.history.run_sentence import VERDICT_WORDS, sentence
from playground.history.text_view import find_texts
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
from toolspec.text.reader import JSON

RAW_CHARACTERS = 65_536

RECENT_RUNS = 200


def result_context(request: HttpRequest, run: Run) -> dict[str, object]:
    """The context of `playground/history/_result.html` for a run.

    It is compared with runs of the user only.
    """
    viewer = request.user
    position = running.queue_position(run)
    spec = compiled_spec_of(run.revision).spec
    files = run.file_list()
    likenesses = list(filter(None, (like_last_run(run, viewer), like_example(run, spec))))
    differing = [likeness for likeness in likenesses if not likeness.is_same]
    marks = list(chain.from_iterable(likeness.marks for likeness in differing))
    raw = str(run.response) if run.response_cut else run.response_json or ""
    edit_href = edit_href_of(run, spec, viewer)
    context: dict[str, object] = {"violations": [], "table": None, "texts": []}
    if run.has_response:
        context["violations"] = annotate(run.problems, spec.return_type, edit_href)
        context["table"] = make_table(run.response, join_missing(run.problems))
        if not run.response_cut:
            others: dict[str, JSON] = {likeness.key: likeness.value for likeness in differing}
            context["texts"] = find_texts(run.response, others)
    context |= {
        "run": run,
        # False for the mock of a user who may not run the tool.
        "is_stored": not run._state.adding,
        "position": position,
        "sentence": sentence(run, position),
        "edit_href": edit_href,
        "files": files,
        "whole": any(file.is_whole_response for file in files),
        "raw": raw[:RAW_CHARACTERS],
        "raw_is_cut": len(raw) > RAW_CHARACTERS,
        "return_type": spec.return_type,
        "return_type_title": f"returnType of revision {run.revision.number}",
        "mock": run.mock,
        "likenesses": likenesses,
        "compared": differing,
        "marks": marks,
        "phases": phases(run),
        "input_digest": stored_digest(run.parameters),
        "waited_ms": run.waited.total_seconds() * 1000,
        "poll": secrets.token_hex(4),  # a new element each time, so that htmx polls again
        "poll_ms": poll_ms(run),
        "details": details_of(run, viewer, f"{request.scheme}://{request.get_host()}"),
    }
    return context


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
    """Give `view` the run that the URL names.

    The user may see it, or started it in this browser as a visitor.
    """

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
    message = f"The run is shared with {', '.join(names)}." if names else "The run is private."
    messages.success(request, message)
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
        "can_repeat": first.has_complete_input and second.has_complete_input,
    }
    return render(request, "playground/history/run_comparison.html", context)


@login_required
@require_safe
def run_list(request: HttpRequest) -> HttpResponse:
    """The runs that the user may see, newest first, under a chart of them.

    With `?compare=` twice, compare two.
    """
    run_filter = RunFilter.from_query(request.GET)
    visible = Run.objects.visible_to(actor(request))
    run_ids = request.GET.getlist("compare")
    if run_ids and are_comparable(visible, run_ids):
        return redirect("playground:run_comparison", *sorted(run_ids))
    page = run_filter.page(visible.with_parameters_start())
    query = run_filter.query()
    prefix = f"?{query}&" if query else "?"
    tool = None
    if run_filter.tool and not (request.htmx and page.runs):  # type: ignore[attr-defined]
        tools = Tool.objects.visible_to(request.user).with_current()
        tool = tools.filter(slug=run_filter.tool, current__isnull=False).first()
    tool_slug = run_filter.tool if tool else ""
    unfiltered = RunFilter(tool=tool_slug, period=run_filter.period)
    other_tool = "" if tool else run_filter.tool
    overview = overview_of(
        run_filter.without_times().apply(visible),
        PERIODS[run_filter.period or DEFAULT_PERIOD],
        timezone.now(),
        run_filter.bounds_ms if run_filter.has_times else None,
    )
    context: dict[str, object] = {
        "filter": run_filter,
        "tool": tool,
        "nav_section": "tools" if tool else "",  # the runs of a tool are one of its tabs
        "overview": overview,
        "chart": draw_chart(overview, run_filter),
        "periods": [(each, run_filter.query(period=each.key)) for each in PERIODS.values()],
        "runs": page.runs,
        "previous_url": f"{prefix}after={page.newer}" if page.newer else "",
        "next_url": f"{prefix}before={page.older}" if page.older else "",
        # Other than by time, which the heading of the chart shows.
        "is_filtered": run_filter.without_times() != unfiltered,
        "is_narrowed": run_filter.with_changes(tool=other_tool).is_narrowed,
        "unrun": tool,
        "all_url": f"{request.path}?{unfiltered.query()}".removesuffix("?"),
        "all_times_query": run_filter.query(hour="", since=None, until=None),
        "outcomes": [(outcome, outcome.replace("_", " ")) for outcome in OUTCOMES],
        "verdicts": VERDICT_WORDS.items(),
        "modes": MODES,
        "chosen": run_ids,
    }
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/history/_runs.html", context)
    context["recent_tools"] = list_recent_tools(visible)
    if is_administrator(request.user):
        context["recent_people"] = list_recent_people(visible)
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


def list_recent_tools(visible: RunQuerySet) -> list[tuple[str, str]]:
    """The tools of the latest runs, (slug, name), to suggest for the filter."""
    latest = visible.order_by("-id").values_list("tool__slug", "tool__name")[:RECENT_RUNS]
    return sorted(set(latest), key=lambda tool: tool[1].lower())


def list_recent_people(visible: RunQuerySet) -> list[str]:
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
    if run.response_cut:
        file = run.files.filter(is_whole_response=True).first()
        if file is not None:
            return file_response(file, inline=False)
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
