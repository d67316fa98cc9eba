"""Stop the server without cutting runs: on SIGTERM, active runs have `settings.DRAIN_S` seconds to end.

    main process      SIGTERM -> ask each process of the server to drain, wait until all have reported, then stop them
    server process    asked -> refuse new runs, answer clients that wait for one, report once no run is active

They use semaphores rather than SIGUSR1: SIGTERM often follows the request within a millisecond, and
CPython's main thread, which granian leaves waiting on a lock, can miss the second of two signals.
The process would then keep running until it is killed.

Pages are served meanwhile. A second SIGTERM, or SIGINT (Ctrl+C), stops the server immediately.

SIGHUP to the main process makes all processes of this machine reload the installed packages
(`playground/factory_rescans.py`).
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import threading
import time
from typing import Any, Final

from django.conf import settings
from granian.server import Server

from playground.draining import CHECK_S, draining
from playground.factory_rescans import note_request
from playground.supervisor import supervisor
from playground.worker.syscalls import die_with_parent

_MARGIN_S: Final = 1.0  # for the reports to arrive

_log = logging.getLogger(__name__)
# The server's processes inherit these. Each process takes one from `_asked`, and adds one to
# `_drained`. A process that is killed while it waits for a semaphore leaves nothing locked.
_asked = multiprocessing.get_context("fork").Semaphore(0)
_drained = multiprocessing.get_context("fork").Semaphore(0)
_main_process: int | None = None  # its id


class DrainingServer(Server):  # type: ignore[valid-type, misc]  # granian chooses it when it is imported
    """Granian's server, which lets runs end before it stops, and reloads packages on SIGHUP."""

    _drains = False

    def startup(self, *arguments: Any, **options: Any) -> None:
        global _main_process  # noqa: PLW0603 - the processes inherit it
        _main_process = os.getpid()
        super().startup(*arguments, **options)

    def signal_handler_interrupt(self, signum: int = 0, *arguments: Any, **options: Any) -> None:
        if signum != signal.SIGTERM or self._drains or not settings.DRAIN_S:
            super().signal_handler_interrupt(signum, *arguments, **options)
            return
        self._drains = True
        threading.Thread(target=self._drain, name="drain", daemon=True).start()

    def signal_handler_reload(self, *_arguments: Any, **_options: Any) -> None:
        """Handle SIGHUP. Granian would replace its processes, which ends their runs."""
        try:
            note_request()
        except OSError as error:
            _log.warning("SIGHUP: packages could not be reloaded: %s", error)

    def _drain(self) -> None:
        for _ in self.wrks:
            _asked.release()
        until = time.monotonic() + settings.DRAIN_S + _MARGIN_S
        for _ in self.wrks:
            _drained.acquire(timeout=max(0.0, until - time.monotonic()))
        super().signal_handler_interrupt()


def stop_with_main_process() -> None:
    """Get SIGTERM when the main process is killed, so that this process does not keep serving next to the new server.

    Until granian handles the signals of this process, they end it: the handlers it inherits belong
    to the main process.

    Raises:
        SystemExit: the main process ended while this one was starting.
    """
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    die_with_parent(signal.SIGTERM)
    if _main_process is not None and os.getppid() != _main_process:
        raise SystemExit("The main process of the server has ended.")


def drain_on_request() -> None:
    """Make this process of the server drain when the main process asks for it.

    No effect in a process that no main process has forked.
    """
    if _main_process is not None:
        threading.Thread(target=_drain_runs, name="drain", daemon=True).start()


def _drain_runs() -> None:
    """Once asked, let the runs of this process end, and report that to the main process."""
    _asked.acquire()
    draining.set()
    until = time.monotonic() + settings.DRAIN_S
    while supervisor().is_busy and time.monotonic() < until:
        time.sleep(CHECK_S)
    _drained.release()
