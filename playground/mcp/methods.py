"""The methods of the MCP server, for one request: a result, or a run to wait for."""

from __future__ import annotations

from typing import Final

from catalog.search.catalog_search import visitors_see
from playground.mcp import calls
from playground.mcp.calls import Caller, NotStarted
from playground.mcp.param_headers import check_param_headers
from playground.mcp.protocol import (
    LEGACY_VERSIONS,
    MODERN_VERSIONS,
    Message,
    check_params,
    method_not_found,
    with_arguments,
)
from playground.mcp.results import Result, error_result
from playground.mcp.streams import PendingCall
from playground.mcp.toolsets import Call, Toolset, result_text, server_info
from playground.runs import waiting_room
from toolshelf_core.errors import Busy, NotAllowed
from toolspec.text.reader import dumps

LIST_FRESH_MS: Final = 60_000  # clients may use a list of tools for this long
DISCOVER_FRESH_MS: Final = 3_600_000
FULL: Final = (
    "Toolshelf is busy: too many calls are waiting for their results. Try again in a few seconds."
)


def dispatch(
    message: Message, toolset: Toolset, caller: Caller, headers: dict[str, str], site: str
) -> str | PendingCall:
    """The result of a request as JSON text, or the call that it has begun.

    Args:
        message: a request, not a notification.
        toolset: the tools of the address.
        caller: who sends it; authentication has checked that the token has the scope that the
            request needs.
        headers: of the request, with names in lower case.
        site: the URL of the site, as the client wrote it: "https://tools.example.org".

    Raises:
        ProtocolError: there is no such method or tool, or the parameters are wrong.
    """
    if message.method == "initialize" and not message.is_modern:
        return _initialize(message, toolset)
    if message.method not in ("ping", "server/discover", "tools/list", "tools/call"):
        raise method_not_found(message)
    message = with_arguments(message)
    check_params(message)
    if message.method == "ping":
        return "{}"
    if message.method == "server/discover":
        return _discover(message, toolset)
    if message.method == "tools/list":
        return _list_tools(message, toolset)
    return _call(message, toolset, caller, headers, site)


def negotiated_version(message: Message) -> str:
    """The legacy version for a new session: the requested one if it is known, else the latest."""
    version = message.params.get("protocolVersion")
    if isinstance(version, str) and version in LEGACY_VERSIONS:
        return version
    return LEGACY_VERSIONS[-1]


def _initialize(message: Message, toolset: Toolset) -> str:
    version = negotiated_version(message)
    check_params(Message(message.method, version, message.id, message.params))
    return dumps(
        {
            "protocolVersion": version,
            "capabilities": {"tools": {}},
            "serverInfo": server_info(toolset),
            "instructions": toolset.instructions,
        }
    )


def _discover(message: Message, toolset: Toolset) -> str:
    result: Result = {
        "supportedVersions": [*MODERN_VERSIONS],
        "capabilities": {"tools": {}},
        "instructions": toolset.instructions,
        "ttlMs": DISCOVER_FRESH_MS,
        "cacheScope": _cache_scope(),
    }
    return result_text(result, message, toolset)


def _cache_scope() -> str:
    return "public" if visitors_see().is_complete else "private"


def _list_tools(message: Message, toolset: Toolset) -> str:
    cursor = message.params.get("cursor")
    page = toolset.page(cursor if isinstance(cursor, str) else None, message)
    result: Result = {}
    if page.next_cursor:
        result["nextCursor"] = page.next_cursor
    if page.not_listed:
        result["_meta"] = {"toolshelf/not-listed": [*page.not_listed]}
    if message.is_modern:
        result |= {"ttlMs": LIST_FRESH_MS, "cacheScope": _cache_scope()}
    other_members = result_text(result, message, toolset)[1:]
    separator = "" if other_members == "}" else ", "
    return f'{{"tools": [{", ".join(page.tools)}]{separator}{other_members}'


def _call(
    message: Message, toolset: Toolset, caller: Caller, headers: dict[str, str], site: str
) -> str | PendingCall:
    name = str(message.params["name"])
    arguments = message.params.get("arguments")
    if arguments is None:
        arguments = {}
    call = toolset.call(name, arguments, message)
    if not isinstance(call, Call):
        return result_text(call, message, toolset)
    if message.is_modern and call.served:
        check_param_headers(call.served.document["inputSchema"], arguments, headers)
    owner = str(caller.user.pk or "")  # as `Run.owner`
    if not waiting_room.enter(owner):
        return result_text(error_result(FULL), message, toolset)
    try:
        assert message.id is not None  # noqa: S101 - for mypy: it is a request
        run = calls.start(call, caller, message.id)
        return PendingCall(run, message, toolset, call.served, site)
    except (NotStarted, NotAllowed, Busy) as refusal:
        waiting_room.leave(owner)
        text = str(refusal)
        if isinstance(refusal, Busy):
            text = f"{text} Try again in {refusal.retry_after_s} s."
        return result_text(error_result(text), message, toolset)
    except BaseException:
        waiting_room.leave(owner)
        raise
