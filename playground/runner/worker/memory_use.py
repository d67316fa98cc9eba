"""Measure how much memory all processes of a run use together."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGESIZE")
_OWN_SHARE: Final = re.compile(rb"^Pss_Anon: +(\d+) kB", re.MULTILINE)


def exceeds(memory_bytes: int, *, own_namespace: bool) -> bool:
    """Whether the processes of a run use more than `memory_bytes` together.

    A single process has its own limit.

    With `own_namespace`, all processes except this one belong to the run; else its descendants do.
    """
    processes = [*(_all_but_this() if own_namespace else _descendants(os.getpid()))]
    if len(processes) <= 1 or sum(map(_private, processes)) <= memory_bytes:
        return False
    return sum(map(_share, processes)) > memory_bytes  # forks share pages, which this counts once


def _all_but_this() -> Iterator[int]:
    own = os.getpid()
    names = os.listdir("/proc")  # noqa: PTH208
    return (int(name) for name in names if name.isdigit() and int(name) != own)


def _descendants(pid: int) -> Iterator[int]:
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            for child in map(int, _read(f"/proc/{pid}/task/{thread}/children").split()):
                yield child
                yield from _descendants(child)


def _private(pid: int) -> int:
    """Bytes of anonymous memory, shared with other processes or not."""
    fields = _read(f"/proc/{pid}/statm").split()
    return (int(fields[1]) - int(fields[2])) * _PAGE if fields else 0


def _share(pid: int) -> int:
    """Bytes of anonymous memory, shared pages divided by the number of processes.

    They are not divided if that number is unknown.
    """
    found = _OWN_SHARE.search(_read(f"/proc/{pid}/smaps_rollup"))
    return int(found[1]) * 1024 if found else _private(pid)


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  often
            return file.read()
    except OSError:  # the process has ended
        return b""
