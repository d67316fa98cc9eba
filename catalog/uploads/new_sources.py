"""Add what was entered on the page Add as sources: a URL, servers of a client's configuration, a command, curl."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from django.views.decorators.debug import sensitive_variables

from accounts.models import Person, User
from catalog.access.rights import Answer, may
from catalog.sources.discovery import BASE_URL, Discovery, discover
from catalog.sources.listings import ListedTool
from catalog.sources.models import Kind, Source
from catalog.sources.recognition import EnteredSource, Recognized, name_from
from catalog.sources.registration import (
    SCHEDULES,
    SourceForm,
    add_source,
    change_source,
    free_name,
)
from catalog.sources.schedule import sync_all_in_background, sync_in_background
from catalog.uploads.summary import LostKind, lost_kinds
from toolshelf_core.errors import OutgoingError
from toolshelf_core.form_problems import require_valid
from toolspec.errors import DocumentError, Problem
from toolspec.text.containers import items_of, members_of

DAILY_MINUTES: Final = 1440
WAIT_S: Final = 5.0  # for the first sync, which usually ends before
TOOLS_SHOWN: Final = 200
_MEMBER: Final = "member."  # begins the names of the fields of the configuration
_ONLY_ADMINISTRATORS: Final = (
    "Only administrators can add URLs, servers, commands and curl, because the site connects to them. "
    "Ask an administrator to add it."
)


@dataclass(slots=True)
class SourceRow:
    """One entered source on the page, with the name that it gets; `key` identifies it in the form."""

    entered: EnteredSource
    key: str
    name: str
    is_chosen: bool = True


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool of a source that was read, or why it cannot be imported; `required`: "2 of 5" parameters."""

    name: str
    description: str = ""
    required: str = ""
    problem: str = ""


def _row_of(tool: ListedTool) -> ToolRow:
    if tool.spec is None:
        problem = tool.problems[0].message if tool.problems else "It cannot be imported."
        return ToolRow(tool.remote_name, problem=problem)
    schema = members_of(tool.spec.parameters)
    required, all_members = items_of(schema.get("required")), members_of(schema.get("properties"))
    description = tool.spec.description.partition("\n")[0]
    return ToolRow(tool.remote_name, description, f"{len(required)} of {len(all_members)}")


