"""Watching one run: what it says and prints goes to the server, bounded and unread, until it ends or has to."""

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

from playground.worker.protocol import (
    BEGUN,
    CLOCK,
    ERROR,
    HEADER,
    KILL,
    MAX_PROGRESS_BYTES,
    PROGRESS,
    RESPONSE,
    RESULT,
    TAKEN,
    TYPED,
    frame,
)

Why = Literal["answered", "exited", "deadline", "killed", "garbled", "closed", "memory"]

_COUNT: Final = struct.Struct("i")
_NO_COUNT: Final = bytes(_COUNT.size)
_DRAINED_AT_ONCE: Final = 1 << 20
_HELD_MS: Final = 2
_LOOKS_EVERY_S: Final = 0.1
_REPORTS_PER_S: Final = 20.0
_REPORTS_BURST: Final = 40.0


@dataclass
class _Output:
    """One of stdout and stderr: how much of it was passed on, and how much was not."""

    kind: bytes
    room: int
    dropped: int = 0


@dataclass
class _Speech:
    """What the run says on its pipe: where in its frames it is."""

    header: bytes = b""
    kind: bytes = b""
    left: int = 0  # of the content of this frame
    passed_on: bool = True
    allowance: float = _REPORTS_BURST  # reports of progress that are still passed on
    counted_at: float = field(default_factory=time.monotonic)


