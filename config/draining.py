"""Stop the server without cutting runs: on SIGTERM, active runs have `settings.DRAIN_S` seconds to end.

    main process      SIGTERM -> SIGUSR1 to each process of the server, wait until all have reported, then stop them
    server process    SIGUSR1 -> refuse new runs, answer clients that wait for one, report once no run is active

Pages are served meanwhile. A second SIGTERM, or SIGINT (Ctrl+C), stops the server immediately.

SIGHUP to the main process makes all processes look for new factories (`playground/factory_rescans.py`).
"""

from __future__ import annotations

import logging
import os
import select
import signal
import threading
import time
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, connection
from granian.server import Server

from playground.draining import CHECK_S, draining
from playground.factory_rescans import note_request
from playground.supervisor import supervisor
from playground.worker.syscalls import die_with_parent

_MARGIN_S: Final = 1.0  # for the reports to arrive

_log = logging.getLogger(__name__)
_reports: tuple[int, int] | None = None  # a pipe from the server's processes to the main process, which they inherit
_main_process: int | None = None  # its id, which they inherit


class DrainingServer(Server):  # type: ignore[valid-type, misc]  # granian chooses it when it is imported
    """Granian's server, which lets runs end before it stops, and looks for new factories on SIGHUP."""

    _drains = False

    def startup(self, *arguments: Any, **options: Any) -> None:
        global _reports, _main_process
        _reports, _main_process = os.pipe(), os.getpid()
        super().startup(*arguments, **options)

    def signal_handler_interrupt(self, signum: int = 0, *arguments: Any, **options: Any) -> None:
        if signum != signal.SIGTERM or self._drains or not settings.DRAIN_S:
            super().signal_handler_interrupt(signum, *arguments, **options)
            return
        self._drains = True
        threading.Thread(target=self._drain, name="drain", daemon=True).start()

    def signal_handler_reload(self, *_arguments: Any, **_options: Any) -> None:
        """Handle SIGHUP. Granian would replace its processes, which ends their runs."""
        threading.Thread(target=_look_for_factories, name="factory-rescan", daemon=True).start()

    def _drain(self) -> None:
        left = 0
        for worker in list(self.wrks):
            try:
                os.kill(worker.inner.pid, signal.SIGUSR1)
                left += 1
            except ProcessLookupError:
                continue
        until = time.monotonic() + settings.DRAIN_S + _MARGIN_S
        assert _reports is not None  # noqa: S101  made by `startup`
        while left > 0 and (left_s := until - time.monotonic()) > 0:
            if select.select([_reports[0]], [], [], left_s)[0]:
                left -= len(os.read(_reports[0], left))
        super().signal_handler_interrupt()


def _look_for_factories() -> None:
    try:
        note_request()
    except DatabaseError as error:
        _log.warning("SIGHUP: could not look for new factories: %s", error)
    finally:
        connection.close()


def stop_with_main_process() -> None:
    """Get SIGTERM when the main process is killed, so that this process does not serve on beside the next server.

    Raises:
        SystemExit: the main process ended while this one was starting.
    """
    die_with_parent(signal.SIGTERM)
    if _main_process is not None and os.getppid() != _main_process:
        raise SystemExit("The main process of the server has ended.")


def drain_on_signal() -> None:
    """Make this process of the server drain on SIGUSR1. No effect in a process that no main process has forked."""
    if _reports is not None:
        signal.signal(signal.SIGUSR1, lambda *_: threading.Thread(target=_drain_runs, name="drain").start())


def _drain_runs() -> None:
    """Let the runs of this process end, and report that to the main process."""
    draining.set()
    until = time.monotonic() + settings.DRAIN_S
    while supervisor().is_busy and time.monotonic() < until:
        time.sleep(CHECK_S)
    if _reports is not None:
        os.write(_reports[1], b".")
