"""Identify the process that a run belongs to, and find out whether it is still alive.

A host is written as "machine/pid/start": the system may reuse a pid, and another machine or
container has processes with the same pids.
"""

from __future__ import annotations

import hashlib
import os
import socket
from functools import lru_cache
from pathlib import Path

PROC = Path("/proc")


def this_host() -> str:
    """The identity of this process."""
    return _host_of(os.getpid())


@lru_cache(maxsize=1)  # keyed by pid, so that a forked child is not mistaken for its parent
def _host_of(pid: int) -> str:
    return f"{machine()}/{pid}/{_start_of(pid) or 0}"


@lru_cache(maxsize=1)
def machine() -> str:
    """The identity of this machine or container since its last boot."""
    try:
        boot = (PROC / "sys/kernel/random/boot_id").read_text()
    except OSError:
        boot = ""
    return hashlib.sha256(f"{socket.gethostname()} {boot}".encode()).hexdigest()[:12]


def is_gone(host: str) -> bool:
    """Whether the process is known to have ended.

    False for a process on another machine, which is not visible here.
    """
    where, _, rest = host.partition("/")
    pid, _, start = rest.partition("/")
    if where != machine() or not pid.isdecimal():
        return False
    found = _start_of(int(pid))
    return found is None or (start != "0" and str(found) != start)


def _start_of(pid: int) -> int | None:
    """When the process started, in clock ticks since boot.

    None if there is no such process, or it is a zombie.
    """
    try:
        text = (PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    state, *fields = text.rpartition(")")[2].split()  # the name, in parentheses, may hold anything
    return None if state in {"Z", "X"} else int(fields[18])
