"""The reports of uploads: each has its own address; that of a dry run can be published."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import BinaryIO, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from catalog.accounts.api_auth import actor
from catalog.accounts.models import Person
from catalog.accounts.rate_limits import limit_uploads
from catalog.forms.uploads import choices_in
from catalog.jsontext.pretty import is_one_line, pretty_print
from catalog.models import Revision, Tool, Upload, UploadedSpec
from catalog.models.uploads import RANKS
from catalog.rendering import text_diff
from catalog.revision_diff import difference_between
from catalog.rights import require
from catalog.shortcuts import first_rows, number_in
from catalog.specs.diff import Difference
from catalog.specs.diff import compare as compare_specs
from catalog.specs.spec import read_spec
from catalog.uploads import stored_files
from catalog.uploads.choices import NO_CHOICES, REQUEST_S, Choices, ImportOptions
from catalog.uploads.entries import Entry
from catalog.uploads.report_sections import Row, sections_of, with_id_fields
from catalog.uploads.reports import check_files, publish_files, store_check
from catalog.uploads.results import entry_of
from catalog.uploads.summary import formats_of, lost_kinds, summary_of_counts

ROWS_PER_PAGE: Final = 100
COMPARED: Final = 20  # revised specs of a page whose differences are shown
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


@dataclass(frozen=True)
class Compared:
    """The semantic and the textual difference that a spec would make to a tool."""

    tool: Tool
    semantic_difference: Difference
    difference: text_diff.Difference


@login_required
@require_safe
def upload_report(request: HttpRequest, pk: str) -> HttpResponse:
    """The results of the specs of an upload, errors first; `?outcome=` filters, `?after=` pages.

    Unchanged specs are listed only on request, or if there is nothing else.
    """
    shown = _own_upload(request, pk)
    outcome = request.GET.get("outcome", "")
    outcome = outcome if outcome in FILTERS else ""
    summary = summary_of_counts(shown)
    folds_unchanged = not outcome and 0 < summary.unchanged < summary.total
    rows = shown.specs.filter(FILTERS[outcome]) if outcome else shown.specs.all()
    if folds_unchanged:
        rows = rows.exclude(outcome="unchanged")
    following = _after(rows, request.GET.get("after", "")).order_by("rank", "position")
    listed, last = first_rows(following, ROWS_PER_PAGE)
    further = {"after": f"{last.rank}.{last.position}"} if last else {}
    can_publish = stored_files.can_publish(shown)
    choices = stored_files.choices_of(shown) if can_publish else NO_CHOICES
    report = list(_rows(listed, request.user, choices, dry_run=shown.dry_run))
    report = with_id_fields(report) if can_publish else report
    context = {
        "upload": shown,
        "names": shown.names.split("\n"),
        "summary": summary,
        "is_single": summary.total == 1 and not shown.dry_run,
        "outcome": outcome,
        "sections": sections_of(report),
        "only_source": shown.names,  # which the heading names; of several files it is no source of a row
        "is_part": bool(further) or "after" in request.GET,
        "lost_kinds": lost_kinds([row.entry for row in report]),
        "formats": formats_of(row.entry for row in report),
        "offered": offered_in(report) if can_publish else "",
        "has_id_fields": any(row.has_id_field for row in report),
        "folds_unchanged": folds_unchanged and not further,
        "next_url": f"?{urlencode(({'outcome': outcome} if outcome else {}) | further)}"
        if further
        else None,
        "can_publish": can_publish,
        "leaves_out": bool(choices.skip),
    }
    return render(request, "catalog/upload_report.html", context)


@login_required
@require_safe
def upload_difference(request: HttpRequest, pk: str, position: int) -> HttpResponse:
    """The difference that a spec of a dry run would make to its tool."""
    row = get_object_or_404(
        UploadedSpec, upload=_own_upload(request, pk), position=position, outcome="revised"
    )
    compared = compared_with_current(row.tool_id, row.text, request.user)
    if compared is None:
        raise Http404
    context = {
        "upload": row.upload,
        "row": row,
        "tool": compared.tool,
        "older": "the current revision",
        "newer": "the new spec",
        "semantic_difference": compared.semantic_difference,
        "difference": compared.difference,
    }
    return render(request, "catalog/upload_difference.html", context)


@login_required
@require_POST
def publish_preview(request: HttpRequest, pk: str) -> HttpResponse:
    """Publish the files of a dry run, with the person's choices about imported tools."""
    shown = _own_upload(request, pk)
    by = actor(request)
    options = ImportOptions(
        shown.prefix,
        shown.replace,
        choices_in(request.POST, stored_files.choices_of(shown)),
        REQUEST_S,
    )
    with ExitStack() as opened:
        files = _files_to_publish(request, shown, opened)
        if files is None:
            return redirect(shown)
        published, _ = publish_files(files, by=by, options=options)
    if published is None:
        messages.error(request, "Nothing was published, because no tool is selected.")
        return redirect(shown)
    stored_files.delete(shown)
    return redirect(published)


