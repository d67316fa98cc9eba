"""Read a source: the program of a process that lives for one reading.

The job is JSON on stdin, the result JSON on stdout:

    {"kind", "address", "headers", "networks", "proxy", "seconds", "max_bytes", "max_tools"}
    {"title", "tools": [{"name", "text", "sha256"}]} of an MCP server: each definition as JSON, and
    its hash {"document"} of an OpenAPI document {"error": sentence}

A separate process, because importing the MCP client takes 1.8 s and 60 MB that the web processes
should not pay, and because a time or memory limit can end it whatever the server sends.
"""

from __future__ import annotations

import hashlib
import json
import resource
import shlex
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Final

from catalog.sources.redacting import without_credentials
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import AddressPolicy
from toolshelf_core.outgoing.budget import Budget
from toolshelf_core.outgoing.clients import Credentials, async_client, client, sentence
from toolshelf_core.outgoing.mcp_requests import capture_stderr, describe_mcp_error, list_pages

MAX_MEMORY_BYTES: Final = 1024**3
MAX_ERROR_CHARS: Final = 500
MAX_STDERR_CHARS: Final = 2_000  # of a command, after the error
_REFUSED_CREDENTIALS: Final = frozenset({401, 403})


class UnreadableSource(OutgoingError):
    """The server answers, but its answer cannot be used."""


