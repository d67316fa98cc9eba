"""The form of a webhook."""

from __future__ import annotations

from typing import Any

from django import forms

from catalog.accounts.models import User
from catalog.forms.stored_form import StoredForm
from catalog.models import Webhook
from catalog.models.webhooks import EVENTS
from catalog.webhooks.registration import WebhookSettings, add_webhook, change_webhook


class WebhookForm(StoredForm):
    """The settings of a webhook: a new one, or those of `webhook`."""

    url = forms.CharField(required=False)
    events = forms.MultipleChoiceField(required=False, choices=list(EVENTS.items()))
    toolkits = forms.CharField(required=False)
    is_active = forms.BooleanField(required=False)

    def __init__(self, webhook: Webhook | None = None, data: Any = None) -> None:
        self.webhook = webhook
        initial: dict[str, Any] = {"events": ["tool.revised", "change.held"], "is_active": True}
        if webhook is not None:
            initial = {
                "url": webhook.url,
                "events": webhook.events,
                "toolkits": ", ".join(webhook.toolkits),
                "is_active": webhook.is_active,
            }
        super().__init__(data, initial=initial, auto_id=False)

    def add(self, by: User) -> tuple[Webhook, str] | None:
        """Store a new webhook; returns it with its secret, or None if it was refused."""
        return self.stored_by(lambda: add_webhook(self._settings(is_active=True), by=by))

    def save(self) -> Webhook | None:
        """Store the changed settings; None if they were refused."""
        webhook = self.webhook
        assert webhook is not None  # noqa: S101 - for mypy: `save` is for forms of a webhook
        return self.stored_by(
            lambda: change_webhook(
                webhook, self._settings(is_active=self.cleaned_data["is_active"])
            )
        )

    def _settings(self, *, is_active: bool) -> WebhookSettings:
        toolkits = [
            name.strip() for name in self.cleaned_data["toolkits"].split(",") if name.strip()
        ]
        return WebhookSettings(
            self.cleaned_data["url"].strip(), self.cleaned_data["events"], toolkits, is_active
        )
