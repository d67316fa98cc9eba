"""Request bodies, read whole and within a time before the site sees the request.

The server hands a body over as it arrives, and whoever reads it waits in one of the server's few threads. So that slow
clients never hold all of them, only half of the threads may be reading at once and a quarter wait to, and a body that
trickles is cut off.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

MEMORY_BYTES = 1024 * 1024  # a longer body waits in a file
CHUNK_BYTES = 64 * 1024
WAIT_S = 1  # for another body to have arrived
BRISK_S = 0.1  # how long a read usually takes; after a longer one comes a shorter one, so that the deadline is seen


class SlowBody(Exception):
    """The body did not arrive within its time."""


class CutBody(Exception):
    """The connection ended before the body did."""


class SlowBodyGuard:
    """Calls `application` with a body that has arrived; 408, 400 or 503 where it has not.

    Args:
        application: the WSGI application.
        readers: how many bodies may be arriving at once.
        max_bytes: longer ones are left unread, for the application to refuse.
        patience_s: how long a body may take, besides a second for every 64 KiB.
    """

    def __init__(self, application: Application, *, readers: int, max_bytes: int, patience_s: float = 20) -> None:
        self.application = application
        self.readers = threading.BoundedSemaphore(readers)
        self.waiters = threading.BoundedSemaphore(max(1, readers // 2))
        self.max_bytes = max_bytes
        self.patience_s = patience_s

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdecimal()) or not 0 < int(length[:20]) <= self.max_bytes:
            return self.application(environ, start_response)
        if not self.may_read():
            return refuse(environ, start_response, 503, "Too many uploads are arriving at once. Try again shortly.")
        try:
            body = read_whole(
                environ["wsgi.input"], int(length), deadline=time.monotonic() + self.time_for(int(length))
            )
        except SlowBody:
            return refuse(environ, start_response, 408, "The request's body did not arrive in time.")
        except CutBody:
            return refuse(environ, start_response, 400, "The request's body is shorter than its Content-Length.")
        finally:
            self.readers.release()
        environ["wsgi.input"] = body
        try:
            return Answer(self.application(environ, start_response), body)
        except BaseException:
            body.close()
            raise

    def may_read(self) -> bool:
        """Whether this thread may read a body now, or soon: only few wait, so that others go on answering."""
        if self.readers.acquire(timeout=BRISK_S):
            return True
        if not self.waiters.acquire(blocking=False):
            return False
        try:
            return self.readers.acquire(timeout=WAIT_S)
        finally:
            self.waiters.release()

    def time_for(self, length: int) -> float:
        return self.patience_s + length / (64 * 1024)


class Answer:
    """The parts of an answer, with the body of its request, which is closed when they have been sent."""

    def __init__(self, parts: Iterable[bytes], body: IO[bytes]) -> None:
        self.parts = parts
        self.body = body

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.parts)

    def close(self) -> None:
        self.body.close()
        if hasattr(self.parts, "close"):
            self.parts.close()


def read_whole(source: IO[bytes], length: int, *, deadline: float) -> IO[bytes]:
    """The `length` bytes of `source`, as a file at its start.

    Raises:
        SlowBody: `deadline` (of the monotonic clock) passed first.
        CutBody: `source` ended first.
    """
    body: IO[bytes] = SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 - the request closes it
    left, size = length, 1
    while left:
        started = time.monotonic()
        if started > deadline:
            body.close()
            raise SlowBody
        chunk = source.read(min(size, left))
        if not chunk:
            body.close()
            raise CutBody
        body.write(chunk)
        left -= len(chunk)
        brisk = time.monotonic() - started < BRISK_S
        size = min(size * 4, CHUNK_BYTES) if brisk else max(size // 16, 1)
    body.seek(0)
    return body


def refuse(environ: Environ, start_response: StartResponse, status: int, detail: str) -> Iterable[bytes]:
    """An answer in the shape of the API's errors where it was called, else plain text."""
    phrase = HTTPStatus(status).phrase
    kind, text = "text/plain; charset=utf-8", f"{detail}\n"
    if str(environ.get("PATH_INFO", "")).startswith("/api/"):
        kind = "application/problem+json"
        text = json.dumps({"type": "about:blank", "title": phrase, "status": status, "detail": detail})
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(text.encode())),
        "Connection": "close",
        "Retry-After": "5",
        "Cache-Control": "no-store",
        "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
    }
    start_response(f"{status} {phrase}", list(headers.items()))
    return [text.encode()]