def definition_sha256(definition: Any) -> str:
    """The hash of a definition as the server lists it, with all its members: in hex, independent of their order."""
    return hashlib.sha256(
        json.dumps(definition, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def main() -> None:
    job = json.load(sys.stdin)
    if (
        job["kind"] != "mcp-stdio"
    ):  # a command inherits the limit, and some reserve more than they use
        resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    sys.stdout.write(read(job))


def read(job: dict[str, Any]) -> str:
    """The result of a job, as JSON. Whatever goes wrong is the error in it."""
    budget = Budget(seconds=job["seconds"], max_bytes=job["max_bytes"])
    try:
        result = read_openapi(job, budget) if job["kind"] == "openapi" else read_mcp(job, budget)
        return json.dumps(result)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong is the result of this process
        message = without_credentials(explain(error, budget), job["headers"], job["address"])
        return json.dumps({"error": message[: MAX_ERROR_CHARS + MAX_STDERR_CHARS]})


def read_openapi(job: dict[str, Any], budget: Budget) -> dict[str, Any]:
    with client(_policy(job), budget, Credentials(job["address"], job["headers"])) as http:
        response = http.get(
            job["address"], headers={"Accept": "application/json, application/yaml, */*;q=0.1"}
        )
    if response.status_code != 200:
        raise UnreadableSource(_status_sentence(response.status_code))
    try:
        return {"document": response.content.decode("utf-8-sig")}
    except UnicodeDecodeError as error:
        raise UnreadableSource("The document is not text in UTF-8.") from error


def read_mcp(job: dict[str, Any], budget: Budget) -> dict[str, Any]:
    import anyio  # noqa: PLC0415 - reading an OpenAPI document needs neither

    return anyio.run(_read_mcp, job, budget)


async def _read_mcp(job: dict[str, Any], budget: Budget) -> dict[str, Any]:
    from anyio import fail_after  # noqa: PLC0415 - see above
    from mcp import Client, StdioServerParameters  # noqa: PLC0415
    from mcp.client.stdio import get_default_environment, stdio_client  # noqa: PLC0415
    from mcp.client.streamable_http import streamable_http_client  # noqa: PLC0415

    statuses: list[int] = []
    with fail_after(budget.seconds):
        try:
            if job["kind"] == "mcp-stdio":
                program, *arguments = shlex.split(job["address"])
                environment = {**get_default_environment(), **job["headers"]}
                server = StdioServerParameters(command=program, args=arguments, env=environment)
                with capture_stderr(forward=False) as tail:
                    try:
                        async with Client(stdio_client(server, errlog=tail.file)) as mcp:
                            return await _list(mcp, job["max_tools"])
                    except Exception as error:
                        raise UnreadableSource(
                            _command_sentence(error, budget, tail.text())
                        ) from error
            async with async_client(
                _policy(job), budget, Credentials(job["address"], job["headers"])
            ) as http:
                http.event_hooks = {"response": [_recorder(statuses)]}
                transport: AbstractAsyncContextManager[Any] = streamable_http_client(
                    job["address"], http_client=http, max_sse_event_size=budget.max_bytes
                )
                async with Client(transport) as mcp:
                    return await _list(mcp, job["max_tools"])
        except Exception as error:
            if statuses and statuses[-1] >= 400 and budget.error is None:
                raise UnreadableSource(_status_sentence(statuses[-1])) from error
            raise


async def _list(mcp: Any, max_tools: int) -> dict[str, Any]:
    """All tools as the server sends them: one that is not valid must not fail the others."""
    tools: list[Any] = []
    async for page in list_pages(mcp.session):
        tools += page
        if len(tools) > max_tools:
            raise UnreadableSource(
                f"The server lists more than the {max_tools:,} tools that are allowed."
            )
    info = mcp.session.server_info
    title = (
        " ".join(part for part in (info.title or info.name, info.version) if part) if info else ""
    )
    return {"title": title, "tools": [_entry(tool) for tool in tools]}


def _entry(tool: Any) -> dict[str, Any]:
    name = tool.get("name") if isinstance(tool, dict) else None
    return {"name": name, "text": json.dumps(tool), "sha256": definition_sha256(tool)}


def _command_sentence(error: Exception, budget: Budget, stderr: str) -> str:
    """Why a command could not be read, with what it wrote to stderr."""
    from mcp import MCPError  # noqa: PLC0415 - see above
    from mcp_types import CONNECTION_CLOSED  # noqa: PLC0415

    leaf = next(_leaves(error))
    is_closed = isinstance(leaf, MCPError) and leaf.error.code == CONNECTION_CLOSED
    sentence = (
        "The command ended without an answer."
        if is_closed
        else explain(error, budget)[:MAX_ERROR_CHARS]
    )
    return f"{sentence}\n\n{stderr}" if stderr else sentence


def explain(error: Exception, budget: Budget) -> str:
    """Why the source could not be read, in a sentence."""
    from httpx2 import HTTPError  # noqa: PLC0415 - only after a failure
    from pydantic import ValidationError  # noqa: PLC0415

    leaf = next(_leaves(error))
    if budget.error is not None or isinstance(leaf, OutgoingError | HTTPError):
        return sentence(leaf, budget)
    if isinstance(leaf, TimeoutError):
        return str(budget.expire())
    if isinstance(leaf, ValidationError):
        first = leaf.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"][:6]))
        return f"The server's response does not follow the protocol at {where or 'the top level'}: {first['msg']}."
    if isinstance(leaf, FileNotFoundError):
        return f"The command {leaf.filename!r} was not found."
    if isinstance(leaf, RecursionError):
        return "The server's response is nested too deeply."
    if isinstance(leaf, MemoryError):
        return "The server's response needs more memory than is allowed."
    if type(leaf).__name__ == "MCPError":  # its import takes long
        return f"The server responded with an error: {describe_mcp_error(leaf)}"
    return (
        f"The server did not respond as the protocol requires: {str(leaf) or type(leaf).__name__}"
    )


def _leaves(error: BaseException) -> Iterator[Exception]:
    """The single errors in a group, as task groups raise them; errors of the policy and of answers first."""
    if isinstance(error, BaseExceptionGroup):
        inner = [leaf for one in error.exceptions for leaf in _leaves(one)]
        yield from sorted(inner, key=lambda leaf: not isinstance(leaf, OutgoingError))
    elif isinstance(error, Exception):
        yield error


def _recorder(statuses: list[int]) -> Any:
    async def record(response: Any) -> None:
        statuses.append(response.status_code)

    return record


def _status_sentence(status: int) -> str:
    if status in _REFUSED_CREDENTIALS:
        return f"The server refused the request with status {status}. Check the credentials of the source."
    return f"The server responded with status {status}."


def _policy(job: dict[str, Any]) -> AddressPolicy:
    return AddressPolicy(tuple(job["networks"]), job["proxy"])


if __name__ == "__main__":
    main()
