"""Counters of requests to all processes of a server, which are summed for operators.

Each process increments its own file in one directory, mapped into memory, from any thread. So an
increment takes microseconds, and none is lost when a process is killed. Reading sums the files.
Values only grow until the server restarts (`reset`). Every file has the same layout.

Why not prometheus_client's multiprocess mode (0.26 tried): it maps a file that has no blocks yet,
so on a full disk the first increment ends the process with SIGBUS, where this one serves on; a
process killed while it creates its file makes every later `/metrics` fail (its issue 1199); and the
buckets would change their labels, from `le="1"` to `le="1.0"`. An increment takes 5 µs here and
7.5 µs there, and importing it takes 200 ms of CPU time.
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
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from django.conf import settings

KINDS: Final = ("page", "api", "static", "mcp")
CLASSES: Final = ("2xx", "3xx", "4xx", "5xx")
BOUNDS_S: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_SERIES: Final = {pair: at for at, pair in enumerate(itertools.product(KINDS, CLASSES))}
# Of a histogram: its buckets, which are one more than the bounds, then the sum.
_NUMBERS: Final = len(BOUNDS_S) + 2
_NUMBER: Final = struct.Struct("=d")
_FILE_BYTES: Final = len(_SERIES) * _NUMBERS * _NUMBER.size


@dataclass(frozen=True)
class Histogram:
    """The cumulative number of values up to each bound, the number of all values, and their sum."""

    bounds: Sequence[float]
    cumulative: Sequence[float]
    count: float
    sum: float


@cache
def request_counters() -> RequestCounters:
    """The counters of this server."""
    return RequestCounters(settings.DATA_DIR / "counters")


class RequestCounters:
    """The counters of one server, as seen by one of its processes."""

    def __init__(self, directory: Path) -> None:
        """Create counters that count nothing before `begin`."""
        self._directory = directory
        self._counts = False
        self._lock = threading.Lock()
        self._memory: mmap.mmap | None = None
        self._pid = 0

    def begin(self) -> None:
        """Count from now on, in a process that serves requests. Commands create no files."""
        self._counts = True

    def add(self, kind: str, status: int, seconds: float) -> None:
        """Count a request of this kind (of `KINDS`), answered with `status` after `seconds`."""
        series = _SERIES.get((kind, f"{status // 100}xx"))
        if series is None or not self._counts:
            return
        start = series * _NUMBERS
        bucket = start + bisect_left(BOUNDS_S, seconds)
        total = start + _NUMBERS - 1
        # On a full disk, serving matters more than counting.
        with self._lock, contextlib.suppress(OSError):
            memory = self._open_memory()
            _add(memory, bucket, 1.0)
            _add(memory, total, seconds)

    def _open_memory(self) -> mmap.mmap:
        """This process's mapped file; a forked process gets its own."""
        if self._memory is None or self._pid != os.getpid():
            self._directory.mkdir(mode=0o700, exist_ok=True)
            path = self._directory / f"{os.getpid()}-{os.urandom(4).hex()}"
            with path.open("w+b") as file:
                try:
                    # Now, while a full disk still raises an error.
                    os.posix_fallocate(file.fileno(), 0, _FILE_BYTES)
                except OSError:
                    path.unlink()
                    raise
                self._memory, self._pid = mmap.mmap(file.fileno(), _FILE_BYTES), os.getpid()
        return self._memory

    def sum(self) -> dict[tuple[str, str], Histogram]:
        """Sum the durations of requests to all processes, by kind and class of status."""
        sums = [0.0] * (len(_SERIES) * _NUMBERS)
        for file in self._directory.glob("*-*"):
            content = file.read_bytes()
            if len(content) == _FILE_BYTES:
                for index, (number,) in enumerate(_NUMBER.iter_unpack(content)):
                    sums[index] += number
        histograms = {}
        for pair, series in _SERIES.items():
            *buckets, seconds = sums[series * _NUMBERS : (series + 1) * _NUMBERS]
            *cumulative, count = itertools.accumulate(buckets)
            histograms[pair] = Histogram(BOUNDS_S, cumulative, count, seconds)
        return histograms

    def reset(self) -> None:
        """Reset all counters, when a server starts. No other server may use the same directory."""
        for file in self._directory.glob("*-*"):
            with contextlib.suppress(OSError):
                file.unlink()


def _add(memory: mmap.mmap, index: int, amount: float) -> None:
    offset = index * _NUMBER.size
    [value] = _NUMBER.unpack_from(memory, offset)
    _NUMBER.pack_into(memory, offset, value + amount)
