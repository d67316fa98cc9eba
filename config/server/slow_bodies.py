"""Read request bodies completely, and within a deadline, before the site handles the request.

The server passes a body on as it arrives, so reading it blocks one of the server's few threads. To
prevent slow clients from blocking all of them, at most half of the threads may read bodies
concurrently, another quarter may wait for that, and a body that arrives too slowly is refused.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from config.problem_json import ErrorForPrograms, error_for_programs

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

MEMORY_BYTES = 1024 * 1024  # a longer body is stored in a file
CHUNK_BYTES = 64 * 1024
WAIT_S = 1  # for a reading thread to finish
# A usual read takes less. After a slower one, smaller reads make sure that the deadline is checked.
SHORT_WAIT_S = 0.1


class SlowBody(Exception):
    """The body did not arrive before its deadline."""


class CutBody(Exception):
    """The connection ended before the body did."""


class SlowBodyGuard:
    """Calls `application` once the body has arrived; otherwise responds with 408, 400 or 503.

    Args:
        application: the WSGI application.
        readers: the number of bodies that may be read concurrently.
        max_bytes: longer bodies are not read; the application refuses them.
        timeout_s: the time for a body, plus a second for every 64 KiB.
    """

    def __init__(
        self, application: Application, *, readers: int, max_bytes: int, timeout_s: float = 20
    ) -> None:
        self.application = application
        self.readers = threading.BoundedSemaphore(readers)
        self.waiters = threading.BoundedSemaphore(max(1, readers // 2))
        self.max_bytes = max_bytes
        self.timeout_s = timeout_s

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        text = environ.get("CONTENT_LENGTH") or "0"
        is_number = text.isascii() and text.isdecimal() and len(text) <= 20
        length = int(text) if is_number else 0
        if not 0 < length <= self.max_bytes:
            return self.application(environ, start_response)
        if not self.acquire_reader():
            detail = "Too many uploads are being received. Try again shortly."
            return refuse(environ, start_response, 503, detail)
        deadline = time.monotonic() + self.timeout_s + length / (64 * 1024)
        try:
            body = read_body(environ["wsgi.input"], length, deadline=deadline)
        except SlowBody:
            detail = "The request's body did not arrive in time."
            return refuse(environ, start_response, 408, detail)
        except CutBody:
            detail = "The request's body is shorter than its Content-Length."
            return refuse(environ, start_response, 400, detail)
        finally:
            self.readers.release()
        environ["wsgi.input"] = body
        try:
            response = self.application(environ, start_response)
            return ClosingBody(response, body.close, response)
        except BaseException:
            body.close()
            raise

    def acquire_reader(self) -> bool:
        """Let this thread read a body, or return False; wait up to `WAIT_S` if few others wait."""
        if self.readers.acquire(timeout=SHORT_WAIT_S):
            return True
        if not self.waiters.acquire(blocking=False):
            return False
        try:
            return self.readers.acquire(timeout=WAIT_S)
        finally:
            self.waiters.release()


class ClosingBody:
    """The parts of a response. The first `close` calls `finish` and closes `body`, their source."""

    def __init__(
        self, parts: Iterable[bytes], finish: Callable[[], None], body: Iterable[bytes]
    ) -> None:
        self._parts = parts
        self._finish = finish
        self._body = body
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._parts)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._finish()
            close(self._body)


def close(body: Iterable[bytes]) -> None:
    if hasattr(body, "close"):
        body.close()


def read_body(source: IO[bytes], length: int, *, deadline: float) -> IO[bytes]:
    """Read the `length` bytes of `source` into a file, positioned at its start.

    Raises:
        SlowBody: the `deadline` (monotonic clock) passed first.
        CutBody: `source` ended first.
    """
    # The request closes it.
    body: IO[bytes] = SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115
    rest, size = length, 1
    while rest:
        began = time.monotonic()
        if began > deadline:
            body.close()
            raise SlowBody
        chunk = source.read(min(size, rest))
        if not chunk:
            body.close()
            raise CutBody
        body.write(chunk)
        rest -= len(chunk)
        was_fast = time.monotonic() - began < SHORT_WAIT_S
        size = min(size * 4, CHUNK_BYTES) if was_fast else max(size // 16, 1)
    body.seek(0)
    return body


def refuse(
    environ: Environ, start_response: StartResponse, status: int, detail: str
) -> Iterable[bytes]:
    """Send an error: in the API's format under /api/, JSON-RPC under /mcp, otherwise plain text."""
    phrase = HTTPStatus(status).phrase
    plain = ErrorForPrograms("text/plain; charset=utf-8", f"{detail}\n")
    error = error_for_programs(str(environ.get("PATH_INFO", "")), status, detail) or plain
    body = error.text.encode()
    headers = {
        "Content-Type": error.content_type,
        "Content-Length": str(len(body)),
        "Connection": "close",
        "Retry-After": "5",
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
    }
    start_response(f"{status} {phrase}", list(headers.items()))
    return [body]
