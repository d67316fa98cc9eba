"""Relay one run's result and output to the server, bounded and unread.

It ends when the run ends or has to be ended.
"""

from __future__ import annotations

import fcntl
import math
import os
import select
import socket
import struct
import termios
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from playground.runner.worker.protocol import (
    BEGUN,
    CLOCK,
    CUT,
    ERROR,
    FILE,
    FILE_HEADROOM_BYTES,
    HEADER,
    HTTP_STATUS,
    JOB_READ,
    KILL,
    LAST,
    MAX_PROGRESS_BYTES,
    PROGRESS,
    RESPONSE,
    RESULT,
    STATUS,
    frame,
)
from toolshelf_tools.files import MAX_FILES

Why = Literal["answered", "exited", "deadline", "killed", "garbled", "closed", "memory"]

_COUNT: Final = struct.Struct("i")
_NO_COUNT: Final = bytes(_COUNT.size)
_DRAIN_BYTES: Final = 1 << 20
_HELD_MS: Final = 2
_MEMORY_CHECK_S: Final = 0.1
_REPORTS_PER_S: Final = 20.0
_REPORTS_BURST: Final = 40.0


@dataclass
class _Output:
    """stdout or stderr: how much more of it may be relayed, and how much was dropped."""

    kind: bytes
    room: int
    dropped: int = 0


@dataclass
class _FrameReader:
    """The position within the frames on the run's result pipe."""

    header: bytes = b""
    kind: bytes = b""
    left: int = 0  # of the content of this frame
    relayed: bool = True
    allowance: float = _REPORTS_BURST  # progress reports that may still be relayed
    counted_at: float = field(default_factory=time.monotonic)


