"""Snippets that connect clients of the Model Context Protocol to this site.

Sources, as of November 2026: the documentation of Claude Code ("Connect Claude Code to tools via
MCP"), Codex ("Model Context Protocol"), Cursor ("Model Context Protocol", "MCP Install Links") and
VS Code ("MCP configuration reference", "MCP developer guide"); the README files of mcp-remote,
which connects Claude Desktop, of the MCP Inspector and of the MCP SDK for Python.
"""

from __future__ import annotations

import base64
import json
import shlex
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import quote, urlencode, urlsplit

from toolshelf_core.curl import TOKEN_VARIABLE

PLACEHOLDER: Final = "YOUR_TOKEN"
_VS_CODE_INPUT: Final = {
    "type": "promptString",
    "id": "toolshelf-token",
    "description": "Toolshelf token",
    "password": True,
}
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1"})  # to which mcp-remote allows HTTP


@dataclass(frozen=True, slots=True)
class Snippet:
    """One client's snippet.

    Attributes:
        place: where it belongs: a file, a shell, a program.
        install_url: opens the client, which then stores the same configuration; it never contains a
            token.
        asks_for_token: whether the client asks for the token, so that `code` does not contain it.
    """

    key: str
    label: str
    place: str
    code: str
    note: str = ""
    install_url: str = ""
    asks_for_token: bool = False


@dataclass(frozen=True, slots=True)
class Server:
    """An address of the MCP server, as a client stores it.

    Attributes:
        name: for the client; letters, digits and hyphens.
        url: complete.
        token: the secret of a token, or `PLACEHOLDER`.
    """

    name: str
    url: str
    token: str = PLACEHOLDER

    @property
    def authorization(self) -> str:
        return f"Bearer {self.token}"


def snippets(server: Server) -> tuple[Snippet, ...]:
    """The snippets for all clients, in the order of the page."""
    return (
        Snippet("claude-code", "Claude Code", "In a shell", claude_code(server)),
        Snippet(
            "claude-desktop",
            "Claude Desktop",
            "In claude_desktop_config.json: Settings, Developer, Edit Config",
            _claude_desktop(server),
            "Needs Node.js.",
        ),
        Snippet(
            "cursor",
            "Cursor",
            "In ~/.cursor/mcp.json",
            _cursor(server),
            f"Reads the token from the environment variable {TOKEN_VARIABLE}. Or paste:",
            _cursor_link(server),
        ),
        Snippet(
            "vs-code",
            "VS Code",
            "In .vscode/mcp.json",
            _vs_code(server),
            "Asks you there for the token. Or paste:",
            _vs_code_link(server),
            asks_for_token=True,
        ),
        Snippet("codex", "Codex", "In ~/.codex/config.toml", _codex(server)),
        Snippet("python-sdk", "Python", "In a program, after pip install mcp", _python(server)),
        Snippet("inspector", "MCP Inspector", "In a shell", _inspector(server), "Needs Node.js."),
        Snippet("other", "Other", "MCP over streamable HTTP", _url_and_header(server)),
    )


def claude_code(server: Server, *, with_token: bool = True) -> str:
    """A command; mocks for visitors need no token."""
    command = f"claude mcp add --transport http {server.name} {shlex.quote(server.url)}"
    return f"{command} \\\n  --header {_header(server)}" if with_token else command


def _header(server: Server) -> str:
    """In quotes for a shell that expands a variable in it; a token needs no escapes."""
    return f'"Authorization: {server.authorization}"'


def _claude_desktop(server: Server) -> str:
    parts = urlsplit(server.url)
    allows_http = (
        ["--allow-http"] if parts.scheme == "http" and parts.hostname not in LOOPBACK_NAMES else []
    )
    # Claude Desktop on Windows does not escape spaces in arguments, so the header's value is a
    # variable.
    arguments = [
        "-y",
        "mcp-remote",
        server.url,
        "--header",
        "Authorization:${AUTHORIZATION}",
        *allows_http,
    ]
    entry = {"command": "npx", "args": arguments, "env": {"AUTHORIZATION": server.authorization}}
    return json.dumps({"mcpServers": {server.name: entry}}, indent=2)


def _cursor(server: Server) -> str:
    return json.dumps({"mcpServers": {server.name: _cursor_entry(server)}}, indent=2)


def _cursor_entry(server: Server) -> dict[str, object]:
    return {"url": server.url, "headers": {"Authorization": server.authorization}}


def _cursor_link(server: Server) -> str:
    entry = _cursor_entry(replace(server, token=f"${{env:{TOKEN_VARIABLE}}}"))
    config = base64.b64encode(json.dumps(entry).encode()).decode()
    query = urlencode({"name": server.name, "config": config})
    return f"cursor://anysphere.cursor-deeplink/mcp/install?{query}"


def _vs_code(server: Server) -> str:
    entry = {"inputs": [_VS_CODE_INPUT], "servers": {server.name: _vs_code_entry(server)}}
    return json.dumps(entry, indent=2)


def _vs_code_entry(server: Server) -> dict[str, object]:
    authorization = f"Bearer ${{input:{_VS_CODE_INPUT['id']}}}"
    return {"type": "http", "url": server.url, "headers": {"Authorization": authorization}}


def _vs_code_link(server: Server) -> str:
    entry = {"name": server.name, "inputs": [_VS_CODE_INPUT], **_vs_code_entry(server)}
    return f"vscode:mcp/install?{quote(json.dumps(entry), safe='')}"


def _codex(server: Server) -> str:
    return f"""\
[mcp_servers.{server.name}]
url = {json.dumps(server.url)}
http_headers = {{ "Authorization" = {json.dumps(server.authorization)} }}"""


def _url_and_header(server: Server) -> str:
    return f"{server.url}\nAuthorization: {server.authorization}"


def _inspector(server: Server) -> str:
    return (
        f"npx @modelcontextprotocol/inspector --cli {shlex.quote(server.url)} \\\n"
        f"  --transport http --header {_header(server)} --method tools/list"
    )


def _python(server: Server) -> str:
    return f"""\
import asyncio

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

headers = {{"Authorization": {json.dumps(server.authorization)}}}


async def main():
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client({json.dumps(server.url)}, http_client=http)) as client,
    ):
        for tool in (await client.list_tools()).tools:
            print(tool.name, "-", tool.description)


asyncio.run(main())"""
