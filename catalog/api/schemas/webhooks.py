"""Schemas of webhooks and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from catalog.api.schemas.base import CursorQuery, In, Out, Page, UserName
from catalog.models.webhooks import EventType

_TOOLKITS = "Only events of these toolkits, and of sources with these names; [] for all."


class WebhookIn(In):
    url: str = Field(
        description="Under the same policy as URLs of sources; redirects are not followed."
    )
    events: list[EventType] = Field(max_length=20)
    toolkits: list[str] = Field([], description=_TOOLKITS)
    is_active: bool = True


class WebhookChangesIn(In):
    """Members that are absent stay as they are."""

    url: str | None = None
    events: list[EventType] | None = Field(None, max_length=20)
    toolkits: list[str] | None = Field(None, description=_TOOLKITS)
    is_active: bool | None = None


class WebhookOut(Out):
    id: int = Field(validation_alias="pk")
    url: str
    events: list[str]
    toolkits: list[str]
    is_active: bool
    inactive_reason: str = Field(description='Why the site switched it off; "" if it did not.')
    created_at: datetime
    created_by: UserName


class WebhookSecretOut(WebhookOut):
    secret: str = Field(description="Signs the messages. It is sent only here.")


class WebhooksOut(Out):
    items: list[WebhookOut]


class DeliveryOut(Out):
    id: int = Field(validation_alias="pk")
    message_id: str = Field(description="The header `webhook-id`, the same in all attempts.")
    event: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    status: int | None = Field(description="The HTTP status of the last response.")
    error: str = Field(description='Why the last attempt failed; "" if it did not.')
    duration_ms: float | None
    created_at: datetime
    last_at: datetime | None = Field(description="The time of the last attempt.")
    next_at: datetime | None = Field(description="When the next attempt is due.")


class DeliveriesOut(Page[DeliveryOut]):
    pass


class DeliveriesQuery(CursorQuery):
    state: Literal["waiting", "delivered", "failed"] | None = None
    limit: int = Field(100, ge=1, le=500)