class Watch:
    """From the start of a run to the moment when it has to end.

    What is small, and no secret, is held back for a moment, and so is an answer that waits whole in its pipe: a short
    run then takes few messages.
    """

    def __init__(
        self,
        server: socket.socket,
        *,
        result: int,
        outputs: dict[int, bytes],
        pidfd: int,
        nowhere: int,
        limits: dict[str, int],
    ) -> None:
        """Watch a run that speaks on `result` and prints to the pipes `outputs`: {descriptor: STDOUT or STDERR}."""
        self._server = server
        self._result = result
        self._pidfd = pidfd
        self._nowhere = nowhere
        self._outputs = {pipe: _Output(kind, limits["output_bytes"]) for pipe, kind in outputs.items()}
        self._speech = _Speech()
        self._held = bytearray()
        self._answered = False
        self._longest = {
            TAKEN: 0,
            TYPED: 0,
            BEGUN: CLOCK.size,
            PROGRESS: MAX_PROGRESS_BYTES,
            RESPONSE: limits["response_bytes"],
            ERROR: 4 * limits["error_characters"],
        }
        self._poll = select.poll()
        for descriptor in (result, *outputs, pidfd):
            self._poll.register(descriptor, select.POLLIN)

    @property
    def dropped(self) -> list[int]:
        """Bytes of stdout and of stderr that were not passed on."""
        return [output.dropped for output in self._outputs.values()]

    @property
    def job_taken(self) -> bool:
        """Whether the run has read its job."""
        return TAKEN not in self._longest

    def until_it_ends(self, deadline: float, takes_too_much: Callable[[], bool]) -> Why:
        """Pass on what comes, until there is an answer, the process has ended, or `deadline` (monotonic) is over.

        Now and then it is asked whether the run `takes_too_much` memory.
        """
        look_at = time.monotonic() + _LOOKS_EVERY_S
        while (now := time.monotonic()) < deadline:
            if now >= look_at:
                if takes_too_much():
                    return "memory"
                look_at = time.monotonic() + _LOOKS_EVERY_S
            wait_ms = math.ceil((min(deadline, look_at) - now) * 1000)
            ready = {descriptor for descriptor, _ in self._poll.poll(min(wait_ms, _HELD_MS) if self._held else wait_ms)}
            if not ready:
                self._send_held()
            for pipe in self._outputs.keys() & ready:
                if not self._pass_on_output(pipe):
                    self._poll.unregister(pipe)  # nobody writes to it any more
            if self._result in ready:
                if not _waiting(self._result):
                    self._poll.unregister(self._result)  # the tool has closed it
                if why := self._listen():
                    return why
            if self._server.fileno() in ready:
                return self._hear_server()
            if self._pidfd in ready:
                return self._listen() or "exited"
        return "deadline"

    def drain(self) -> None:
        """Pass on what is left in the pipes when nobody writes to them any more."""
        for pipe in self._outputs:
            while self._pass_on_output(pipe):
                pass
        if self._answered and self._speech.left:
            self._pass_on(RESULT, self._result, self._speech.left)
        self._send_held()

    def _pass_on_output(self, pipe: int) -> bool:
        """Pass on what waits in `pipe`, as far as there is room for it; whether there was anything."""
        waiting = _waiting(pipe)
        if not waiting:
            return False
        output = self._outputs[pipe]
        if output.room:
            kept = min(waiting, output.room)
            self._pass_on(output.kind, pipe, kept)
            output.room -= kept
        else:
            output.dropped += os.splice(pipe, self._nowhere, _DRAINED_AT_ONCE)
        return True

    def _send_held(self) -> None:
        if self._held:
            self._server.sendall(self._held)
            self._held.clear()

    def _listen(self) -> Why | None:
        """Pass on what the run says; "answered" when it has said all."""
        while waiting := _waiting(self._result):
            speech = self._speech
            if speech.left and speech.kind in {RESPONSE, ERROR} and waiting >= speech.left:
                self._answered = True
                return "answered"
            if speech.left and speech.kind == BEGUN:
                piece = os.read(self._result, speech.left)
                self._held += frame(RESULT, piece)
                speech.left -= len(piece)
            elif speech.left:
                size = min(waiting, speech.left)
                if speech.passed_on:
                    self._pass_on(RESULT, self._result, size)
                else:
                    os.splice(self._result, self._nowhere, size)
                speech.left -= size
            else:
                speech.header += os.read(self._result, HEADER.size - len(speech.header))
                if len(speech.header) < HEADER.size:
                    continue
                if not self._begin_frame():
                    return "garbled"
            if not speech.left and self._end_frame() in {RESPONSE, ERROR}:
                return "answered"
        return None

    def _begin_frame(self) -> bool:
        """Read the frame's header, and pass it on; False when it is none, or longer than it may be."""
        speech = self._speech
        speech.kind, speech.left = HEADER.unpack(speech.header)
        if speech.left > self._longest.get(speech.kind, -1):
            return False
        if speech.kind in {TAKEN, BEGUN, TYPED}:
            del self._longest[speech.kind]  # each is said once
        speech.passed_on = speech.kind != PROGRESS or self._may_report()
        if speech.passed_on:
            self._held += frame(RESULT, speech.header)
        speech.header = b""
        return True

    def _end_frame(self) -> bytes:
        """What kind of frame has ended."""
        if self._speech.kind == TAKEN:
            self._poll.register(self._server, select.POLLIN)  # what comes now is no longer for the run
        return self._speech.kind

    def _may_report(self) -> bool:
        """Whether one more report of progress is passed on: so many per second."""
        speech, now = self._speech, time.monotonic()
        speech.allowance = min(_REPORTS_BURST, speech.allowance + _REPORTS_PER_S * (now - speech.counted_at))
        speech.counted_at = now
        if speech.allowance < 1:
            return False
        speech.allowance -= 1
        return True

    def _hear_server(self) -> Why:
        """What the server wants: to end the run, or nothing any more because it is gone."""
        header = self._server.recv(HEADER.size, socket.MSG_WAITALL)
        return "killed" if header[:1] == KILL else "closed"

    def _pass_on(self, kind: bytes, pipe: int, size: int) -> None:
        """Send `size` bytes of `pipe` to the server, from kernel to kernel."""
        self._held += HEADER.pack(kind, size)
        self._send_held()
        while size:
            size -= os.splice(pipe, self._server.fileno(), size)


def _waiting(pipe: int) -> int:
    """How many bytes can be read from `pipe` at once."""
    count: int = _COUNT.unpack(fcntl.ioctl(pipe, termios.FIONREAD, _NO_COUNT))[0]
    return count
