"""The catalog's pages: the list, one tool, its revisions, uploads."""

from __future__ import annotations

import io
from collections.abc import Iterator
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from catalog import archiving
from catalog.accounts.auth import actor
from catalog.addresses import tool_at
from catalog.browsing import CatalogSearch
from catalog.laying_out import is_one_line, lay_out
from catalog.meaning import meaning_of, with_verdicts
from catalog.models import Revision
from catalog.reading import file_pieces
from catalog.text_diff import compare
from catalog.tool_docs import ToolDocs
from catalog.unpacking import Piece
from catalog.uploads import Entry, counts_of, upload

REVISIONS_SHOWN = 5
REVISIONS_PER_PAGE = 50
ENTRIES_SHOWN = 500
FIXED_CHARS = 500_000  # of rejected specs that one page offers to put right
PASTED = "pasted text"


@require_safe
def tool_list(request: HttpRequest) -> HttpResponse:
    """List the tools that match `?q=` and the facets; an htmx request gets the results alone."""
    search = CatalogSearch.from_query(request.GET)
    page = search.page()
    context = {
        "search": search,
        "page": page,
        "facets": search.facets(),
        "next_url": search.address(cursor=page.next) if page.next else None,
        "previous_url": search.address(cursor=page.previous) if page.previous else None,
    }
    wants_part = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    response = render(request, "catalog/_results.html" if wants_part else "catalog/tool_list.html", context)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def tool_page(request: HttpRequest, slug: str) -> HttpResponse:
    """One tool: what it does, its parameters, returns and configuration, examples, spec, exports, revisions."""
    tool = tool_at(slug)
    revisions = tool.revisions.defer("source").select_related("created_by")[: REVISIONS_SHOWN + 1]
    context = {
        "tool": tool,
        "docs": ToolDocs(tool, site=request.build_absolute_uri("/")),
        "revisions": with_verdicts(list(revisions)[:REVISIONS_SHOWN]),
        "more_revisions": len(revisions) > REVISIONS_SHOWN,
    }
    return render(request, "catalog/tool.html", context)


@require_POST
@login_required
def archive_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Take a tool out of the lists."""
    tool = tool_at(slug)
    archiving.archive(tool)
    messages.success(request, f"{tool.name} is archived. It is out of the lists; its pages and runs stay.")
    return redirect(tool)


@require_POST
@login_required
def restore_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Put a tool back into the lists."""
    tool = tool_at(slug)
    archiving.restore(tool)
    messages.success(request, f"{tool.name} is in the lists again.")
    return redirect(tool)


@require_safe
def revision_list(request: HttpRequest, slug: str) -> HttpResponse:
    """All revisions of a tool, the newest first, `?before=` a number."""
    tool = tool_at(slug)
    revisions = tool.revisions.defer("source").select_related("created_by")
    before = request.GET.get("before", "")
    if before.isascii() and before.isdecimal() and len(before) < 10:
        revisions = revisions.filter(number__lt=int(before))
    page = list(revisions[: REVISIONS_PER_PAGE + 1])
    shown = page[:REVISIONS_PER_PAGE]
    older = "?" + urlencode({"before": shown[-1].number}) if len(page) > REVISIONS_PER_PAGE else None
    context = {"tool": tool, "revisions": with_verdicts(shown), "next_url": older}
    return render(request, "catalog/revisions.html", context)


@require_safe
def revision_diff(request: HttpRequest, slug: str, pair: tuple[int, int]) -> HttpResponse:
    """What changed between two revisions: in meaning, and in the text."""
    tool = tool_at(slug)
    found = {revision.number: revision for revision in Revision.objects.filter(tool=tool, number__in=pair)}
    old, new = found.get(pair[0]), found.get(pair[1])
    if old is None or new is None:
        raise Http404
    context = {
        "tool": tool,
        "old": old,
        "new": new,
        "meaning": meaning_of(old, new),
        "difference": compare(old.source, new.source),
    }
    return render(request, "catalog/revision_diff.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def upload_specs(request: HttpRequest) -> HttpResponse:
    """Upload files and texts; the report comes on the same page, with what was rejected ready to be put right."""
    if request.method != "POST":
        return render(request, "catalog/upload.html", {"max_spec_bytes": settings.MAX_SPEC_BYTES})
    if not request.user.is_authenticated:
        return redirect(f"{reverse('accounts:sign_in')}?{urlencode({'next': request.path})}")
    dry_run = "dry_run" in request.POST
    texts = _texts(request)
    prefix = request.POST.get("prefix", "").strip()
    entries = list(upload(_pieces(request, texts), by=actor(request), dry_run=dry_run, prefix=prefix or None))
    rejected = [entry for entry in entries if entry.outcome == "rejected"]
    accepted = [entry for entry in entries if entry.outcome != "rejected"]
    pasted_stays = dry_run or any(entry.source == PASTED for entry in rejected)
    context = {
        "max_spec_bytes": settings.MAX_SPEC_BYTES,
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


def _texts(request: HttpRequest) -> list[tuple[str, str]]:
    """What was typed, as (name in the report, text); a browser sends the ends of lines as CR LF."""
    fixed = zip(request.POST.getlist("source"), request.POST.getlist("fixed"), strict=False)
    named = [(PASTED, request.POST.get("text", "")), *fixed]
    return [(name, text.replace("\r\n", "\n")) for name, text in named if text.strip()]


def _pieces(request: HttpRequest, texts: list[tuple[str, str]]) -> Iterator[Piece]:
    for file in request.FILES.getlist("files"):
        if file.file is not None:
            yield from file_pieces(file.name or "file", file.file)  # type: ignore[arg-type]
    for name, text in texts:
        yield from file_pieces(name, io.BytesIO(text.encode(errors="surrogatepass")))


def _with_room_to_fix(rejected: list[Entry]) -> Iterator[tuple[Entry, str]]:
    """Each rejected entry, and its text for a field where it fits the page and stands in no other field."""
    left = FIXED_CHARS
    for entry in rejected:
        fits = entry.source != PASTED and len(entry.text) <= left
        left -= len(entry.text) if fits else 0
        text = lay_out(entry.text) if is_one_line(entry.text) else entry.text
        yield entry, text if fits else ""


def _with_preview(accepted: list[Entry], *, wanted: bool) -> Iterator[tuple[Entry, str]]:
    """Each accepted entry; if it was imported, and where `wanted`, with the spec that it becomes, as far as fits."""
    left = FIXED_CHARS
    for entry in accepted:
        text = entry.origin.text if wanted and entry.origin else ""
        left -= len(text)
        yield entry, text if left > 0 else ""
