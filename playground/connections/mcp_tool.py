"""Tools of MCP servers: a call is `tools/call` on the source, in a session of its own.

The approved revision is what runs. The tool's present definition is compared with it before the call: a difference that
the policy of the source would hold refuses the call, any other is written to the run's log.

Source: MCP 2025-11-25 and 2026-07-28, "Tools", "Progress", "Cancellation".
"""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import anyio
import httpx2
import mcp_types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp_types.methods import is_input_required, validate_server_result
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

import toolshelf_tools as tool_api
from catalog.errors import OutgoingError
from catalog.outgoing.budget import Budget
from catalog.outgoing.clients import Credentials, async_client, sentence, ssl_context
from catalog.outgoing.mcp_requests import (
    BadList,
    StderrTail,
    list_pages,
    send_request,
    sentence_of_error,
    stderr_tail,
)
from playground.connections.connection import Connection
from playground.run_log import log
from toolshelf_tools import ToolError
from toolshelf_tools.files import MAX_FILES, file_in_base64
from toolspec.diff import Change, compare, is_held
from toolspec.errors import DocumentError
from toolspec.imports import NotKnown, import_document
from toolspec.spec import stored_spec
from toolspec.text import reader
from toolspec.text.reader import JSON

MAX_PAGES: Final = 50  # of the list of tools, until the tool is found
LIST_S: Final = 5.0
MAX_CHANGES: Final = 5  # in a message
_UNREADABLE: Final = "Its present definition is not valid."

