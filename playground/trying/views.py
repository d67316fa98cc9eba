"""The page to try a tool: fill in its parameters, run it, and see the response beside the form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Final

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
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import compiled_spec_of
from playground.form.completions import Completions, find_completions
from playground.form.control_names import split_path
from playground.history.history import history_of
from playground.history.views import result_context
from playground.runs import running, visitors
from playground.runs.models import VISITOR, Run
from playground.trying.buttons import (
    CONFIGURATION_BUTTONS,
    INPUT_BUTTONS,
    may_share_chosen,
    save_configuration_for_run,
)
from playground.trying.chosen_configuration import list_choices
from playground.trying.page import (
    describe_configuration,
    digest_parameters,
    expect_response,
    find_called_host,
    is_configuration_open,
    list_examples,
    list_marks,
    list_unread,
    title_errors,
)
from playground.trying.saved_inputs import inputs_of
from playground.trying.subject import TrialSubject, find_subject
from playground.trying.trial import (
    Trial,
    dump_unfinished,
    list_pairs,
    open_trial,
    read_trial,
    restore_trial,
)
from toolshelf_core.errors import Busy, Unreachable
from toolshelf_core.redaction import MIN_SECRET_CHARACTERS

BRIEF_S: Final = 0.3  # most runs end within this time, so their page shows the result immediately
BUTTONS: Final = {**INPUT_BUTTONS, **CONFIGURATION_BUTTONS}
NEED_ACCOUNT: Final = {*CONFIGURATION_BUTTONS, "save-input", "sign-in"}


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def try_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Fill in the parameters, run the tool, and see the response.

    All buttons except *Run* only draw the form again. Users who may not run the tool get a mock,
    which is not stored, or run it as visitors.
    """
    tool = tool_at(slug, request.user)
    if request.htmx and request.GET.get("part") == "history":  # type: ignore[attr-defined]
        return render_history(request, tool)
    subject = find_subject(request, tool)
    if request.method == "POST":
        return answer_button(request, subject)
    unfinished = None
    if request.method == "GET" and not request.GET:
        unfinished = take_unfinished(request, try_url(tool))
    if unfinished is not None:
        return render_trial(request, restore_trial(subject, unfinished))
    return render_trial(request, open_trial(subject, request.GET))


def try_url(tool: Tool) -> str:
    return reverse("playground:try", args=[tool.slug])


def answer_button(request: HttpRequest, subject: TrialSubject) -> HttpResponse:
    """Do what the pressed button says, and draw what it has changed."""
    change_enter_to_save(request)
    use = request.POST.get("use", "")
    is_run = is_live_run(request.POST) and not subject.is_visitor
    trial = read_trial(subject, list(list_pairs(request)))
    if not request.user.is_authenticated and (is_run or use in NEED_ACCOUNT):
        return ask_to_sign_in(request, try_url(subject.tool), dump_unfinished(trial))
    if is_run:
        require(request.user, "run", subject.tool)
    if use == "check":
        return JsonResponse(list_marks(trial))
    if use == "preview":
        return render(request, "playground/trying/_beside.html", beside_context(trial))
    if prepare_run(trial, request.POST):
        return run_trial(request, trial)
    press = BUTTONS.get(use.partition(":")[0])
    if press:
        press(trial, request.POST)
    return render_trial(request, trial)


def change_enter_to_save(request: HttpRequest) -> None:
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
    """Whether a name to save the configuration under was typed.

    The field begins with the name of the chosen configuration.
    """
    return posted.get("save_as", "").strip() not in {"", posted.get("saved", "")}


def prepare_run(trial: Trial, posted: Mapping[str, str]) -> bool:
    """Whether *Run* was pressed and nothing prevents it; a named configuration is saved first."""
    if "run" not in posted or "op" in posted:
        return False
    if names_new_configuration(posted):
        save_configuration_for_run(trial, posted)
    return not trial.errors


def is_live_run(posted: Mapping[str, str]) -> bool:
    return "run" in posted and posted.get("mode") != "mock"


def render_history(request: HttpRequest, tool: Tool) -> HttpResponse:
    """The bars of the user's latest runs, with the number of runs in its tab."""
    context = {
        "bars": history_of(tool, request.user),
        "tool": tool,
        "shown": request.GET.get("run", ""),
        "is_partial": True,
    }
    return render(request, "playground/trying/_history.html", context)


def render_trial(request: HttpRequest, trial: Trial) -> HttpResponse:
    """The page, with status 422 if it shows errors.

    For htmx only the form, with 200: browsers log any error status.
    """
    context = {**form_context(trial), "shown": ""}
    if request.htmx:  # type: ignore[attr-defined]
        context["is_partial"] = True
        return render(request, "playground/trying/_trial.html", context)
    if trial.run:
        context |= result_context(request, trial.run)
        context["shown"] = trial.run.pk if context["is_stored"] else ""
    status = 422 if trial.errors else 200
    return render(request, "playground/trying/try.html", context, status=status)


