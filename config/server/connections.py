"""The write deadline: connections are closed if their client does not read the responses.

granian has no such limit and hands neither its sockets nor their ports to the application, so this
module looks at the process's own sockets from outside. The kernel counts, for each connection, the
bytes that wait and the bytes that the client has acknowledged.

The kernel has a deadline of its own, `TCP_USER_TIMEOUT`, which connections inherit from their
listener. That deadline is not enough, because a client that reads a little now and then restarts
it. It is needed when the server has already closed a connection and only the kernel still has
something to send.

Linux only; elsewhere there is no deadline.
"""

from __future__ import annotations

import fcntl
import os
import select
import socket
import stat
import struct
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolshelf_core.jobs import start_job

MIN_BYTES_PER_S: Final = 16 * 1024  # slower clients are disconnected once the deadline has passed
SCANS_PER_DEADLINE: Final = 20
MAX_INTERVAL_S: Final = 1.0

_DESCRIPTORS: Final = Path("/proc/self/fd")
_ABORT: Final = struct.pack("ii", 1, 0)  # SO_LINGER: closing discards unsent bytes
_TCP_INFO_BYTES: Final = 192
_ACKED_AT: Final = 120  # tcpi_bytes_acked of struct tcp_info, in linux/tcp.h


@dataclass(frozen=True, slots=True)
class Output:
    """The outgoing bytes of one connection, as the kernel counts them.

    Attributes:
        queued: bytes that the client has not acknowledged.
        acknowledged: bytes since the connection began.
        full: the kernel accepts no more at the moment, so the server may have unsent bytes, too.
    """

    queued: int
    acknowledged: int
    full: bool


class Connections:
    """The connections that this process has accepted.

    Args:
        deadline_s: how long the kernel tries to send to a client that reads nothing.
    """

    def __init__(self, *, deadline_s: float) -> None:
        self.deadline_s = deadline_s
        self._ports: set[int] = set()

    def count_blocked(self) -> int:
        """Count the clients that read so slowly that the server may hold a part of their response.

        0 if the kernel does not provide the numbers (see the module).
        """
        if sys.platform != "linux":
            return 0
        return sum(output.full for _, _, output in self.outputs())

    def outputs(self) -> Iterator[tuple[int, socket.socket, Output]]:
        """Each connection with its socket's unique number and its outgoing bytes."""
        for path in _DESCRIPTORS.iterdir():
            descriptor = int(path.name)
            # It has ended, or the kernel is too old to provide the numbers.
            with suppress(OSError, struct.error):
                status = os.fstat(descriptor)
                if not stat.S_ISSOCK(status.st_mode):
                    continue
                with _borrow(descriptor) as connection:
                    if self._is_accepted(connection):
                        yield status.st_ino, connection, measure_output(connection)

    def _is_accepted(self, connection: socket.socket) -> bool:
        """Whether a client opened it; others lead to the database or the broker."""
        is_internet = connection.family in {socket.AF_INET, socket.AF_INET6}
        if not is_internet or connection.type != socket.SOCK_STREAM:
            return False
        port = connection.getsockname()[1]
        if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            if port not in self._ports:
                connection.setsockopt(
                    socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(self.deadline_s * 1000)
                )
            self._ports.add(port)
            return False
        return port in self._ports


@contextmanager
def _borrow(descriptor: int) -> Iterator[socket.socket]:
    """Use the socket of a descriptor that belongs to the server; only the server closes it.

    A duplicate would be safer to use, but not to close: if the descriptor is one of SQLite's by
    then, closing any duplicate makes the process lose its locks on the database (fcntl(2), "Record
    locking").
    """
    connection = socket.socket(fileno=descriptor)
    try:
        yield connection
    finally:
        connection.detach()


def measure_output(connection: socket.socket) -> Output:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    (acknowledged,) = struct.unpack_from("Q", info, _ACKED_AT)
    (queued,) = struct.unpack("i", fcntl.ioctl(connection.fileno(), termios.TIOCOUTQ, b"\0" * 4))
    writable = select.poll()
    writable.register(connection, select.POLLOUT)
    return Output(queued, acknowledged, full=not writable.poll(0))


class WriteDeadline:
    """Closes connections whose client reads too slowly.

    Within each period of the deadline's length, the client must read everything, or
    `min_bytes_per_s` on average.
    """

    def __init__(
        self, connections: Connections, *, min_bytes_per_s: float = MIN_BYTES_PER_S
    ) -> None:
        self._connections = connections
        self._deadline_s = connections.deadline_s
        self._min_bytes = self._deadline_s * min_bytes_per_s
        # By connection: when its period began, and the bytes read by then.
        self._busy: dict[int, tuple[float, int]] = {}

    def start(self) -> None:
        """Check the connections from now on, until the process ends."""
        if sys.platform == "linux":
            every_s = min(MAX_INTERVAL_S, self._deadline_s / SCANS_PER_DEADLINE)
            start_job("write-deadline", lambda: self.scan(time.monotonic()), every_s=every_s)

    def scan(self, now: float) -> int:
        """Check every connection once, and close those past the deadline; return how many."""
        before, self._busy = self._busy, {}
        count = 0
        for number, connection, output in self._connections.outputs():
            if not output.queued:
                continue
            began, acknowledged = before.get(number, (now, output.acknowledged))
            if now - began >= self._deadline_s:
                if output.acknowledged - acknowledged < self._min_bytes:
                    abort(connection)
                    count += 1
                    continue
                began, acknowledged = now, output.acknowledged
            self._busy[number] = began, acknowledged
        return count


def abort(connection: socket.socket) -> None:
    """Close a connection and discard its unsent bytes; the server then releases the response."""
    with suppress(OSError):  # it has ended by itself
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
        connection.shutdown(socket.SHUT_RDWR)