ssl_context()  # once, in the process that runs are forked from
for name in ("mcp", "httpx2"):
    logging.getLogger(name).addHandler(
        logging.NullHandler()
    )  # else each request is in the log of the run


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
        self._stderr: StderrTail | None = None  # of a command

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
            parameters = StdioServerParameters(
                command=command, args=arguments, env=dict(connection.environment)
            )
            with stderr_tail(forward=True) as self._stderr:
                return await self._with(stdio_client(parameters, errlog=self._stderr.file), request)
        credentials = (
            Credentials(connection.address, connection.headers) if connection.headers else None
        )
        async with async_client(connection.policy, self._budget, credentials) as http:
            http.event_hooks = {"response": [self._note_status]}
            server: Any = streamable_http_client(
                connection.address, http_client=http, max_sse_event_size=connection.max_bytes
            )
            return await self._with(server, request)

    async def _with(self, server: Any, request: dict[str, Any]) -> Any:
        async with Client(
            server, logging_callback=_log_message, cache=None, client_info=_CLIENT
        ) as client:
            await self._compare(client)
            params = {"name": self._connection.remote_name, "arguments": request}
            with self._request_scope:
                # not `call_tool`: it rejects responses that violate the schema, which the verdict has to report
                result = await send_request(client.session, "tools/call", params, progress=_report)
                version = client.session.protocol_version or ""
                if breach := breach_of(result, version):
                    log(
                        f"The result does not follow the protocol: {breach} It is shown as the source sent it."
                    )
                return response_of(result, has_null=version in MODERN_PROTOCOL_VERSIONS)
        raise ToolError("The call was cancelled.")

    async def _compare(self, client: Client) -> None:
        """Compare the tool at the source with the approved definition.

        The list also has what the call needs: which arguments the protocol repeats in headers (`x-mcp-header`).

        Raises:
            ToolError: the source has changed the tool in a way that its policy does not accept without approval.
        """
        found: JSON = None
        with anyio.move_on_after(LIST_S) as waiting:
            try:
                found = await _listed(client, self._connection.remote_name)
            except (MCPError, BadList) as error:
                log(
                    f"The definition was not compared, because the source does not list its tools: {error}"
                )
                return
        if waiting.cancelled_caught:
            log(
                f"The definition was not compared: the source did not list the tool within {LIST_S:g} seconds."
            )
        elif found is None:
            log("The source no longer lists this tool. Sync the source to mark it.")
        else:
            self._check_changes(found)

    def _check_changes(self, present: JSON) -> None:
        connection = self._connection
        changes = changes_since(
            present,
            connection.approved or connection.spec,
            max_spec_bytes=connection.max_spec_bytes,
        )
        if changes == ():
            return
        sentences = (
            [change.message for change in changes[:MAX_CHANGES]] if changes else [_UNREADABLE]
        )
        what = " ".join(sentences)
        if changes is None or is_held(connection.update_policy, changes):
            raise ToolError(
                f"The source {connection.source} has changed this tool since it was approved, so it was not called. "
                f"{what} Sync the source, then review the change."
            )
        log(
            f"The source has changed this tool since it was approved. {what} Sync the source to publish the change."
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
            return ToolError(f"{self._sentence_of(first)}{self._end_of_stderr()}")
        if isinstance(first, ValidationError):
            problem = first.errors(include_url=False, include_input=False)[0]
            where = "/".join(map(str, problem["loc"]))
            return ToolError(
                f"The source {self._connection.source} does not follow the protocol: {problem['msg']} (at {where})."
            )
        if isinstance(first, (httpx2.HTTPError, httpx2.InvalidURL, OutgoingError)):
            return ToolError(
                f"The source {self._connection.source} failed. {sentence(first, self._budget)}"
            )
        if isinstance(first, OSError) and self._connection.command:
            reason = (
                f"The command of the source {self._connection.source} cannot be started: {first}"
            )
            return ToolError(f"{reason}{self._end_of_stderr()}")
        return first

    def _sentence_of(self, error: MCPError) -> str:
        if error.error.code == mcp_types.CONNECTION_CLOSED and self._connection.command:
            return f"The command of the source {self._connection.source} ended without an answer."
        sentence = sentence_of_error(error, self._refused)
        return f"The source {self._connection.source} responded with an error: {sentence}"

    def _end_of_stderr(self) -> str:
        text = self._stderr.text() if self._stderr is not None else ""
        return f"\n\n{text}" if text else ""


_CLIENT: Final = mcp_types.Implementation(name="Toolshelf", version="1")


def breach_of(result: Mapping[str, Any], version: str) -> str:
    """How the result of a call breaks the protocol of this version, as a sentence; "" if it does not."""
    try:
        validate_server_result("tools/call", version, result)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        where = "/".join(map(str, problem["loc"]))
        return f"{problem['msg']} (at {where})."
    except (KeyError, ValueError):  # a version that the SDK does not know
        return ""
    return ""


def response_of(result: Mapping[str, Any], *, has_null: bool = True) -> Any:
    """The response of a tool: its structured content; else the JSON in its text; else its content blocks, with files.

    A result that breaks the protocol is read as far as possible; one without content is the response itself.

    Args:
        result: of `tools/call`.
        has_null: whether structured content may be null; before 2026-07-28, null means that there is none.

    Raises:
        ToolError: the tool failed, or asks for input.
    """
    if is_input_required(result):
        raise ToolError(
            "The tool asks its caller for more input (elicitation or sampling), which a run cannot give."
        )
    content = result.get("content")
    blocks = [_without_nulls(block) for block in content] if isinstance(content, list) else []
    if result.get("isError"):
        raise ToolError(_text_of_error(result, blocks))
    structured = result.get("structuredContent")
    if structured is not None or (has_null and "structuredContent" in result):
        if others := [_type_of(block) for block in blocks if _type_of(block) != "text"]:
            log(
                f"The result also has content that is not part of its structured content: {', '.join(others)}."
            )
        return structured
    if not isinstance(content, list):
        return dict(result) if content is None else content
    if len(blocks) == 1 and _is_text(blocks[0]):
        with suppress(ValueError, RecursionError):
            return json.loads(blocks[0]["text"])
    return [_with_file(block) if index < MAX_FILES else block for index, block in enumerate(blocks)]


def _without_nulls(block: Any) -> Any:
    """A content block without absent members, which some servers send as null."""
    return (
        {name: value for name, value in block.items() if value is not None}
        if isinstance(block, dict)
        else block
    )


def _type_of(block: Any) -> str:
    return str(block.get("type")) if isinstance(block, dict) else "invalid"


def _is_text(block: Any) -> bool:
    return _type_of(block) == "text" and isinstance(block.get("text"), str)


def _with_file(block: Any) -> Any:
    """A content block, with a file instead of its Base64; the block itself if it breaks the protocol."""
    try:
        return _file_block(block)
    except (AttributeError, KeyError, TypeError, ValueError):
        return block


def _file_block(block: Any) -> Any:
    if block["type"] in {"image", "audio"}:
        return {**block, "data": file_in_base64(block["data"], media_type=block["mimeType"])}
    if block["type"] == "resource" and "blob" in block["resource"]:
        resource = block["resource"]
        name = unquote(urlsplit(resource["uri"]).path.rpartition("/")[2])
        file = file_in_base64(resource["blob"], media_type=resource.get("mimeType", ""), name=name)
        return {**block, "resource": {**resource, "blob": file}}
    return block


def _text_of_error(raw: Mapping[str, Any], blocks: list[Any]) -> str:
    texts = [block["text"] if _is_text(block) else f"[{_type_of(block)}]" for block in blocks]
    if not texts and raw.get("structuredContent") is not None:
        texts = [json.dumps(raw["structuredContent"], ensure_ascii=False)]
    return "\n".join(texts) or "The tool failed without an error message."


def changes_since(
    present: JSON, approved: Mapping[str, Any], *, max_spec_bytes: int
) -> tuple[Change, ...] | None:
    """The changes from the approved spec to the tool that the source lists; None if that is not a valid tool.

    Both went through the same import, which repairs schemas.
    """
    try:
        document = reader.parse(json.dumps({"tools": [present]}))
        imported = import_document(document, max_spec_bytes=max_spec_bytes).specs
    except (DocumentError, NotKnown):
        return None
    if len(imported) != 1 or imported[0].spec is None:
        return None
    return compare(stored_spec(reader.dumps(dict(approved))), imported[0].spec).changes


async def _listed(client: Client, wanted: str) -> JSON:
    """The tool with that name, as the source lists it; None if it lists none."""
    number = 0
    async for tools in list_pages(client.session):
        for tool in tools:
            if isinstance(tool, dict) and tool.get("name") == wanted:
                _note_headers(client, tool)
                return tool
        number += 1
        if number >= MAX_PAGES:
            break
    return None


def _note_headers(client: Client, tool: dict[str, Any]) -> None:
    """Let the session know which arguments of the tool it has to repeat in headers."""
    with suppress(ValidationError):
        listed = mcp_types.ListToolsResult(tools=[mcp_types.Tool.model_validate(tool)])
        client.session._absorb_tool_listing(listed, complete=False)


async def _report(progress: float, total: float | None, message: str | None) -> None:
    tool_api.progress(progress, total, message or "")


async def _log_message(params: mcp_types.LoggingMessageNotificationParams) -> None:
    text = (
        params.data if isinstance(params.data, str) else json.dumps(params.data, ensure_ascii=False)
    )
    log(f"[{params.level}] {text}")


def _first(error: BaseException) -> BaseException:
    """The first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
