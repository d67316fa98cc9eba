"""Add, change and remove webhooks, and replace their secrets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from catalog import audit
from catalog.accounts.models import User
from catalog.address_policy import url_problem
from catalog.encryption import encrypt, rotate
from catalog.errors import DocumentError, Problem
from catalog.models import Webhook
from catalog.models.tools import TOOLKIT_LENGTH
from catalog.models.webhooks import EVENTS, URL_LENGTH
from catalog.search.document import group_key
from catalog.webhooks.signature import new_secret

MAX_WEBHOOKS: Final = 50
MAX_TOOLKITS: Final = 50


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    """The settings of a webhook that an administrator chooses.

    Attributes:
        url: receives the events.
        events: names of `EVENTS`, at least one.
        toolkits: names of toolkits, for their tools and sources only; () for all.
        is_active: whether events are sent.
    """

    url: str
    events: Sequence[str]
    toolkits: Sequence[str] = ()
    is_active: bool = True


@sensitive_variables("secret")
def add_webhook(wanted: WebhookSettings, *, by: User | None) -> tuple[Webhook, str]:
    """Store a new webhook.

    Returns:
        The webhook, and its secret, which is shown once.

    Raises:
        DocumentError: settings are invalid, or there are too many webhooks; with pointers such as "/url".
    """
    problems = _problems(wanted)
    if not problems and Webhook.objects.count() >= MAX_WEBHOOKS:
        problems.append(
            Problem(
                "",
                f"There can be at most {MAX_WEBHOOKS} webhooks. Remove one first.",
                "webhook.many",
            )
        )
    if problems:
        raise DocumentError(problems)
    secret = new_secret()
    webhook = Webhook(created_by=by, secret=encrypt(secret))
    _set(webhook, wanted)
    with transaction.atomic():
        webhook.save()
        audit.record("webhook.add", "webhook", webhook.pk, after=_facts_of(webhook), by=by)
    return webhook, secret


def change_webhook(webhook: Webhook, wanted: WebhookSettings) -> Webhook:
    """Store changed settings.

    Raises:
        DocumentError: settings are invalid.
    """
    if problems := _problems(wanted):
        raise DocumentError(problems)
    before = _facts_of(webhook)
    _set(webhook, wanted)
    with transaction.atomic():
        webhook.save()
        audit.record_change("webhook.change", "webhook", webhook.pk, before, _facts_of(webhook))
    return webhook


def settings_of(webhook: Webhook, **changed: Any) -> WebhookSettings:
    """The settings of a webhook, with changes."""
    stored = {name: getattr(webhook, name) for name in ("url", "events", "toolkits", "is_active")}
    return WebhookSettings(**{**stored, **changed})


def remove_webhook(webhook: Webhook) -> None:
    """Remove a webhook with its deliveries."""
    with transaction.atomic():
        audit.record("webhook.remove", "webhook", webhook.pk, before=_facts_of(webhook))
        webhook.delete()


@sensitive_variables("secret")
def replace_secret(webhook: Webhook) -> str:
    """Give a webhook a new secret, which is shown once; the earlier one also signs for a day."""
    secret = new_secret()
    with transaction.atomic():
        webhook.set_secret(secret)
        webhook.save(update_fields=["secret", "old_secret", "old_secret_until"])
        audit.record("webhook.secret", "webhook", webhook.pk)
    return secret


def rotate_secrets() -> tuple[int, int]:
    """Re-encrypt the secrets of all webhooks with the first key (see `encryption.rotate`)."""
    return rotate(Webhook.objects.all(), "secret", "old_secret", object_type="webhook")


def shown_url(url: str) -> str:
    """The address without its query, which may be secret."""
    return urlsplit(url)._replace(query="").geturl()


def _set(webhook: Webhook, wanted: WebhookSettings) -> None:
    webhook.url = wanted.url
    webhook.events = [event for event in EVENTS if event in wanted.events]
    webhook.toolkits = [" ".join(toolkit.split()) for toolkit in wanted.toolkits]
    webhook.toolkit_keys = [group_key(toolkit) for toolkit in webhook.toolkits]
    webhook.is_active = wanted.is_active
    if wanted.is_active:
        webhook.inactive_reason = ""


def _facts_of(webhook: Webhook) -> dict[str, object]:
    """For the audit log."""
    return {
        "url": shown_url(webhook.url),
        "events": webhook.events,
        "toolkits": webhook.toolkits,
        "is_active": webhook.is_active,
    }


def _problems(wanted: WebhookSettings) -> list[Problem]:
    found = []
    if len(wanted.url) > URL_LENGTH:
        found.append(Problem("/url", f"Enter at most {URL_LENGTH:,} characters.", "webhook.url"))
    elif message := url_problem(wanted.url):
        found.append(Problem("/url", message, "webhook.url"))
    unknown = [event for event in wanted.events if event not in EVENTS]
    if unknown or not wanted.events:
        found.append(
            Problem("/events", f"Choose at least one of: {', '.join(EVENTS)}.", "webhook.events")
        )
    if len(wanted.toolkits) > MAX_TOOLKITS:
        found.append(
            Problem("/toolkits", f"Enter at most {MAX_TOOLKITS} toolkits.", "webhook.toolkits")
        )
    found += [
        Problem("/toolkits", f"{toolkit[:40]!r} cannot be a toolkit's name.", "webhook.toolkits")
        for toolkit in wanted.toolkits
        if "\x00" in toolkit or len(toolkit) > TOOLKIT_LENGTH or not group_key(toolkit)
    ]
    return found
