"""Connect what is entered on the page Add: a URL, servers, a command, curl, an API's document."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final

from django.conf import settings
from django.db import transaction
from django.http import QueryDict
from django.views.decorators.debug import sensitive_variables

from accounts.models import Person, User
from catalog.access.rights import Answer, may
from catalog.sources.discovery import (
    BASE_URL,
    Connection,
    Member,
    describe,
    list_members,
    read_entered,
)
from catalog.sources.listings import APIS, distinct_tools, is_json, list_of, read_document
from catalog.sources.models import Source
from catalog.sources.reading import Reading
from catalog.sources.recognition import EnteredSource, Recognized, name_from
from catalog.sources.registration import SCHEDULES, SourceForm, add_source, free_name
from catalog.sources.schedule import sync_all_in_background
from catalog.uploads.choices import ImportOptions
from catalog.uploads.parse import Candidate, ForeignDocument, Parsed, read_candidates
from catalog.uploads.pieces import Piece, label_of
from toolshelf_core.errors import OutgoingError
from toolshelf_core.form_problems import require_valid
from toolspec.errors import DocumentError, Problem
from toolspec.imports import detect, is_own_export, prefix_for
from toolspec.text.reader import dumps

DAILY_MINUTES: Final = 1440
_MEMBER: Final = "member."  # begins the names of the fields of the configuration
_ONLY_ADMINISTRATORS: Final = (
    "Only administrators can add URLs, servers, commands and curl, because the site connects to them. "
    "Ask an administrator to add it."
)
_NO_MCP_TOOLS: Final = (
    "The server lists no tools of the Model Context Protocol: its tools have no `inputSchema`."
)


@dataclass(slots=True)
class SourceRow:
    """One entered source on the page, with the name it gets; `key` identifies it in the form."""

    entered: EnteredSource
    key: str
    name: str
    is_chosen: bool = True


@dataclass
class NewSources:
    """The sources in a submitted form, also as the context of `_connection.html`.

    Attributes:
        connects: whether the API of a document is called; None if there is no choice.
        reading: of the only source, once it is read; then
        line: describes it, and
        members: are those of its tools' configuration.

    Raises (all methods that read or store):
        DocumentError: with pointers to the fields, or "" for what was entered.
    """

    recognized: Recognized
    sent: QueryDict = field(repr=False)
    person: Person
    connects: bool | None = None
    reading: Reading | None = field(default=None, repr=False)
    line: str = ""
    members: list[Member] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.line = self.recognized.line

    @classmethod
    def of_document(
        cls, candidates: Sequence[Parsed], sent: QueryDict, person: Person, *, connects: bool
    ) -> NewSources | None:
        """The API that the only document describes, which administrators may connect."""
        match candidates:
            case [ForeignDocument() as document] if may(person, "administer"):
                is_own_export = any(tool.imported.has_own_id for tool in document.tools)
                if document.imported.format_key in APIS and not is_own_export:
                    text = document.text
                    name = name_from(document.title)  # not its prefix, which may be typed beside it
                    entered = EnteredSource(name, "openapi", "", "", document=text)
                    new = cls(Recognized("", (entered,)), sent, person, connects)
                    new.reading = Reading(document=text)
                    new._describe(document)
                    return new
        return None

    @cached_property
    def rows(self) -> list[SourceRow]:
        names = set(Source.objects.values_list("name", flat=True))
        rows = []
        for entered, key in zip(self.recognized.sources, self._keys, strict=True):
            row = SourceRow(entered, key, free_name(entered.name, names))
            row.is_chosen = not self._is_refused(entered) or not self.are_several
            if self._is_filled_in and self.are_several:
                row.name = self._sent_names.get(row.key, "").strip() or row.name
                row.is_chosen = row.key in self.sent.getlist("new_source")
            names.add(row.name)
            rows.append(row)
        return rows

    @property
    def is_document(self) -> bool:
        """Whether it is a document, which can also be imported without a connection."""
        return self.connects is not None

    @property
    def is_connected(self) -> bool:
        return self.connects is not False

    @property
    def lacks_server(self) -> bool:
        """Whether it is a document that names no server, so that calls of its tools fail."""
        return self.is_document and all(member.name != BASE_URL for member in self.members)

    @property
    def are_several(self) -> bool:
        return len(self.recognized.sources) > 1

    @property
    def has_urls(self) -> bool:
        return any(row.entered.is_url for row in self.rows)

    @property
    def needs_press(self) -> bool:
        """Whether reading it sends a request or starts a command, so that it needs a press."""
        return bool(self.right) and any(row.entered.address for row in self.rows)

    @property
    def can_be_previewed(self) -> bool:
        """Whether its tools are shown while the person types."""
        return self.can_be_added and not self.needs_press

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

    # -- for the template

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
    def schedules(self) -> dict[str | int, str]:
        return SCHEDULES

    @property
    def every_minutes(self) -> str:
        return self.sent.get("every_minutes", "") if self._is_filled_in else str(DAILY_MINUTES)

    @property
    def header_name(self) -> str:
        return self.sent.get("header_name", "Authorization")

    @property
    def header_value(self) -> str:
        return self.sent.get("header_value", "").strip() if self._is_filled_in else ""

    @property
    @sensitive_variables("sent")
    def fields(self) -> list[tuple[Member, str]]:
        """The members of the configuration, with their values on the page."""
        sent = self.sent if self._is_filled_in else QueryDict()
        return [
            (member, sent.get(f"{_MEMBER}{member.name}", member.default).strip())
            for member in self.members
        ]

    # -- what is done

    def require_usable(self) -> None:
        refused = [row for row in self.refused_commands if row.is_chosen]
        if self.recognized.problem:
            raise DocumentError([Problem("", self.recognized.problem, "source.entered")])
        if refused:
            message = "This site starts no commands from its pages. Deselect them, or add them on the server."
            raise DocumentError([Problem("", message, "source.command")])

    def add_all(self, by: User) -> int:
        """Store the chosen ones of several sources, and read them; returns their number."""
        self.require_usable()
        chosen = [row for row in self.rows if row.is_chosen]
        if not chosen:
            raise DocumentError([Problem("", "Select the servers to add.", "source.none")])
        with transaction.atomic():
            sources = [add_source(self._form_of(row), by=by) for row in chosen]
        sync_all_in_background(sources, by=by)
        return len(sources)

    def read(self, options: ImportOptions) -> list[Parsed]:
        """The tools of the only source, as those of a document. Nothing is stored."""
        self.require_usable()
        row = self.rows[0]
        entered = row.entered
        if entered.address:  # it is going to be fetched or started
            require_valid(self._form_of(row), "source")
        try:
            self.reading = read_entered(entered, self._headers_of(entered))
        except OutgoingError as error:
            raise DocumentError([Problem("", str(error), "source.unreadable")]) from error
        if options.prefix is None:
            prefix = _prefix_of(row, self.reading, replaces=options.replace)
            options = replace(options, prefix=prefix)
        candidates = _candidates_of(self.reading, entered, options)
        for candidate in candidates:
            if isinstance(candidate, ForeignDocument):
                self._describe(candidate)
        return candidates

    def _describe(self, document: ForeignDocument) -> None:
        specs = [tool.imported.spec for tool in document.tools if tool.imported.spec]
        self.members = list_members(specs)
        if self.needs_press or self.is_document:  # the line of curl says more
            self.line = describe(self.connection, document.imported, self.members)

    @property
    def connection(self) -> Connection:
        """Of the only source."""
        return self._connection_of(self.rows[0])

    @sensitive_variables("configuration", "value")
    def _connection_of(self, row: SourceRow) -> Connection:
        entered = row.entered
        configuration = dict(entered.configuration)
        for member, value in self.fields:
            if value not in ("", member.default):
                configuration[member.name] = value
        is_server = self.reading is not None and self.reading.tools is not None
        return Connection(
            entered.kind or ("mcp-http" if is_server else "openapi"),
            self.reading or Reading(),
            entered.address,
            self._headers_of(entered),
            self.every_minutes if entered.is_url else "",
            configuration,
        )

    def _form_of(self, row: SourceRow) -> SourceForm:
        return SourceForm(
            self._connection_of(row).settings_of(row.name), allow_command=settings.SOURCE_COMMANDS
        )

    @sensitive_variables("headers")
    def _headers_of(self, entered: EnteredSource) -> dict[str, str]:
        """The headers that were entered with the source, and the one in the fields."""
        headers = dict(entered.headers)
        if self.header_value and entered.is_url:
            headers[self.header_name.strip()] = self.header_value
        return headers


def _prefix_of(row: SourceRow, reading: Reading, *, replaces: bool) -> str | None:
    """The prefix of the ids of a source's tools, unless the person types one.

    The title of an API at a URL, with a number if it is used already; otherwise the name of the
    source. With `replaces`, the title, because it names the source whose document is replaced.
    None: an export of a catalog, whose tools have ids of their own.
    """
    if not reading.document or not row.entered.is_url:
        return row.name
    document = read_document(reading.document)
    if is_own_export(document):
        return None
    title = prefix_for(document)
    if not title:
        return row.name
    if replaces:
        return title
    sources = Source.objects.only("name", "prefix")
    used = {source.name for source in sources} | {source.id_prefix for source in sources}
    return free_name(title, used)


def _candidates_of(
    reading: Reading, entered: EnteredSource, options: ImportOptions
) -> list[Parsed]:
    """What was read, as the document in a file; tools that a sync refuses are rejected.

    The tools of a server are one document: so the keys of the choices about them do not depend on
    the order in which it lists them.
    """
    label = label_of(entered.address or "curl")
    if reading.tools is None:
        text = reading.document
        piece = Piece(label, text.encode(), is_yaml=not is_json(text))
        return list(read_candidates([piece], options))
    usable, refused = distinct_tools(Source(prefix=options.prefix), reading.tools)
    rejected = [
        Candidate(Piece(label), tool.problems, naming=(tool.tool_id, tool.remote_name))
        for tool in refused
    ]
    if not usable:
        return [*rejected]
    document = list_of(usable)
    if detect(document) is None:
        raise DocumentError([Problem("", _NO_MCP_TOOLS, "source.tool")])
    return [*read_candidates([Piece(label, dumps(document).encode())], options), *rejected]
