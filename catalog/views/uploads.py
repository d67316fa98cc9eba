"""The pages of uploads: the form, and the reports, of which those of large uploads have addresses of their own."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, cast
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog import text_diff
from catalog.accounts.api_auth import actor
from catalog.accounts.unfinished_forms import ask_to_sign_in, take_unfinished
from catalog.jsontext.pretty import is_one_line, pretty_print
from catalog.models import Tool, Upload, UploadedSpec
from catalog.models.uploads import OUTCOMES
from catalog.request_body import file_pieces
from catalog.specs.diff import Difference
from catalog.specs.diff import compare as compare_meaning
from catalog.specs.spec import read_spec
from catalog.uploads import jobs as uploading
from catalog.uploads.store import Entry, counts_of, upload

LARGE_BYTES: Final = 1024 * 1024  # of what is sent; more is carried out beside the request
LARGE_ARCHIVE_BYTES: Final = 32 * 1024  # more comes out of it
ENTRIES_SHOWN: Final = 500
ROWS_PER_PAGE: Final = 100
COMPARED: Final = 20  # of the specs that a small dry run would make revisions of
UPLOADS_LISTED: Final = 5
FIXED_CHARS: Final = 500_000  # of rejected specs that one page offers to put right
MAX_PREFIX_CHARS: Final = 100  # as the API has it
POLL_MS: Final = 700
PASTED: Final = "pasted text"

Named = tuple[str, BinaryIO]


@dataclass(frozen=True)
class Compared:
    """What a spec would change in a tool: in meaning, and in the text."""

    tool: Tool
    meaning: Difference
    difference: text_diff.Difference


@require_http_methods(["GET", "HEAD", "POST"])
def upload_specs(request: HttpRequest) -> HttpResponse:
    """Upload files and texts.

    Of a small upload the report comes on the same page, with what was rejected ready to be put right. A large one gets
    a page of its own, which says how far it is.
    """
    if request.method != "POST":
        unfinished = take_unfinished(request, request.path) if request.method == "GET" else None
        context = {"max_spec_bytes": settings.MAX_SPEC_BYTES, "uploads": _recent(request)}
        if unfinished is not None:
            context |= {**json.loads(unfinished), "is_restored": True}
        return render(request, "catalog/upload.html", context)
    if not request.user.is_authenticated:
        filled_in = {name: request.POST.get(name, "") for name in ("text", "prefix", "dry_run")}
        return ask_to_sign_in(request, request.path, json.dumps(filled_in))
    files = [*_files(request), *_texts(request)]
    dry_run = "dry_run" in request.POST
    prefix = request.POST.get("prefix", "").strip()
    if len(prefix) > MAX_PREFIX_CHARS or "\0" in prefix:
        return _refuse_prefix(request, prefix)
    if _is_large(files):
        return redirect(uploading.start(files, by=actor(request), dry_run=dry_run, prefix=prefix or None))
    pieces = (piece for name, file in files for piece in file_pieces(name, file))
    entries = list(upload(pieces, by=actor(request), dry_run=dry_run, prefix=prefix or None))
    rejected = [entry for entry in entries if entry.outcome == "rejected"]
    accepted = [entry for entry in entries if entry.outcome != "rejected"]
    pasted_stays = dry_run or any(entry.source == PASTED for entry in rejected)
    context = {
        "max_spec_bytes": settings.MAX_SPEC_BYTES,
        "uploads": _recent(request),
        "text": request.POST.get("text", "") if pasted_stays else "",
        "prefix": prefix,
        "dry_run": dry_run,
        "nothing": not entries,
        "nothing_errors": [{"href": "#text", "message": "Choose a file, or paste a spec"}],
        "rejected": list(_with_room_to_fix(rejected))[:ENTRIES_SHOWN],
        "accepted": list(_with_preview(accepted[:ENTRIES_SHOWN], wanted=dry_run)),
        "more_entries": max(0, len(rejected) - ENTRIES_SHOWN) + max(0, len(accepted) - ENTRIES_SHOWN),
        "counts": counts_of(entries),
        "total": len(entries),
    }
    return render(request, "catalog/upload.html", context, status=422 if rejected or not entries else 200)


def _refuse_prefix(request: HttpRequest, prefix: str) -> HttpResponse:
    message = f"At most {MAX_PREFIX_CHARS} characters fit here, and none of them is NUL"
    context = {
        "max_spec_bytes": settings.MAX_SPEC_BYTES,
        "uploads": _recent(request),
        "text": request.POST.get("text", ""),
        "prefix": prefix.replace("\0", "\ufffd"),
        "prefix_errors": [{"href": "#prefix", "message": message}],
        "dry_run": "dry_run" in request.POST,
    }
    return render(request, "catalog/upload.html", context, status=422)


@login_required
@require_safe
def upload_report(request: HttpRequest, pk: str) -> HttpResponse:
    """How far a large upload is, and what became of its specs, `?outcome=` alone, `?after=` a place in it."""
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
    """What a spec of a dry run would change in the tool that is there."""
    row = get_object_or_404(UploadedSpec, upload=_own_upload(request, pk), position=position, outcome="revised")
    compared = compared_with_current(row.tool_id, row.text)
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
    """Read on where an upload stopped."""
    shown = _own_upload(request, pk)
    uploading.resume(shown)
    return redirect(shown)


def compared_with_current(tool_id: str, text: str) -> Compared | None:
    """What `text` would change in a tool; None where there is no such tool or no text."""
    tool = Tool.objects.with_current().filter(tool_id=tool_id).first()
    if tool is None or tool.current is None or not text:
        return None
    meaning = compare_meaning(tool.current.spec, read_spec(text, max_bytes=settings.MAX_SPEC_BYTES))
    return Compared(tool, meaning, text_diff.compare(tool.current.source, text))


def _own_upload(request: HttpRequest, pk: str) -> Upload:
    return get_object_or_404(Upload, pk=pk, by=actor(request))


def _recent(request: HttpRequest) -> list[Upload]:
    """Large uploads of who asks."""
    if not request.user.is_authenticated:
        return []
    return list(Upload.objects.filter(by=request.user).order_by("-created_at")[:UPLOADS_LISTED])


def _files(request: HttpRequest) -> Iterator[Named]:
    for file in request.FILES.getlist("files"):
        if file.file is not None:
            yield file.name or "file", cast("BinaryIO", file.file)


def _texts(request: HttpRequest) -> Iterator[Named]:
    """What was typed, as (name in the report, text); a browser sends the ends of lines as CR LF."""
    fixed = zip(request.POST.getlist("source"), request.POST.getlist("fixed"), strict=False)
    for name, text in [(PASTED, request.POST.get("text", "")), *fixed]:
        if text.strip():
            yield name, io.BytesIO(text.replace("\r\n", "\n").encode(errors="surrogatepass"))


def _is_large(files: list[Named]) -> bool:
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
    """Each rejected entry, and its text for a field where it fits the page and stands in no other field."""
    left = FIXED_CHARS
    for entry in rejected:
        fits = entry.source != PASTED and len(entry.text) <= left
        left -= len(entry.text) if fits else 0
        text = pretty_print(entry.text) if is_one_line(entry.text) else entry.text
        yield entry, text if fits else ""


def _with_preview(accepted: list[Entry], *, wanted: bool) -> Iterator[tuple[Entry, str, Compared | None]]:
    """Each accepted entry, and what there is to show of it where that is `wanted`.

    That is the spec that an imported one becomes, as far as fits, and what the first revisions would change.
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
            compared_with_current(entry.tool_id or "", entry.text) if differs else None,
        )


def _with_text(listed: list[tuple[UploadedSpec, Entry]]) -> Iterator[tuple[UploadedSpec, Entry, str]]:
    """Each row, and the text of what was rejected as far as it fits the page."""
    rejected = {row.pk: entry for row, entry in listed if entry.outcome == "rejected"}
    texts = dict(zip(rejected, (text for _, text in _with_room_to_fix(list(rejected.values()))), strict=True))
    return ((row, entry, texts.get(row.pk, "")) for row, entry in listed)
