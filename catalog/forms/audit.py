"""The filters of the audit log, as its page, its export and the API take them from a query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from urllib.parse import urlencode

from django import forms
from django.db.models import QuerySet

from catalog import audit
from catalog.audit import ACTIONS, INTERFACES, AuditEvent
from catalog.errors import DocumentError, Problem
from catalog.jsontext.reader import dumps

PAGE_SIZE: Final = 100
MAX_CHARACTERS: Final = 255
EXPORT_CHUNK: Final = 1_000


class _DayField(forms.DateField):
    """A day in ISO 8601."""

    default_error_messages = {"invalid": "Enter a day such as 2026-11-22."}

    def strptime(self, value: str, format: str) -> date:  # noqa: A002, ARG002 - Django's name
        return date.fromisoformat(value)


def _word() -> forms.CharField:
    message = f"Enter at most {MAX_CHARACTERS} characters, without NUL characters."
    messages = {"max_length": message, "null_characters_not_allowed": message}
    return forms.CharField(max_length=MAX_CHARACTERS, error_messages=messages, required=False)


def _choice(labels: Mapping[str, str]) -> forms.ChoiceField:
    messages = {"invalid_choice": f"Choose one of: {', '.join(labels)}."}
    return forms.ChoiceField(choices=[*labels.items()], error_messages=messages, required=False)


class AuditFilterForm(forms.Form):
    """The query string of the audit log."""

    person = _word()
    action = _choice(ACTIONS)
    object = _word()
    interface = _choice(INTERFACES)
    since = _DayField(required=False)
    until = _DayField(required=False)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """The events to show. "" matches everything; `since` and `until` are days in UTC, both included."""

    person: str = ""
    action: str = ""
    object_id: str = ""
    interface: str = ""
    since: date | None = None
    until: date | None = None

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> AuditFilter:
        """Read the members from a query.

        Raises:
            DocumentError: a value cannot be used; with pointers such as "/since".
        """
        form = AuditFilterForm(query)
        if not form.is_valid():
            problems = [
                Problem(f"/{name}", str(errors[0]), "audit.filter")
                for name, errors in form.errors.items()
            ]
            raise DocumentError(problems)
        values = dict(form.cleaned_data)
        return cls(object_id=values.pop("object"), **values)

    def events(self) -> QuerySet[AuditEvent]:
        """The events that match, newest first."""
        found = AuditEvent.objects.order_by("-pk")
        exact = {
            "person": self.person,
            "action": self.action,
            "object_id": self.object_id,
            "interface": self.interface,
        }
        found = found.filter(**{name: value for name, value in exact.items() if value})
        if self.since:
            found = found.filter(at__gte=datetime.combine(self.since, time.min, UTC))
        if self.until and self.until < date.max:
            found = found.filter(
                at__lt=datetime.combine(self.until + timedelta(days=1), time.min, UTC)
            )
        return found

    def query(self, **more: object) -> str:
        """These filters and `more` as a query string, without empty ones."""
        return urlencode(
            {name: value for name, value in {**self.as_query(), **more}.items() if value}
        )

    def as_query(self) -> dict[str, str]:
        """The members that are set, as they are in a query."""
        own = {
            "person": self.person,
            "action": self.action,
            "object": self.object_id,
            "interface": self.interface,
            "since": self.since,
            "until": self.until,
        }
        return {name: str(value) for name, value in own.items() if value}

    def export(self) -> Iterator[str]:
        """The matching events as NDJSON, the oldest first. The export is itself an event, before its first line."""
        audit.record("audit.export", "audit log", "", after={"filters": self.as_query()})
        return _lines(self.events().order_by("pk"))


def _lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Read in pages: a slow client holds neither a transaction nor a cursor of the database."""
    last = 0
    while page := list(events.filter(pk__gt=last)[:EXPORT_CHUNK]):
        yield "".join(f"{dumps(event.as_json())}\n" for event in page)
        last = page[-1].pk
