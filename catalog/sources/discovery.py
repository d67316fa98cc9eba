"""Read what was entered before it becomes a source, and describe how its tools connect."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.views.decorators.debug import sensitive_variables

from catalog.sources.listings import read_api
from catalog.sources.models import Kind, Source
from catalog.sources.reading import TIMEOUT_S, Reading, read_source
from catalog.sources.recognition import EnteredSource
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import split_url
from toolspec.imports import Imported
from toolspec.schema.describe import plural
from toolspec.spec import ToolSpec
from toolspec.text.containers import items_of, members_of

MAX_MEMBERS: Final = 12  # of a configuration, on a page
BASE_URL: Final = "baseUrl"
_MCP_PATHS: Final = ("/mcp", "/sse", "/mcp/", "/sse/")


@dataclass(frozen=True, slots=True)
class Connection:
    """How the tools of a document run: through its API, or the server that lists them.

    Attributes:
        kind: of the source.
        reading: what it contains.
        address: a URL, or a command; "" if the source stores its document.
        headers: that carry credentials, or the environment variables of a command.
        every_minutes: its schedule; "" for none.
        configuration: of its tools, saved for the person who adds it.
    """

    kind: Kind
    reading: Reading = field(repr=False)
    address: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    every_minutes: str = ""
    configuration: Mapping[str, str] = field(default_factory=dict, repr=False)

    @sensitive_variables("sent")
    def settings_of(self, name: str) -> dict[str, object]:
        """The settings of a source with this name, as `SourceForm` reads them."""
        sent: dict[str, object] = {"name": name, "kind": self.kind}
        if self.headers:  # {} would remove stored ones
            sent["headers"] = self.headers
        if self.address:
            sent |= {"address": self.address, "every_minutes": self.every_minutes}
        else:
            sent["document"] = self.reading.document
        return sent


@dataclass(slots=True)
class Member:
    """A member of the configuration of a source's tools: a secret, or a part of their URL."""

    name: str
    description: str
    default: str
    is_secret: bool
    is_required: bool = False


@sensitive_variables("headers")
def read_entered(entered: EnteredSource, headers: Mapping[str, str]) -> Reading:
    """Read an entered source within `TIMEOUT_S`, because a request waits for it; a command is started.

    Args:
        entered: its headers are not sent; `headers` are.
        headers: with which it is read.

    Raises:
        OutgoingError: it cannot be read; for a URL of unknown kind, the message has the reasons of
            both kinds.
    """
    if entered.kind is not None:
        return _read(entered, entered.kind, headers, TIMEOUT_S)
    ends_at_s = time.monotonic() + TIMEOUT_S
    first, second = _likely_kinds(entered.address)
    reasons = []
    for kind, share in ((first, 0.5), (second, 1)):  # the second also has its turn at a slow server
        left_s = ends_at_s - time.monotonic()
        try:
            return _read(entered, kind, headers, left_s * share)
        except OutgoingError as error:
            label = "an OpenAPI document" if kind == "openapi" else "an MCP server"
            reasons.append(f"As {label}: {error}")
    raise OutgoingError(" ".join(reasons))


def _likely_kinds(url: str) -> tuple[Kind, Kind]:
    parts = split_url(url)
    if parts and (parts.path.endswith(_MCP_PATHS) or (parts.hostname or "").startswith("mcp.")):
        return "mcp-http", "openapi"
    return "openapi", "mcp-http"


@sensitive_variables("headers")
def _read(
    entered: EnteredSource, kind: Kind, headers: Mapping[str, str], timeout_s: float
) -> Reading:
    source = Source(kind=kind, address=entered.address, document=entered.document)
    source.set_headers(headers)
    reading = read_source(source, timeout_s)
    if kind == "openapi":
        read_api(reading.document)  # a URL of unknown kind may be that of a server
    elif not reading.tools:
        raise OutgoingError("The server lists no tools.")
    return reading


def describe(connection: Connection, imported: Imported, members: Iterable[Member]) -> str:
    """What it is, in words: "OpenAPI 3 · 18 operations · api.example.com · needs an API key"."""
    number = len(imported.specs)
    host = _host_of(connection.address)
    if connection.kind == "openapi":
        base_url = next((member.default for member in members if member.name == BASE_URL), "")
        operations = f"{number:,} {plural('operation', number)}"
        facts = [
            imported.label,
            operations,
            _host_of(base_url) or host,
            _credentials_needed(members),
        ]
    else:
        tools = f"{number:,} {plural('tool', number)}"
        facts = ["MCP server", connection.reading.title, tools, host or "a command"]
    return " · ".join(fact for fact in facts if fact)


def list_members(specs: Iterable[ToolSpec]) -> list[Member]:
    """The members of the configuration of these tools, each once; at most `MAX_MEMBERS`."""
    members: dict[str, Member] = {}
    for spec in specs:
        schema = members_of(spec.configuration)
        for name, declared in members_of(schema.get("properties")).items():
            if len(members) < MAX_MEMBERS or name in members:
                member = members.setdefault(name, _member(name, members_of(declared)))
                member.is_required = member.is_required or name in items_of(schema.get("required"))
    return list(members.values())


def _member(name: str, schema: Mapping[str, object]) -> Member:
    default = schema.get("default")
    return Member(
        name,
        str(schema.get("description", "")),
        default if isinstance(default, str) else "",
        schema.get("writeOnly") is True,
    )


def _credentials_needed(members: Iterable[Member]) -> str:
    secrets = [member for member in members if member.is_secret]
    if any(member.is_required for member in secrets):
        return "needs an API key"
    return "accepts credentials" if secrets else ""


def _host_of(url: str) -> str:
    parts = split_url(url)
    return parts.netloc if parts else ""
