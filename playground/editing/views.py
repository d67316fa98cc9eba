"""The page to edit a tool's spec beside what the draft means."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.api_auth import actor
from accounts.rate_limits import limit_previews, limit_uploads
from accounts.unfinished_forms import ask_to_sign_in, take_unfinished
from catalog.access.rights import may
from catalog.proposals.actions import WHO_DECIDES, PendingSpec, own_proposal, publish_or_hold
from catalog.tools.lookup import revision_of, tool_at, tool_for
from catalog.tools.models import NOTE_LENGTH, Tool
from playground.configurations.secret_members import Configuration
from playground.editing.spec_draft import SpecDraft, open_draft, read_draft
from playground.factories.connections import factory_of
from playground.form import Submission
from playground.form.parse import Sent
from playground.history.presenters import join_missing
from playground.history.run_sentence import sentence
from playground.real_calls.checks import check_real_calls
from playground.runs import running
from playground.runs.models import DRAFT, Run
from playground.trying.chosen_configuration import (
    ChosenConfiguration,
    choose_configuration,
    find_usual_reference,
)
from playground.trying.subject import find_subject
from toolshelf_core.errors import Busy, RevisionConflict
from toolshelf_core.paging import read_number
from toolspec.errors import SpecError
from toolspec.quick_fixes import edit_to
from toolspec.text.positions import locate

MAX_POINTER_CHARACTERS: Final = 2_000


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str) -> HttpResponse:
    """Edit the spec of a tool, and publish or propose the draft as its next revision.

    GET shows the current revision; `?at=` is the JSON Pointer where the cursor starts. With
    `?match=`, the id of a run, the return type is changed so that it accepts the run's response;
    with `&violation=`, only what violates it at that JSON Pointer. A POST has the draft as `text`;
    `use=match` changes it as GET does. htmx gets what is beside the spec, or with `use=calls` the
    real calls, checked against the draft. `use=run` runs the tool with the draft.
    """
    text = request.POST.get("text", "").replace("\r\n", "\n")
    if not request.user.is_authenticated:
        if request.method == "POST":
            return _ask_to_sign_in(request, text)
        return redirect_to_login(request.get_full_path())
    tool = tool_for(request.user, "propose", slug)
    if request.method != "POST":
        return _open(request, tool)
    limit = limit_uploads if request.POST.get("use") == "publish" else limit_previews
    try:
        limit(request)
    except Busy as busy:
        return _refuse_busy(request, SpecDraft(tool, text), busy)
    draft = read_draft(tool, text)
    if request.POST.get("use") == "match" and "match" in request.GET:
        return _render_matching(request, draft)
    if "fix" in request.POST:
        draft = draft.with_fix(request.POST["fix"])
    if request.POST.get("use") == "publish" and draft.spec:
        return _publish(request, draft)
    if request.POST.get("use") == "run" and draft.spec:
        return _run(request, draft)
    return _render_draft(request, draft)


def _render_draft(
    request: HttpRequest, draft: SpecDraft, draft_run: DraftRun | None = None
) -> HttpResponse:
    """The page, or what htmx gets of it."""
    if not request.htmx:  # type: ignore[attr-defined]
        return _render_page(
            request, draft, draft_run=draft_run, status=422 if draft.problems else 200
        )
    if request.POST.get("use") == "calls":
        return render(
            request, "playground/real_calls/_real_calls.html", _check_calls(request, draft)
        )
    if draft.problems:
        response = render(request, "playground/editing/_draft_problems.html", {"draft": draft})
        response["HX-Retarget"] = "#draft-problems"
        return response
    return render(
        request,
        "playground/editing/_draft.html",
        _make_context(request, draft, draft_run=draft_run),
    )


@dataclass(frozen=True)
class DraftRun:
    """What pressing *Run with this draft* came to: the checked forms; without problems, the run."""

    forms: list[Submission]
    run: Run | None


@sensitive_variables("forms", "configuration")
def _run(request: HttpRequest, draft: SpecDraft) -> HttpResponse:
    """Run the tool with the draft; the page keeps everything that was typed."""
    person = actor(request)
    forms = draft.read_forms(list(_list_pairs(request)), person, is_checked=True)
    if any(form.problems or form.unchecked or form.unread for form in forms):
        return _render_draft(request, draft, DraftRun(forms, None))
    values = {form.form.name: form.value_or_empty for form in forms}
    configuration = None
    if "configuration" in values:
        configuration = Configuration(values["configuration"])
    if configuration is None or configuration.value == {}:
        saved = _find_saved_configuration(request, draft)
        configuration = saved.value if saved else configuration
    try:
        run = running.start_draft(
            draft.tool,
            draft.compiled_spec,
            values["parameters"],
            by=person,
            configuration=configuration,
        )
    except Busy as busy:
        return _refuse_busy(request, draft, busy)
    return _render_draft(
        request, draft, DraftRun(forms, running.wait(run, running.DRAFT_TIMEOUT_S))
    )


def _find_saved_configuration(request: HttpRequest, draft: SpecDraft) -> ChosenConfiguration | None:
    """The saved configuration that the page Try begins with; None if it has none that is usable."""
    subject = find_subject(request, draft.tool)
    chosen = choose_configuration(subject, find_usual_reference(subject))
    is_usable = chosen.saved is not None and not chosen.notices
    return chosen if is_usable else None


def _find_earlier_run(request: HttpRequest, draft: SpecDraft) -> Run | None:
    """The run of an earlier draft whose result the page shows."""
    runs = Run.every.filter(tool=draft.tool, by=actor(request), mode=DRAFT)
    return runs.with_names().filter(pk=request.POST.get("draft_run", "")).first()


def _open(request: HttpRequest, tool: Tool) -> HttpResponse:
    """The page as GET asks for it, or with what was filled in before signing in."""
    unfinished = take_unfinished(request, request.path)
    if unfinished is not None:
        return _render_unfinished(request, tool, json.loads(unfinished))
    if "match" not in request.GET:
        return _render_page(request, open_draft(tool))
    limit_previews(request)  # nothing is typed yet, so the error page loses nothing
    return _render_matching(request, open_draft(tool))


def _ask_to_sign_in(request: HttpRequest, text: str) -> HttpResponse:
    filled_in = {
        "text": text,
        "seen": request.POST.get("seen", ""),
        "note": request.POST.get("note", "")[:NOTE_LENGTH],
    }
    return ask_to_sign_in(request, request.path, json.dumps(filled_in, ensure_ascii=False))


def _render_unfinished(
    request: HttpRequest, tool: Tool, filled_in: Mapping[str, str]
) -> HttpResponse:
    """The page as it was filled in before signing in, for the revision that it has shown."""
    draft = read_draft(tool, filled_in["text"])
    return _render_page(request, draft, seen=filled_in["seen"], note=filled_in["note"])


def _render_matching(request: HttpRequest, draft: SpecDraft) -> HttpResponse:
    """The page with a draft that accepts the response of the run `?match=`.

    Raises:
        Http404: the tool has no such run with a response, or the user may not see it.
    """
    runs = Run.objects.visible_to(request.user).filter(tool=draft.tool, response_cut=False)
    run = runs.filter(pk=request.GET["match"], response_json__isnull=False).first()
    if run is None:
        raise Http404
    matching = draft.with_response(run.response, at=request.GET.get("violation"))
    if matching is None:
        error = "No small edit makes the return type accept this response. "
        error += "Change the return type by hand."
        return _render_page(request, draft, error=error)
    if matching is draft:
        return _render_page(request, draft, notice="The return type accepts this response already.")
    first = edit_to("", draft.text, matching.text)
    notice = (
        "This draft accepts the response. Check what it means for callers before you publish it."
    )
    return _render_page(request, matching, notice=notice, cursor=(first.line, first.column))


def _refuse_busy(request: HttpRequest, draft: SpecDraft, busy: Busy) -> HttpResponse:
    """Why the draft was not read: for htmx alone, otherwise in a page that still has the text."""
    message = f"{busy} Your draft is not lost; try again in {busy.retry_after_s} s."
    if request.htmx:  # type: ignore[attr-defined]
        context = {"too_often": message}
        response = render(request, "playground/editing/_draft_problems.html", context, status=429)
    else:
        response = _render_page(request, draft, error=message, status=429)
    response["Retry-After"] = str(busy.retry_after_s)
    return response


def _publish(request: HttpRequest, draft: SpecDraft) -> HttpResponse:
    """Publish or propose the draft, if the current revision is the one that the page has shown."""
    assert draft.spec is not None  # noqa: S101 - for mypy
    seen = read_number(request.POST.get("seen", "")) or 0
    note = request.POST.get("note", "").strip()[:NOTE_LENGTH]
    if not draft.is_changed:
        messages.info(request, f"Nothing changed: this is revision {draft.current.number}.")
        return redirect(draft.tool)
    try:
        outcome = publish_or_hold(draft.spec, by=actor(request), expected=seen, note=note)
    except RevisionConflict:
        fresh = read_draft(tool_at(draft.tool.slug, request.user), draft.text)
        number = fresh.current.number
        error = (
            f"Nothing was published: revision {number} was published in the meantime. "
            f"Your draft is unchanged, and Impact compares it with revision {number}."
        )
        return _render_page(request, fresh, error=error, status=409)
    except SpecError as error:
        return _render_page(request, draft, error=str(error), status=422)
    if isinstance(outcome, PendingSpec):
        messages.success(request, f"Your change is in review. {WHO_DECIDES}")
        return redirect(outcome.get_absolute_url())
    messages.success(request, f"Revision {outcome.revision.number} is published.")
    return redirect(draft.tool)


def _render_page(
    request: HttpRequest,
    draft: SpecDraft,
    *,
    error: str = "",
    notice: str = "",
    cursor: tuple[int, int] | None = None,
    seen: str = "",
    note: str = "",
    draft_run: DraftRun | None = None,
    status: int = 200,
) -> HttpResponse:
    context = _make_context(request, draft, seen, draft_run) | {
        "seen": seen or draft.current.number,
        "note": note or request.POST.get("note", ""),
        "note_length": NOTE_LENGTH,
        "cursor": cursor or _find_cursor(request, draft),
        "notice": notice,
        "matches": request.method == "GET" and "match" in request.GET,
        "errors": [{"href": "#text", "message": error}] if error else [],
        "may_publish": bool(may(request.user, "revise", draft.tool)),
        "proposal": own_proposal(draft.tool, request.user),
        "is_typed": draft.is_changed,
    }
    if draft.spec and request.POST.get("use") == "calls":
        context |= _check_calls(request, draft)
    return render(request, "playground/editing/edit.html", context, status=status)


def _make_context(
    request: HttpRequest, draft: SpecDraft, seen: str = "", draft_run: DraftRun | None = None
) -> dict[str, object]:
    """The context of `_draft.html`. `seen`: the number of the revision that the page has shown."""
    shown = read_number(seen or request.POST.get("seen", ""))
    if draft_run is None:
        forms = draft.read_forms(list(_list_pairs(request)), actor(request))
        draft_run = DraftRun(forms, _find_earlier_run(request, draft))
    run = draft.with_verdict(draft_run.run) if draft_run.run else None
    may_run = _may_run(request, draft.tool)
    saved = _find_saved_configuration(request, draft) if may_run else None
    return {
        "tool": draft.tool,
        "draft": draft,
        "forms": draft_run.forms,
        "may_run": may_run,
        "saved_configuration": saved.reference if saved else "",
        "run": run,
        "sentence": sentence(run) if run else None,
        "violations": join_missing(run.problems) if run else [],
        "older": f"revision {draft.current.number}",
        "newer": "this draft",
        "address": reverse("playground:edit", args=[draft.tool.slug]),
        "is_outdated": shown is not None and shown != draft.current.number,
    }


def _may_run(request: HttpRequest, tool: Tool) -> bool:
    """Whether the person may run a draft of the tool, which runs here."""
    factory = factory_of(tool)
    if factory is None or factory.state != "ok":
        return False
    return all(may(request.user, action, tool) for action in ("run", "revise"))


def _check_calls(request: HttpRequest, draft: SpecDraft) -> dict[str, object]:
    """The context of `_real_calls.html`."""
    spec = draft.spec or revision_of(draft.tool).spec
    return {"real": check_real_calls(draft.tool, spec, actor(request))}


def _list_pairs(request: HttpRequest) -> Iterator[tuple[str, Sent]]:
    """The names and values of the forms; files are not read, since no tool is called."""
    for name, values in request.POST.lists():
        for value in values:
            yield name, str(value)


def _find_cursor(request: HttpRequest, draft: SpecDraft) -> tuple[int, int] | None:
    """Line and column of the part of the spec at `?at=`."""
    pointer = request.GET.get("at", "")
    if not pointer.startswith("/") or len(pointer) > MAX_POINTER_CHARACTERS or draft.problems:
        return None
    return locate(draft.text, [pointer])[pointer]
