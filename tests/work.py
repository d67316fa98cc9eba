"""Bounds on work that hold on every machine: lines of Python that are run, in place of seconds.

    with at_most(50_000):
        lint(spec)
    with database_steps() as steps:
        client.get("/")
    assert steps.number < 10_000

How fast the same things are is measured by `bench/hostile.py`, which has bars in seconds.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final

import pytest
from django.db import connection

STEPS_AT_ONCE: Final = 50
LINES_PER_SECOND: Final = 3_000_000  # about as many as a machine runs while they are counted


class TooMuchWork(BaseException):
    """More lines were run than a test allows. The code under test cannot catch it as an `Exception`."""


@dataclass
class Work:
    lines: int = 0


@contextmanager
def at_most(lines: int) -> Iterator[Work]:
    """Stop with `TooMuchWork` once this thread has run more than `lines` lines of Python.

    Lines of the functions that are called count, of libraries too; those of the `with` block itself do not, and work
    inside functions written in C is not seen. This thread's CPU clock (`time.thread_time`) follows the lines meanwhile,
    so a budget in seconds ends at the same line on every machine.
    """
    work = Work()

    def count(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            work.lines += 1
            if work.lines > lines:
                raise TooMuchWork(f"more than {lines:,} lines of Python were run")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time, "thread_time", lambda: work.lines / LINES_PER_SECOND)
            yield work
    finally:
        sys.settrace(before)


@dataclass
class Steps:
    number: int = 0


@contextmanager
def database_steps() -> Iterator[Steps]:
    """Count the steps of SQLite's virtual machine, for all queries of this thread: they grow with the rows read."""
    steps = Steps()

    def count() -> int:
        steps.number += STEPS_AT_ONCE
        return 0  # go on

    connection.ensure_connection()
    connection.connection.set_progress_handler(count, STEPS_AT_ONCE)
    try:
        yield steps
    finally:
        connection.connection.set_progress_handler(None, 0)
