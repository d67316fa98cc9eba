"""Add, change and remove sources."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog import audit
from catalog.accounts.models import Person, User
from catalog.accounts.roles import is_administrator
from catalog.address_policy import url_parts, url_problem
from catalog.encryption import rotate
from catalog.errors import DocumentError, Problem
from catalog.models import Source
from catalog.models.sources import (
    ADDRESS_LENGTH,
    KINDS,
    MAX_EVERY_MINUTES,
    NAME_LENGTH,
    POLICIES,
)
from catalog.search import vocabulary
from catalog.sources.sync import AlreadySyncing

MAX_HEADERS: Final = 10
MAX_HEADER_CHARS: Final = 8_000
MIN_EVERY_MINUTES: Final = 5
COLUMNS: Final = (
    "name",
    "kind",
    "address",
    "document",
    "policy",
    "every_minutes",
)  # of the settings; not `headers`
_COMMAND_VARIABLES: Final = (
    "The environment variables of a command can be set only on the server's command line. Remove the source, and add "
    "it again: manage.py add_source NAME --command COMMAND --header NAME=VARIABLE."
)
_NAME: Final = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{NAME_LENGTH - 1}}}")
_HEADER_NAME: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")  # RFC 9110, "token"
_OWN_HEADERS: Final = frozenset(
    {
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "accept-encoding",
        "content-type",
        "upgrade",
    }
)


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """The settings of a source that a user chooses.

    Attributes:
        name: the start of its tools' ids.
        kind: one of `KINDS`.
        address: a URL; for "mcp-stdio" a command with its arguments; "" for an uploaded document.
        document: the uploaded OpenAPI document, in JSON or YAML; "" if it has an address.
        headers: its credentials: HTTP headers; for "mcp-stdio" environment variables. None leaves them unchanged.
        policy: one of `POLICIES`.
        every_minutes: the interval of its schedule; None: by hand only.
    """

    name: str
    kind: str
    address: str = ""
    document: str = field(default="", repr=False)
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    policy: str = "compatible"
    every_minutes: int | None = None


def address_for(source: Source, person: Person) -> str:
    """The address as `person` may see it: only administrators see a query and the arguments of a command."""
    if is_administrator(person):
        return source.address
    if source.kind == "mcp-stdio":
        return shlex.split(source.address)[0]
    parts = url_parts(source.address)
    return parts._replace(query="", fragment="").geturl() if parts else ""


@sensitive_variables("wanted")
def add_source(wanted: SourceSettings, *, by: User | None, allow_command: bool = False) -> Source:
    """Store a new source. It is due immediately if it has a schedule.

    Args:
        wanted: its settings.
        by: the owner of its tools.
        allow_command: accept the kind "mcp-stdio", whose command runs on this machine: on the command line only.

    Raises:
        DocumentError: settings are invalid, or the name exists; with pointers such as "/address".
    """
    problems = _problems(wanted, allow_command=allow_command)
    if not problems and Source.objects.filter(name=wanted.name).exists():
        problems.append(_name_exists(wanted.name))
    if problems:
        raise DocumentError(problems)
    source = Source(**{name: getattr(wanted, name) for name in COLUMNS}, owner=by)
    source.next_sync_at = timezone.now() if wanted.every_minutes else None
    source.set_headers(wanted.headers or {})
    try:
        with transaction.atomic():
            source.save()
            audit.record("source.add", "source", source.name, after=_facts_of(source), by=by)
    except IntegrityError as error:
        raise DocumentError([_name_exists(wanted.name)]) from error
    return source


@sensitive_variables("wanted")
def change_source(source: Source, wanted: SourceSettings) -> Source:
    """Store changed settings; name and kind stay. Credentials are removed if the address moves to another server.

    The environment variables of a command never change: with some (`LD_PRELOAD`), they decide what runs here.

    Raises:
        DocumentError: settings are invalid.
    """
    problems = _problems(
        wanted, allow_command=source.kind == "mcp-stdio" and wanted.address == source.address
    )
    if (wanted.name, wanted.kind) != (source.name, source.kind):
        problems.append(
            Problem("/name", "The name and the kind of a source cannot change.", "source.name")
        )
    if source.kind == "mcp-stdio" and wanted.headers is not None:
        problems.append(Problem("/headers", _COMMAND_VARIABLES, "source.command"))
    if problems:
        raise DocumentError(problems)
    before = _facts_of(source)
    moved = _origin(wanted.address) != _origin(source.address)
    if wanted.headers is not None or moved:
        source.set_headers(wanted.headers or {})
    if moved:
        source.moved_at = timezone.now()
    if wanted.every_minutes != source.every_minutes:
        source.every_minutes = wanted.every_minutes
        source.schedule_next(timezone.now())
    source.address, source.document, source.policy = wanted.address, wanted.document, wanted.policy
    with transaction.atomic():
        source.save()
        after = _facts_of(source)
        if wanted.headers is not None:
            after["credentials"] = "replaced" if wanted.headers else "removed"
        audit.record_change("source.change", "source", source.name, before, after)
    return source


def _facts_of(source: Source) -> dict[str, Any]:
    """For the audit log: without what may be secret, a query in the address and the arguments of a command."""
    digest = hashlib.sha256(source.document.encode()).hexdigest() if source.document else None
    return {
        "kind": source.kind,
        "address": address_for(source, AnonymousUser()),
        "document_sha256": digest,
        "credentials": source.header_names,
        "policy": source.policy,
        "every_minutes": source.every_minutes,
    }


def settings_of(source: Source, **changed: Any) -> SourceSettings:
    """The settings of a source, with changes; its headers stay unless they are among these."""
    stored = {name: getattr(source, name) for name in COLUMNS}
    return SourceSettings(**{**stored, **changed})


def remove_source(source: Source) -> None:
    """Remove a source with its reports and held changes. Its tools stay in the catalog, but are not read again.

    Raises:
        AlreadySyncing: a sync of it is running.
    """
    last = source.last_sync
    if last is not None and last.state == "running":
        raise AlreadySyncing(
            f"The source {source.name} is being synced. Remove it when the sync has ended."
        )
    with transaction.atomic():
        audit.record("source.remove", "source", source.name, before=_facts_of(source))
        source.delete()
        vocabulary.change_state()  # none of its tools runs any more


def rotate_credentials() -> tuple[int, int]:
    """Re-encrypt the credentials of all sources with the first key (see `encryption.rotate`)."""
    return rotate(Source.objects.exclude(credentials=""), "credentials", object_type="source")


# -- validation --------------------------------------------------------------------------------------------------------


@sensitive_variables("wanted")
def _problems(wanted: SourceSettings, *, allow_command: bool) -> list[Problem]:
    found: list[Problem] = []
    if not _NAME.fullmatch(wanted.name):
        message = (
            f"Enter a name of 1 to {NAME_LENGTH} characters: lower-case letters, digits, `-` and `_`, starting with a "
            "letter or digit."
        )
        found.append(Problem("/name", message, "source.name"))
    if wanted.kind not in KINDS:
        found.append(Problem("/kind", f"Choose one of: {', '.join(KINDS)}.", "source.kind"))
    elif wanted.kind == "mcp-stdio" and not allow_command:
        message = "A command can be set only on the server's command line: manage.py add_source NAME --command COMMAND."
        found.append(Problem("/kind", message, "source.command"))
    else:
        found += _address_problems(wanted)
    if wanted.policy not in POLICIES:
        found.append(Problem("/policy", f"Choose one of: {', '.join(POLICIES)}.", "source.policy"))
    if (
        wanted.every_minutes is not None
        and not MIN_EVERY_MINUTES <= wanted.every_minutes <= MAX_EVERY_MINUTES
    ):
        message = f"Enter {MIN_EVERY_MINUTES} to {MAX_EVERY_MINUTES:,} minutes, or leave it empty to sync manually."
        found.append(Problem("/every_minutes", message, "source.schedule"))
    return found + _header_problems(wanted.headers or {})


def _address_problems(wanted: SourceSettings) -> list[Problem]:
    if wanted.kind == "openapi" and bool(wanted.address) == bool(wanted.document):
        message = "Enter the address of an OpenAPI document, or upload one, but not both."
        return [Problem("/address", message, "source.address")]
    if wanted.document:
        if len(wanted.document.encode()) > settings.MAX_DOCUMENT_BYTES:
            message = f"A document can have at most {settings.MAX_DOCUMENT_BYTES:,} bytes."
            return [Problem("/document", message, "source.document")]
        return []
    if len(wanted.address) > ADDRESS_LENGTH:
        return [
            Problem("/address", f"Enter at most {ADDRESS_LENGTH:,} characters.", "source.address")
        ]
    if wanted.kind == "mcp-stdio":
        return _command_problems(wanted.address)
    message = url_problem(wanted.address)
    return [Problem("/address", message, "source.address")] if message else []


def _command_problems(command: str) -> list[Problem]:
    try:
        usable = bool(shlex.split(command))
    except ValueError:
        usable = False
    return (
        []
        if usable
        else [Problem("/address", "Enter a command with its arguments.", "source.address")]
    )


@sensitive_variables("headers", "value")
def _header_problems(headers: Mapping[str, str]) -> list[Problem]:
    if len(headers) > MAX_HEADERS:
        return [Problem("/headers", f"Enter at most {MAX_HEADERS} headers.", "source.headers")]
    found = []
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name) or name.lower() in _OWN_HEADERS:
            message = f"{name[:100]!r} cannot be the name of a header with credentials."
            found.append(Problem("/headers", message, "source.headers"))
        elif (
            not value
            or len(value) > MAX_HEADER_CHARS
            or not (value.isascii() and value.isprintable())
        ):
            message = f"The value of {name} must be 1 to {MAX_HEADER_CHARS:,} printable ASCII characters on one line."
            found.append(Problem("/headers", message, "source.headers"))
        elif value != value.strip():
            message = f"Remove the spaces at the beginning and the end of the value of {name}."
            found.append(Problem("/headers", message, "source.headers"))
    return found


def _origin(address: str) -> tuple[str, str | None, int | None] | str:
    parts = url_parts(address)
    return (
        (parts.scheme, parts.hostname, parts.port)
        if parts and parts.scheme in {"http", "https"}
        else address
    )


def _name_exists(name: str) -> Problem:
    return Problem(
        "/name", f"The source {name!r} already exists. Choose another name.", "source.name"
    )
