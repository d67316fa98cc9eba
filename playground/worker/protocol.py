"""Frames: how a server, a keeper and a run speak over sockets and pipes.

A frame is one byte that says what it is, the length of its content (4 bytes, big-endian), and the content.

    server -> keeper    LIMITS, JOB, and later perhaps KILL
    run -> keeper       TAKEN, BEGUN, PROGRESS…, perhaps TYPED, then RESPONSE or ERROR
    keeper -> server    ACCEPTED, STDOUT…, STDERR…, RESULT… (what the run said, in pieces, as it was), then END
    parent -> server    UNUSABLE, instead of a keeper; DESCRIPTION, when that is all that was asked
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

HEADER: Final = struct.Struct(">cI")
CLOCK: Final = struct.Struct(">d")

LIMITS: Final = b"L"  # JSON: what the keeper needs to know of the next run
JOB: Final = b"J"  # JSON: what only the run itself reads
KILL: Final = b"K"  # empty: end the run

TAKEN: Final = b"A"  # empty: the job has been read
BEGUN: Final = b"B"  # CLOCK: when the call began, by the monotonic clock
TYPED: Final = b"T"  # empty: the tool names types, so its parent does well to know them in advance
PROGRESS: Final = b"P"  # JSON: [done, total, message]
RESPONSE: Final = b"R"  # JSON: the response
ERROR: Final = b"E"  # text: why there is no response

ACCEPTED: Final = b"C"  # empty: the run's process is about to be made
STDOUT: Final = b"1"  # bytes
STDERR: Final = b"2"  # bytes
RESULT: Final = b"D"  # bytes: a piece of the run's frames
END: Final = b"X"  # JSON: how the run's processes ended
DESCRIPTION: Final = b"I"  # JSON: what importing a factory showed
UNUSABLE: Final = b"U"  # text: why the factory cannot be used; then the socket is closed

MAX_PROGRESS_BYTES: Final = 2048


def frame(kind: bytes, content: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(content)) + content


class FrameBuffer:
    """Bytes as they arrive, cut into frames."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[tuple[bytes, bytes]]:
        """The frames that `data` completes."""
        self._bytes += data
        while len(self._bytes) >= HEADER.size:
            kind, length = HEADER.unpack_from(self._bytes)
            end = HEADER.size + length
            if end > len(self._bytes):
                return
            content = bytes(self._bytes[HEADER.size : end])
            del self._bytes[:end]
            yield kind, content
