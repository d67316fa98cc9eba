"""The audit log for administrators: a page with filters, and its export."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.administrators import administrators_only
from accounts.audit_log.forms import PAGE_SIZE, AuditFilter
from toolshelf_core.audit import ACTIONS, INTERFACES, AuditEvent
from toolshelf_core.paging import read_number, read_page
from toolspec.errors import DocumentError

NDJSON: Final = "application/x-ndjson"


@require_safe
@administrators_only
def audit_log(request: HttpRequest) -> HttpResponseBase:
    """Events, newest first; `?before=` continues after the event with this id."""
    errors: list[dict[str, str]] = []
    try:
        audit_filter = AuditFilter.from_query(request.GET)
        events = audit_filter.events()
    except DocumentError as error:
        audit_filter = AuditFilter.from_query({})
        events = AuditEvent.objects.none()
        for problem in error.problems:
            errors.append({"href": f"#{problem.pointer[1:]}", "message": problem.message})
    before = read_number(request.GET.get("before", ""), digits=18)
    page, following = read_page(events, before, PAGE_SIZE)
    context = {
        "events": page,
        "filter": audit_filter,
        "typed": request.GET if errors else None,
        "errors": errors,
        "actions": ACTIONS,
        "interfaces": INTERFACES,
        "next_url": f"?{audit_filter.query(before=following)}" if following else None,
        "export_query": audit_filter.query(),
    }
    status = 422 if errors else 200
    return render(request, "accounts/audit_log/audit.html", context, status=status)


@require_safe
@administrators_only
def export_audit_log(request: HttpRequest) -> HttpResponseBase:
    """All events that match, as NDJSON: one JSON object per line, the oldest first."""
    try:
        lines = AuditFilter.from_query(request.GET).export()
    except DocumentError as error:
        return HttpResponse(f"{error}\n", status=422, content_type="text/plain; charset=utf-8")
    name = f"audit-{timezone.now():%Y-%m-%d}.ndjson"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingHttpResponse(lines, content_type=NDJSON, headers=headers)
