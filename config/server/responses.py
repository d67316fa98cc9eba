"""Pass responses to the server in one piece, so that no client occupies a thread by reading slowly.

The server sends a complete body by itself. But it reads a body in parts from the thread that
produces it, at the pace of the client, so that as many idle clients as there are threads would stop
the site. A complete body occupies memory instead, until the client has read it. Large bodies are
therefore counted, and refused when there are too many. `config.server.connections` disconnects
clients that read one too slowly.

Only a body that is too long for memory is sent in parts, and few threads do that; and server-sent
events, whose view limits how many threads send them.

A response to a change is not refused, because the client would repeat the change. A client that
does not read such responses is refused before its next change.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from django.conf import settings
from django.http import parse_cookie

from config.server.slow_bodies import (
    Application,
    ClosingBody,
    Environ,
    StartResponse,
    close,
    refuse,
)

Headers = list[tuple[str, str]]

LARGE_BYTES: Final = 64 * 1024  # shorter bodies are not counted
MAX_WHOLE_BYTES: Final = 32 * 1024 * 1024  # longer ones are sent in parts
# A client that leaves a quarter of the bytes unread may change nothing more meanwhile.
SHARES: Final = 4
SETTLING_S: Final = 0.5  # until the kernel shows whether a client reads

_UNREAD: Final = (
    "Your client does not read the responses to its earlier requests. Read them, and try again."
)
_REFUSAL: Final = "Too many large responses are being sent at the moment. Try again shortly."


class UnreadResponses:
    """Counts the bytes of large responses that clients have not read yet.

    The server does not report when a body has been sent. But each blocked connection holds at most
    one body. So with n blocked connections, the unread bodies are at most the n largest ones, plus
    those passed on just now.

    Args:
        count_blocked: counts the connections for which the server may hold part of a body.
        max_bytes: of all bodies together.
    """

    def __init__(self, count_blocked: Callable[[], int], *, max_bytes: int) -> None:
        self._count_blocked = count_blocked
        self._max_bytes = max_bytes
        self._bodies: list[_Body] = []
        self._lock = threading.Lock()

    def admit(self, length: int, *, always: bool = False, credentials: str = "") -> bool:
        """Count one more body, unless there is no room for it. The first always has room.

        Args:
            length: in bytes.
            always: count the body even if there is no room.
            credentials: of the client, "" if it has none.
        """
        with self._lock:
            self._forget_read()
            total = length + sum(body.length for body in self._bodies)
            if self._bodies and total > self._max_bytes and not always:
                return False
            self._bodies.append(_Body(time.monotonic(), length, credentials))
            return True

    def is_reading(self, credentials: str) -> bool:
        """Whether the client with these credentials reads its responses and leaves room for others.

        The credentials have not been checked, so all clients together have a limit, too.
        """
        with self._lock:
            self._forget_read()
            total = sum(body.length for body in self._bodies)
            unread = sum(body.length for body in self._bodies if body.credentials == credentials)
            return unread < self._max_bytes // SHARES and total < self._max_bytes * SHARES

    def _forget_read(self) -> None:
        settled_at = time.monotonic() - SETTLING_S
        new = [body for body in self._bodies if body.passed_at > settled_at]
        old = [body for body in self._bodies if body.passed_at <= settled_at]
        old.sort(key=lambda body: body.length, reverse=True)
        self._bodies = new + old[: self._count_blocked()]


class _Body(NamedTuple):
    """A large body that may be unread: when it was passed to the server, and for whom."""

    passed_at: float
    length: int
    credentials: str


class WholeResponses:
    """Calls `application` and returns its response in one piece, or 503 if there is no room for it.

    Args:
        application: the WSGI application.
        unread: where large bodies are counted.
        senders: how many threads may send a body that is longer than `max_whole_bytes`, at the pace
            of its client.
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
        credentials = credentials_of(environ)
        is_change = may_change_something(environ, credentials)
        if is_change and not self._unread.is_reading(credentials):
            return refuse(environ, start_response, 503, _UNREAD)  # before anything is changed
        starts: list[tuple[str, Headers]] = []
        body = self._application(
            environ, lambda status, headers, _=None: starts.append((status, headers))
        )
        status, headers = starts[-1]
        if is_event_stream(headers):
            start_response(status, headers)
            return body
        try:
            rest = iter(body)
            parts: list[bytes] = []
            length = read_length(headers)
            if length is None:
                length = move_parts(rest, parts, at_most=self._max_whole_bytes)
            if length > self._max_whole_bytes:
                has_room = False
                if self._senders.acquire(blocking=is_change):
                    start_response(status, headers)
                    return ClosingBody(chain(parts, rest), self._senders.release, body)
            else:
                has_room = length < LARGE_BYTES or self._unread.admit(
                    length, always=is_change, credentials=credentials
                )
            if has_room:
                parts.extend(rest)
        except BaseException:
            close(body)
            raise
        close(body)
        if not has_room:
            return refuse(environ, start_response, 503, _REFUSAL)
        start_response(status, headers)
        return parts


def may_change_something(environ: Environ, credentials: str) -> bool:
    """Whether the request may change something, which a client would repeat after a 503."""
    return bool(credentials) and environ["REQUEST_METHOD"] not in {"GET", "HEAD", "OPTIONS"}


def credentials_of(environ: Environ) -> str:
    """The token of the client, else the cookie of its session, else ""."""
    token = str(environ.get("HTTP_AUTHORIZATION", ""))
    if token:
        return token.rpartition(" ")[2]
    cookies = parse_cookie(str(environ.get("HTTP_COOKIE", "")))
    return cookies.get(settings.SESSION_COOKIE_NAME, "")


def is_event_stream(headers: Headers) -> bool:
    """Whether the body consists of server-sent events, which the client needs as they happen."""
    return get_header(headers, "content-type").startswith("text/event-stream")


def read_length(headers: Headers) -> int | None:
    """The length of a body according to its header, so that a refused body is not even read."""
    length = get_header(headers, "content-length")
    return int(length) if length.isascii() and length.isdecimal() else None


def get_header(headers: Headers, lower_name: str) -> str:
    for name, value in headers:
        if name.lower() == lower_name:
            return value
    return ""


def move_parts(source: Iterator[bytes], parts: list[bytes], *, at_most: int) -> int:
    """Move parts of `source` to `parts` until they exceed `at_most` bytes; return their length."""
    length = 0
    for part in source:
        parts.append(part)
        length += len(part)
        if length > at_most:
            break
    return length
