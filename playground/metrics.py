"""Counters of all processes of a server: any thread may increment them, and they are summed for operators.

Each process increments its own file in one directory, mapped into memory. So an increment takes microseconds, and none
is lost when a process is killed. Reading sums the files. Values only grow until the server restarts (`reset`).
All counters are declared here, so every file has the same layout.

Why not prometheus_client's multiprocess mode (0.26 tried): it maps a file that has no blocks yet, so on a full disk the
first increment ends the process with SIGBUS, where this one serves on; a process killed while it creates its file makes
every later `/metrics` fail (its issue 1199); and the buckets would change their labels, from `le="1"` to `le="1.0"`. An
increment takes 5 µs here and 7.5 µs there, and importing it takes 200 ms of CPU time.
"""

from __future__ import annotations

import contextlib
import itertools
import mmap
import os
import struct
import threading
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

KINDS: Final = ("page", "api", "static", "mcp")
CLASSES: Final = ("2xx", "3xx", "4xx", "5xx")
OUTCOMES: Final = ("returned", "raised", "timed_out", "cancelled", "crashed", "refused")
MODES: Final = ("live", "mock")
REQUEST_BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
RUN_BOUNDS_S: Final = (0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0)
_NUMBER: Final = struct.Struct("=d")


@dataclass(frozen=True)
class Histogram:
    """The cumulated number of values up to each bound, the number of all values, and their sum."""

    bounds: Sequence[float]
    cumulated: Sequence[float]
    count: float
    sum: float


@dataclass(frozen=True)
class Counts:
    """The sums of all processes."""

    requests: dict[tuple[str, str], Histogram]  # by kind and class of status
    runs: dict[tuple[str, str], Histogram]  # by outcome and mode


@dataclass
class _Layout:
    """The offset of each histogram in a file: its buckets (one more than bounds), then the sum; 8 bytes each."""

    offsets: dict[tuple[str, str, str], tuple[int, Sequence[float]]] = field(default_factory=dict)
    size: int = 0

    def add(self, what: str, one: str, other: str, bounds: Sequence[float]) -> None:
        self.offsets[what, one, other] = self.size, bounds
        self.size += (len(bounds) + 2) * _NUMBER.size


def _layout() -> _Layout:
    layout = _Layout()
    for kind, status in itertools.product(KINDS, CLASSES):
        layout.add("requests", kind, status, REQUEST_BOUNDS_S)
    for outcome, mode in itertools.product(OUTCOMES, MODES):
        layout.add("runs", outcome, mode, RUN_BOUNDS_S)
    return layout


_LAYOUT: Final = _layout()


class Counters:
    """The counters of one server, as seen by one of its processes."""

    def __init__(self, directory: Path) -> None:
        """Create counters that count nothing before `begin`."""
        self._directory = directory
        self._counts = False
        self._lock = threading.Lock()
        self._memory: mmap.mmap | None = None
        self._pid = 0

    def begin(self) -> None:
        """Count from now on, in a process that serves requests. Commands do not count and create no files."""
        self._counts = True

    def request(self, kind: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._add("requests", kind, f"{status // 100}xx", seconds)

    def run(self, outcome: str, mode: str, seconds: float) -> None:
        """Count a run that has ended."""
        self._add("runs", outcome, mode, seconds)

    def _add(self, what: str, one: str, other: str, value: float) -> None:
        histogram = _LAYOUT.offsets.get((what, one, other))
        if histogram is None or not self._counts:
            return
        start, bounds = histogram
        with (
            self._lock,
            contextlib.suppress(OSError),
        ):  # on a full disk, serving matters more than counting
            memory = self._own()
            for at, more in ((bisect_left(bounds, value), 1.0), (len(bounds) + 1, value)):
                offset = start + at * _NUMBER.size
                _NUMBER.pack_into(memory, offset, _NUMBER.unpack_from(memory, offset)[0] + more)

    def _own(self) -> mmap.mmap:
        """This process's mapped file; a forked process gets its own."""
        if self._memory is None or self._pid != os.getpid():
            self._directory.mkdir(mode=0o700, exist_ok=True)
            path = self._directory / f"{os.getpid()}-{os.urandom(4).hex()}"
            with path.open("w+b") as file:
                try:
                    os.posix_fallocate(
                        file.fileno(), 0, _LAYOUT.size
                    )  # now, while a full disk still raises an error
                except OSError:
                    path.unlink()
                    raise
                self._memory, self._pid = mmap.mmap(file.fileno(), _LAYOUT.size), os.getpid()
        return self._memory

    def summed(self) -> Counts:
        """The sums over all processes since the server started."""
        sums = [0.0] * (_LAYOUT.size // _NUMBER.size)
        files = (
            [each.read_bytes() for each in self._directory.iterdir()]
            if self._directory.is_dir()
            else []
        )
        for content in files:
            if len(content) == _LAYOUT.size:
                sums = [
                    one + other
                    for one, (other,) in zip(sums, _NUMBER.iter_unpack(content), strict=True)
                ]
        found: dict[str, dict[tuple[str, str], Histogram]] = {"requests": {}, "runs": {}}
        for (what, one, other), (start, bounds) in _LAYOUT.offsets.items():
            first = start // _NUMBER.size
            cumulated = list(itertools.accumulate(sums[first : first + len(bounds) + 1]))
            found[what][one, other] = Histogram(
                bounds, cumulated[:-1], cumulated[-1], sums[first + len(bounds) + 1]
            )
        return Counts(found["requests"], found["runs"])

    def reset(self) -> None:
        """Reset all counters, when a server starts. No other server may use the same directory."""
        for left in self._directory.glob("*-*"):
            with contextlib.suppress(OSError):
                left.unlink()