class Relay:
    """The relay between one run and the server, from the start of the run until it has to end.

    Small frames without secrets are held back for a moment, and so is a response that is already
    complete in the pipe. A short run then takes few messages.
    """

    def __init__(
        self,
        server: socket.socket,
        *,
        result: int,
        outputs: dict[int, bytes],
        pidfd: int,
        devnull: int,
        limits: dict[str, int],
    ) -> None:
        """Relay the frames on `result` and the pipes `outputs`, {descriptor: STDOUT or STDERR}."""
        self._server = server
        self._result = result
        self._pidfd = pidfd
        self._nowhere = devnull
        self._outputs = {
            pipe: _Output(kind, limits["output_bytes"]) for pipe, kind in outputs.items()
        }
        self._reader = _FrameReader()
        self._held = bytearray()
        self._answered = False
        self._max_lengths = {
            JOB_READ: 0,
            BEGUN: CLOCK.size,
            STATUS: HTTP_STATUS.size,
            PROGRESS: MAX_PROGRESS_BYTES,
            FILE: limits["attached_bytes"]
            + (MAX_FILES + 1) * FILE_HEADROOM_BYTES,  # all of them together
            RESPONSE: CLOCK.size + limits["response_bytes"],
            CUT: CLOCK.size + limits["response_bytes"],
            ERROR: CLOCK.size + 4 * limits["error_characters"],
        }
        self._poll = select.poll()
        for descriptor in (result, *outputs, pidfd):
            self._poll.register(descriptor, select.POLLIN)

    @property
    def dropped(self) -> list[int]:
        """Bytes of stdout and of stderr that were not relayed."""
        return [output.dropped for output in self._outputs.values()]

    @property
    def job_read(self) -> bool:
        """Whether the run has read its job."""
        return JOB_READ not in self._max_lengths

    def relay_until_end(self, deadline: float, exceeds_memory: Callable[[], bool]) -> Why:
        """Relay until the run has responded or exited, the server has sent something, or a limit.

        Args:
            deadline: monotonic.
            exceeds_memory: called every `_MEMORY_CHECK_S`.

        Returns:
            Which of these it was.
        """
        memory_check_at = time.monotonic() + _MEMORY_CHECK_S
        while (now := time.monotonic()) < deadline:
            if now >= memory_check_at:
                if exceeds_memory():
                    return "memory"
                memory_check_at = time.monotonic() + _MEMORY_CHECK_S
            ready = self._wait(min(deadline, memory_check_at) - now)
            if not ready:
                self._send_held()
            for pipe in self._outputs.keys() & ready:
                if not self._relay_output(pipe):
                    self._poll.unregister(pipe)  # no process writes to it now
            if self._result in ready:
                if not _waiting(self._result):
                    self._poll.unregister(self._result)  # the tool has closed it
                if why := self._relay_result():
                    return why
            if self._server.fileno() in ready:
                return self._read_server()
            if self._pidfd in ready:
                return self._relay_result() or "exited"
        return "deadline"

    def _wait(self, wait_s: float) -> set[int]:
        """The descriptors that can be read; none after `wait_s` seconds, which is not negative."""
        wait_ms = math.ceil(wait_s * 1000)
        if self._held:  # held frames are sent after `_HELD_MS` without new ones
            wait_ms = min(wait_ms, _HELD_MS)
        return {descriptor for descriptor, _ in self._poll.poll(wait_ms)}

    def drain(self) -> None:
        """Relay the rest of the pipes, once no process writes to them any more."""
        for pipe in self._outputs:
            while self._relay_output(pipe):
                pass
        if self._answered and self._reader.left:
            self._relay(RESULT, self._result, self._reader.left)
        self._send_held()

    def _relay_output(self, pipe: int) -> bool:
        """Relay or drop what can be read from `pipe`; whether there was anything."""
        waiting = _waiting(pipe)
        if not waiting:
            return False
        output = self._outputs[pipe]
        if output.room:
            size = min(waiting, output.room)
            self._relay(output.kind, pipe, size)
            output.room -= size
        else:
            output.dropped += os.splice(pipe, self._nowhere, _DRAIN_BYTES)
        return True

    def _send_held(self) -> None:
        if self._held:
            self._server.sendall(self._held)
            self._held.clear()

    def _relay_result(self) -> Why | None:
        """Relay the run's frames; "answered" once its last frame is complete."""
        while waiting := _waiting(self._result):
            reader = self._reader
            if reader.left and reader.kind in LAST and waiting >= reader.left:
                self._answered = True
                return "answered"
            if reader.left and reader.kind == BEGUN:
                piece = os.read(self._result, reader.left)
                self._held += frame(RESULT, piece)
                reader.left -= len(piece)
            elif reader.left:
                size = min(waiting, reader.left)
                if reader.relayed:
                    self._relay(RESULT, self._result, size)
                else:
                    os.splice(self._result, self._nowhere, size)
                reader.left -= size
            else:
                reader.header += os.read(self._result, HEADER.size - len(reader.header))
                if len(reader.header) < HEADER.size:
                    continue
                if not self._begin_frame():
                    return "garbled"
            if not reader.left and self._end_frame() in LAST:
                return "answered"
        return None

    def _begin_frame(self) -> bool:
        """Relay a frame's header; False if it is invalid, or the frame is longer than allowed."""
        reader = self._reader
        reader.kind, reader.left = HEADER.unpack(reader.header)
        if reader.left > self._max_lengths.get(reader.kind, -1):
            return False
        if reader.kind in {JOB_READ, BEGUN, STATUS}:
            del self._max_lengths[reader.kind]  # each is sent only once
        if reader.kind == FILE:
            self._max_lengths[FILE] -= max(reader.left, FILE_HEADROOM_BYTES)
        reader.relayed = reader.kind != PROGRESS or self._allows_report()
        if reader.relayed:
            self._held += frame(RESULT, reader.header)
        reader.header = b""
        return True

    def _end_frame(self) -> bytes:
        """Finish a frame and return its kind."""
        if self._reader.kind == JOB_READ:
            # Later messages of the server are not for this run.
            self._poll.register(self._server, select.POLLIN)
        return self._reader.kind

    def _allows_report(self) -> bool:
        """Whether the rate limit allows one more progress report."""
        reader, now = self._reader, time.monotonic()
        reader.allowance = min(
            _REPORTS_BURST, reader.allowance + _REPORTS_PER_S * (now - reader.counted_at)
        )
        reader.counted_at = now
        if reader.allowance < 1:
            return False
        reader.allowance -= 1
        return True

    def _read_server(self) -> Why:
        """Read the server's message: KILL, or nothing because it has closed the socket."""
        header = self._server.recv(HEADER.size, socket.MSG_WAITALL)
        return "killed" if header[:1] == KILL else "closed"

    def _relay(self, kind: bytes, pipe: int, size: int) -> None:
        """Send `size` bytes of `pipe` to the server, from kernel to kernel."""
        self._held += HEADER.pack(kind, size)
        self._send_held()
        while size:
            size -= os.splice(pipe, self._server.fileno(), size)


def _waiting(pipe: int) -> int:
    """The number of bytes that can be read from `pipe`."""
    count: int = _COUNT.unpack(fcntl.ioctl(pipe, termios.FIONREAD, _NO_COUNT))[0]
    return count
