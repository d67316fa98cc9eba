"""Recognize what somebody entered on the page Add, before anything is read, stored or started.

A URL, the `mcpServers` of a client's configuration, a command or a curl command name sources;
everything else is left to the reader of uploads.

Sources: the configurations of Claude Desktop and Cursor (`mcpServers`), VS Code (`servers`), Zed
(`context_servers`),
Gemini CLI (`httpUrl`).
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import Final

from catalog.sources.curl import NotACurlCommand, is_curl, read_curl
from catalog.sources.models import ADDRESS_LENGTH, NAME_LENGTH, Kind
from toolshelf_core.outgoing.addresses import split_url
from toolspec.errors import JSONTextError
from toolspec.text.containers import items_of, members_of
from toolspec.text.reader import JSON, loads

MAX_CHARACTERS: Final = 1_000_000  # of a text that can name sources
MAX_SERVERS: Final = 50
_HOLDERS: Final = ("mcpServers", "mcp_servers", "servers", "context_servers")
_URLS: Final = ("url", "httpUrl", "serverUrl")
_STARTERS: Final = (
    "npx", "uvx", "bunx", "pipx", "docker", "node", "deno", "uv", "python -m", "python3 -m",
)  # fmt: skip
_PLACEHOLDER: Final = re.compile(r"\$\{[^{}]*\}|<[A-Za-z0-9_ -]+>|YOUR[-_ ][A-Z0-9_ -]+")
_TOO_LONG: Final = f"A URL or a command can have at most {ADDRESS_LENGTH:,} characters."
_COMMON_LABELS: Final = frozenset({"api", "www", "mcp", "app", "docs", "gateway"})


@dataclass(frozen=True, slots=True)
class EnteredSource:
    """A source that somebody entered.

    Attributes:
        name: suggested for it.
        kind: None for a URL of either an OpenAPI document or an MCP server.
        address: a URL, or the command with its arguments; "" for a document.
        line: what it is, in words.
        headers: HTTP headers, or the environment variables of a command.
        document: an OpenAPI document without a URL.
        configuration: of the tools, such as the secrets of a curl command.
        public_secrets: parts of the tools' address that look like secrets; everyone sees them.
    """

    name: str
    kind: Kind | None
    address: str
    line: str
    headers: dict[str, str] = field(default_factory=dict, repr=False)
    document: str = field(default="", repr=False)
    configuration: dict[str, str] = field(default_factory=dict, repr=False)
    public_secrets: tuple[str, ...] = ()

    @property
    def is_command(self) -> bool:
        return self.kind == "mcp-stdio"

    @property
    def is_url(self) -> bool:
        return bool(self.address) and not self.is_command


@dataclass(frozen=True, slots=True)
class Recognized:
    """What was entered: a line in words, and its sources; `problem` says why they cannot be added."""

    line: str
    sources: tuple[EnteredSource, ...] = ()
    problem: str = ""


def recognize(text: str) -> Recognized | None:
    """The sources that `text` names; None if it has to be read as a spec or a document. Nothing is fetched."""
    text = text.strip()
    if not text or len(text) > MAX_CHARACTERS:
        return None
    if is_curl(text):
        return _recognize_curl(text)
    if text.startswith("{"):
        return _recognize_servers(text)
    if "\n" in text:
        return None
    if re.match(r"https?://\S+$", text, re.IGNORECASE):
        if len(text) > ADDRESS_LENGTH:
            return Recognized("URL", problem=_TOO_LONG)
        source = EnteredSource(name_from_url(text), None, text, _line_of_url(text))
        return Recognized(source.line, (source,))
    if text.removeprefix("$ ").startswith(tuple(f"{starter} " for starter in _STARTERS)):
        return _recognize_command(text.removeprefix("$ "))
    return None


def name_from_url(url: str) -> str:
    """A name for the source at this URL, from its host: "example" for https://api.example.com/."""
    parts = split_url(url)
    labels = ((parts.hostname if parts else "") or "").split(".")
    if all(label.isdecimal() for label in labels):
        return "server"  # an IP address
    distinctive = [label for label in labels[:-1] if label not in _COMMON_LABELS]
    return name_from(distinctive[-1] if distinctive else labels[0])


def name_from(text: str) -> str:
    """`text` as the name of a source: lower-case letters, digits, hyphens and underscores."""
    words = re.sub(r"[^a-z0-9_]+", "-", text.lower()).strip("-_")
    return words[:NAME_LENGTH].rstrip("-_") or "source"


