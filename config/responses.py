"""Responses, handed to the server in one piece, so that no client holds a thread by reading slowly.

The server sends a whole body by itself, but takes a body that comes in parts from the thread that made it, at the pace
of the client: as many clients as there are threads, each reading nothing, would stop the site. A body that the server
has is memory instead, until the client has read it. Therefore large ones are counted, and refused where clients hold
too many already. `config.connections` ends those that hold one for too long.

Only a body that is too long for memory is sent in parts, and few threads do that.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final

from config.bodies import Application, Environ, StartResponse, refuse

Headers = list[tuple[str, str]]

LARGE_BYTES: Final = 64 * 1024  # shorter bodies are not counted
MAX_WHOLE_BYTES: Final = 32 * 1024 * 1024  # longer ones are sent in parts
SETTLING_S: Final = 0.5  # until the kernel shows whether a client takes what it gets

_REFUSAL: Final = "Too many large responses are being sent at the moment. Try again shortly."


class UnreadResponses:
    """Counts the bytes of large responses that clients have not read yet.

    The server does not say when a body has been sent. But each blocked connection holds one body at most, so that at
    any moment no more than the largest ones of that number are unread, and those that were handed over just now.

    Args:
        blocked: how many connections the server may hold a part of a body for, at this moment.
        max_bytes: of all bodies together.
    """

    def __init__(self, blocked: Callable[[], int], *, max_bytes: int) -> None:
        self._blocked = blocked
        self._max_bytes = max_bytes
        self._bodies: list[tuple[float, int]] = []  # when each was handed over, and its length
        self._lock = threading.Lock()

    def admit(self, length: int, *, always: bool = False) -> bool:
        """Whether there is room for one more of this length; it is counted then. One alone always has room.

        Args:
            length: in bytes.
            always: also where there is no room.
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
    """Calls `application` and gives its response in one piece; 503 where there is no room for it.

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
        try:
            rest = iter(body)
            parts: list[bytes] = []
            length = declared_length(started[-1][1])
            if length is None:
                length = move_parts(rest, parts, at_most=self._max_whole_bytes)
            if length > self._max_whole_bytes:
                if self._senders.acquire(blocking=changes):
                    start_response(*started[-1])
                    return BodyInParts(chain(parts, rest), body, self._senders)
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
    """Whether refusing the response would be wrong, because the request was carried out: a client would repeat it."""
    has_credentials = "HTTP_AUTHORIZATION" in environ or "HTTP_COOKIE" in environ
    return has_credentials and environ["REQUEST_METHOD"] not in {"GET", "HEAD", "OPTIONS"}


def declared_length(headers: Headers) -> int | None:
    """The length of a body by its header, so that one that is refused is not even read."""
    for name, value in headers:
        if name.lower() == "content-length" and value.isascii() and value.isdecimal():
            return int(value)
    return None


def move_parts(source: Iterator[bytes], parts: list[bytes], *, at_most: int) -> int:
    """Append the parts of `source` until they are more than `at_most` bytes; gives how many they are."""
    length = 0
    for part in source:
        parts.append(part)
        length += len(part)
        if length > at_most:
            break
    return length


class BodyInParts:
    """A body that is sent by the thread that made it, which gives its turn back when it is done."""

    def __init__(self, parts: Iterable[bytes], body: Iterable[bytes], turns: threading.Semaphore) -> None:
        self._parts = parts
        self._body = body
        self._turns = turns
        self._closed = False

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._parts)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._turns.release()
            close(self._body)


def close(body: Iterable[bytes]) -> None:
    if hasattr(body, "close"):
        body.close()
