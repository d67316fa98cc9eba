"""Queue events for webhooks, in the transaction of what happened.

An event is sent if and only if that is stored.

Sending is another matter (`webhooks/delivery.py`), and takes place in the background.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from catalog.webhooks.models import EventType, Webhook, WebhookDelivery
from toolspec.catalog_names import group_key

new_deliveries: Final = (
    threading.Event()
)  # set when this process has queued some: its thread need not wait

Completion = Callable[[dict[str, Any]], dict[str, Any]]
# By type of event: what is added to its data when it is sent. Rooms above register it in `apps.py`.
completions: Final[dict[str, Completion]] = {}


@dataclass(frozen=True, slots=True)
class WebhookEvent:
    """Something that happened. `toolkit` is the name of the toolkit it concerns; "" for none."""

    type: EventType
    toolkit: str
    data: Mapping[str, Any]


def active_webhooks() -> list[Webhook]:
    """The webhooks that receive events, without their secrets."""
    return list(Webhook.objects.filter(is_active=True).defer("secret", "old_secret"))


def queue_events(events: Sequence[WebhookEvent], webhooks: Sequence[Webhook] | None = None) -> None:
    """Queue a delivery of each event to each webhook that wants it.

    Args:
        events: what happened.
        webhooks: as `active_webhooks` returned them, if the caller has asked before it made the
            events.
    """
    if not events:
        return
    if webhooks is None:
        webhooks = active_webhooks()
    if not webhooks:
        return
    now = timezone.now()
    deliveries = []
    for event in events:
        text = json.dumps(event.data)
        toolkit_key = group_key(event.toolkit)
        for webhook in webhooks:
            if webhook.wants(event.type, toolkit_key):
                delivery = WebhookDelivery(
                    webhook=webhook,
                    message_id=new_message_id(),
                    event=event.type,
                    data_json=text,
                    created_at=now,
                    next_at=now,
                )
                deliveries.append(delivery)
    if deliveries:
        WebhookDelivery.objects.bulk_create(deliveries, batch_size=500)
        transaction.on_commit(new_deliveries.set)


def new_message_id() -> str:
    return f"msg_{secrets.token_hex(16)}"
