"""The server's connection to a run supervisor, for one run at a time."""

from __future__ import annotations

import json
import socket
import time
from typing import Final

from playground.runner.engine.local_run import LocalRun
from playground.runner.worker.protocol import END, KILL, UNUSABLE, FrameBuffer, frame

_RECEIVE_BYTES: Final = 1 << 18


class SupervisorConnection:
    """The connection to one run supervisor. Used by the runner's thread only.

    Attributes:
        key: identifies the zygote that forked the supervisor.
        run: the current run, None while idle.
        unusable: why the factory cannot be used, if the supervisor or zygote reported that.
        idle_since, killed_at: monotonic clock; `killed_at` is 0.0 if the run was not killed.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        self.run: LocalRun | None = None
        self.unusable: str | None = None
        self.idle_since = time.monotonic()
        self.killed_at = 0.0
        self.socket, self.theirs = socket.socketpair()
        self.socket.setblocking(False)
        self._incoming = FrameBuffer()
        self._outgoing = bytearray()

    def fileno(self) -> int:
        return self.socket.fileno()

    @property
    def has_more_to_send(self) -> bool:
        return bool(self._outgoing)

    def start(self, run: LocalRun) -> None:
        self.run = run
        self._outgoing += run.request()
        self.send()

    def kill(self) -> None:
        """Ask the supervisor to end the run. The run must have read its job."""
        self._outgoing += frame(KILL)
        self.send()

    def send(self) -> None:
        """Send as much as the socket accepts.

        A supervisor that has ended is noticed by the next `receive`.
        """
        while self._outgoing:
            try:
                sent = self.socket.send(self._outgoing)
            except BlockingIOError:
                return
            except OSError:
                self._outgoing.clear()
                return
            del self._outgoing[:sent]

    def receive(self) -> bool:
        """Process the frames that have arrived; False if no more will arrive."""
        try:
            data = self.socket.recv(_RECEIVE_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            return False
        for kind, content in self._incoming.feed(data):
            if kind == UNUSABLE:
                self.unusable = content.decode(errors="replace")
            elif self.run is None:
                return False  # no run was started, so no frame is expected
            elif kind == END:
                self.run.finish(json.loads(content))
                self.run, self.killed_at, self.idle_since = None, 0.0, time.monotonic()
            else:
                self.run.receive(kind, content)
        return bool(data)

    def close(self) -> None:
        self.socket.close()
        self.theirs.close()
