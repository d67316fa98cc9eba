"""Add, change and remove webhooks, and replace their secrets."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from django import forms
from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.webhooks.models import EVENTS, URL_LENGTH, Webhook
from catalog.webhooks.signature import new_secret
from toolshelf_core import audit
from toolshelf_core.encryption import encrypt, rotate
from toolshelf_core.form_problems import require_valid
from toolshelf_core.site_addresses import find_url_problem
from toolspec.catalog_names import MAX_TOOLKIT_CHARS, group_key

MAX_WEBHOOKS: Final = 50
MAX_TOOLKITS: Final = 50
_CHOOSE_EVENTS: Final = f"Choose at least one of: {', '.join(EVENTS)}."


class ToolkitsField(forms.Field):
    """Names of toolkits: a list, or a text with commas."""

    def to_python(self, value: Any) -> list[str]:
        if isinstance(value, str):
            value = [name for name in value.split(",") if name.strip()]
        return [" ".join(name.split()) for name in value or []]

    def run_validators(self, value: list[str]) -> None:
        for toolkit in value:
            if "\x00" in toolkit or len(toolkit) > MAX_TOOLKIT_CHARS or not group_key(toolkit):
                raise forms.ValidationError(f"{toolkit[:40]!r} cannot be a toolkit's name.")
        if len(value) > MAX_TOOLKITS:
            raise forms.ValidationError(f"Enter at most {MAX_TOOLKITS} toolkits.")

    def prepare_value(self, value: Any) -> Any:
        return ", ".join(value) if isinstance(value, list) else value


class WebhookForm(forms.ModelForm):  # type: ignore[type-arg]
    """The settings of a webhook that an administrator chooses, for its page and the API.

    A new webhook is active unless its settings say otherwise.
    """

    url = forms.CharField(
        max_length=URL_LENGTH,
        required=False,
        error_messages={"max_length": f"Enter at most {URL_LENGTH:,} characters."},
    )
    events = forms.MultipleChoiceField(
        choices=list(EVENTS.items()),
        error_messages={"required": _CHOOSE_EVENTS, "invalid_choice": _CHOOSE_EVENTS},
    )
    toolkits = ToolkitsField(required=False)

    class Meta:
        model = Webhook
        fields = ["url", "events", "toolkits", "is_active"]

    def __init__(self, data: Any = None, *, webhook: Webhook | None = None) -> None:
        initial = None if webhook else {"events": ["tool.revised", "change.held"]}
        super().__init__(data, instance=webhook, initial=initial, auto_id=False)
        self.before = _facts_of(self.instance)

    def clean_url(self) -> str:
        url: str = self.cleaned_data["url"]
        if problem := find_url_problem(url):
            raise forms.ValidationError(problem)
        return url

    def clean_events(self) -> list[str]:
        return [event for event in EVENTS if event in self.cleaned_data["events"]]

    def clean_is_active(self) -> bool:
        is_default = self.instance.pk is None and "is_active" not in self.data
        return is_default or bool(self.cleaned_data["is_active"])

    def clean(self) -> None:
        if self.instance.pk is None and Webhook.objects.count() >= MAX_WEBHOOKS:
            message = f"There can be at most {MAX_WEBHOOKS} webhooks. Remove one first."
            raise forms.ValidationError(message, code="many")


@sensitive_variables("secret")
def add_webhook(form: WebhookForm, *, by: User | None) -> tuple[Webhook, str]:
    """Store a new webhook.

    Returns:
        The webhook, and its secret, which is shown once.

    Raises:
        DocumentError: settings are invalid, or there are too many webhooks; with pointers such as
            "/url".
    """
    secret = new_secret()
    form.instance.created_by = by
    form.instance.secret = encrypt(secret)
    with transaction.atomic():
        webhook = _store(form)
        audit.record("webhook.add", "webhook", webhook.pk, after=_facts_of(webhook), by=by)
    return webhook, secret


def change_webhook(form: WebhookForm) -> Webhook:
    """Store the changed settings of a webhook.

    Raises:
        DocumentError: settings are invalid.
    """
    with transaction.atomic():
        webhook = _store(form)
        audit.record_change(
            "webhook.change", "webhook", webhook.pk, form.before, _facts_of(webhook)
        )
    return webhook


def _store(form: WebhookForm) -> Webhook:
    require_valid(form, "webhook")
    webhook: Webhook = form.instance
    webhook.toolkit_keys = [group_key(toolkit) for toolkit in webhook.toolkits]
    if webhook.is_active:
        webhook.inactive_reason = ""
    webhook.save()
    return webhook


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


def _facts_of(webhook: Webhook) -> dict[str, object]:
    """For the audit log."""
    return {
        "url": shown_url(webhook.url),
        "events": webhook.events,
        "toolkits": webhook.toolkits,
        "is_active": webhook.is_active,
    }