@login_required
@require_POST
def check_replacing(request: HttpRequest, pk: str) -> HttpResponse:
    """Check the files of a dry run again, so that its imports replace tools of another origin or owner."""
    return _checked_again(request, _own_upload(request, pk), replaces=True)


@login_required
@require_POST
def check_choices(request: HttpRequest, pk: str) -> HttpResponse:
    """Check the files of a dry run again, with the ids that the person typed."""
    shown = _own_upload(request, pk)
    return _checked_again(request, shown, replaces=shown.replace)


def _checked_again(request: HttpRequest, shown: Upload, *, replaces: bool) -> HttpResponse:
    by = actor(request)
    options = ImportOptions(
        shown.prefix, replaces, choices_in(request.POST, stored_files.choices_of(shown)), REQUEST_S
    )
    with ExitStack() as opened:
        files = _files_to_publish(request, shown, opened)
        if files is None:
            return redirect(shown)
        entries = check_files(files, by=by, options=options)
        return redirect(store_check(files, entries, by=by, options=options))


def compared_with_current(tool_id: str, text: str, person: Person) -> Compared | None:
    """The difference that `text` would make to a tool; None if `person` sees no such tool, or there is no text."""
    tool = Tool.objects.visible_to(person).with_current().filter(tool_id=tool_id).first()
    if tool is None or tool.current is None or not text:
        return None
    semantic_difference = compare_specs(
        tool.current.spec, read_spec(text, max_bytes=settings.MAX_SPEC_BYTES)
    )
    return Compared(tool, semantic_difference, text_diff.compare(tool.current.source, text))


def text_to_correct(entry: Entry) -> str:
    """The text of a rejected spec for an editor, on several lines."""
    return pretty_print(entry.text) if is_one_line(entry.text) else entry.text


def offered_in(rows: Iterable[Row]) -> str:
    """The keys of the tools with a box, as a form sends them."""
    return json.dumps([row.entry.key for row in rows if row.entry.is_choice])


def _own_upload(request: HttpRequest, pk: str) -> Upload:
    return get_object_or_404(Upload, pk=pk, by=actor(request))


def _files_to_publish(
    request: HttpRequest, upload: Upload, opened: ExitStack
) -> list[tuple[str, BinaryIO]] | None:
    """The stored files of a dry run, open until `opened` ends; None if they are gone. Counts as an upload.

    Raises:
        NotAllowed: the person may not upload.
        Busy: the person has uploaded too often.
    """
    require(request.user, "upload")
    if not stored_files.can_publish(upload):
        return None
    limit_uploads(request)
    try:
        return opened.enter_context(stored_files.files_of(upload))
    except FileNotFoundError:  # published in another tab, or deleted, since `can_publish`
        return None


def _after(rows: QuerySet[UploadedSpec], after: str) -> QuerySet[UploadedSpec]:
    """The rows that follow the one at `after`, its rank and position with a dot between them."""
    rank, position = (number_in(part) for part in after.partition(".")[::2])
    if rank is None or position is None:
        return rows
    return rows.filter(Q(rank__gt=rank) | Q(rank=rank, position__gt=position))


def _rows(
    listed: Iterable[UploadedSpec],
    person: Person,
    choices: Choices,
    *,
    dry_run: bool,
) -> Iterator[Row]:
    """The rows of a page."""
    entries = [(row, entry_of(row)) for row in listed]
    published = [entry for _, entry in entries if entry.slug and not dry_run]
    ids = [entry.tool_id for entry in published]
    tools = Tool.objects.visible_to(person).filter(tool_id__in=ids) if ids else Tool.objects.none()
    seen = {tool.tool_id: tool for tool in tools}
    breaking = [(row, entry) for row, entry in entries if entry.is_breaking][:COMPARED]
    differences = _checked(breaking, person) if dry_run else _published(breaking, seen.values())
    left = FIXED_CHARS
    for row, entry in entries:
        text = (
            text_to_correct(entry)
            if entry.outcome == "rejected" and len(entry.text) <= left
            else ""
        )
        left -= len(text)
        has_difference = dry_run and entry.outcome == "revised" and bool(row.text)
        yield Row(
            row.position,
            entry,
            text,
            tool=seen.get(entry.tool_id or "") if entry.slug else None,
            difference_url=reverse("catalog:upload_difference", args=[row.upload_id, row.position])
            if has_difference
            else "",
            semantic_difference=differences.get(row.position),
            is_selected=entry.key not in choices.skip,
        )


def _checked(breaking: list[tuple[UploadedSpec, Entry]], person: Person) -> dict[int, Difference]:
    """The changes that these specs of a dry run would make, by position."""
    compared = {
        row.position: compared_with_current(row.tool_id, row.text, person) for row, _ in breaking
    }
    return {position: one.semantic_difference for position, one in compared.items() if one}


def _published(
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
