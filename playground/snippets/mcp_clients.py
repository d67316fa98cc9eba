"""Snippets for clients of the Model Context Protocol that make them use this site: a command or a configuration.

Sources, as of November 2026: the documentation of Claude Code ("Connect Claude Code to tools via MCP"), Cursor ("Model
Context Protocol") and VS Code ("MCP configuration reference"); the README files of mcp-remote, which connects Claude
Desktop, of the MCP Inspector and of the MCP SDK for Python.
"""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

PLACEHOLDER: Final = "YOUR_TOKEN"
LOOPBACK_NAMES: Final = frozenset({"localhost", "127.0.0.1"})  # to which mcp-remote allows HTTP


@dataclass(frozen=True, slots=True)
class Snippet:
    """One client's snippet. `place` is where it belongs: a file, a shell, a program."""

    key: str
    label: str
    place: str
    code: str
    note: str = ""


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
            "In claude_desktop_config.json (Settings, Developer, Edit Config)",
            _claude_desktop(server),
            "Claude Desktop starts mcp-remote, which needs Node.js.",
        ),
        Snippet(
            "cursor",
            "Cursor",
            "In ~/.cursor/mcp.json, or .cursor/mcp.json of a project",
            _cursor(server),
        ),
        Snippet(
            "vs-code",
            "VS Code",
            "In .vscode/mcp.json",
            _vs_code(server),
            "VS Code asks for the token when it starts the server, so that the file holds no secret.",
        ),
        Snippet(
            "inspector", "MCP Inspector", "In a shell", _inspector(server), "It needs Node.js."
        ),
        Snippet("python-sdk", "Python SDK", "As a program, after pip install mcp", _python(server)),
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
    # Claude Desktop on Windows does not escape spaces in arguments, so the header's value is a variable.
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
    entry = {"url": server.url, "headers": {"Authorization": server.authorization}}
    return json.dumps({"mcpServers": {server.name: entry}}, indent=2)


def _vs_code(server: Server) -> str:
    question = {
        "type": "promptString",
        "id": "toolshelf-token",
        "description": "Toolshelf token",
        "password": True,
    }
    entry = {
        "type": "http",
        "url": server.url,
        "headers": {"Authorization": "Bearer ${input:toolshelf-token}"},
    }
    return json.dumps({"inputs": [question], "servers": {server.name: entry}}, indent=2)


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
