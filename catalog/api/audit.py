"""The API's operation for the audit log."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router

from catalog.accounts.api_auth import token_or_session
from catalog.api.schemas.audit import AuditEventsOut, AuditQuery
from catalog.api.schemas.problems import errors
from catalog.audit import AuditEvent
from catalog.rights import require

router = Router(tags=["audit"])


@router.get(
    "/audit-events",
    response={200: AuditEventsOut, **errors(401, 403, 422)},
    auth=token_or_session("admin"),
    summary="List events of the audit log",
)
def list_audit_events(request: HttpRequest, query: Query[AuditQuery]) -> AuditEventsOut:
    """For administrators, newest first. The page `/audit/` also exports the events as NDJSON."""
    require(request.user, "administer")
    return AuditEventsOut.read(query.events(), query, convert=AuditEvent.as_json)
