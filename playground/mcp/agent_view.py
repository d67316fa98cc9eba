"""The tools that an agent gets at an address of the MCP server, and their tokens."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from accounts.models import Person
from catalog.tools.models import Tool
from playground.mcp.calls import Caller
from playground.mcp.methods import dispatch
from playground.mcp.protocol import (
    CAPABILITIES_KEY,
    METHOD_HEADER,
    MODERN_VERSIONS,
    VERSION_HEADER,
    VERSION_KEY,
    Message,
    read_message,
)
from playground.mcp.toolkit_tools import PAGE_SIZE, ToolkitTools
from playground.mcp.toolsets import Toolset
from toolspec.conversion_report import Loss
from toolspec.exports.mcp_server import ServedTool

CHARACTERS_PER_TOKEN: Final = 4  # an estimate; every model has its own tokens
MODEL_MEMBERS: Final = ("name", "description", "inputSchema")  # what clients pass on to a model
VERSION: Final = MODERN_VERSIONS[-1]
_HEADERS: Final = {VERSION_HEADER: VERSION, METHOD_HEADER: "tools/list"}
_REQUEST: Final = json.dumps(
    {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/list",
        "params": {"_meta": {VERSION_KEY: VERSION, CAPABILITIES_KEY: {}}},
    }
).encode()


@dataclass(frozen=True, slots=True)
class ListedTool:
    """A tool as an agent gets it.

    Attributes:
        tokens: estimated, of what a model reads in each request; 0 if the tool is left out.
        tool: of the catalog, if agents get it differently than its spec has it.
        changes: what is different.
        obstacles: why it is left out.
    """

    name: str
    description: str = ""
    tokens: int = 0
    tool: Tool | None = None
    changes: Sequence[Loss] = ()
    obstacles: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """The first page of the list of tools at an address.

    Attributes:
        tools: those that an agent gets, then those that are left out.
        has_more: whether the list has another page, whose tokens are not counted.
    """

    tools: Sequence[ListedTool]
    has_more: bool

    @property
    def tokens(self) -> int:
        return sum(tool.tokens for tool in self.tools)


@dataclass(frozen=True, slots=True)
class Trial:
    """An answer of the server to `tools/list`.

    Attributes:
        tools: their number on this page of the list.
        result: JSON text, as the server sends it.
        has_more: whether the list has another page.
    """

    tools: int
    result: str
    has_more: bool
    version: str = VERSION


def list_tools(toolset: Toolset, tool: Tool | None = None) -> Listing:
    """The tools that an agent gets first, and `tool`, if agents get it differently."""
    page = toolset.page(None, Message("tools/list", VERSION, 1))
    changed = _find_changed_tools(toolset, tool)
    tools = [_listed_tool(text, changed) for text in page.tools]
    listed_names = {listed.name for listed in tools}
    for name, (changed_tool, served) in changed.items():
        if name not in listed_names:
            tools.append(
                ListedTool(
                    name, tool=changed_tool, changes=served.changes, obstacles=served.obstacles
                )
            )
    return Listing(tools, page.next_cursor is not None)


def try_server(toolset: Toolset, person: Person) -> Trial:
    """Send `tools/list` to the server as `person`, as the text of a request."""
    message = read_message(_REQUEST, _HEADERS)
    headers = {name.lower(): value for name, value in _HEADERS.items()}
    result = dispatch(message, toolset, Caller(person), headers, site="")
    assert isinstance(result, str)  # noqa: S101 - for mypy: only a call begins a run
    page = json.loads(result)
    return Trial(len(page["tools"]), result, "nextCursor" in page)


def _find_changed_tools(toolset: Toolset, own: Tool | None) -> dict[str, tuple[Tool, ServedTool]]:
    """The tools of the first page, and `own`, that agents get changed or not at all, by name."""
    if not isinstance(toolset, ToolkitTools):
        return {}
    tools = list(toolset.tools.with_current()[:PAGE_SIZE])
    if own is not None and own not in tools:
        tools.append(own)
    return {name: (tool, served) for tool, name, served in toolset.changed(tools)}


def _listed_tool(text: str, changed: dict[str, tuple[Tool, ServedTool]]) -> ListedTool:
    document = json.loads(text)
    name, description = document["name"], document.get("description", "")
    for_model = {member: document[member] for member in MODEL_MEMBERS if member in document}
    tokens = math.ceil(len(json.dumps(for_model, ensure_ascii=False)) / CHARACTERS_PER_TOKEN)
    if name not in changed:
        return ListedTool(name, description, tokens)
    tool, served = changed[name]
    return ListedTool(name, description, tokens, tool, served.changes)
