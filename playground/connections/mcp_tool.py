"""Tools of MCP servers: a call is `tools/call` on the source, in a session of its own.

The approved revision is what runs. The tool's present definition is compared with it before the call, and a difference
is written to the run's log.

Source: MCP 2025-11-25 and 2026-07-28, "Tools", "Progress", "Cancellation".
"""

from __future__ import annotations

import json
import logging
import signal
from contextlib import suppress
from typing import Any, Final, cast
from urllib.parse import unquote, urlsplit

import anyio
import httpx2
import mcp_types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from pydantic import TypeAdapter, ValidationError

import toolshelf_tools as tool_api
from catalog.errors import OutgoingError
from catalog.jsontext import reader
from catalog.outgoing.budget import Budget
from catalog.outgoing.clients import Credentials, async_client, sentence, ssl_context
from catalog.specs.importers import import_document
from playground.connections.connection import Connection
from playground.run_log import log
from toolshelf_tools import ToolError
from toolshelf_tools.files import MAX_FILES, file_in_base64

MAX_PAGES: Final = 50  # of the list of tools, until the tool is found
LIST_S: Final = 5.0
_COMPARED: Final = {"description": "description", "parameters": "parameters", "returnType": "return type"}
_Result = TypeAdapter[mcp_types.CallToolResult | mcp_types.InputRequiredResult](
    mcp_types.CallToolResult | mcp_types.InputRequiredResult
)

ssl_context()  # once, in the process that runs are forked from
for name in ("mcp", "httpx2"):
    logging.getLogger(name).addHandler(logging.NullHandler())  # else each request is in the log of the run


class MCPToolFactory:
    """Creates the tools of MCP sources. Its configuration is a `Connection` as JSON."""

    def tool_id(self) -> str:
        return "mcp"

    def create(self, configuration: dict[str, Any]) -> MCPTool:
        return MCPTool(Connection.from_json(configuration))


class MCPCommandFactory(MCPToolFactory):
    """The same for servers that are commands: a factory of its own, because their processes have other limits."""


class MCPTool:
    request_type = dict
    response_type = object

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._budget = Budget(seconds=connection.timeout_s + 1, max_bytes=connection.max_bytes)
        self._refused = ""  # the status of the last response, if it was an error

    def call(self, request: dict[str, Any]) -> Any:
        """Call the tool.

        Raises:
            ToolError: the source cannot be reached, answers with an error, or does not follow the protocol.
        """
        return anyio.run(self._call, request)

    async def _call(self, request: dict[str, Any]) -> Any:
        self._request_scope = anyio.CancelScope()
        try:
            async with anyio.create_task_group() as watching:
                watching.start_soon(self._cancel_on_signal)
                response = await self._in_session(request)
                watching.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001  task groups wrap errors, whatever they are
            raise self._explained(error) from None
        return response

    async def _cancel_on_signal(self) -> None:
        """Cancel the request when the run is ended. The session goes on, to inform the source."""
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            async for _ in signals:
                self._request_scope.cancel()

    async def _in_session(self, request: dict[str, Any]) -> Any:
        connection = self._connection
        if connection.command:
            command, *arguments = connection.command
            server: Any = StdioServerParameters(command=command, args=arguments, env=dict(connection.environment))
            return await self._with(server, request)
        credentials = Credentials(connection.address, connection.headers) if connection.headers else None
        async with async_client(connection.policy, self._budget, credentials) as http:
            http.event_hooks = {"response": [self._note_status]}
            server = streamable_http_client(
                connection.address, http_client=http, max_sse_event_size=connection.max_bytes
            )
            return await self._with(server, request)

    async def _with(self, server: Any, request: dict[str, Any]) -> Any:
        async with Client(server, logging_callback=_log_message, cache=None, client_info=_CLIENT) as client:
            await self._compare(client)
            params = mcp_types.CallToolRequestParams(name=self._connection.remote_name, arguments=request)
            with self._request_scope:
                # not `call_tool`: it rejects responses that violate the schema, which the verdict has to report
                result = await client.session.send_request(
                    mcp_types.CallToolRequest(params=params), _Result, progress_callback=_report
                )
                return response_of(result)
        raise ToolError("The call was cancelled.")

    async def _compare(self, client: Client) -> None:
        """Write to the log how the tool at the source differs from the approved revision, if it does.

        The list also has what the call needs: which arguments the protocol repeats in headers (`x-mcp-header`).
        """
        found: mcp_types.Tool | None = None
        with anyio.move_on_after(LIST_S) as waiting:
            try:
                found = await _listed(client, self._connection.remote_name)
            except (MCPError, ValidationError) as error:
                log(f"The definition was not compared, because the source does not list its tools: {_first(error)}")
                return
        if waiting.cancelled_caught:
            log(f"The definition was not compared: the source did not list the tool within {LIST_S:g} seconds.")
        elif found is None:
            log("The source no longer lists this tool. Sync the source to mark it.")
        elif differences := differing(found, self._connection.spec["definition"]):
            log(
                "The source has changed this tool since the revision that runs here was approved: "
                f"{', '.join(differences)}. Sync the source to review the change."
            )

    async def _note_status(self, response: httpx2.Response) -> None:
        if response.request.method == "POST":  # the others are optional
            status = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()
            self._refused = status if response.is_error else ""

    def _explained(self, error: Exception) -> BaseException:
        """`error` as a sentence about the source; a `ToolError` as it is."""
        first = _first(error)
        if isinstance(first, ToolError):
            return first
        if self._budget.error is not None:
            return ToolError(f"The source {self._connection.source} failed. {self._budget.error}")
        if isinstance(first, MCPError):
            status = f" ({self._refused})" if self._refused else ""
            return ToolError(
                f"The source {self._connection.source} responded with an error: {first.error.message}{status}"
            )
        if isinstance(first, ValidationError):
            problem = first.errors(include_url=False, include_input=False)[0]
            where = "/".join(map(str, problem["loc"]))
            return ToolError(
                f"The source {self._connection.source} does not follow the protocol: {problem['msg']} (at {where})."
            )
        if isinstance(first, (httpx2.HTTPError, httpx2.InvalidURL, OutgoingError)):
            return ToolError(f"The source {self._connection.source} failed. {sentence(first, self._budget)}")
        if isinstance(first, FileNotFoundError):
            return ToolError(f"The command of the source {self._connection.source} cannot be started: {first}")
        return first


