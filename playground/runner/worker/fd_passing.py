"""Receive messages with file descriptors over sockets that preserve message boundaries."""

from __future__ import annotations

import array
import socket
from typing import Final

MAX_MESSAGE_BYTES: Final = 1 << 16
NOTHING_MORE: Final[tuple[bytes, list[int]]] = (b"", [])  # the other end is closed
_MAX_DESCRIPTORS: Final = 4
_ANCILLARY_BYTES: Final = socket.CMSG_SPACE(_MAX_DESCRIPTORS * array.array("i").itemsize)


def receive(sender: socket.socket) -> tuple[bytes, list[int]] | None:
    """The next message and its descriptors, or `NOTHING_MORE`; None if there is no message yet.

    `socket.recv_fds` would block, because it ignores its `flags` (Python 3.11).
    """
    try:
        message, ancillary, _, _ = sender.recvmsg(
            MAX_MESSAGE_BYTES, _ANCILLARY_BYTES, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC
        )
    except BlockingIOError:
        return None
    except ConnectionResetError:  # the other end closed before it had read everything
        return NOTHING_MORE
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(data[: len(data) - len(data) % descriptors.itemsize])
    return message, list(descriptors)
