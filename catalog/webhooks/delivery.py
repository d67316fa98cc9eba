"""Send queued events to webhooks, retry with increasing pauses, and store how it went.

Several processes may send: a delivery that one of them claims is not due again until its time is
up, so a process that is stopped while it sends delays the message, and does not lose it. A receiver
may therefore get a message twice; its `webhook-id` stays the same.

Redirects are not followed: an address that moved must be changed here, where the address policy
checks it.
"""

from __future__ import annotations

import json
import logging
import time
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, timedelta
from http import HTTPStatus
from typing import Final

from django.db import transaction
from django.utils import timezone

from catalog.webhooks.models import TEST, Webhook, WebhookDelivery
from catalog.webhooks.queue import completions, new_message_id
from catalog.webhooks.signature import signed_headers
from toolshelf_core.encryption import Unreadable
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.budget import Budget
from toolshelf_core.site_addresses import read_address_policy

MAX_SECONDS: Final = 15.0
MAX_RESPONSE_BYTES: Final = 64 * 1024  # only the status counts; more is not read
CLAIMED_FOR: Final = timedelta(seconds=60)
PER_WEBHOOK: Final = 50  # in one round
MAX_AT_ONCE: Final = 16  # requests
LOOK_S: Final = 1.0  # how long a round waits before it looks for deliveries that became due
RETENTION: Final = timedelta(days=30)
# The pauses after failed attempts; after the last one the delivery has failed. Together about three
# days. Source: Standard Webhooks 1.0.0, "Deliverability and reliability".
PAUSES: Final = tuple(
    timedelta(seconds=seconds)
    for seconds in (5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400)
)
_RESULT: Final = (
    "body",
    "attempts",
    "status",
    "error",
    "duration_ms",
    "last_at",
    "next_at",
    "state",
)
UNREADABLE: Final = (
    "The secret of the webhook cannot be decrypted: its key is not in "
    "TOOLSHELF_CONFIGURATION_KEYS. Replace the secret."
)
GONE: Final = "The server responded with status 410 (Gone): it no longer accepts events."

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """How one attempt went. `status` is None if there was no response, and `error` says why."""

    status: int | None
    error: str
    duration_ms: float

    @property
    def is_accepted(self) -> bool:
        return self.status is not None and 200 <= self.status < 300


def deliver_due() -> Iterator[WebhookDelivery]:
    """Send the deliveries that are due, and those that become due meanwhile.

    Yields each with its result.

    One at a time of each webhook, so that a slow one delays only its own. At most `PER_WEBHOOK` of
    each, and no more of one that does not respond. Only the requests run in other threads, not the
    queries.
    """
    begun: Counter[int] = Counter()
    with ThreadPoolExecutor(MAX_AT_ONCE, "webhook") as pool:
        sending: dict[Future[Attempt], tuple[Webhook, WebhookDelivery]] = {}
        while True:
            busy = {webhook.pk for webhook, _ in sending.values()}
            for webhook, delivery in _next_of_each(begun, busy, at_most=MAX_AT_ONCE - len(sending)):
                begun[webhook.pk] += 1
                sending[pool.submit(_attempt, webhook, delivery)] = webhook, delivery
            if not sending:
                return
            ended, _ = wait(sending, timeout=LOOK_S, return_when=FIRST_COMPLETED)
            for future in ended:
                webhook, delivery = sending.pop(future)
                _store(webhook, delivery, future.result())
                if delivery.status is None:
                    begun[webhook.pk] = PER_WEBHOOK
                yield delivery


def _next_of_each(
    begun: Counter[int], busy: Collection[int], *, at_most: int
) -> Iterator[tuple[Webhook, WebhookDelivery]]:
    """The first delivery that is due of each webhook that is not busy, claimed and with its body.

    Webhooks of which the fewest were begun come first: many slow ones do not keep all places.
    """
    due = WebhookDelivery.objects.filter(state=WebhookDelivery.WAITING, next_at__lte=timezone.now())
    finished = {webhook for webhook, number in begun.items() if number >= PER_WEBHOOK}
    webhooks = Webhook.objects.filter(is_active=True, deliveries__in=due).exclude(
        pk__in=finished | {*busy}
    )
    in_turn = sorted(webhooks.distinct(), key=lambda webhook: (begun[webhook.pk], webhook.pk))
    for webhook in in_turn[:at_most]:
        delivery = due.filter(webhook=webhook).order_by("next_at", "pk").first()
        if delivery is not None and _claim(delivery):
            delivery.body = delivery.body or _body(delivery)
            yield webhook, delivery


def deliver(delivery: WebhookDelivery) -> WebhookDelivery:
    """Send a claimed delivery, and store the result; nothing if its webhook was removed."""
    webhook = Webhook.objects.filter(pk=delivery.webhook_id).first()
    if webhook is None:
        return delivery
    delivery.body = delivery.body or _body(delivery)
    _store(webhook, delivery, _attempt(webhook, delivery))
    return delivery


