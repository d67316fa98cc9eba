"""The page to try a tool: fill in its parameters, run it, and see the response beside the form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from accounts.api_auth import actor
from accounts.rate_limits import limit_unsaved_mocks, limit_visitor_runs
from accounts.unfinished_forms import ask_to_sign_in, take_unfinished
from catalog.access.rights import require
from catalog.tools.lookup import revision_of, tool_at
from playground.configurations.compiled_spec import compiled_spec_of
from playground.form.completions import Completions, find_completions
from playground.form.control_names import split_path
from playground.history.views import result_context
from playground.runs import running, visitors
from playground.runs.models import Run
from playground.trying.page import Trial
from toolshelf_core.errors import Busy, Unreachable

BRIEF_S = 0.3  # most runs end within this time, so their page shows the result immediately


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def try_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Fill in the parameters, run the tool, and see the response. All buttons except *Run* only draw the form again.

    Users who may not run the tool get a mock, which is not stored, or run it as visitors.
    """
    tool = tool_at(slug, request.user)
    own_runs = visitors.runs_of(request)
    trial = Trial(tool, revision_of(tool), request.user, visitor_runs=own_runs)
    address = reverse("playground:try", args=[slug])
    if request.htmx and request.GET.get("part") == "history":  # type: ignore[attr-defined]
        context = {
            "bars": trial.history,
            "tool": tool,
            "shown": request.GET.get("run", ""),
            "is_partial": True,
        }
        return render(request, "playground/trying/_history.html", context)
    if request.method == "POST":
        enter_saves(request)
    if request.method != "POST":
        unfinished = (
            take_unfinished(request, address)
            if request.method == "GET" and not request.GET
            else None
        )
        if unfinished is None:
            trial.open(request.GET)
        else:
            trial.restore(unfinished)
        return trial_page(request, trial)
    is_run = is_live_run(request.POST) and not trial.is_visitor
    if not request.user.is_authenticated and (is_run or request.POST.get("use") in NEED_ACCOUNT):
        trial.submit(request, is_checked=False)
        return ask_to_sign_in(request, address, trial.unfinished())
    if is_run:
        require(request.user, "run", tool)
    trial.submit(request, is_checked="run" in request.POST or request.POST.get("use") == "check")
    if request.POST.get("use") == "check":
        return JsonResponse(trial.marks)
    if request.POST.get("use") == "preview":
        return render(request, "playground/trying/_beside.html", {"trial": trial})
    if prepare_run(trial, request.POST):
        return run_trial(request, trial)
    change = TRIAL_CHANGES.get(request.POST.get("use", "").partition(":")[0])
    if change:
        change(trial, request.POST)
    return trial_page(request, trial)


def enter_saves(request: HttpRequest) -> None:
    """Turn Enter into *Save* where a new name is filled in.

    Enter presses the form's first button, in whichever field it is typed, and a run must not start
    by accident. With JavaScript, it presses the button beside the field.
    """
    posted = request.POST
    if posted.get("run") != "enter" or "use" in posted or "op" in posted:
        return
    if posted.get("input_name", "").strip():
        use = "save-input"
    elif names_new_configuration(posted):
        use = "save"
    else:
        return
    changed = posted.copy()
    del changed["run"]
    changed["use"] = use
    request.POST = changed  # type: ignore[assignment]


def names_new_configuration(posted: Mapping[str, str]) -> bool:
    """Whether a name to save the configuration under was typed: the field begins with that of the selected one."""
    return posted.get("save_as", "").strip() not in {"", posted.get("saved", "")}


def prepare_run(trial: Trial, posted: Mapping[str, str]) -> bool:
    """Whether *Run* was pressed and nothing prevents it; a configuration that was named is saved first."""
    if "run" not in posted or "op" in posted:
        return False
    if names_new_configuration(posted):
        trial.save_for_run(posted)
    return not trial.errors


TRIAL_CHANGES: dict[str, Callable[[Trial, Mapping[str, str]], None]] = {
    "example": Trial.use_example,
    "run": Trial.use_run,
    "input": Trial.use_input,
    "save-input": Trial.save_input,
    "forget-input": Trial.forget_input,
    "link": Trial.share_input,
    "saved": Trial.use_saved,
    "save": Trial.save,
    "forget": Trial.forget,
    "share": Trial.share,
    "stop-sharing": Trial.stop_sharing,
}
NEED_ACCOUNT = {"saved", "save", "save-input", "forget", "share", "stop-sharing", "sign-in"}


def is_live_run(posted: Mapping[str, str]) -> bool:
    return "run" in posted and posted.get("mode") != "mock"


