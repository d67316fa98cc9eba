"""Checks while a site is attacked: who it calls, how it answers others, how much memory it takes."""

from __future__ import annotations

import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path
from typing import Self

PAUSE_S = 0.1
TIMEOUT_S = 15
_NOTHING_TO_SEND = {"05", "06", "0A"}  # FIN_WAIT2, TIME_WAIT, LISTEN


class Canary:
    """A listener that must not receive anything; `received` is the data that it got."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, suppress(OSError):
                connection.settimeout(1)
                self.received.append(connection.recv(1000))

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


class Health:
    """Asks /healthz again and again from a thread of its own, each time by a new connection.

    Attributes:
        times: how long each answer took, in seconds; infinite where there was none within `TIMEOUT_S`, which is less
            than the server waits for slow clients, so that clients that have to wait for these get no answer.
    """

    def __init__(self, url: str) -> None:
        self.times: list[float] = []
        self._url = f"{url}/healthz"
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(60)

    def _watch(self) -> None:
        while not self._ended.is_set():
            began = time.monotonic()
            try:
                with urllib.request.urlopen(self._url, timeout=TIMEOUT_S) as answer:
                    duration_s = time.monotonic() - began if answer.status == 200 else float("inf")
            except OSError:
                duration_s = float("inf")
            self.times.append(duration_s)
            self._ended.wait(PAUSE_S)

    @property
    def unanswered(self) -> int:
        return self.times.count(float("inf"))


def processes_of(pid: int) -> set[int]:
    """`pid` and all that descends from it."""
    parents = _parents()
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found & parents.keys()


def servers_of(pid: int) -> list[int]:
    """The processes that serve requests: children of the main process `pid`.

    A child of theirs looks the same until it becomes another program, so it is not counted.
    """
    found = []
    for child in sorted(child for child, parent in _parents().items() if parent == pid):
        with suppress(OSError):
            if (
                b"\0serve\0" in Path(f"/proc/{child}/cmdline").read_bytes()
            ):  # forked from `manage.py serve`
                found.append(child)
    assert found
    return found


def _parents() -> dict[int, int]:
    """Each living process and its parent."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
                if state not in "ZX":
                    parents[int(entry.name)] = int(parent)
    return parents


def forget_peaks(pids: list[int]) -> None:
    """From now on, `peak_mib` is about what comes."""
    for pid in pids:
        with suppress(OSError):
            Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_mib(pids: list[int]) -> float:
    """The most memory that one of `pids` has taken."""
    peaks = [0.0]
    for pid in pids:
        with suppress(OSError):
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            peaks += [int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")]
    return max(peaks)


def clients_of(port: int) -> set[int]:
    """The ports of the clients to which the server at `port` still has something to send, or may have.

    A client cannot see that by itself: where the kernel gives up sending, it says nothing.
    """
    found = set()
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *_ = line.split()
        if int(local.partition(":")[2], 16) == port and state not in _NOTHING_TO_SEND:
            found.add(int(remote.partition(":")[2], 16))
    return found
