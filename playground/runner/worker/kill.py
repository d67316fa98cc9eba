"""End all processes that a run has started.

Those that left its session or process group are included.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path
from typing import Final

_PASSES: Final = 50
_PAUSE_S: Final = 0.0005


def reap() -> dict[int, int] | None:
    """The wait statuses of children that have ended, by pid.

    It is None if there are no children at all.
    """
    statuses: dict[int, int] = {}
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return statuses or None
        if not pid:
            return statuses
        statuses[pid] = status


def end_descendants(
    *, own_namespace: bool, spare: Collection[int] = (), timeout_s: float = 2.0
) -> bool:
    """Kill and reap every descendant of this process, except `spare`; whether no other is left.

    The first process of a PID namespace needs only one signal for that. Any other process must be a
    subreaper, which adopts orphans. There, all descendants are stopped before any is killed, so
    that none can fork in the meantime.
    """
    give_up_at = time.monotonic() + timeout_s
    while True:
        if own_namespace:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        elif not _kill_tree(spare):
            return True
        if reap() is None:
            return True
        if time.monotonic() > give_up_at:
            return False
        time.sleep(_PAUSE_S)


def _kill_tree(spare: Collection[int]) -> bool:
    """Stop, then kill, all descendants except `spare` and their descendants.

    Return whether there were any.
    """
    stopped: set[int] = set()
    for _ in range(_PASSES):
        fresh = _descendants(spare) - stopped
        if not fresh:
            break
        _signal(fresh, signal.SIGSTOP)
        stopped |= fresh
    _signal(stopped, signal.SIGKILL)
    return bool(stopped)


def _signal(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, number)


def _descendants(spare: Collection[int]) -> set[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: set[int] = set()
    waiting = [os.getpid()]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in spare:
                found.add(child)
                waiting.append(child)
    return found
