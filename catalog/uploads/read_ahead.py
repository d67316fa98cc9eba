"""Working ahead: what is put together piece by piece is put together in a process of its own, beside who uses it.

The process is a fork, so that it goes on with whatever it is given, and nothing needs to be sent to it. It has one
thing ready at most: then it waits until that is taken. It ends with whoever began it, however that ends.

Nothing here knows Django, but for connections to databases, which no two processes may share.
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

Thing = TypeVar("Thing")

_END: Final = b""


def can_work_ahead() -> bool:
    """Whether there is a processor for it, and nothing that another process could not see yet."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and not any(one.in_atomic_block for one in connections.all())


def made_ahead(things: Iterable[Thing]) -> Iterator[Thing]:
    """The same `things` in the same order, made by another process. They and what they raise must be picklable.

    The iteration of `things` may ask databases, and must change nothing: what it changes in memory stays over there.

    Raises:
        ChildProcessError: the other process has ended before it was done.
    """
    connections.close_all()  # each process opens its own
    forking = multiprocessing.get_context("fork")
    ours, theirs = forking.Pipe(duplex=False)
    process = forking.Process(target=_work, args=(things, ours, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        while (message := _received(ours)) != _END:
            made = pickle.loads(message)  # noqa: S301 - it comes from ourselves
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
        raise ChildProcessError("The process that worked ahead has ended too early.") from None


def _work(things: Iterable[object], theirs: Connection, ours: Connection) -> None:
    theirs.close()  # so that the pipe breaks when the other process ends, and this one with it
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process hears it too, and ends this one
    gc.freeze()
    with suppress(BrokenPipeError):
        try:
            for thing in things:
                ours.send_bytes(pickle.dumps(thing, pickle.HIGHEST_PROTOCOL))
        except BrokenPipeError:
            raise
        except Exception as error:  # noqa: BLE001 - it is raised over there
            error.add_note(traceback.format_exc())
            ours.send_bytes(pickle.dumps(error))
        ours.send_bytes(_END)