def trial_page(request: HttpRequest, trial: Trial) -> HttpResponse:
    """The page, with status 422 if it shows errors; for htmx only the form, with 200: browsers log any error status."""
    context: dict[str, object] = {"trial": trial, "tool": trial.tool, "shown": ""}
    if request.htmx:  # type: ignore[attr-defined]
        return render(request, "playground/trying/_trial.html", {**context, "is_partial": True})
    if trial.run:
        context |= result_context(request, trial.run)
        context["shown"] = trial.run.pk if context["is_stored"] else ""
    return render(
        request, "playground/trying/try.html", context, status=422 if trial.errors else 200
    )


def run_trial(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Run the tool and show the run: on the run's page, or on this page for htmx and if it is not stored."""
    is_visitor = trial.is_visitor and trial.mode == "live"
    try:
        if is_visitor:
            run = start_visitor_run(request, trial)
        else:
            run = start_run(request, trial) if trial.run_right else unsaved_mock(request, trial)
    except Busy as busy:
        trial.errors.append({"href": "", "message": f"{busy} Try again in {busy.retry_after_s} s."})
        response = trial_page(request, trial)
        response.status_code = 503 if isinstance(busy, Unreachable) else 429
        response["Retry-After"] = str(busy.retry_after_s)
        return response
    trial.run = run
    response = show_run(request, trial, run)
    if is_visitor:
        visitors.remember_run(request, response, run)
    return response


def show_run(request: HttpRequest, trial: Trial, run: Run) -> HttpResponse:
    """Show a run that was just started, and may have ended."""
    is_stored = not run._state.adding
    if not request.htmx:  # type: ignore[attr-defined]
        if trial.run_right and trial.saved_now:
            messages.success(request, f"The configuration is saved as “{trial.saved_now}”.")
        return redirect(run) if is_stored else trial_page(request, trial)
    context = {"trial": trial, **result_context(request, run)}
    response = render(request, "playground/trying/_run_answer.html", context)
    response["HX-Retarget"] = "#run"
    response["HX-Reswap"] = "innerMorph"
    if is_stored:
        response["HX-Replace-Url"] = (
            f"{reverse('playground:try', args=[trial.tool.slug])}?run={run.pk}"
        )
    return response


def start_run(request: HttpRequest, trial: Trial) -> Run:
    """Start the run and wait briefly; most runs have ended by then."""
    run = running.start(
        trial.tool,
        trial.revision,
        trial.parameters_value,
        by=actor(request),
        configuration=trial.configuration_value if trial.mode == "live" else None,
        configuration_name=trial.configuration_name if trial.mode == "live" else "",
        mode=trial.mode,
        timeout_s=trial.timeout_s,
        interface="page",
    )
    return running.wait(run, BRIEF_S)


def start_visitor_run(request: HttpRequest, trial: Trial) -> Run:
    """As `start_run`, for somebody who may not run tools and runs a built-in one."""
    limit_visitor_runs(request)
    run = running.start_for_visitor(
        trial.tool,
        trial.revision,
        trial.parameters_value,
        configuration=trial.configuration_value,
        timeout_s=trial.timeout_s,
    )
    return running.wait(run, BRIEF_S)


def unsaved_mock(request: HttpRequest, trial: Trial) -> Run:
    """A mock that is not stored."""
    limit_unsaved_mocks(request)
    return running.unsaved_mock(trial.tool, trial.revision, trial.parameters_value)


@require_safe
def completions(request: HttpRequest, slug: str) -> JsonResponse:
    """The completions of the JSON editor: what may stand at `?path=` in the text of the control `?control=`.

    Both are written as in `control_names.py`. The answer is {"members": [], "values": []}, each
    item {"text", "detail", "description", "is_required"}.
    """
    tool = tool_at(slug, request.user)
    form, _, control_path = request.GET.get("control", "").replace(":e:", ":", 1).partition(":")
    # A row of the form is read as the first item: its id is no index, and most items have the same
    # schema.
    path = [0 if isinstance(token, int) else token for token in _tokens(control_path)]
    path += _tokens(request.GET.get("path", ""))
    spec = compiled_spec_of(revision_of(tool))
    schema = {"parameters": spec.parameters, "configuration": spec.configuration_form}.get(form)
    found = find_completions(schema.root, path) if schema else Completions()
    response = JsonResponse(
        {"members": list(map(asdict, found.members)), "values": list(map(asdict, found.values))}
    )
    response["Cache-Control"] = "private, max-age=60"
    return response


def _tokens(path: str) -> list[str | int]:
    """Names of members, and the numbers of rows.

    Raises:
        Http404: it is not a path.
    """
    tokens = split_path(path)
    if tokens is None:
        raise Http404
    return [token[1:] if token.startswith(".") else int(token.strip("@~")) for token in tokens]