_CLIENT: Final = mcp_types.Implementation(name="Toolshelf", version="1")


def response_of(result: mcp_types.CallToolResult | mcp_types.InputRequiredResult) -> Any:
    """The response of a tool: its structured content; else the JSON in its text; else its content blocks, with files.

    Raises:
        ToolError: the tool failed, or asks for input.
    """
    if isinstance(result, mcp_types.InputRequiredResult):
        raise ToolError("The tool asks its caller for more input (elicitation or sampling), which a run cannot give.")
    blocks = [block.model_dump(by_alias=True, mode="json", exclude_none=True) for block in result.content]
    if result.is_error:
        raise ToolError(_text_of_error(result, blocks))
    if "structured_content" in result.model_fields_set:
        if others := [block["type"] for block in blocks if block["type"] != "text"]:
            log(f"The result also has content that is not part of its structured content: {', '.join(others)}.")
        return result.structured_content
    if len(blocks) == 1 and blocks[0]["type"] == "text":
        with suppress(ValueError, RecursionError):
            return json.loads(blocks[0]["text"])
    return [_with_file(block) if index < MAX_FILES else block for index, block in enumerate(blocks)]


def _with_file(block: dict[str, Any]) -> dict[str, Any]:
    """A content block, with a file instead of its Base64."""
    if block["type"] in {"image", "audio"}:
        return {**block, "data": file_in_base64(block["data"], media_type=block["mimeType"])}
    if block["type"] == "resource" and "blob" in block["resource"]:
        resource = block["resource"]
        name = unquote(urlsplit(resource["uri"]).path.rpartition("/")[2])
        file = file_in_base64(resource["blob"], media_type=resource.get("mimeType", ""), name=name)
        return {**block, "resource": {**resource, "blob": file}}
    return block


def _text_of_error(result: mcp_types.CallToolResult, blocks: list[dict[str, Any]]) -> str:
    texts = [block["text"] if block["type"] == "text" else f"[{block['type']}]" for block in blocks]
    if not texts and result.structured_content is not None:
        texts = [json.dumps(result.structured_content, ensure_ascii=False)]
    return "\n".join(texts) or "The tool failed without an error message."


def differing(present: mcp_types.Tool, approved: dict[str, Any]) -> list[str]:
    """The parts in which a tool that the source lists differs from the approved definition, in plain words.

    Both go through the same import, which repairs schemas.
    """
    listed: dict[str, Any] = {"name": present.name, "inputSchema": present.input_schema}
    listed |= {"description": present.description} if present.description is not None else {}
    listed |= {"outputSchema": present.output_schema} if present.output_schema is not None else {}
    text = json.dumps({"tools": [listed]})
    [imported] = import_document(reader.parse(text)).specs
    definition = cast("dict[str, Any]", json.loads(reader.dumps(imported.document))["definition"])
    return [words for member, words in _COMPARED.items() if definition.get(member) != approved.get(member)]


async def _listed(client: Client, wanted: str) -> mcp_types.Tool | None:
    """The tool with that name, as the source lists it."""
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        params = mcp_types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await client.session.list_tools(params=params)
        for tool in page.tools:
            if tool.name == wanted:
                return tool
        cursor = page.next_cursor
        if not cursor:
            return None
    return None


async def _report(progress: float, total: float | None, message: str | None) -> None:
    tool_api.progress(progress, total, message or "")


async def _log_message(params: mcp_types.LoggingMessageNotificationParams) -> None:
    text = params.data if isinstance(params.data, str) else json.dumps(params.data, ensure_ascii=False)
    log(f"[{params.level}] {text}")


def _first(error: BaseException) -> BaseException:
    """The first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
