"""The report of an upload, which has its own address."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.db.models import F, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.api_auth import actor
from accounts.models import Person
from catalog.revisions.differences import difference_between
from catalog.sources.models import Source
from catalog.tools.models import Revision, Tool
from catalog.uploads.entries import Entry
from catalog.uploads.models import RANKS, Upload, UploadedSpec
from catalog.uploads.report_sections import Row, sections_of
from catalog.uploads.results import entry_of
from catalog.uploads.summary import formats_of, losses_of, lost_kinds, summary_of_counts
from toolshelf_core.paging import read_number, read_page
from toolspec.diff import Difference

ROWS_PER_PAGE: Final = 100
MOST_SPECS: Final = 1_000_000  # that an upload had in any version
COMPARED: Final = 20  # breaking revisions of a page whose changes are shown
FIXED_CHARS: Final = 500_000  # of rejected specs that one page offers to correct

FILTERS: Final[dict[str, Q]] = {
    "rejected": Q(outcome="rejected"),
    "held": Q(outcome="held"),
    "breaking": Q(rank=RANKS["breaking"]),
    "revised": Q(outcome="revised"),
    "created": Q(outcome="created"),
    "unchanged": Q(outcome="unchanged"),
    "warnings": Q(warnings__gt=0),
}


@login_required
@require_safe
def upload_report(request: HttpRequest, pk: str) -> HttpResponse:
    """The results of the specs of an upload, errors first; `?outcome=` filters, `?after=` pages.

    Unchanged specs are listed only on request, or if there is nothing else.
    """
    upload = get_object_or_404(Upload, pk=pk, by=actor(request), dry_run=False)
    outcome = request.GET.get("outcome", "")
    outcome = outcome if outcome in FILTERS else ""
    summary = summary_of_counts(upload)
    folds_unchanged = not outcome and 0 < summary.unchanged < summary.total
    rows = upload.specs.filter(FILTERS[outcome]) if outcome else upload.specs.all()
    if folds_unchanged:
        rows = rows.exclude(outcome="unchanged")
    rows = rows.annotate(place=F("rank") * MOST_SPECS + F("position"))
    after = read_number(request.GET.get("after", ""))
    listed, following = read_page(rows, after, ROWS_PER_PAGE, "place")
    further = {"after": following} if following else {}
    report = list(_rows(listed, request.user))
    parameters = ({"outcome": outcome} if outcome else {}) | further
    context = {
        "upload": upload,
        "names": upload.names.split("\n"),
        "summary": summary,
        "outcome": outcome,
        "sections": sections_of(report),
        "only_source": upload.names,  # which the heading names; of several files it is no source of a row
        "sources": _find_unconnected_sources(row.tool for row in report if row.tool),
        "is_part": bool(further) or "after" in request.GET,
        "lost_kinds": lost_kinds(losses_of(row.entry for row in report)),
        "formats": formats_of(row.entry for row in report),
        "folds_unchanged": folds_unchanged and not further,
        "next_url": f"?{urlencode(parameters)}" if further else None,
    }
    return render(request, "catalog/uploads/upload_report.html", context)


def _find_unconnected_sources(tools: Iterable[Tool]) -> QuerySet[Source]:
    """The sources without a connection that list these tools."""
    sources = Source.objects.filter(kind="document", tools__catalog_tool__in=list(tools))
    return sources.defer("document").distinct()


def _rows(listed: Iterable[UploadedSpec], person: Person) -> Iterator[Row]:
    """The rows of a page."""
    entries = [(row, entry_of(row)) for row in listed]
    ids = [entry.tool_id for _, entry in entries if entry.slug]
    tools = Tool.objects.visible_to(person).filter(tool_id__in=ids) if ids else Tool.objects.none()
    seen = {tool.tool_id: tool for tool in tools}
    breaking = [(row, entry) for row, entry in entries if entry.is_breaking]
    differences = _differences(breaking[:COMPARED], seen.values())
    left = FIXED_CHARS
    for row, entry in entries:
        fits = entry.outcome == "rejected" and len(entry.text) <= left
        left -= len(entry.text) if fits else 0
        yield Row(
            row.position,
            entry,
            entry.text_to_correct if fits else "",
            tool=seen.get(entry.tool_id or "") if entry.slug else None,
            semantic_difference=differences.get(row.position),
        )


def _differences(
    breaking: list[tuple[UploadedSpec, Entry]], tools: Collection[Tool]
) -> dict[int, Difference]:
    """The changes that these published specs made to the `tools` that the person sees, by position."""
    pairs = {row.position: (row.tool_id, entry.pair) for row, entry in breaking if entry.pair}
    wanted = Q(pk=None)
    for tool_id, pair in pairs.values():
        wanted |= Q(tool__tool_id=tool_id, number__in=pair)
    revisions = (
        Revision.objects.filter(wanted, tool__in=tools).select_related("tool") if pairs else ()
    )
    stored = {(one.tool.tool_id, one.number): one for one in revisions}
    found = {
        position: (stored.get((tool_id, old)), stored.get((tool_id, new)))
        for position, (tool_id, (old, new)) in pairs.items()
    }
    return {
        position: difference_between(old, new)
        for position, (old, new) in found.items()
        if old and new
    }
