"""Tools of MCP servers: a call is `tools/call` on the source, in a session of its own.

The approved revision is what runs. The tool's present definition is compared with it before the
call: a difference that the policy of the source would hold refuses the call, any other is written
to the run's log.

Source: MCP 2025-11-25 and 2026-07-28, "Tools", "Progress", "Cancellation".
"""

from __future__ import annotations

import json
import logging
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn
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
from playground.connections.connection import Connection
from playground.runner.log import log
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.budget import Budget
from toolshelf_core.outgoing.clients import Credentials, async_client, sentence, ssl_context
from toolshelf_core.outgoing.mcp_requests import (
    BadList,
    StderrTail,
    capture_stderr,
    describe_mcp_error,
    list_pages,
    send_request,
)
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
    """The same for servers that are commands, whose processes have other limits."""


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
            ToolError: the source cannot be reached, answers with an error, or does not follow the
                protocol.
        """
        return anyio.run(self._call, request)

    async def _call(self, request: dict[str, Any]) -> Any:
        self._request_scope = anyio.CancelScope()
        try:
            async with anyio.create_task_group() as watching:
                watching.start_soon(self._cancel_on_signal)
                response = await self._call_server(request)
                watching.cancel_scope.cancel()
        except Exception as error:  # noqa: BLE001  task groups wrap errors, whatever they are
            raise self._explain(error) from None
        return response

    async def _cancel_on_signal(self) -> None:
        """Cancel the request when the run is ended. The session goes on, to inform the source."""
        with anyio.open_signal_receiver(signal.SIGTERM) as signals:
            async for _ in signals:
                self._request_scope.cancel()

    async def _call_server(self, request: dict[str, Any]) -> Any:
        connection = self._connection
        if connection.command:
            command, *arguments = connection.command
            environment = dict(connection.environment)
            parameters = StdioServerParameters(command=command, args=arguments, env=environment)
            with capture_stderr(forward=True) as self._stderr:
                server = stdio_client(parameters, errlog=self._stderr.file)
                return await self._call_in_session(server, request)
        credentials = None
        if connection.headers:
            credentials = Credentials(connection.address, connection.headers)
        async with async_client(connection.policy, self._budget, credentials) as http:
            http.event_hooks = {"response": [self._note_status]}
            remote = streamable_http_client(
                connection.address,
                http_client=http,
                max_sse_event_size=connection.max_bytes,
            )
            return await self._call_in_session(remote, request)

    async def _call_in_session(self, server: Any, request: dict[str, Any]) -> Any:
        async with Client(
            server,
            logging_callback=_log_message,
            cache=None,
            client_info=_CLIENT,
        ) as client:
            await self._compare(client)
            params = {"name": self._connection.remote_name, "arguments": request}
            with self._request_scope:
                # Not `call_tool`: it rejects responses that violate the schema, which the verdict
                # has to report.
                result = await send_request(client.session, "tools/call", params, progress=_report)
                version = client.session.protocol_version or ""
                breach = find_breach(result, version)
                if breach:
                    log(
                        f"The result does not follow the protocol: {breach} "
                        "It is shown as the source sent it."
                    )
                return read_response(result, has_null=version in MODERN_PROTOCOL_VERSIONS)
        raise ToolError("The call was cancelled.")

    async def _compare(self, client: Client) -> None:
        """Compare the tool at the source with the approved definition.

        The list also has what the call needs: which arguments the protocol repeats in headers
        (`x-mcp-header`).

        Raises:
            ToolError: the source has changed the tool in a way that its policy does not accept
                without approval.
        """
        definition: JSON = None
        with anyio.move_on_after(LIST_S) as waiting:
            try:
                definition = await _find_tool(client, self._connection.remote_name)
            except (MCPError, BadList) as error:
                log(
                    "The definition was not compared, because the source does not list its tools: "
                    f"{error}"
                )
                return
        if waiting.cancelled_caught:
            log(
                "The definition was not compared: "
                f"the source did not list the tool within {LIST_S:g} seconds."
            )
        elif definition is None:
            log("The source no longer lists this tool. Sync the source to mark it.")
        else:
            self._check_changes(definition)

    def _check_changes(self, definition: JSON) -> None:
        connection = self._connection
        approved = connection.approved or connection.spec
        changes = find_changes(definition, approved, max_spec_bytes=connection.max_spec_bytes)
        if changes is None:
            self._raise_changed(_UNREADABLE)
        if not changes:
            return
        messages = " ".join(change.message for change in changes[:MAX_CHANGES])
        if is_held(connection.update_policy, changes):
            self._raise_changed(messages)
        log(
            f"The source has changed this tool since it was approved. {messages} "
            "Sync the source to publish the change."
        )

    def _raise_changed(self, messages: str) -> NoReturn:
        raise ToolError(
            f"The source {self._connection.source} has changed this tool since it was approved, "
            f"so it was not called. {messages} "
            "Sync the source, then review the change."
        )

    async def _note_status(self, response: httpx2.Response) -> None:
        if response.request.method != "POST":  # the others are optional
            return
        self._refused = ""
        if response.is_error:
            self._refused = f"HTTP {response.status_code} {response.reason_phrase}".rstrip()

    def _explain(self, error: Exception) -> BaseException:
        """`error` as a sentence about the source; a `ToolError` as it is."""
        source = self._connection.source
        first = _find_first(error)
        if isinstance(first, ToolError):
            return first
        if self._budget.error is not None:
            return ToolError(f"The source {source} failed. {self._budget.error}")
        if isinstance(first, MCPError):
            return ToolError(f"{self._describe(first)}{self._read_stderr()}")
        if isinstance(first, ValidationError):
            problem = _describe_problem(first)
            return ToolError(f"The source {source} does not follow the protocol: {problem}.")
        if isinstance(first, httpx2.HTTPError | httpx2.InvalidURL | OutgoingError):
            return ToolError(f"The source {source} failed. {sentence(first, self._budget)}")
        if isinstance(first, OSError) and self._connection.command:
            reason = f"The command of the source {source} cannot be started: {first}"
            return ToolError(f"{reason}{self._read_stderr()}")
        return first

    def _describe(self, error: MCPError) -> str:
        source = self._connection.source
        if error.error.code == mcp_types.CONNECTION_CLOSED and self._connection.command:
            return f"The command of the source {source} ended without an answer."
        reason = describe_mcp_error(error, self._refused)
        return f"The source {source} responded with an error: {reason}"

    def _read_stderr(self) -> str:
        text = ""
        if self._stderr is not None:
            text = self._stderr.text()
        if not text:
            return ""
        return f"\n\n{text}"


_CLIENT: Final = mcp_types.Implementation(name="Toolshelf", version="1")


def find_breach(result: Mapping[str, Any], version: str) -> str:
    """How the result of a call breaks the protocol of this version, as a sentence.

    "" if it does not.
    """
    try:
        validate_server_result("tools/call", version, result)
    except ValidationError as error:
        return f"{_describe_problem(error)}."
    except (KeyError, ValueError):  # a version that the SDK does not know
        return ""
    return ""


def _describe_problem(error: ValidationError) -> str:
    """The first problem of a message of the protocol, and where it is."""
    problem = error.errors(include_url=False, include_input=False)[0]
    location = "/".join(map(str, problem["loc"]))
    return f"{problem['msg']} (at {location})"


def read_response(result: Mapping[str, Any], *, has_null: bool = True) -> Any:
    """The response of a tool: its structured content, if it has any.

    Else the JSON in its text; else its content blocks, with files. A result that breaks the
    protocol is read as far as possible; one without content is the response itself.

    Args:
        result: of `tools/call`.
        has_null: whether structured content may be null; before 2026-07-28, null means that there
            is none.

    Raises:
        ToolError: the tool failed, or asks for input.
    """
    if is_input_required(result):
        raise ToolError(
            "The tool asks its caller for more input (elicitation or sampling), "
            "which a run cannot give."
        )
    content = result.get("content")
    blocks: list[Any] = []
    if isinstance(content, list):
        blocks = list(map(_drop_nulls, content))
    if result.get("isError"):
        raise ToolError(_write_error(result, blocks))
    structured = result.get("structuredContent")
    if structured is not None or (has_null and "structuredContent" in result):
        _log_other_content(blocks)
        return structured
    if content is None:
        return dict(result)
    if not isinstance(content, list):
        return content
    if len(blocks) == 1 and _is_text(blocks[0]):
        with suppress(ValueError, RecursionError):
            return json.loads(blocks[0]["text"])
    return [*map(_open_file, blocks[:MAX_FILES]), *blocks[MAX_FILES:]]


def _log_other_content(blocks: list[Any]) -> None:
    types = [block_type for block_type in map(_type_of, blocks) if block_type != "text"]
    if types:
        log(
            "The result also has content that is not part of its structured content: "
            f"{', '.join(types)}."
        )


def _drop_nulls(block: Any) -> Any:
    """A content block without absent members, which some servers send as null."""
    if not isinstance(block, dict):
        return block
    return {name: value for name, value in block.items() if value is not None}


def _type_of(block: Any) -> str:
    if not isinstance(block, dict):
        return "invalid"
    return str(block.get("type"))


def _is_text(block: Any) -> bool:
    return _type_of(block) == "text" and isinstance(block.get("text"), str)


def _open_file(block: Any) -> Any:
    """A content block, with a file instead of its Base64.

    The block itself if it breaks the protocol.
    """
    try:
        return _replace_file(block)
    except (AttributeError, KeyError, TypeError, ValueError):
        return block


def _replace_file(block: Any) -> Any:
    if block["type"] in {"image", "audio"}:
        return {**block, "data": file_in_base64(block["data"], media_type=block["mimeType"])}
    if block["type"] != "resource" or "blob" not in block["resource"]:
        return block
    resource = block["resource"]
    name = unquote(urlsplit(resource["uri"]).path.rpartition("/")[2])
    file = file_in_base64(resource["blob"], media_type=resource.get("mimeType", ""), name=name)
    return {**block, "resource": {**resource, "blob": file}}


def _write_error(result: Mapping[str, Any], blocks: list[Any]) -> str:
    texts = []
    for block in blocks:
        texts.append(block["text"] if _is_text(block) else f"[{_type_of(block)}]")
    if not texts and result.get("structuredContent") is not None:
        texts = [json.dumps(result["structuredContent"], ensure_ascii=False)]
    return "\n".join(texts) or "The tool failed without an error message."


def find_changes(
    definition: JSON,
    approved: Mapping[str, Any],
    *,
    max_spec_bytes: int,
) -> tuple[Change, ...] | None:
    """The changes from the approved spec to the tool that the source lists.

    None if that is not a valid tool. Both went through the same import, which repairs schemas.
    """
    try:
        document = reader.parse(json.dumps({"tools": [definition]}))
        imported = import_document(document, max_spec_bytes=max_spec_bytes).specs
    except (DocumentError, NotKnown):
        return None
    if len(imported) != 1 or imported[0].spec is None:
        return None
    return compare(stored_spec(reader.dumps(dict(approved))), imported[0].spec).changes


async def _find_tool(client: Client, wanted: str) -> JSON:
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


async def _report(
    progress: float,
    total: float | None,
    message: str | None,
) -> None:
    tool_api.progress(progress, total, message or "")


async def _log_message(params: mcp_types.LoggingMessageNotificationParams) -> None:
    text = params.data
    if not isinstance(text, str):
        text = json.dumps(text, ensure_ascii=False)
    log(f"[{params.level}] {text}")


def _find_first(error: BaseException) -> BaseException:
    """The first error in a group of errors."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
