"""The server's end of one keeper: at most one run at a time, over one socket that never blocks."""

from __future__ import annotations

import json
import socket
import time
from typing import Final

from playground.runner.local_run import LocalRun
from playground.worker.protocol import END, KILL, UNUSABLE, FrameBuffer, frame

_RECEIVED_AT_ONCE: Final = 1 << 18


class SupervisorConnection:
    """One keeper, as its server sees it. Used by the runner's thread alone.

    Attributes:
        key: which parent's it is.
        run: what it does now, None while it is idle.
        unusable: why its factory cannot be used, when it said so.
        idle_since, killed_at: by the monotonic clock; 0.0 when its run was not killed.
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
        """End the run, as soon as it has read its job."""
        self._outgoing += frame(KILL)
        self.send()

    def send(self) -> None:
        """Send as much as the socket takes. A keeper that has gone is noticed when it is read from."""
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
        """Take in what has come; False when nothing will come any more."""
        try:
            data = self.socket.recv(_RECEIVED_AT_ONCE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        for kind, content in self._incoming.feed(data):
            if kind == UNUSABLE:
                self.unusable = content.decode(errors="replace")
            elif self.run is None:
                return False  # nothing was asked
            elif kind == END:
                self.run.finish(json.loads(content))
                self.run, self.killed_at, self.idle_since = None, 0.0, time.monotonic()
            else:
                self.run.hear(kind, content)
        return bool(data)

    def close(self) -> None:
        self.socket.close()
        self.theirs.close()
