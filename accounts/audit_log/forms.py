"""The filters of the audit log, as its page, its export and the API take them from a query."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Final
from urllib.parse import urlencode

from django.db.models import QuerySet
from ninja import Schema
from pydantic import AfterValidator, Field, ValidationError

from toolshelf_core import audit
from toolshelf_core.audit import ACTIONS, INTERFACES, AuditEvent
from toolshelf_core.query_values import Day
from toolspec.errors import DocumentError, Problem
from toolspec.text.reader import dumps

PAGE_SIZE: Final = 100
EXPORT_CHUNK: Final = 1_000


def _check_action(action: str) -> str:
    if action and action not in ACTIONS:
        raise ValueError(f"Choose one of: {', '.join(ACTIONS)}.")
    return action


def _check_interface(interface: str) -> str:
    if interface and interface not in INTERFACES:
        raise ValueError(f"Choose one of: {', '.join(INTERFACES)}.")
    return interface


Action = Annotated[str, AfterValidator(_check_action)]
Interface = Annotated[str, AfterValidator(_check_interface)]


class AuditFilter(Schema):
    """The events to show.

    "" matches everything; `since` and `until` are days in UTC, both included.
    """

    person: str = Field("", max_length=150, description="The user name.")
    action: Action = Field("", max_length=30, description="For example `tool.revise`.")
    object: str = Field(
        "", max_length=255, description="The object's id: of a tool, a source, a run."
    )
    interface: Interface = Field(
        "", max_length=10, description="`page`, `api`, `mcp`, `command` or `sync`."
    )
    since: Day | None = Field(None, description="The first day, in UTC.")
    until: Day | None = Field(None, description="The last day, in UTC.")

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> AuditFilter:
        """Read the filters from a query.

        Raises:
            DocumentError: a value cannot be used; with pointers such as "/since".
        """
        try:
            return cls.model_validate({name: value for name, value in query.items() if value})
        except ValidationError as invalid:
            problems = []
            for error in invalid.errors():
                message = _describe_error(error["type"], error.get("ctx", {}))
                problems.append(Problem(f"/{error['loc'][0]}", message, "audit.filter"))
            raise DocumentError(problems) from invalid

    def events(self) -> QuerySet[AuditEvent]:
        """The events that match, newest first."""
        events = AuditEvent.objects.order_by("-pk")
        exact = {
            "person": self.person,
            "action": self.action,
            "object_id": self.object,
            "interface": self.interface,
        }
        events = events.filter(**{name: value for name, value in exact.items() if value})
        if self.since:
            events = events.filter(at__gte=datetime.combine(self.since, time.min, UTC))
        if self.until and self.until < date.max:
            following = self.until + timedelta(days=1)
            events = events.filter(at__lt=datetime.combine(following, time.min, UTC))
        return events

    def query(self, before: str | None = None) -> str:
        """These filters as a query string; `before` asks for the events before the one with it."""
        query = self.as_query()
        if before:
            query["before"] = before
        return urlencode(query)

    def as_query(self) -> dict[str, str]:
        """The filters that are set, as they are in a query."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def export(self) -> Iterator[str]:
        """The matching events as NDJSON, the oldest first.

        The export is itself an event, before its first line.
        """
        audit.record("audit.export", "audit log", "", after={"filters": self.as_query()})
        return _write_lines(self.events().order_by("pk"))


def _describe_error(kind: str, context: Mapping[str, object]) -> str:
    if kind == "string_too_long":
        return f"Enter at most {context['max_length']} characters."
    if kind == "value_error":
        return str(context["error"])
    return "Enter a day such as 2026-11-22."


def _write_lines(events: QuerySet[AuditEvent]) -> Iterator[str]:
    """Read in pages: a slow client holds neither a transaction nor a cursor of the database."""
    last = 0
    while page := list(events.filter(pk__gt=last)[:EXPORT_CHUNK]):
        yield "".join(f"{dumps(event.as_json())}\n" for event in page)
        last = page[-1].pk
