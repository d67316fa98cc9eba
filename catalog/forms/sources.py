"""The form of a source."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.conf import settings

from catalog.accounts.models import User
from catalog.forms.stored_form import StoredForm
from catalog.models import Source
from catalog.models.sources import POLICIES, Policy
from catalog.sources.registration import COLUMNS, SourceSettings, add_source, change_source

SCHEDULES: Final = {
    "": "Manually",
    "15": "Every 15 minutes",
    "60": "Every hour",
    "1440": "Every day",
    "10080": "Every week",
}


class SourceForm(StoredForm):
    """The settings of a source: a new one, or those of `source`."""

    kind = forms.CharField(required=False)
    address = forms.CharField(required=False)
    document = forms.FileField(required=False, max_length=500)
    header_name = forms.CharField(required=False)
    header_value = forms.CharField(required=False, strip=True)
    remove_credentials = forms.BooleanField(required=False)
    policy = forms.CharField(required=False)
    every_minutes = forms.CharField(required=False)

    field_of_pointer = {"headers": "header_value"}

    def __init__(self, source: Source | None = None, data: Any = None, files: Any = None) -> None:
        self.source = source
        initial: dict[str, Any] = {
            "kind": "mcp-http",
            "policy": "compatible",
            "header_name": "Authorization",
        }
        if source is not None:
            names = source.header_names or ["Authorization"]
            initial = {
                "address": source.address,
                "policy": source.policy,
                "every_minutes": source.every_minutes or "",
                "header_name": names[0],
            }
        super().__init__(data, files, initial=initial, auto_id=False)
        self.fields["name"] = forms.CharField(required=False)

    @property
    def reaches_this_machine(self) -> bool:
        """Whether sources may connect to this machine (see `address_policy`)."""
        return bool(settings.LOOPBACK_ONLY)

    @property
    def schedules(self) -> dict[str, str]:
        """The intervals to choose from, with the stored one."""
        stored = self.source.every_minutes if self.source else None
        own = (
            {}
            if not stored or str(stored) in SCHEDULES
            else {str(stored): f"Every {stored} minutes"}
        )
        return {**SCHEDULES, **own}

    @property
    def policies(self) -> dict[Policy, str]:
        return POLICIES

    def clean_document(self) -> str:
        """The text of the uploaded file; "" if there is none."""
        file = self.cleaned_data["document"]
        if not file:
            return ""
        if file.size > settings.MAX_DOCUMENT_BYTES:
            raise forms.ValidationError(
                f"A document can have at most {settings.MAX_DOCUMENT_BYTES:,} bytes."
            )
        try:
            return str(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The document is not text in UTF-8.") from error

    def clean_every_minutes(self) -> int | None:
        typed = self.cleaned_data["every_minutes"].strip()
        if not typed:
            return None
        if not (typed.isascii() and typed.isdecimal() and len(typed) < 7):
            raise forms.ValidationError(
                "Enter a number of minutes, or leave it empty to sync manually."
            )
        return int(typed)

    def add(self, by: User) -> Source | None:
        """Store a new source; None if it was refused."""
        return self.stored_by(lambda: add_source(self._settings(self.cleaned_data), by=by))

    def save(self) -> Source | None:
        """Store the changed settings; None if they were refused."""
        return self.stored_by(self._change)

    def _change(self) -> Source:
        source = self.source
        assert source is not None  # noqa: S101 - for mypy: `save` is for forms of a source
        typed = {**self.cleaned_data, "name": source.name, "kind": source.kind}
        if source.kind == "mcp-stdio":
            typed["address"] = source.address
        if not typed["document"] and not typed["address"]:
            typed["document"] = source.document
        return change_source(source, self._settings(typed))

    def _settings(self, typed: dict[str, Any]) -> SourceSettings:
        headers = {typed["header_name"]: typed["header_value"]} if typed["header_value"] else None
        if headers is None and typed["remove_credentials"]:
            headers = {}
        return SourceSettings(**{name: typed[name] for name in COLUMNS}, headers=headers)
