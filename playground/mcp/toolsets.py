"""The tools of an address of the MCP server, and the effect of calling one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from catalog.tools.models import Tool
from playground.mcp.protocol import SERVER_KEY, Message
from playground.mcp.results import Result
from toolshelf_core.version import read_version
from toolspec.exports.mcp_server import ServedTool
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON, dumps


@dataclass(frozen=True, slots=True)
class ToolPage:
    """A page of a list of tools, each as JSON text.

    `next_cursor` is None on the last page; `not_listed` are the tools that MCP cannot describe, as
    {"id", "reason"}.
    """

    tools: tuple[str, ...]
    next_cursor: str | None = None
    not_listed: tuple[JSON, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool of the catalog, to be run. `tool` has its current revision selected.

    `served` is the tool as the client sees it; None if it calls the tool by its spec. `arguments`
    have the names of the spec.
    """

    tool: Tool
    arguments: JSON
    mode: str
    timeout_s: float | None = None
    served: ServedTool | None = None


class Toolset(Protocol):
    """The tools of one address."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def instructions(self) -> str: ...

    def page(self, cursor: str | None, message: Message) -> ToolPage:
        """The tools at `cursor`, which a page before returned.

        Raises:
            ProtocolError: it is not a cursor of this list.
        """
        ...

    def needs_run_scope(self, name: str) -> bool:
        """Whether a token needs the scope `run` to call this tool."""
        ...

    def call(self, name: str, arguments: JSON, message: Message) -> Result | Call:
        """The result of a call of the tool `name`, or the call to run.

        Raises:
            ProtocolError: there is no such tool.
        """
        ...


def result_text(result: Result, message: Message, toolset: Toolset) -> str:
    """`result` as JSON text, with the members that the version of `message` requires."""
    if not message.is_modern:
        return dumps(result)
    meta = {**members_of(result.get("_meta")), SERVER_KEY: server_info(toolset)}
    return dumps({"resultType": "complete", **result, "_meta": meta})


def server_info(toolset: Toolset) -> JSON:
    return {"name": toolset.name, "title": toolset.title, "version": read_version()}
