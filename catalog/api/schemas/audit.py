"""Schemas of the audit log."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from pydantic import Field

from catalog.api.schemas.base import CursorQuery, Out, Page
from catalog.forms.audit import AuditFilter


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
