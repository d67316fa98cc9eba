"""Work that a process does again and again.

Each job has its own thread, so that a slow job delays no other.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from django.db import close_old_connections

log = logging.getLogger(__name__)

AFTER_FAULT_S = 30.0  # at least: a lasting fault must not fill the log


def start_job(
    name: str,
    work: Callable[[], object],
    *,
    every_s: float,
    first_s: float = 0.0,
    woken_by: threading.Event | None = None,
) -> None:
    """Do `work` in a thread of this process until the process ends.

    Args:
        name: of the thread, and in the log.
        work: what is to be done; an exception is logged, and the pause is `AFTER_FAULT_S` if
            longer.
        every_s: the pause between two rounds, in seconds.
        first_s: the pause before the first round: a process that starts has other work to do.
        woken_by: an event that ends a pause early. The job clears it.
    """
    wake = woken_by or threading.Event()
    thread = threading.Thread(
        target=_repeat, args=(name, work, every_s, first_s, wake), name=name, daemon=True
    )
    thread.start()


def _repeat(
    name: str, work: Callable[[], object], every_s: float, first_s: float, wake: threading.Event
) -> None:
    pause_s = first_s
    while True:
        wake.wait(pause_s)
        wake.clear()
        pause_s = every_s
        try:
            work()
        except Exception:
            if not threading.main_thread().is_alive():  # the process has begun to end
                return
            pause_s = max(every_s, AFTER_FAULT_S)
            log.exception("The job %s failed; the next attempt is in %g s.", name, pause_s)
        finally:
            close_old_connections()