def _store(webhook: Webhook, delivery: WebhookDelivery, attempt: Attempt) -> None:
    """Store how an attempt went, and when the next one is due."""
    delivery.attempts += 1
    delivery.status, delivery.error, delivery.duration_ms = (
        attempt.status,
        attempt.error[:500],
        attempt.duration_ms,
    )
    delivery.last_at = timezone.now()
    delivery.next_at = None
    if attempt.is_accepted:
        delivery.state = WebhookDelivery.DELIVERED
    elif (
        delivery.attempts <= len(PAUSES)
        and delivery.event != TEST
        and attempt.status != HTTPStatus.GONE
    ):
        delivery.next_at = delivery.last_at + PAUSES[delivery.attempts - 1]
    else:
        delivery.state = WebhookDelivery.FAILED
    values = {name: getattr(delivery, name) for name in _RESULT}
    WebhookDelivery.objects.filter(pk=delivery.pk).update(**values)
    if attempt.status == HTTPStatus.GONE:
        Webhook.objects.filter(pk=webhook.pk).update(is_active=False, inactive_reason=GONE)


def send_test(webhook: Webhook) -> WebhookDelivery:
    """Send a test event now, once: it is not repeated if it fails."""
    delivery = WebhookDelivery.objects.create(
        webhook=webhook,
        message_id=new_message_id(),
        event=TEST,
        data_json=json.dumps({"webhook": webhook.pk}),
    )
    return deliver(delivery)


def send_again(delivery: WebhookDelivery) -> WebhookDelivery:
    """Send a message once more, now, with the same id and body. Earlier results are replaced."""
    with transaction.atomic():
        stored = WebhookDelivery.objects.select_for_update(of=("self",)).get(pk=delivery.pk)
        stored.state, stored.attempts = WebhookDelivery.WAITING, 0
        stored.next_at = timezone.now() + CLAIMED_FOR
        stored.save(update_fields=["state", "attempts", "next_at"])
    return deliver(stored)


def prune_deliveries() -> int:
    """Delete the deliveries that ended more than `RETENTION` ago; returns how many."""
    old = WebhookDelivery.objects.filter(created_at__lt=timezone.now() - RETENTION)
    count, _ = old.exclude(state=WebhookDelivery.WAITING).delete()
    return count


def _claim(delivery: WebhookDelivery) -> bool:
    """Whether this process may send it; another process may have claimed it since."""
    same = WebhookDelivery.objects.filter(
        pk=delivery.pk,
        state=WebhookDelivery.WAITING,
        next_at=delivery.next_at,
        attempts=delivery.attempts,
    )
    return bool(same.update(next_at=timezone.now() + CLAIMED_FOR))


def _body(delivery: WebhookDelivery) -> str:
    """{"type", "timestamp", "data"}, with what takes too long to compute for the queue."""
    data = delivery.data
    complete = completions.get(delivery.event)
    if complete:
        data |= complete(data)
    timestamp = delivery.created_at.astimezone(UTC).isoformat()
    return json.dumps({"type": delivery.event, "timestamp": timestamp, "data": data})


def _attempt(webhook: Webhook, delivery: WebhookDelivery) -> Attempt:
    # These take 15 MB that a process without webhooks does not need.
    from httpx2 import HTTPError  # noqa: PLC0415

    from toolshelf_core.outgoing.clients import client, sentence  # noqa: PLC0415

    body = delivery.body.encode()
    start = time.perf_counter()

    def finish(status: int | None, error: str) -> Attempt:
        return Attempt(status, error, round((time.perf_counter() - start) * 1000, 1))

    try:
        secrets = webhook.secrets()
    except Unreadable:
        return finish(None, UNREADABLE)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Toolshelf-Webhooks",
        **signed_headers(secrets, delivery.message_id, int(time.time()), body),
    }
    budget = Budget(seconds=MAX_SECONDS, max_bytes=MAX_RESPONSE_BYTES)
    try:
        with (
            client(read_address_policy(), budget) as http,
            http.stream(
                "POST", webhook.url, content=body, headers=headers, follow_redirects=False
            ) as response,
        ):
            status = response.status_code
    except (HTTPError, OutgoingError) as error:
        return finish(None, sentence(error, budget))
    except Exception:
        log.exception("The webhook %s could not be sent.", webhook.pk)
        message = "An internal error stopped the delivery. The server's log has the details."
        return finish(None, message)
    if 200 <= status < 300:
        return finish(status, "")
    response_status = f"The server responded with status {status}"
    if 300 <= status < 400:
        return finish(status, f"{response_status}; redirects are not followed.")
    return finish(status, f"{response_status}.")
