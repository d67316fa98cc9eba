"""Stop the server without cutting runs: after SIGTERM, they have `settings.DRAIN_S` seconds to end.

    main process      SIGTERM -> ask each process of the server to drain, wait until all have
                      reported, then stop them
    server process    asked -> refuse new runs, answer clients that wait for one, report once no run
                      is active

They use semaphores rather than SIGUSR1: SIGTERM often follows the request within a millisecond, and
CPython's main thread, which granian leaves waiting on a lock, can miss the second of two signals.
The process would then keep running until it is killed.

Pages are served meanwhile. A second SIGTERM, or SIGINT (Ctrl+C), stops the server immediately.

SIGHUP to the main process makes all processes of this machine reload the installed packages
(`playground/factories/rescans.py`).
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

from playground.factories.rescans import ask_for_reload
from playground.runner.worker.syscalls import die_with_parent
from playground.runs.draining import CHECK_S, draining
from playground.runs.supervisor import supervisor

_MARGIN_S: Final = 1.0  # for the reports to arrive

_log = logging.getLogger(__name__)
# The server's processes inherit these. Each process takes one from `_requests`, and adds one to
# `_reports`. A process that is killed while it waits for a semaphore leaves nothing locked.
_requests = multiprocessing.get_context("fork").Semaphore(0)
_reports = multiprocessing.get_context("fork").Semaphore(0)
_main_process: int | None = None  # its id


# Granian chooses the class when it is imported.
class DrainingServer(Server):  # type: ignore[valid-type, misc]
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
            ask_for_reload()
        except OSError as error:
            _log.warning("SIGHUP: packages could not be reloaded: %s", error)

    def _drain(self) -> None:
        for _ in self.wrks:
            _requests.release()
        deadline = time.monotonic() + settings.DRAIN_S + _MARGIN_S
        for _ in self.wrks:
            _reports.acquire(timeout=max(0.0, deadline - time.monotonic()))
        super().signal_handler_interrupt()


def stop_with_main_process() -> None:
    """Get SIGTERM when the main process is killed, to not serve on beside a new server.

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
    """Wait for a request, let the runs of this process end, and report to the main process."""
    _requests.acquire()
    draining.set()
    deadline = time.monotonic() + settings.DRAIN_S
    while supervisor().is_busy and time.monotonic() < deadline:
        time.sleep(CHECK_S)
    _reports.release()
