"""The page Add, and its preview of what publishing will do.

Specs and documents are published from here; `new_sources` reads what names a source, and connects APIs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_auth import actor
from accounts.models import Person, User
from accounts.rate_limits import limit_previews, limit_uploads
from accounts.unfinished_forms import ask_to_sign_in, take_unfinished
from catalog.access.rights import may, require
from catalog.sources.models import ADDRESS_LENGTH, Source
from catalog.sources.recognition import recognize
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool
from catalog.uploads.checked_files import CheckedFile
from catalog.uploads.choices import Choices, ImportOptions
from catalog.uploads.documents import store_document
from catalog.uploads.entries import Entry
from catalog.uploads.forms import PASTED, UploadForm
from catalog.uploads.limits import check_size, size_of
from catalog.uploads.models import RANKS, Upload
from catalog.uploads.new_sources import NewSources
from catalog.uploads.parse import ForeignDocument, Parsed
from catalog.uploads.report_sections import Row, sections_of
from catalog.uploads.report_views import COMPARED, FIXED_CHARS
from catalog.uploads.reports import check_upload, publish_upload, read_files
from catalog.uploads.summary import (
    Summary,
    formats_of,
    losses_of,
    lost_kinds,
    summary_of,
    summary_of_counts,
)
from toolshelf_core.errors import Busy
from toolshelf_core.form_problems import list_error_links
from toolshelf_core.paging import read_number
from toolshelf_core.rendering import text_diff
from toolspec.diff import compare as compare_specs
from toolspec.errors import DocumentError, SpecError, ToolshelfError
from toolspec.spec import read_spec

LISTED: Final = 200  # specs of each kind that a preview lists while the person types
LISTED_IN_CHECK: Final = 400  # with four fields each; a form may have 4,000
UPLOADS_LISTED: Final = 5
CALLS_CHECKED: Final = 5  # tools of a preview whose recent calls are checked
CORRECTED: Final = 5  # up to this many specs that are all wrong are corrected on the upload page
LIVE_BYTES: Final = (
    1024 * 1024
)  # of all files; more are checked with a button, not while the person types


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def upload_specs(request: HttpRequest) -> HttpResponse:
    """Publish files and texts and redirect to the report, or with `dry_run` show what publishing would do.

    GET shows the form; `?url=` fills it, `?replace=on` sets that option, `?prefix=` opens the
    options. A few specs that are all wrong are shown again, ready to be corrected. What names a
    source is read or added as one.
    """
    if request.method != "POST":
        return render(
            request, "catalog/uploads/upload.html", _page_context(request) | _restored(request)
        )
    form = UploadForm(request.POST, request.FILES)
    if not request.user.is_authenticated:
        return ask_to_sign_in(request, request.path, json.dumps(form.entries))
    if not may(request.user, "upload"):
        return _upload_page(request, form, status=403)
    if not form.is_valid():
        return _upload_page(request, form, status=422)
    try:
        limit_uploads(request)
    except Busy as busy:
        response = _refused(request, form, f"{busy} Try again in {busy.retry_after_s} s.", 429)
        response["Retry-After"] = str(busy.retry_after_s)
        return response
    new = _entered_in(form, request.user)
    try:
        return _add_or_check(request, form, new)
    except SpecError as error:
        return _refused(request, form, str(error), 413)
    except DocumentError as error:
        errors = [
            {
                "href": "#new_name" if problem.pointer == "/name" else "#text",
                "message": problem.message,
            }
            for problem in error.problems
        ]
        context = {"new": new, "errors": errors}
        return _upload_page(request, form, context, status=422, files=form.files_to_send_again())


def _entered_in(form: UploadForm, person: Person) -> NewSources | None:
    """The sources that the only text or file of a valid form names."""
    sources = form.sources
    if len(sources) != 1 or size_of(sources) > settings.MAX_UPLOAD_BYTES:
        return None
    _, content = sources[0]
    text = content.read().decode("utf-8-sig", errors="replace")
    content.seek(0)
    recognized = recognize(text)
    return NewSources(recognized, form.sent, person) if recognized else None


def _add_or_check(request: HttpRequest, form: UploadForm, new: NewSources | None) -> HttpResponse:
    """Store what the form has or names, or show what that would do.

    Raises:
        SpecError: it is more than an upload can have.
        DocumentError: it cannot be read.
    """
    by = actor(request)
    if new and not new.right:
        files = form.files_to_send_again()
        return _upload_page(request, form, {"new": new}, status=403, files=files)
    if new and new.are_several and form.is_dry_run:
        new.require_usable()
        files = form.files_to_send_again()
        return _upload_page(request, form, {"new": new}, status=200, files=files)
    if new and new.are_several:
        number = new.add_all(by)
        messages.success(request, f"{number} sources added. Their tools are being read.")
        return redirect("catalog:sources")
    candidates, options, new = _read(form, new, request.user)
    message = ""
    if not form.is_dry_run:
        try:
            stored = _store(candidates, options, by)
        except ToolshelfError as error:
            stored, message = None, str(error)
        if stored:
            return redirect(stored)
    entries = check_upload(candidates, by=by, options=options)
    if not form.is_dry_run and all(entry.key in options.choices.skip for entry in entries):
        message = "Nothing was published, because no tool is selected."
    return _checked_page(request, form, entries, new, message)


def _read(
    form: UploadForm, new: NewSources | None, person: Person
) -> tuple[list[Parsed], ImportOptions, NewSources | None]:
    """The specs and documents that the form has or names, how to store them, and the connection to choose.

    Raises:
        DocumentError: they cannot be read.
    """
    if new:
        candidates = new.read(form.options)
    else:
        candidates = read_files(form.sources, form.options)
        connects = form.connects
        new = NewSources.of_document(candidates, form.sent, person, connects=connects)
    connection = new.connection if new and new.is_connected else None
    return candidates, replace(form.options, connection=connection), new


def _store(candidates: list[Parsed], options: ImportOptions, by: User) -> Upload | Source | None:
    """Publish specs and documents, or connect the only document; None if nothing is stored."""
    if options.connection is None:
        report, entries = publish_upload(candidates, by=by, options=options)
        if report is None or len(entries) > CORRECTED or not _are_wrong(entries):
            return report
        report.delete()  # its problems are shown on the page
        return None
    for document in candidates:
        if isinstance(document, ForeignDocument):
            return store_document(document, by=by, options=options, used_names=set())
    return None


def _checked_page(
    request: HttpRequest,
    form: UploadForm,
    entries: list[Entry],
    new: NewSources | None,
    error: str,
) -> HttpResponse:
    """The upload page with what publishing would do, and with the files, to publish them from there."""
    if not entries:
        nothing = [{"href": "#text", "message": "Choose a file, or paste a URL or a spec"}]
        return _upload_page(request, form, {"nothing": True, "errors": nothing}, status=422)
    is_import = new is not None or any(entry.is_import for entry in entries)
    corrects = _are_wrong(entries) and not is_import
    context = _preview(request, entries, form, LISTED_IN_CHECK, corrects=corrects)
    files = [] if corrects else form.files_to_send_again()
    context |= {
        "new": new,
        "is_check": not _are_wrong(entries),
        "files_are_lost": form.has_files and not files and not corrects,
        "errors": [{"href": "#preview", "message": error}] if error else [],
    }
    status = 422 if error or _are_wrong(entries) else 200
    return _upload_page(request, form, context, status=status, files=files)


@sensitive_post_parameters()
@login_required
@require_POST
def preview(request: HttpRequest) -> HttpResponse:
    """The effect of publishing the entries of the form: a part of the upload page. Nothing is stored."""
    require(request.user, "upload")
    form = UploadForm(request.POST, request.FILES)
    context: dict[str, Any] = {"is_live": True, "choices": form.choices.to_json()}
    retry_after_s = 0
    try:
        limit_previews(request)
    except Busy as busy:
        retry_after_s = busy.retry_after_s
        context["note"] = (
            f"{busy} You can publish without a preview, or edit again in {retry_after_s} s."
        )
    else:
        context |= _live_preview(request, form)
    status = 429 if retry_after_s else 200
    response = render(request, "catalog/uploads/_preview.html", context, status=status)
    if retry_after_s:
        response["Retry-After"] = str(retry_after_s)
    return response


def _live_preview(request: HttpRequest, form: UploadForm) -> dict[str, Any]:
    if not form.is_valid():
        return {"note": " ".join(map(str, form.errors.get("prefix", ())))}
    try:
        size = read_number(request.POST.get("unsent_bytes", "")) or size_of(form.sources)
        check_size(size)
        if size > LIVE_BYTES:
            note = "These files are too large for a preview while you edit."
            return {"note": note, "is_large": True}
        new = _entered_in(form, request.user)
        if new and not new.can_be_previewed:
            return {"new": new}
        candidates, options, new = _read(form, new, request.user)
        entries = check_upload(candidates, by=actor(request), options=options)
    except DocumentError as error:
        return {"note": str(error)}
    if not entries:
        return {}
    return {**_preview(request, entries, form, LISTED, corrects=new is None), "new": new}


def _preview(
    request: HttpRequest, entries: list[Entry], form: UploadForm, most: int, *, corrects: bool
) -> dict[str, Any]:
    """The context of `_preview.html`: the results with the worst first, and their numbers.

    At most `most` rejected specs and as many others are listed; `corrects` offers to correct the
    rejected ones.
    """
    choices = form.choices
    ordered = sorted(entries, key=_rank)
    rejected = [entry for entry in ordered if _rank(entry) == RANKS["rejected"]]
    unchanged = [entry for entry in ordered if _rank(entry) == RANKS["unchanged"]]
    others = ordered[len(rejected) : len(ordered) - len(unchanged)]
    listed = [*rejected[:most], *others[:most]]
    rows = list(_rows(listed, request.user, choices, corrects=corrects))
    return {
        "summary": summary_of(entries, choices.skip),
        "only_source": entries[0].source if len({entry.source for entry in entries}) == 1 else "",
        "pasted": request.POST.get("text", "").replace("\r\n", "\n"),
        "sections": sections_of(rows),
        "unchanged": unchanged[:most],
        "more": sum(max(0, len(some) - most) for some in (rejected, others, unchanged)),
        "lost_kinds": lost_kinds(losses_of(entries)),
        "formats": formats_of(entries),
        "problem_count": sum(len(one.faults) for one in entries if one.outcome == "rejected"),
        "leaves_out": any(not row.is_selected for row in rows),
        "offered": json.dumps([row.entry.key for row in rows if row.entry.is_choice]),
        "choices": choices.only(_unseen(choices, entries, rows)).to_json(),
        "has_choice": sum(entry.is_choice for entry in others) > 1,
    }


def _rank(entry: Entry) -> int:
    """Its position in a preview. A tool whose id is changed keeps its position while the person types."""
    if entry.has_new_id:
        return RANKS["created"]
    return RANKS["breaking" if entry.is_breaking else entry.outcome]


def _unseen(choices: Choices, entries: list[Entry], rows: list[Row]) -> set[str]:
    """The tools that the person chose something about, and that this preview does not list.

    A tool is forgotten if its file was read and does not contain it any more.
    """
    listed = {row.entry.key for row in rows}
    present = {entry.key for entry in entries}
    read = tuple(f"{source}#" for source in {entry.source for entry in entries if entry.is_import})
    chosen = {*choices.skip, *choices.new_ids} - listed
    return {key for key in chosen if key in present or not key.startswith(read)}


def _refused(request: HttpRequest, form: UploadForm, message: str, status: int) -> HttpResponse:
    errors = [{"href": "#upload", "message": message}]
    return _upload_page(request, form, {"errors": errors}, status=status)


def _page_context(request: HttpRequest) -> dict[str, Any]:
    answer = may(request.user, "upload")
    return {
        "max_spec_bytes": settings.MAX_SPEC_BYTES,
        "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
        "max_upload_specs": settings.MAX_UPLOAD_SPECS,
        "may_upload": bool(answer),
        "refusal": answer.reason if request.user.is_authenticated else "",
        "uploads": _recent(request),
    }


def _restored(request: HttpRequest) -> dict[str, Any]:
    """The entries from before signing in, and the options that a report links to: `?replace=on` or `?prefix=`."""
    options: dict[str, Any] = {
        "replace": "replace" in request.GET,
        "opens_options": "prefix" in request.GET,
    }
    if url := request.GET.get("url", "")[:ADDRESS_LENGTH]:
        options["text"] = url
        if recognized := recognize(url):
            options["new"] = NewSources(recognized, QueryDict(), request.user)
    unfinished = take_unfinished(request, request.path) if request.method == "GET" else None
    return (
        options
        if unfinished is None
        else {**options, **json.loads(unfinished), "is_restored": True}
    )


def _upload_page(
    request: HttpRequest,
    form: UploadForm,
    report: Mapping[str, object] | None = None,
    *,
    status: int,
    files: list[CheckedFile] | None = None,
) -> HttpResponse:
    """The upload page with the submitted form, and its preview or its errors.

    `files` are sent again with it; None: those of an earlier check.
    """
    context = {
        **_page_context(request),
        "text": request.POST.get("text", ""),
        "prefix": form.typed_prefix.replace("\0", "\ufffd"),
        "prefix_errors": form.errors.get("prefix", ()),
        "no_prefix": form.has_no_prefix,
        "replace": form.replaces,
        "choices": form.choices.to_json(),
        "checked_files": form.earlier_files if files is None else files,
        "errors": list_error_links(form),
        **(report or {}),
    }
    return render(request, "catalog/uploads/upload.html", context, status=status)


def _recent(request: HttpRequest) -> list[tuple[Upload, Summary]]:
    """The latest uploads of the user, with their numbers."""
    if not request.user.is_authenticated:
        return []
    latest = Upload.objects.filter(by=request.user, dry_run=False).order_by("-created_at")[
        :UPLOADS_LISTED
    ]
    return [(upload, summary_of_counts(upload)) for upload in latest]


def _are_wrong(entries: list[Entry]) -> bool:
    return all(entry.outcome == "rejected" for entry in entries)


def _rows(
    entries: list[Entry], person: Person, choices: Choices, *, corrects: bool
) -> Iterator[Row]:
    """The rows of a preview; texts and differences as long as there is room on the page.

    The text of a rejected spec can be corrected; pasted text has its own field.
    """
    left, preview_left, compared_left = FIXED_CHARS, FIXED_CHARS, COMPARED
    for position, entry in enumerate(entries, 1):
        fits = (
            corrects
            and entry.outcome == "rejected"
            and entry.source != PASTED
            and len(entry.text) <= left
        )
        left -= len(entry.text) if fits else 0
        preview = entry.origin.text if entry.origin and entry.outcome != "rejected" else ""
        preview_left -= len(preview)
        row = Row(
            position,
            entry,
            entry.text_to_correct if fits else "",
            preview=preview if preview_left > 0 else "",
            is_selected=entry.key not in choices.skip,
            has_id_field=entry.has_editable_id,
        )
        if entry.outcome == "revised" and compared_left > 0:
            compared_left -= 1
            is_checked = compared_left >= COMPARED - CALLS_CHECKED
            row = _with_difference(row, person, checks_calls=is_checked)
        yield row


def _with_difference(row: Row, person: Person, *, checks_calls: bool) -> Row:
    """The row with what its spec would change, unless the person does not see the tool.

    With `checks_calls`, the tool's recent calls are checked if the change may break some.
    """
    entry = row.entry
    tools = Tool.objects.visible_to(person).with_current()
    tool = tools.filter(tool_id=entry.tool_id).first()
    if tool is None or tool.current is None or not entry.text:
        return row
    spec = read_spec(entry.text, max_bytes=settings.MAX_SPEC_BYTES)
    semantic_difference = compare_specs(tool.current.spec, spec)
    real_calls = None
    if checks_calls and semantic_difference.verdict in {"breaking", "unknown"}:
        real_calls = hooks.check_recent_calls(tool, spec, person)
    return replace(
        row,
        semantic_difference=semantic_difference,
        difference=text_diff.compare(tool.current.source, entry.text),
        real_calls=real_calls,
    )
