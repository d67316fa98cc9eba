"""The runner for one machine: slots, a queue, a thread (`scheduler`) that watches runs.

Tools run in the processes of a worker (`playground.runner.worker`). The first run starts the
worker. It ends when nothing has run for a while, when the runner is closed, and whenever this
process ends, even by a crash.
"""

from __future__ import annotations

import atexit
import logging
import os
import queue
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from playground.runner.engine.job import Job
from playground.runner.engine.local_run import LocalRun
from playground.runner.engine.run_queue import RunQueue
from playground.runner.engine.scheduler import Scheduler
from playground.runner.engine.worker_process import ALL_MODES, WorkerProcess, clean_environment

logger = logging.getLogger(__name__)

MAX_SLOTS: Final = 400  # each factory has user ids for a few more run supervisors
_REPORTERS: Final = 2
_CLOSE_LIMIT_S: Final = 5.0


class LocalRunner:
    """Runs jobs in processes of this machine. One per process; may be used from any thread."""

    def __init__(
        self,
        *,
        slots: int = 8,
        reserve: int = 0,
        environment: Mapping[str, str] | None = None,
        search_path: Sequence[str] = (),
        hidden: Sequence[str] = (),
        writable: Sequence[str] = (),
        modes: Sequence[str] = ALL_MODES,
        preload: Sequence[str] = (),
        idle_s: float = 300.0,
    ) -> None:
        """Create a runner; no process is started before the first run.

        Args:
            slots: how many runs may be active concurrently, at most `MAX_SLOTS`.
            reserve: how many of the slots are only for owners without an active run.

            environment: all variables that tools see; None means the harmless ones of this process.
            search_path: directories to import factories from, in addition to Python's own.
            hidden: directories that tools must not see, as far as the machine allows it: the site's
                data.
            writable: directories that tools may write to, where other files are read-only.
            modes: how processes may be isolated, see `playground.runner.worker.sandbox`.
            preload: trusted modules that all processes share, so that their factories are ready
                sooner.
            idle_s: seconds without a run after which idle processes end.
        """
        if not 1 <= slots <= MAX_SLOTS:
            raise ValueError(f"slots is {slots}; it must be from 1 to {MAX_SLOTS}")
        if environment is None:
            environment = clean_environment((), os.environ)
        self._slots = slots
        self._idle_s = idle_s
        self._worker_arguments: dict[str, Any] = {
            "environment": environment,
            "search_path": search_path,
            "hidden": hidden,
            "writable": writable,
            "modes": modes,
            "preload": preload,
        }
        self._lock = threading.Lock()
        self.queue = RunQueue(slots=slots, reserve=reserve)
        self._closing = False
        self._scheduler: Scheduler | None = None
        self._thread: threading.Thread | None = None
        self._reports: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._reporters: list[threading.Thread] = []

    # For any thread

    def submit(self, job: Job, turn: int | None = None) -> LocalRun:
        """Start `job`, or queue it.

        Jobs start in order of `turn`, from `RunQueue.next_turn`, which None means.
        """
        if turn is None:
            turn = self.queue.next_turn(job.owner)
        run = LocalRun(job, self, turn)
        with self._lock:
            self.queue.add(run)
            scheduler = self._start()
        scheduler.wake()
        return run

    def start_worker(self) -> None:
        """Start the worker in the background, before the first run.

        It stays until the runner closes.
        """
        with self._lock:
            scheduler = self._start()
        scheduler.post(scheduler.make_always_ready)

    def wait_until_ready(self, timeout_s: float) -> bool:
        """Wait until the worker, if it has been started, accepts runs.

        False if it does not within `timeout_s`.
        """
        return self._scheduler is None or self._scheduler.is_ready.wait(timeout_s)

    def renew(self) -> bool:
        """Import everything again for later runs, because packages may have changed.

        Active runs continue.

        Returns:
            False if no process has been started yet, so that nothing has been imported.
        """
        with self._lock:
            if self._scheduler is None or self._closing:
                return False
            scheduler = self._scheduler
        scheduler.post(scheduler.replace_worker)
        return True

    def close(self) -> None:
        """End all runs and all processes that were started for them."""
        with self._lock:
            self._closing = True
            thread, self._thread = self._thread, None
        waiting = self.queue.clear()
        atexit.unregister(self.close)
        for run in waiting:
            run.conclude("crashed", "The server was stopped.")
        if thread is not None and self._scheduler is not None:
            self._scheduler.stop()
            thread.join(_CLOSE_LIMIT_S)
        for _ in self._reporters:
            self._reports.put(None)
        for reporter in self._reporters:
            reporter.join(_CLOSE_LIMIT_S)

    # For the runs

    def kill(self, run: LocalRun) -> None:
        """Kill all processes of `run`, if it has any."""
        scheduler = self._scheduler
        if scheduler is not None:
            scheduler.post(lambda: scheduler.kill(run))

    def report(self, call: Callable[[], None]) -> None:
        """Queue `call` for a thread that runs callbacks."""
        with self._lock:
            if not self._reporters:
                self._reporters = [
                    self._new_thread(self._report_all, "runner-reports") for _ in range(_REPORTERS)
                ]
        self._reports.put(call)

    # Internal

    def _start(self) -> Scheduler:
        """Start the thread of the scheduler, if need be, and return the scheduler.

        Call it with the lock held.
        """
        if self._closing:
            raise RuntimeError("the runner is closed")
        if self._scheduler is None:
            self._scheduler = Scheduler(
                self.queue,
                lambda: WorkerProcess(**self._worker_arguments),
                slots=self._slots,
                idle_s=self._idle_s,
            )
            self._thread = self._new_thread(self._scheduler.serve, "runner")
            atexit.register(self.close)
        return self._scheduler

    def _new_thread(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=f"toolshelf-{name}", daemon=True)
        thread.start()
        return thread

    def _report_all(self) -> None:
        while call := self._reports.get():
            try:
                call()
            except Exception:
                logger.exception("A callback for the end of a run failed.")
