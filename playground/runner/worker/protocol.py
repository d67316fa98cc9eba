"""Frames: the protocol between server, run supervisor and run, over sockets and pipes.

A frame is one byte for its type, the length of its content (4 bytes, big-endian), and the content.

    server -> run supervisor    LIMITS, JOB, later possibly KILL
    run -> run supervisor       JOB_READ, BEGUN, PROGRESS…, STATUS?, FILE…, RESPONSE, CUT or ERROR
    run supervisor -> server    ACCEPTED, STDOUT…, STDERR…, RESULT… (the run's frames), then END
    zygote -> server            UNUSABLE, if there is no run supervisor
    describer -> server         DESCRIPTION, SPEC; or UNUSABLE
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

HEADER: Final = struct.Struct(">cI")
CLOCK: Final = struct.Struct(">d")
HTTP_STATUS: Final = struct.Struct(">H")

LIMITS: Final = b"L"  # JSON: the next run's limits, for the run supervisor
JOB: Final = b"J"  # JSON: the job, which only the run itself reads
KILL: Final = b"K"  # empty: end the run

JOB_READ: Final = b"A"  # empty: the job has been read
BEGUN: Final = b"B"  # CLOCK: monotonic time when the call began
PROGRESS: Final = b"P"  # JSON: [done, total, message]
STATUS: Final = (
    b"H"  # HTTP_STATUS: the status with which an API answered, from the tools of OpenAPI documents
)
# The last frame begins with CLOCK: the monotonic time when the call ended; 0.0 if the tool was not
# called. There is no separate frame for it, because processes that the tool has forked send the
# same frames, and may do so concurrently.
FILE: Final = b"F"  # `file_frames`: a file of the response
RESPONSE: Final = b"R"  # CLOCK, JSON: the response
CUT: Final = b"T"  # CLOCK, text: the beginning of a response that is too long
ERROR: Final = b"E"  # CLOCK, text: why there is no response

ACCEPTED: Final = b"C"  # empty: the run supervisor has read LIMITS and starts the run
STDOUT: Final = b"1"  # bytes
STDERR: Final = b"2"  # bytes
RESULT: Final = b"D"  # bytes: a chunk of the run's frames
END: Final = b"X"  # JSON: how the run's processes ended
DESCRIPTION: Final = b"I"  # JSON: `loader.describe_factory`
SPEC: Final = b"S"  # JSON: `loader.write_spec`
UNUSABLE: Final = b"U"  # text: why the factory cannot be used; then the socket is closed

LAST: Final = frozenset({RESPONSE, CUT, ERROR})

MAX_PROGRESS_BYTES: Final = 2048
FILE_HEADROOM_BYTES: Final = (
    4096  # what each FILE uses of the limit for all of them, besides its content
)


def frame(kind: bytes, content: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(content)) + content


class FrameBuffer:
    """Splits incoming bytes into frames."""

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