@dataclass
class NewSources:
    """The sources in a submitted form, also as the context of `_recognized.html`.

    Raises (all methods that read or store):
        DocumentError: with pointers to the fields, or "" for what was entered.
    """

    recognized: Recognized
    sent: QueryDict = field(repr=False)
    person: Person
    discovery: Discovery | None = None

    @cached_property
    def rows(self) -> list[SourceRow]:
        names = set(Source.objects.values_list("name", flat=True))
        rows = []
        for entered, key in zip(self.recognized.sources, self._keys, strict=True):
            row = SourceRow(entered, key, free_name(entered.name, names))
            row.is_chosen = not self._is_refused(entered) or not self.are_several
            if self._is_filled_in:
                row.name = self._sent_names.get(row.key, "").strip() or row.name
                row.is_chosen = not self.are_several or row.key in self.sent.getlist("new_source")
            names.add(row.name)
            rows.append(row)
        return rows

    @property
    def is_document(self) -> bool:
        """Whether it is a document, which can also be imported without a connection."""
        return any(row.entered.is_document for row in self.rows)

    @property
    def lacks_server(self) -> bool:
        """Whether it is a document that names no server, so that calls of its tools fail."""
        if not self.is_document or self.discovery is None:
            return False
        return all(member.name != BASE_URL for member in self.discovery.members)

    @cached_property
    def replaceable(self) -> Source | None:
        """The source whose document this may be another version of."""
        if not self.is_document:
            return None
        uploaded = Source.objects.filter(kind="openapi", address="")
        return uploaded.filter(name=self.recognized.sources[0].name).first()

    @property
    def are_several(self) -> bool:
        return len(self.recognized.sources) > 1

    @property
    def has_urls(self) -> bool:
        return any(row.entered.is_url for row in self.rows)

    @cached_property
    def _keys(self) -> list[str]:
        """A key for each source: its position, and a hash of everything that was entered."""
        sources = self.recognized.sources
        entered = [
            (source.name, source.kind, source.address, source.document) for source in sources
        ]
        digest = hashlib.sha256(repr(entered).encode()).hexdigest()
        return [f"{position}-{digest}" for position in range(len(sources))]

    @cached_property
    def _sent_names(self) -> dict[str, str]:
        keys, names = self.sent.getlist("new_key"), self.sent.getlist("new_name")
        return dict(zip(keys, names, strict=False))

    @staticmethod
    def _is_refused(entered: EnteredSource) -> bool:
        return entered.is_command and not settings.SOURCE_COMMANDS

    @property
    def _is_filled_in(self) -> bool:
        """Whether the fields were filled in for these sources, not for an earlier text."""
        return bool(self._keys) and self._keys == self.sent.getlist("new_key")

    # -- for the template ---------------------------------------------------------------------------------------------

    @property
    def right(self) -> Answer:
        return Answer() if may(self.person, "administer") else Answer(_ONLY_ADMINISTRATORS)

    @property
    def refused_commands(self) -> list[SourceRow]:
        """The commands that this site does not start from its pages."""
        return [row for row in self.rows if self._is_refused(row.entered)]

    @property
    def can_be_added(self) -> bool:
        return bool(self.rows and self.right and len(self.refused_commands) < len(self.rows))

    @property
    def line(self) -> str:
        return self.discovery.line if self.discovery else self.recognized.line

    @property
    def schedules(self) -> dict[str | int, str]:
        return SCHEDULES

    @property
    def every_minutes(self) -> str:
        return self.sent.get("every_minutes", "") if self._is_filled_in else str(DAILY_MINUTES)

    @property
    def header_name(self) -> str:
        return self.sent.get("header_name", "Authorization")

    @property
    def tools(self) -> list[ToolRow]:
        return (
            [_row_of(tool) for tool in self.discovery.tools[:TOOLS_SHOWN]] if self.discovery else []
        )

    @property
    def lost_kinds(self) -> list[LostKind]:
        """What the conversion of the tools changes."""
        return lost_kinds(tool.losses for tool in self.discovery.tools) if self.discovery else []

    @property
    def hidden_tools(self) -> int:
        return max(0, len(self.discovery.tools) - TOOLS_SHOWN) if self.discovery else 0

    # -- what is done -------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """Read what was entered, unless it names several sources. Nothing is stored."""
        self._require_usable()
        if not self.are_several:
            self._discover(self.rows[0])

    def add(self, by: User) -> list[Source]:
        """Store the chosen sources and start their first syncs; the only one is read first."""
        self._require_usable()
        chosen = [row for row in self.rows if row.is_chosen]
        if not chosen:
            raise DocumentError([Problem("", "Select the servers to add.", "source.none")])
        if not self.are_several:
            self._discover(chosen[0])
        if self.replaceable is not None and self.sent.get("replace_source"):
            form = SourceForm({"document": chosen[0].entered.document}, source=self.replaceable)
            source = change_source(form)
            self._start(source, by)
            return [source]
        with transaction.atomic():
            sources = [add_source(self._form_of(row), by=by) for row in chosen]
        if self.are_several:
            sync_all_in_background(sources, by=by)
        else:
            self._start(sources[0], by)
        return sources

    def _require_usable(self) -> None:
        refused = [row for row in self.refused_commands if row.is_chosen]
        if self.recognized.problem:
            raise DocumentError([Problem("", self.recognized.problem, "source.entered")])
        if refused:
            message = "This site starts no commands from its pages. Deselect them, or add them on the server."
            raise DocumentError([Problem("", message, "source.command")])

    @sensitive_variables("headers")
    def _discover(self, row: SourceRow) -> None:
        if not row.entered.document:  # it is going to be fetched or started
            require_valid(self._form_of(row), "source")
        headers = self._headers_of(row)
        try:
            self.discovery = discover(row.entered, name=row.name, headers=headers)
        except OutgoingError as error:
            raise DocumentError([Problem("", str(error), "source.unreadable")]) from error
        if not self._is_filled_in and row.entered.is_url and self.discovery.title:
            row.name = free_name(
                name_from(self.discovery.title), set(Source.objects.values_list("name", flat=True))
            )

    @sensitive_variables("headers", "value")
    def _headers_of(self, row: SourceRow) -> dict[str, str]:
        """The headers that were entered with the source, and the one in the fields."""
        headers = dict(row.entered.headers)
        value = self.sent.get("header_value", "").strip()
        if value and self._is_filled_in and row.entered.is_url:
            headers[self.header_name.strip()] = value
        return headers

    def _form_of(self, row: SourceRow) -> SourceForm:
        kind: Kind = self.discovery.kind if self.discovery else row.entered.kind or "openapi"
        wanted: dict[str, object] = {
            "name": row.name,
            "kind": kind,
            "headers": self._headers_of(row),
            "every_minutes": self.every_minutes if row.entered.is_url else "",
        }
        if row.entered.document:
            wanted["document"] = row.entered.document
        else:
            wanted["address"] = row.entered.address
        return SourceForm(wanted, allow_command=settings.SOURCE_COMMANDS)

    @sensitive_variables("configuration")
    def _start(self, source: Source, by: User) -> None:
        reading = self.discovery.reading if self.discovery else None
        configuration = self._configuration()
        _, thread = sync_in_background(source, by=by, reading=reading, configuration=configuration)
        thread.join(WAIT_S)

    @sensitive_variables("typed")
    def _configuration(self) -> dict[str, str]:
        """The configuration of the tools: what was entered with the source, and the fields that were filled in."""
        if self.discovery is None:
            return {}
        configuration = dict(self.rows[0].entered.configuration)
        if not self._is_filled_in:
            return configuration
        for member in self.discovery.members:
            typed = self.sent.get(f"{_MEMBER}{member.name}", "").strip()
            if typed and typed != member.default:
                configuration[member.name] = typed
        return configuration
