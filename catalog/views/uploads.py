"""The upload page, and the report pages of large uploads."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog import text_diff
from catalog.accounts.api_auth import actor
from catalog.accounts.models import Person
from catalog.accounts.rate_limits import limit_uploads
from catalog.accounts.unfinished_forms import ask_to_sign_in, take_unfinished
from catalog.errors import Busy
from catalog.forms import PASTED, NamedFile, UploadForm
from catalog.jsontext.pretty import is_one_line, pretty_print
from catalog.models import Tool, Upload, UploadedSpec
from catalog.models.uploads import OUTCOMES
from catalog.request_body import file_pieces
from catalog.rights import require
from catalog.specs.diff import Difference
from catalog.specs.diff import compare as compare_meaning
from catalog.specs.spec import read_spec
from catalog.uploads import jobs as uploading
from catalog.uploads.store import Entry, counts_of, upload

LARGE_BYTES: Final = 1024 * 1024  # of all files; larger uploads run in the background
LARGE_ARCHIVE_BYTES: Final = 32 * 1024  # of an archive, because its contents are larger
ENTRIES_SHOWN: Final = 500
ROWS_PER_PAGE: Final = 100
COMPARED: Final = 20  # revised specs of a small dry run whose differences are shown
UPLOADS_LISTED: Final = 5
FIXED_CHARS: Final = 500_000  # of rejected specs that one page offers to correct
POLL_MS: Final = 700


@dataclass(frozen=True)
class Compared:
    """The semantic and the textual difference that a spec would make to a tool."""

    tool: Tool
    meaning: Difference
    difference: text_diff.Difference


@require_http_methods(["GET", "HEAD", "POST"])
def upload_specs(request: HttpRequest) -> HttpResponse:
    """Upload files and texts.

    The page reports on a small upload, with the rejected specs ready to be corrected. A large one is redirected to its
    own page, which shows the progress.
    """
    if request.method != "POST":
        unfinished = take_unfinished(request, request.path) if request.method == "GET" else None
        context = {"max_spec_bytes": settings.MAX_SPEC_BYTES, "uploads": _recent(request)}
        if unfinished is not None:
            context |= {**json.loads(unfinished), "is_restored": True}
        return render(request, "catalog/upload.html", context)
    form = UploadForm(request.POST, request.FILES)
    if not request.user.is_authenticated:
        return ask_to_sign_in(request, request.path, json.dumps(form.entries))
    require(request.user, "upload")
    if not form.is_valid():
        return _upload_page(request, form, status=422)
    try:
        limit_uploads(request)
    except Busy as busy:
        message = f"{busy} Try again in {busy.retry_after_s} s."
        response = _upload_page(request, form, {"errors": [{"href": "#upload", "message": message}]}, status=429)
        response["Retry-After"] = str(busy.retry_after_s)
        return response
    prefix, replaces, is_dry_run = form.prefix_of_imports, form.replaces, form.is_dry_run
    if _is_large(form.sources):
        started = uploading.start(form.sources, by=actor(request), dry_run=is_dry_run, prefix=prefix, replace=replaces)
        return redirect(started)
    pieces = (piece for name, file in form.sources for piece in file_pieces(name, file))
    entries = list(upload(pieces, by=actor(request), dry_run=is_dry_run, prefix=prefix, replace=replaces))
    rejected = [entry for entry in entries if entry.outcome == "rejected"]
    accepted = [entry for entry in entries if entry.outcome != "rejected"]
    report = {
        "nothing": not entries,
        "nothing_errors": [{"href": "#text", "message": "Choose a file, or paste a spec"}],
        "rejected": list(_with_room_to_fix(rejected))[:ENTRIES_SHOWN],
        "accepted": list(_with_preview(accepted[:ENTRIES_SHOWN], request.user, wanted=form.is_dry_run)),
        "more_entries": max(0, len(rejected) - ENTRIES_SHOWN) + max(0, len(accepted) - ENTRIES_SHOWN),
        "counts": counts_of(entries),
        "total": len(entries),
    }
    if not form.is_dry_run and all(entry.source != PASTED for entry in rejected):
        report["text"] = ""
    return _upload_page(request, form, report, status=422 if rejected or not entries else 200)


def _upload_page(
    request: HttpRequest, form: UploadForm, report: Mapping[str, object] | None = None, *, status: int
) -> HttpResponse:
    """The upload page with the submitted form, and its report or its errors."""
    context = {
        "max_spec_bytes": settings.MAX_SPEC_BYTES,
        "uploads": _recent(request),
        "text": form.entries["text"],
        "prefix": form.typed_prefix.replace("\0", "\ufffd"),
        "prefix_errors": [{"href": "#prefix", "message": message} for message in form.errors.get("prefix", ())],
        "no_prefix": form.has_no_prefix,
        "replace": form.replaces,
        "dry_run": form.is_dry_run,
        **(report or {}),
    }
    return render(request, "catalog/upload.html", context, status=status)


@login_required
@require_safe
def upload_report(request: HttpRequest, pk: str) -> HttpResponse:
    """The progress of a large upload, and the results of its specs, filtered by `?outcome=` and paged by `?after=`."""
    shown = _own_upload(request, pk)
    outcome = request.GET.get("outcome", "")
    rows = shown.specs.filter(outcome=outcome) if outcome in OUTCOMES else shown.specs.all()
    after = request.GET.get("after", "")
    if after.isascii() and after.isdecimal() and len(after) < 10:
        rows = rows.filter(position__gt=int(after))
    page = list(rows.order_by("position")[: ROWS_PER_PAGE + 1])
    listed = [(row, uploading.entry_of(row)) for row in page[:ROWS_PER_PAGE]]
    further = {"after": page[ROWS_PER_PAGE - 1].position} if len(page) > ROWS_PER_PAGE else {}
    context = {
        "upload": shown,
        "names": shown.names.split("\n"),
        "total": sum(shown.counts.values()),
        "outcome": outcome if outcome in OUTCOMES else "",
        "outcomes": shown.counts.items(),
        "listed": list(_with_text(listed)),
        "next_url": f"?{urlencode(({'outcome': outcome} if outcome else {}) | further)}" if further else None,
        "can_resume": uploading.can_resume(shown),
        "poll": time.monotonic_ns(),
        "poll_ms": POLL_MS,
    }
    template = "catalog/_upload_report.html" if request.htmx else "catalog/upload_report.html"  # type: ignore[attr-defined]
    return render(request, template, context)


@login_required
@require_safe
def upload_difference(request: HttpRequest, pk: str, position: int) -> HttpResponse:
    """The difference that a spec of a dry run would make to its tool."""
    row = get_object_or_404(UploadedSpec, upload=_own_upload(request, pk), position=position, outcome="revised")
    compared = compared_with_current(row.tool_id, row.text, request.user)
    if compared is None:
        raise Http404
    context = {
        "upload": row.upload,
        "row": row,
        "tool": compared.tool,
        "meaning": compared.meaning,
        "difference": compared.difference,
    }
    return render(request, "catalog/upload_difference.html", context)


@login_required
@require_POST
def resume_upload(request: HttpRequest, pk: str) -> HttpResponse:
    """Continue an upload that has stopped."""
    shown = _own_upload(request, pk)
    uploading.resume(shown)
    return redirect(shown)


def compared_with_current(tool_id: str, text: str, person: Person) -> Compared | None:
    """The difference that `text` would make to a tool; None if `person` sees no such tool, or there is no text."""
    tool = Tool.objects.visible_to(person).with_current().filter(tool_id=tool_id).first()
    if tool is None or tool.current is None or not text:
        return None
    meaning = compare_meaning(tool.current.spec, read_spec(text, max_bytes=settings.MAX_SPEC_BYTES))
    return Compared(tool, meaning, text_diff.compare(tool.current.source, text))


def _own_upload(request: HttpRequest, pk: str) -> Upload:
    return get_object_or_404(Upload, pk=pk, by=actor(request))


def _recent(request: HttpRequest) -> list[Upload]:
    """The latest large uploads of the user."""
    if not request.user.is_authenticated:
        return []
    return list(Upload.objects.filter(by=request.user).order_by("-created_at")[:UPLOADS_LISTED])


def _is_large(files: list[NamedFile]) -> bool:
    sizes = [_size_of(file) for _, file in files]
    if sum(sizes) > LARGE_BYTES:
        return True
    return any(size > LARGE_ARCHIVE_BYTES and _is_archive(file) for size, (_, file) in zip(sizes, files, strict=True))


def _size_of(file: BinaryIO) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


def _is_archive(file: BinaryIO) -> bool:
    start = file.read(2)
    file.seek(0)
    return start == b"PK"


def _with_room_to_fix(rejected: list[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each rejected entry, and its text to correct; "" if the page is full, or for pasted text, which has its field."""
    left = FIXED_CHARS
    for entry in rejected:
        fits = entry.source != PASTED and len(entry.text) <= left
        left -= len(entry.text) if fits else 0
        text = pretty_print(entry.text) if is_one_line(entry.text) else entry.text
        yield entry, text if fits else ""


def _with_preview(
    accepted: list[Entry], person: Person, *, wanted: bool
) -> Iterator[tuple[Entry, str, Compared | None]]:
    """Each accepted entry, and its preview if `wanted`.

    The preview of an imported tool is its spec, if the page has room; that of a revised one, its difference.
    """
    left, compared = FIXED_CHARS, COMPARED
    for entry in accepted:
        text = entry.origin.text if wanted and entry.origin else ""
        left -= len(text)
        differs = wanted and entry.outcome == "revised" and compared > 0
        compared -= differs
        yield (
            entry,
            text if left > 0 else "",
            compared_with_current(entry.tool_id or "", entry.text, person) if differs else None,
        )


def _with_text(listed: list[tuple[UploadedSpec, Entry]]) -> Iterator[tuple[UploadedSpec, Entry, str]]:
    """Each row, and the text of a rejected spec, if the page has room."""
    rejected = {row.pk: entry for row, entry in listed if entry.outcome == "rejected"}
    texts = dict(zip(rejected, (text for _, text in _with_room_to_fix(list(rejected.values()))), strict=True))
    return ((row, entry, texts.get(row.pk, "")) for row, entry in listed)
