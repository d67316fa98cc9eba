"""Run an iterator in another process, one item ahead of its consumer.

The process is a fork, so it inherits the iterator and nothing must be sent to it. It prepares at most one item and then
waits until that is consumed. It ends with its parent, however the parent ends.

Reading and checking take half of the CPU time of a large upload. To store 10,000 specs, `load_specs` takes 5.5 s of CPU
time in each of two concurrent processes, or 9.6 s in one (medians of three alternating runs): 1.8 times as many specs
per second. That is the difference between 3,300 specs per second and about 1,850; the goal is 2,000.

This module depends on Django only for the database connections, which two processes must not share.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import traceback
from collections.abc import Iterable, Iterator
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Final, TypeVar

from django.db import connections

Item = TypeVar("Item")

_END: Final = b""


def can_work_ahead() -> bool:
    """Whether there is another processor, and no open transaction, whose changes another process cannot see."""
    processors = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return processors > 1 and not any(one.in_atomic_block for one in connections.all())


def made_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The same `items` in the same order, produced by another process. They and their errors must be picklable.

    The iteration of `items` may read databases, but must not change anything: its changes in memory are lost.

    Raises:
        ChildProcessError: the other process ended before it had produced everything.
    """
    connections.close_all()  # each process opens its own
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    process = forking.Process(target=_work, args=(items, ours, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        while (message := _received(ours)) != _END:
            made = pickle.loads(message)  # noqa: S301 - it comes from our own process
            if isinstance(made, BaseException):
                raise made
            yield made
    finally:
        ours.close()
        process.terminate()
        process.join()


def _received(ours: Connection) -> bytes:
    try:
        return ours.recv_bytes()
    except EOFError:
        raise ChildProcessError(
            "The process that reads the upload in advance ended unexpectedly."
        ) from None


def _work(items: Iterable[object], theirs: Connection, ours: Connection) -> None:
    theirs.close()  # so that the pipe breaks when the other process ends, and this one with it
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # the parent receives it too, and ends this process
    gc.freeze()
    with suppress(BrokenPipeError):
        try:
            for item in items:
                ours.send_bytes(pickle.dumps(item, pickle.HIGHEST_PROTOCOL))
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - it is raised in the parent
            error.add_note(traceback.format_exc())
            ours.send_bytes(pickle.dumps(error))
        ours.send_bytes(_END)
