"""Read what was entered, before it becomes a source: an OpenAPI document or an MCP server, and its tools."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from django.views.decorators.debug import sensitive_variables

from catalog.sources.listings import ListedTool, listed_tools, read_document
from catalog.sources.models import Kind, Source
from catalog.sources.reading import TIMEOUT_S, Reading, read_source
from catalog.sources.recognition import EnteredSource
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import url_parts
from toolspec.imports import Deadline, detect, name_of
from toolspec.imports.results import LABELS
from toolspec.schema.describe import plural
from toolspec.text.containers import items_of, members_of

REQUEST_S: Final = 7.0  # of CPU time for converting a document
MAX_MEMBERS: Final = 12  # of a configuration, on a page
BASE_URL: Final = "baseUrl"
_MCP_PATHS: Final = ("/mcp", "/sse", "/mcp/", "/sse/")


@dataclass(slots=True)
class Member:
    """A member of the configuration of a source's tools: a secret, or a part of their URL."""

    name: str
    description: str
    default: str
    is_secret: bool
    is_required: bool = False


@dataclass(frozen=True, slots=True)
class Discovery:
    """The content of an entered source.

    Attributes:
        title: of the API; "" for an MCP server.
        line: what it is, in words: "OpenAPI 3 · 18 operations · api.example.com · needs an API
            key".
        tools: their ids begin with the name that the source would have.
        members: of the configuration of its tools, each once.
    """

    kind: Kind
    title: str
    line: str
    reading: Reading = field(repr=False)
    tools: tuple[ListedTool, ...] = field(repr=False)
    members: tuple[Member, ...] = ()


@sensitive_variables("headers")
def discover(entered: EnteredSource, *, name: str, headers: Mapping[str, str]) -> Discovery:
    """Read an entered source within `TIMEOUT_S`, because a request waits for it; a command is started.

    Args:
        entered: its headers are not sent; `headers` are.
        name: that the source would have.
        headers: with which it is read.

    Raises:
        OutgoingError: it cannot be read; for a URL of unknown kind, the message has the reasons of
            both kinds.
    """
    if entered.kind is not None:
        return _read(entered, entered.kind, name, headers, TIMEOUT_S)
    ends_at_s = time.monotonic() + TIMEOUT_S
    first, second = _likely_kinds(entered.address)
    reasons = []
    for kind, share in ((first, 0.5), (second, 1)):  # the second also has its turn at a slow server
        left_s = ends_at_s - time.monotonic()
        try:
            return _read(entered, kind, name, headers, left_s * share)
        except OutgoingError as error:
            label = "an OpenAPI document" if kind == "openapi" else "an MCP server"
            reasons.append(f"As {label}: {error}")
    raise OutgoingError(" ".join(reasons))


def _likely_kinds(url: str) -> tuple[Kind, Kind]:
    parts = url_parts(url)
    if parts and (parts.path.endswith(_MCP_PATHS) or (parts.hostname or "").startswith("mcp.")):
        return "mcp-http", "openapi"
    return "openapi", "mcp-http"


@sensitive_variables("headers")
def _read(
    entered: EnteredSource, kind: Kind, name: str, headers: Mapping[str, str], timeout_s: float
) -> Discovery:
    source = Source(name=name, kind=kind, address=entered.address, document=entered.document)
    source.set_headers(headers)
    reading = read_source(source, timeout_s)
    tools = tuple(listed_tools(source, reading, Deadline(REQUEST_S)))
    if kind == "openapi":
        return _discovered_api(entered, reading, tools)
    number = f"{len(tools):,} {plural('tool', len(tools))}"
    where = "a command" if entered.is_command else _host_of(entered.address)
    line = " · ".join(part for part in ("MCP server", reading.title, number, where) if part)
    return Discovery(kind, "", line, reading, tools)


def _discovered_api(
    entered: EnteredSource, reading: Reading, tools: tuple[ListedTool, ...]
) -> Discovery:
    document = read_document(reading.document)
    format_key = detect(document)
    label = LABELS[format_key] if format_key else "OpenAPI"
    members = _members_of(tools)
    base_url = next((member.default for member in members if member.name == BASE_URL), "")
    host = _host_of(base_url) or _host_of(entered.address)
    operations = f"{len(tools):,} {plural('operation', len(tools))}"
    facts = [label, operations, host, _credentials_needed(members)]
    line = " · ".join(fact for fact in facts if fact)
    return Discovery("openapi", name_of(document), line, reading, tools, members)


def _members_of(tools: Iterable[ListedTool]) -> tuple[Member, ...]:
    members: dict[str, Member] = {}
    for tool in tools:
        schema = members_of(tool.spec.configuration) if tool.spec else {}
        for name, declared in members_of(schema.get("properties")).items():
            if len(members) < MAX_MEMBERS or name in members:
                member = members.setdefault(name, _member(name, members_of(declared)))
                member.is_required = member.is_required or name in items_of(schema.get("required"))
    return tuple(members.values())


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
    parts = url_parts(url)
    return parts.netloc if parts else ""
