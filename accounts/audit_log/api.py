"""Schemas of the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Query, Router
from pydantic import Field

from accounts.administrators import require_administrator
from accounts.api_auth import token_or_session
from accounts.audit_log.forms import AuditFilter
from toolshelf_core.api.problems import errors
from toolshelf_core.api.schemas import CursorQuery, Out, Page
from toolshelf_core.audit import AuditEvent


class AuditQuery(AuditFilter, CursorQuery):
    limit: int = Field(100, ge=1, le=500)


class AuditObjectOut(Out):
    type: str
    id: str


class AuditPersonOut(Out):
    id: int | None
    name: str


class AuditEventOut(Out):
    id: int
    at: datetime
    action: str
    object: AuditObjectOut
    interface: str
    person: AuditPersonOut | None = Field(
        description="Null for a schedule, a command, or a visitor."
    )
    client: str | None = Field(description="The token, the command, or the source that was synced.")
    address: str | None
    request_id: str | None
    before: dict[str, Any] | None
    after: dict[str, Any] | None


class AuditEventsOut(Page[AuditEventOut]):
    pass


router = Router(tags=["audit"])


@router.get(
    "/audit-events",
    response={200: AuditEventsOut, **errors(401, 403, 422)},
    auth=token_or_session("admin"),
    summary="List events of the audit log",
)
def list_audit_events(request: HttpRequest, query: Query[AuditQuery]) -> AuditEventsOut:
    """For administrators, newest first. The page `/audit/` also exports the events as NDJSON."""
    require_administrator(request.user)
    return AuditEventsOut.read(query.events(), query, convert=AuditEvent.as_json)
