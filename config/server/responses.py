"""Pass responses to the server in one piece, so that no client occupies a thread by reading slowly.

The server sends a complete body by itself. But it reads a body in parts from the thread that produces it, at the pace
of the client, so that as many idle clients as there are threads would stop the site. A complete body occupies memory
instead, until the client has read it. Large bodies are therefore counted, and refused when there are too many.
`config.server.connections` disconnects clients that read one too slowly.

Only a body that is too long for memory is sent in parts, and few threads do that; and server-sent events, whose view
limits how many threads send them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from config.server.slow_bodies import Application, ClosingBody, Environ, StartResponse, close, refuse

Headers = list[tuple[str, str]]

LARGE_BYTES: Final = 64 * 1024  # shorter bodies are not counted
MAX_WHOLE_BYTES: Final = 32 * 1024 * 1024  # longer ones are sent in parts
SETTLING_S: Final = 0.5  # until the kernel shows whether a client reads

_REFUSAL: Final = "Too many large responses are being sent at the moment. Try again shortly."


class UnreadResponses:
    """Counts the bytes of large responses that clients have not read yet.

    The server does not report when a body has been sent. But each blocked connection holds at most one body. So with n
    blocked connections, the unread bodies are at most the n largest ones, plus those passed on just now.

    Args:
        blocked: returns for how many connections the server may currently hold part of a body.
        max_bytes: of all bodies together.
    """

    def __init__(self, blocked: Callable[[], int], *, max_bytes: int) -> None:
        self._blocked = blocked
        self._max_bytes = max_bytes
        self._bodies: list[tuple[float, int]] = []  # when each was handed over, and its length
        self._lock = threading.Lock()

    def admit(self, length: int, *, always: bool = False) -> bool:
        """Whether there is room for one more body of this length, which is then counted. The first always has room.

        Args:
            length: in bytes.
            always: count the body even if there is no room.
        """
        with self._lock:
            self._forget_read()
            if not always and self._bodies and sum(held for _, held in self._bodies) + length > self._max_bytes:
                return False
            self._bodies.append((time.monotonic(), length))
            return True

    def _forget_read(self) -> None:
        since = time.monotonic() - SETTLING_S
        new = [body for body in self._bodies if body[0] > since]
        old = sorted((body for body in self._bodies if body[0] <= since), key=lambda body: body[1], reverse=True)
        self._bodies = new + old[: self._blocked()]


class WholeResponses:
    """Calls `application` and returns its response in one piece, or 503 if there is no room for it.

    Args:
        application: the WSGI application.
        unread: where large bodies are counted.
        senders: how many threads may send a body that is longer than `max_whole_bytes`, at the pace of its client.
    """

    def __init__(
        self,
        application: Application,
        *,
        unread: UnreadResponses,
        senders: int,
        max_whole_bytes: int = MAX_WHOLE_BYTES,
    ) -> None:
        self._application = application
        self._unread = unread
        self._senders = threading.BoundedSemaphore(senders)
        self._max_whole_bytes = max_whole_bytes

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        changes = may_have_changed_something(environ)
        started: list[tuple[str, Headers]] = []
        body = self._application(environ, lambda status, headers, _=None: started.append((status, headers)))
        if is_event_stream(started[-1][1]):
            start_response(*started[-1])
            return body
        try:
            rest = iter(body)
            parts: list[bytes] = []
            length = declared_length(started[-1][1])
            if length is None:
                length = move_parts(rest, parts, at_most=self._max_whole_bytes)
            if length > self._max_whole_bytes:
                if self._senders.acquire(blocking=changes):
                    start_response(*started[-1])
                    return ClosingBody(chain(parts, rest), self._senders.release, body)
                refused = True
            else:
                refused = length >= LARGE_BYTES and not self._unread.admit(length, always=changes)
            if not refused:
                parts.extend(rest)
        except BaseException:
            close(body)
            raise
        close(body)
        if refused:
            return refuse(environ, start_response, 503, _REFUSAL)
        start_response(*started[-1])
        return parts


def may_have_changed_something(environ: Environ) -> bool:
    """Whether the request may have been carried out already, so that a 503 would make the client repeat it."""
    has_credentials = "HTTP_AUTHORIZATION" in environ or "HTTP_COOKIE" in environ
    return has_credentials and environ["REQUEST_METHOD"] not in {"GET", "HEAD", "OPTIONS"}


def is_event_stream(headers: Headers) -> bool:
    """Whether the body consists of server-sent events, which the client needs as they happen."""
    return any(name.lower() == "content-type" and value.startswith("text/event-stream") for name, value in headers)


def declared_length(headers: Headers) -> int | None:
    """The length of a body according to its header, so that a refused body is not even read."""
    for name, value in headers:
        if name.lower() == "content-length" and value.isascii() and value.isdecimal():
            return int(value)
    return None


def move_parts(source: Iterator[bytes], parts: list[bytes], *, at_most: int) -> int:
    """Move parts of `source` to `parts` until they exceed `at_most` bytes; returns their length in bytes."""
    length = 0
    for part in source:
        parts.append(part)
        length += len(part)
        if length > at_most:
            break
    return length