def _line_of_url(url: str) -> str:
    return f"URL of an OpenAPI document or an MCP server: {url}"


def _recognize_curl(text: str) -> Recognized:
    try:
        found = read_curl(text)
    except NotACurlCommand as error:
        return Recognized("curl", problem=str(error))
    line = f"curl: {found.request}"
    if found.configuration:
        line += f" · its secrets become the configuration: {', '.join(found.configuration)}"
    source = EnteredSource(
        name_from_url(found.request.partition(" ")[2]),
        "openapi",
        "",
        line,
        document=found.document,
        configuration=found.configuration,
        public_secrets=found.public_secrets,
    )
    return Recognized(line, (source,))


def _recognize_command(text: str) -> Recognized:
    if len(text) > ADDRESS_LENGTH:  # the time of shlex grows with the square of a word's length
        return Recognized("Command", problem=_TOO_LONG)
    try:
        words = shlex.split(text)
    except ValueError:
        return Recognized("Command", problem="A quotation mark of the command is not closed.")
    named = next((word for word in words[1:] if not word.startswith("-")), words[0])
    source = EnteredSource(_name_of_package(named), "mcp-stdio", text, "Command of an MCP server")
    return Recognized(source.line, (source,))


def _name_of_package(package: str) -> str:
    """`@modelcontextprotocol/server-files@1.2` as a name: "server-files"."""
    return name_from(package.rpartition("/")[2].partition("@")[0])


def _recognize_servers(text: str) -> Recognized | None:
    try:
        document = loads(text)
    except JSONTextError:
        return None
    servers = _servers_in(members_of(document))
    if servers is None:
        return None
    if not servers:
        return Recognized("mcpServers block", problem="This block contains no servers.")
    if len(servers) > MAX_SERVERS:
        message = f"At most {MAX_SERVERS} servers can be added together."
        return Recognized("mcpServers block", problem=message)
    sources: list[EnteredSource] = []
    problems: list[str] = []
    for name, server in servers.items():
        source = _source_of(name, members_of(server))
        if isinstance(source, str):
            problems.append(source)
        else:
            sources.append(source)
    number = "1 server" if len(servers) == 1 else f"{len(servers)} servers"
    return Recognized(f"mcpServers block: {number}", tuple(sources), " ".join(problems))


def _servers_in(document: dict[str, JSON]) -> dict[str, JSON] | None:
    """The servers of a client's configuration by name; None if it is something else."""
    settings = members_of(document.get("mcp")) or document
    for holder in _HOLDERS:
        servers = settings.get(holder)
        if isinstance(servers, dict) and (holder == "mcpServers" or _are_servers(servers)):
            return servers
    return document if _are_servers(document) else None


def _are_servers(servers: dict[str, JSON]) -> bool:
    return bool(servers) and all(
        isinstance(server, dict) and ("command" in server or _url_of(server))
        for server in servers.values()
    )


def _url_of(server: dict[str, JSON]) -> str:
    urls = (server.get(name) for name in _URLS)
    return next((url for url in urls if isinstance(url, str) and url), "")


def _source_of(name: str, server: dict[str, JSON]) -> EnteredSource | str:
    """The source that an entry names, or why it cannot be one."""
    url = _url_of(server)
    command = server.get("command")
    arguments = server.get("args")
    variables = members_of(server.get("headers") if url else server.get("env"))
    if isinstance(command, dict):  # Zed
        of_command = members_of(command)
        variables = variables or members_of(of_command.get("env"))
        command, arguments = of_command.get("path"), of_command.get("args")
    if not url and not (isinstance(command, str) and command.strip()):
        return f"The server {name[:100]!r} has neither a URL nor a command."
    headers = {key: str(value) for key, value in variables.items() if value not in (None, "")}
    words = [str(command), *(str(argument) for argument in items_of(arguments))]
    for text in (url, *words, *headers.values()):
        if placeholder := _PLACEHOLDER.search(text):
            return (
                f"The server {name[:100]!r} contains the placeholder {placeholder[0][:60]}. "
                "Replace it with the value."
            )
    address = url or (shlex.join(words) if len(words) > 1 or " " not in words[0] else words[0])
    if len(address) > ADDRESS_LENGTH:
        return f"The server {name[:100]!r}: {_TOO_LONG}"
    if url:
        line = f"MCP server at {url}"
        return EnteredSource(name_from(name), "mcp-http", url, line, headers)
    return EnteredSource(name_from(name), "mcp-stdio", address, "Command of an MCP server", headers)
