"""MCP requests whose results are read as the server sent them, and the stderr of commands.

The SDK's own requests check a result as a whole: one bad tool fails a list of thousands, and a
result with one mistake is lost. Importing this module does not import the SDK, which takes long.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

from toolshelf_core.errors import OutgoingError

MAX_PAGES: Final = 1_000
MAX_STDERR_BYTES: Final = 2_000
INTERNAL_ERROR: Final = -32603  # of JSON-RPC
MAX_DATA_CHARACTERS: Final = 2_000
_BAD_RESPONSE: Final = "The server's response does not follow the protocol at"


class BadList(OutgoingError):
    """The server's list of tools cannot be used as a whole."""


async def send_request(
    session: Any, method: str, params: dict[str, Any], *, progress: Any = None
) -> dict[str, Any]:
    """Send a request in a `ClientSession` and return its result, unchecked.

    Args:
        session: of the SDK.
        method: "tools/call".
        params: of the request.
        progress: an asynchronous function of (progress, total, message).

    Raises:
        MCPError: the server responded with an error.
    """
    message: dict[str, Any] = {"method": method, "params": params}
    options: dict[str, Any] = {}
    session._stamp(message, options)
    if progress is not None:
        options["on_progress"] = progress
    result: dict[str, Any] = await session._dispatcher.send_raw_request(
        method, message["params"], options
    )
    return result


async def list_pages(session: Any, *, max_pages: int = MAX_PAGES) -> AsyncIterator[list[Any]]:
    """The tools that the server lists, page by page, as it sends them: they need not be valid.

    Raises:
        BadList: a page has no list, or the pages do not end.
    """
    cursors: set[str] = set()
    params: dict[str, Any] = {}
    while True:
        page = await send_request(session, "tools/list", params)
        tools, cursor = page.get("tools"), page.get("nextCursor")
        if not isinstance(tools, list):
            raise BadList(f"{_BAD_RESPONSE} tools: a list is expected.")
        yield tools
        if not cursor:
            return
        if not isinstance(cursor, str):
            raise BadList(f"{_BAD_RESPONSE} nextCursor: a string is expected.")
        if cursor in cursors or len(cursors) >= max_pages:
            raise BadList(
                "The server's list of tools does not end: its pages lead back to earlier ones."
            )
        cursors.add(cursor)
        params = {"cursor": cursor}


def describe_mcp_error(error: Any, status: str = "") -> str:
    """The message, the code and the data of an `MCPError`.

    Args:
        error: of the SDK.
        status: of an HTTP response with an error; "" if there was none.
    """
    code, data = error.error.code, error.error.data
    details = [f"code {code}", status]
    if status and code == INTERNAL_ERROR and data is None:
        details = [status]  # the SDK made up the code for the status
    text = f"{error.error.message} ({', '.join(filter(None, details))})"
    if data is None:
        return text
    return f"{text}\n{json.dumps(data, ensure_ascii=False)[:MAX_DATA_CHARACTERS]}"


class StderrTail:
    """The stderr of a command: passed on as it comes, and its end stored for an error message."""

    def __init__(self, forward: TextIO | None) -> None:
        reading, writing = os.pipe()
        self.file = os.fdopen(writing, "w")
        self._forward = forward
        self._tail = b""
        self._thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._thread.start()

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb", buffering=0) as pipe:
            while chunk := pipe.read(65_536):
                self._tail = (self._tail + chunk)[-MAX_STDERR_BYTES:]
                if self._forward is not None:
                    self._forward.buffer.write(chunk)
                    self._forward.flush()

    def text(self) -> str:
        """The end of what the command has written so far."""
        self._thread.join(0.2)
        return self._tail.decode(errors="replace").strip()


@contextmanager
def capture_stderr(*, forward: bool) -> Iterator[StderrTail]:
    """`forward`: write it to the stderr of this process, too."""
    tail = StderrTail(sys.stderr if forward else None)
    try:
        yield tail
    finally:
        tail.file.close()
        tail._thread.join(1)
