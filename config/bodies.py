"""Request bodies, read whole and within a time before the site sees the request.

The server hands a body over as it arrives, and whoever reads it waits in one of the server's few threads. So that slow
clients never hold all of them, only half of the threads may be reading at once, and a body that trickles is cut off.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from http import HTTPStatus
from tempfile import SpooledTemporaryFile
from typing import IO, Any

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

MEMORY_BYTES = 1024 * 1024  # a longer body waits in a file
CHUNK_BYTES = 64 * 1024
BRISK_S = 0.1  # a read that took longer is followed by a shorter one, so that the deadline is seen in time


class SlowBody(Exception):
    """The body did not arrive within its time."""


class CutBody(Exception):
    """The connection ended before the body did."""


class WholeBodies:
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
        self.max_bytes = max_bytes
        self.patience_s = patience_s

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        length = environ.get("CONTENT_LENGTH") or "0"
        if not (length.isascii() and length.isdecimal()) or not 0 < int(length[:20]) <= self.max_bytes:
            return self.application(environ, start_response)
        if not self.readers.acquire(timeout=1):
            return refuse(start_response, 503, "Too many uploads are arriving at once. Try again shortly.")
        try:
            body = read_whole(
                environ["wsgi.input"], int(length), deadline=time.monotonic() + self.time_for(int(length))
            )
        except SlowBody:
            return refuse(start_response, 408, "The request's body did not arrive in time.")
        except CutBody:
            return refuse(start_response, 400, "The request's body is shorter than its Content-Length.")
        finally:
            self.readers.release()
        environ["wsgi.input"] = body
        return self.application(environ, start_response)

    def time_for(self, length: int) -> float:
        return self.patience_s + length / (64 * 1024)


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


def refuse(start_response: StartResponse, status: int, detail: str) -> Iterable[bytes]:
    text = f"{detail}\n".encode()
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(text))),
        ("Connection", "close"),
        ("Retry-After", "5"),
    ]
    start_response(f"{status} {HTTPStatus(status).phrase}", headers)
    return [text]
