"""Schemas of the audit log."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from ninja import Schema
from pydantic import Field

from catalog.api.schemas.base import MAX_NUMBER, Out, with_example


class AuditQuery(Schema):
    person: str = Field("", max_length=150, description="The user name.")
    action: str = Field("", max_length=30, description="For example `tool.revise`.")
    object: str = Field(
        "", max_length=255, description="The object's id: of a tool, a source, a run."
    )
    interface: str = Field(
        "", max_length=10, description="`page`, `api`, `mcp`, `command` or `sync`."
    )
    since: date | None = Field(None, description="The first day, in UTC.")
    until: date | None = Field(None, description="The last day, in UTC.")
    limit: int = Field(100, ge=1, le=500)
    cursor: int | None = Field(
        None, ge=1, le=MAX_NUMBER, description="`next` of the previous page."
    )


class AuditObjectOut(Out):
    type: str
    id: str


class AuditPersonOut(Out):
    id: int | None
    name: str


class AuditEventOut(Out):
    model_config = with_example(
        {
            "id": 4711,
            "at": "2026-11-22T10:15:00Z",
            "action": "tool.revise",
            "object": {"type": "tool", "id": "getWeather"},
            "interface": "api",
            "person": {"id": 3, "name": "ada"},
            "client": "token deployment (tsk_ab12…)",
            "address": "192.0.2.7",
            "request_id": "5d1b7a0f0c7c4b7f8e5f3a1b2c3d4e5f",
            "before": {"revision": 2},
            "after": {"revision": 3},
        }
    )

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


class AuditEventsOut(Out):
    items: list[AuditEventOut]
    next: str | None