def form_context(trial: Trial) -> dict[str, object]:
    """The context of `_trial.html`."""
    subject = trial.subject
    bars = history_of(subject.tool, subject.user)
    return {
        **beside_context(trial),
        **configuration_context(trial),
        "tool": subject.tool,
        "bars": bars,
        "last_run": bars[-1] if bars else None,
        "saved_inputs": inputs_of(subject.user, subject.tool),
        "error_title": title_errors(trial),
        "called_host": find_called_host(subject),
    }


def beside_context(trial: Trial) -> dict[str, object]:
    """The context of `_beside.html`; without queries."""
    compiled_spec = trial.subject.compiled_spec
    examples = list_examples(compiled_spec)
    digest = digest_parameters(trial)
    return {
        "trial": trial,
        "subject": trial.subject,
        "typed_digest": digest,
        "unread": list_unread(trial),
        "example_inputs": examples,
        "expected": expect_response(compiled_spec, examples, digest),
    }


def configuration_context(trial: Trial) -> dict[str, object]:
    """The context of `_configuration.html`, besides `trial` and `subject`."""
    choices = list_choices(trial.subject)
    return {
        "choices": choices,
        "configuration_label": describe_configuration(trial, choices),
        "configuration_is_open": is_configuration_open(trial),
        "may_share": may_share_chosen(trial),
        "min_secret_characters": MIN_SECRET_CHARACTERS,
    }


def run_trial(request: HttpRequest, trial: Trial) -> HttpResponse:
    """Run the tool and show the run.

    On the run's page; or on this page for htmx, and if the run is not stored.
    """
    try:
        run = start_run(request, trial)
    except Busy as busy:
        trial.add_error("", f"{busy} Try again in {busy.retry_after_s} s.")
        response = render_trial(request, trial)
        response.status_code = 503 if isinstance(busy, Unreachable) else 429
        response["Retry-After"] = str(busy.retry_after_s)
        return response
    trial.run = run
    response = show_run(request, trial, run)
    if run.mode == VISITOR:
        visitors.remember_run(request, response, run)
    return response


def show_run(request: HttpRequest, trial: Trial, run: Run) -> HttpResponse:
    """Show a run that was just started, and may have ended."""
    is_stored = not run._state.adding
    saved_name = trial.outcome.saved_configuration
    if not request.htmx:  # type: ignore[attr-defined]
        if trial.subject.run_right and saved_name:
            messages.success(request, f"The configuration is saved as “{saved_name}”.")
        return redirect(run) if is_stored else render_trial(request, trial)
    context = {**beside_context(trial), **result_context(request, run)}
    if saved_name:
        context |= configuration_context(trial)
    response = render(request, "playground/trying/_run_answer.html", context)
    response["HX-Retarget"] = "#run"
    response["HX-Reswap"] = "innerMorph"
    if is_stored:
        response["HX-Replace-Url"] = f"{try_url(trial.subject.tool)}?run={run.pk}"
    return response


def start_run(request: HttpRequest, trial: Trial) -> Run:
    """Start the run and wait briefly; most runs have ended by then.

    Somebody who may not run tools runs a built-in one as a visitor, or gets a mock, which is not
    stored.
    """
    subject = trial.subject
    call = (subject.tool, subject.revision, trial.parameters_value)
    is_live = trial.mode == "live"
    if subject.is_visitor and is_live:
        limit_visitor_runs(request)
        run = running.start_for_visitor(
            *call,
            configuration=trial.configuration_value,
            timeout_s=trial.timeout_s,
        )
    elif subject.run_right:
        run = running.start(
            *call,
            by=actor(request),
            configuration=trial.configuration_value if is_live else None,
            configuration_name=trial.configuration_name if is_live else "",
            mode=trial.mode,
            timeout_s=trial.timeout_s,
            interface="page",
        )
    else:
        limit_unsaved_mocks(request)
        return running.unsaved_mock(*call)
    return running.wait(run, BRIEF_S)


@require_safe
def list_completions(request: HttpRequest, slug: str) -> JsonResponse:
    """The completions of the JSON editor at `?path=` in the text of the control `?control=`.

    Both are written as in `control_names.py`. The answer is {"members": [], "values": []}, each
    item {"text", "detail", "description", "is_required"}.
    """
    tool = tool_at(slug, request.user)
    form, _, control_path = request.GET.get("control", "").replace(":e:", ":", 1).partition(":")
    path: list[str | int] = []
    for token in read_path(control_path):
        # A row of the form is read as the first item: its id is no index, and most items have the
        # same schema.
        path.append(0 if isinstance(token, int) else token)
    path += read_path(request.GET.get("path", ""))
    spec = compiled_spec_of(revision_of(tool))
    schema = {"parameters": spec.parameters, "configuration": spec.configuration_form}.get(form)
    completions = find_completions(schema.root, path) if schema else Completions()
    response = JsonResponse(asdict(completions))
    response["Cache-Control"] = "private, max-age=60"
    return response


def read_path(path: str) -> list[str | int]:
    """Names of members, and the numbers of rows.

    Raises:
        Http404: it is not a path.
    """
    tokens = split_path(path)
    if tokens is None:
        raise Http404
    steps: list[str | int] = []
    for token in tokens:
        steps.append(token[1:] if token.startswith(".") else int(token.strip("@~")))
    return steps
