"""Webhooks: addresses that are notified of events, and the queue of deliveries to them."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any, Final, Literal

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from toolshelf_core.encryption import decrypt, encrypt

EventType = Literal[
    "tool.created",
    "tool.revised",
    "change.held",
    "examples.failed",
    "source.drifted",
    "response.drifted",
]
EVENTS: Final[dict[EventType, str]] = {
    "tool.created": "A tool is published for the first time",
    "tool.revised": "A tool has a new revision; with the verdict on its changes",
    "change.held": "A change waits for review",
    "examples.failed": "A check of a tool's examples has failed",
    "source.drifted": "A source changed or dropped tools",
    "response.drifted": "A response violates its return type, after one that matched it",
}
TEST: Final = "webhook.test"
URL_LENGTH: Final = 2_000
OLD_SECRET_LIFETIME: Final = timedelta(hours=24)


class Webhook(models.Model):
    """An address that receives events by POST, signed with a secret of its own."""

    url = models.CharField(max_length=URL_LENGTH)
    events = models.JSONField(default=list)  # names of `EVENTS`
    toolkits = models.JSONField(default=list)  # names of toolkits; empty: all
    toolkit_keys = models.JSONField(default=list)  # the same for comparison
    is_active = models.BooleanField(default=True)
    inactive_reason = models.CharField(max_length=200, blank=True)  # if the site switched it off
    secret = models.TextField()  # encrypted
    old_secret = models.TextField(blank=True)  # encrypted; also signs until `old_secret_until`
    old_secret_until = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="+",
        db_index=False,
    )
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"webhook {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("catalog:webhook", args=[self.pk])

    def wants(self, event: str, toolkit_key: str) -> bool:
        return event in self.events and (not self.toolkit_keys or toolkit_key in self.toolkit_keys)

    def set_secret(self, secret: str) -> None:
        """Store a new secret; the earlier one signs for another day. The caller saves."""
        self.old_secret, self.old_secret_until = self.secret, timezone.now() + OLD_SECRET_LIFETIME
        self.secret = encrypt(secret)

    def secrets(self) -> list[str]:
        """The secrets that sign now, the newest first.

        Raises:
            Unreadable: none of the keys decrypts them.
        """
        secrets = [self.secret]
        if self.old_secret_until and timezone.now() < self.old_secret_until:
            secrets.append(self.old_secret)
        return [str(decrypt(secret)) for secret in secrets if secret]


class WebhookDelivery(models.Model):
    """One message for one webhook. Its id and its body stay the same in all attempts."""

    WAITING, DELIVERED, FAILED = "waiting", "delivered", "failed"
    STATES: Final = {WAITING: "Waiting", DELIVERED: "Delivered", FAILED: "Failed"}

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    message_id = models.CharField(max_length=40)  # the header `webhook-id`
    event = models.CharField(max_length=20)
    data_json = models.TextField()  # the data that is known when the event happens
    body = models.TextField(blank=True)  # complete, from the first attempt on
    state = models.CharField(max_length=10, default=WAITING, choices=list(STATES.items()))
    attempts = models.PositiveIntegerField(default=0)
    next_at = models.DateTimeField(null=True, blank=True)  # of a waiting one: when it is due
    status = models.PositiveIntegerField(null=True, blank=True)  # of the last response
    error = models.CharField(max_length=500, blank=True)  # of the last attempt
    duration_ms = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    last_at = models.DateTimeField(null=True, blank=True)  # of the last attempt

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["next_at"], name="delivery_due", condition=Q(state="waiting")),
            models.Index(fields=["created_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.message_id}"

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data_json)
        return found

    @property
    def tool_id(self) -> str:
        """The id of the tool that it is about; "" for none."""
        return str(self.data.get("tool", {}).get("id", ""))
