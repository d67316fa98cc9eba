"""The runner's thread.

It sends runs to run supervisors, watches sockets and deadlines, and ends idle processes.

It owns its state. Other threads give it work with `post`, and share only the queue with it.
"""

from __future__ import annotations

import logging
import os
import queue
import selectors
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from playground.runner.engine.job import Job
from playground.runner.engine.local_run import LocalRun
from playground.runner.engine.run_queue import RunQueue
from playground.runner.engine.supervisor_connection import SupervisorConnection
from playground.runner.engine.worker_process import WorkerProcess, environment_file
from playground.runner.worker import syscalls

logger = logging.getLogger(__name__)

_REMINDER_S: Final = 0.3  # after the deadline; then the run supervisor is asked to end the run
_GRACE_S: Final = 0.5  # after that request; then the run supervisor is abandoned
_CONNECTION_IDLE_S: Final = 15.0
_IMPORT_LIMIT_S: Final = 60.0
_RETRY_UNUSABLE_S: Final = 2.0  # a factory that cannot be used is tried again after this long
_MAX_WAIT_S: Final = 5.0
_IDLE_CHECK_S: Final = 1.0
_AFTER_FAILURE_S: Final = 1.0
_MAX_ATTEMPTS: Final = 2


@dataclass
class _Zygote:
    """The state of a factory's zygote, as far as the server knows it."""

    asked_at: float
    used_at: float
    answers: bool = False
    unusable_since: float = 0.0


class Scheduler:
    """The state of the runner's thread.

    Other threads call only `wake`, `post` and `stop`, and wait for `is_ready`.
    """

    def __init__(
        self,
        runs: RunQueue,
        start_worker: Callable[[], WorkerProcess],
        *,
        slots: int,
        idle_s: float,
    ) -> None:
        self._runs = runs
        self._posted: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._is_stopped = False
        self._is_always_ready = False  # while nothing runs
        self.is_ready = threading.Event()  # the worker accepts runs
        self._start_worker = start_worker
        self._max_connections = 2 * slots
        self._idle_s = idle_s
        self._worker: WorkerProcess | None = None
        self._replaced: dict[
            WorkerProcess, set[SupervisorConnection]
        ] = {}  # earlier workers whose runs have not ended
        self._connections: set[SupervisorConnection] = set()
        self._zygotes: dict[str, _Zygote] = {}
        self._numbers: dict[str, int] = {}
        self._used_at = 0.0
        self._idle_checked_at = 0.0
        self._selector = selectors.DefaultSelector()
        self._wake_event = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._selector.register(self._wake_event, selectors.EVENT_READ, self._on_wake)

    def wake(self) -> None:
        """Make the thread look for work. May be called from any thread."""
        os.eventfd_write(self._wake_event, 1)

    def post(self, call: Callable[[], None]) -> None:
        """Let the thread call `call`, a method of this object. May be called from any thread."""
        self._posted.put(call)
        self.wake()

    def stop(self) -> None:
        """Let the thread end all runs, and itself. May be called from any thread."""
        self._is_stopped = True
        self.wake()

    def make_always_ready(self) -> None:
        """Start the worker, and do not end it while nothing runs."""
        self._is_always_ready = True

    def serve(self) -> None:
        """Work until `stop` is called."""
        while not self._is_stopped:
            try:
                for key, _ in self._selector.select(self._wait_s()):
                    key.data(key.fileobj)
                while not self._posted.empty():
                    self._posted.get()()
                if self._is_always_ready:
                    self._started_worker()
                self._start_waiting()
                self._enforce_deadlines()
                self._release_idle()
                self._close_replaced()
            except Exception:
                logger.exception("The runner failed; its runs are marked as crashed.")
                self._give_up("The runner failed.")
                time.sleep(_AFTER_FAILURE_S)
        self._give_up("The server was stopped.")
        self._selector.close()
        os.close(self._wake_event)

    def _started_worker(self) -> WorkerProcess:
        """The worker, which is started if need be."""
        if self._worker is None:
            self._worker = self._start_worker()
            self._selector.register(self._worker, selectors.EVENT_READ, self._on_worker)
        return self._worker

    # Incoming messages

    def _on_wake(self, _: object) -> None:
        os.eventfd_read(self._wake_event)

    def _on_worker(self, worker: WorkerProcess) -> None:
        """Read the worker's report on isolation; or notice that it has ended."""
        try:
            isolation = worker.read_isolation()
        except OSError:
            self._close_worker()
            return
        self.is_ready.set()
        if isolation["mode"] == "plain":
            # runs have the same user as this process, and could read its memory
            syscalls.allow_inspection(allowed=False)

    def _on_message(self, connection: SupervisorConnection) -> None:
        if connection not in self._connections:  # dropped a moment ago
            return
        run = connection.run
        connection.send()
        alive = connection.receive()
        if run is not None and (zygote := self._zygotes.get(connection.key)):
            zygote.answers = zygote.answers or run.job_read
        if run is not None and connection.run is None:
            self._runs.end(run)
        if connection.unusable is not None or not alive:
            self._lose(connection)
        else:
            self._watch(connection)

    def _lose(self, connection: SupervisorConnection) -> None:
        """Handle the loss of a run supervisor, perhaps in the middle of a run."""
        run, connection.run = connection.run, None
        self._drop(connection)
        if connection.unusable is not None and (zygote := self._zygotes.get(connection.key)):
            zygote.unusable_since = zygote.unusable_since or time.monotonic()
        if run is None:
            return
        if connection.unusable is not None:
            self._conclude(run, "raised", connection.unusable)
        elif not run.accepted and run.attempts < _MAX_ATTEMPTS and not run.cancelled:
            self._start(run)
        else:
            self._conclude(run, "crashed", "The process that watched the run has ended.")

    # Runs

    def _start_waiting(self) -> None:
        while run := self._runs.start_next():
            run.times.started = time.monotonic()
            self._start(run)

    def _start(self, run: LocalRun) -> None:
        if run.cancelled:
            self._conclude(run, "cancelled", "The run was cancelled before the tool started.")
            return
        run.attempts += 1
        key = self._key(run.job)
        ready = [each for each in self._connections if each.run is None and each.key == key]
        try:
            # the connection that has been idle longest has certainly prepared the run's process
            connection = (
                min(ready, key=lambda each: each.idle_since)
                if ready
                else self._connect(key, run.job)
            )
            if len(ready) <= 1 and len(self._connections) < self._max_connections:
                self._connect(key, run.job)  # so that one is ready for the next run
        except OSError as error:
            logger.warning("No process could be started for a run: %s", error)
            self._close_worker()
            self._conclude(run, "crashed", f"No process could be started for the run: {error}")
            return
        self._zygotes[key].used_at = time.monotonic()
        connection.start(run)
        self._watch(connection)

    def _key(self, job: Job) -> str:
        """The key of the zygote that the job needs.

        A zygote that was unusable a while ago is replaced.
        """
        name = _name(job)
        key = f"{name}#{self._numbers.setdefault(name, 0)}"
        zygote = self._zygotes.get(key)
        if (
            zygote
            and zygote.unusable_since
            and time.monotonic() > zygote.unusable_since + _RETRY_UNUSABLE_S
        ):
            self._numbers[name] += 1
            self._retire(key)
            return self._key(job)
        return key

    def _connect(self, key: str, job: Job) -> SupervisorConnection:
        idle = sorted(
            (each for each in self._connections if each.run is None),
            key=lambda each: each.idle_since,
        )
        for connection in idle[: max(0, len(self._connections) + 1 - self._max_connections)]:
            self._drop(connection)
        connection = SupervisorConnection(key)
        try:
            with environment_file(job.environment) as environment:
                worker = self._started_worker()
                worker.send(_request("supervise", key, job), connection.theirs, environment)
        except BaseException:  # the worker has just ended
            connection.close()
            raise
        connection.theirs.close()
        self._connections.add(connection)
        self._selector.register(
            connection.socket, selectors.EVENT_READ, lambda _: self._on_message(connection)
        )
        now = time.monotonic()
        self._zygotes.setdefault(key, _Zygote(now, now))
        return connection

    def _watch(self, connection: SupervisorConnection) -> None:
        """Poll the connection for incoming data, and for room to send if there is more to send."""
        events = selectors.EVENT_READ | (
            selectors.EVENT_WRITE if connection.has_more_to_send else 0
        )
        key = self._selector.get_key(connection.socket)
        if key.events != events:
            self._selector.modify(connection.socket, events, key.data)

    def _conclude(self, run: LocalRun, outcome: Any, error: str) -> None:
        run.conclude(outcome, error)
        self._runs.end(run)

    def kill(self, run: LocalRun) -> None:
        """End `run`, which was cancelled, if a connection has it."""
        connection = next((each for each in self._connections if each.run is run), None)
        if connection is not None:
            self._kill(connection)

    def _kill(self, connection: SupervisorConnection) -> None:
        """End the connection's run; if it has not read its job, drop the connection too."""
        run = connection.run
        if run is None or connection.killed_at:
            return
        connection.killed_at = time.monotonic()
        if run.job_read:
            connection.kill()
            self._watch(connection)
            return
        connection.run = None
        self._drop(connection)
        if run.cancelled:
            self._conclude(run, "cancelled", "The run was cancelled before the tool started.")
        else:
            limit = run.job.limits.timeout_s
            self._conclude(
                run,
                "timed_out",
                f"The tool did not start within {limit:g} s: its factory was being imported.",
            )

    def _enforce_deadlines(self) -> None:
        now = time.monotonic()
        for connection in [each for each in self._connections if each.run]:
            run = connection.run
            if run is None:
                continue
            if connection.killed_at and now > connection.killed_at + _GRACE_S:
                connection.run = None
                self._drop(connection)  # the supervisor ends by itself once it has cleaned up
                outcome = "cancelled" if run.cancelled else "timed_out"
                self._conclude(
                    run, outcome, "The run was stopped; its processes are still being cleaned up."
                )
            elif not connection.killed_at and now > run.deadline + (
                _REMINDER_S if run.job_read else 0
            ):
                self._kill(connection)

    # Idle processes

    def _release_idle(self) -> None:
        now = time.monotonic()
        if now < self._idle_checked_at + min(_IDLE_CHECK_S, self._idle_s / 4):
            return
        self._idle_checked_at = now
        used = {connection.key for connection in self._connections if connection.run}
        by_key: dict[str, int] = {}
        for connection in self._connections:
            by_key[connection.key] = by_key.get(connection.key, 0) + 1
        for connection in [
            each
            for each in self._connections
            if each.run is None and now > each.idle_since + _CONNECTION_IDLE_S
        ]:
            if by_key[connection.key] > 1:
                by_key[connection.key] -= 1
                self._drop(connection)
        for key, zygote in list(self._zygotes.items()):
            hangs = not zygote.answers and now > zygote.asked_at + _IMPORT_LIMIT_S
            is_idle = key not in used and now > zygote.used_at + self._idle_s
            if hangs or is_idle:
                self._retire(key)
        if self._zygotes:
            self._used_at = now
        elif (
            self._worker is not None
            and not self._is_always_ready
            and not self._connections
            and now > self._used_at + self._idle_s
        ):
            self._close_worker()

    def replace_worker(self) -> None:
        """Let later runs use a new worker, which imports everything again.

        Active runs end in the present worker.
        """
        for name in self._numbers:
            self._numbers[name] += (
                1  # so that no new run uses a zygote, or a run supervisor, of the present worker
            )
        for connection in [each for each in self._connections if each.run is None]:
            self._drop(connection)
        if self._worker is None:
            return
        self._selector.unregister(self._worker)
        self._replaced[self._worker] = set(self._connections).difference(*self._replaced.values())
        self._worker = None
        self._zygotes.clear()

    def _close_replaced(self) -> None:
        """End earlier workers whose runs have ended, in threads.

        A worker that is importing ends only afterwards.
        """
        for worker, connections in list(self._replaced.items()):
            for connection in [each for each in connections if each.run is None]:
                connections.discard(connection)
                if connection in self._connections:
                    self._drop(connection)
            if not connections:
                del self._replaced[worker]
                threading.Thread(
                    target=worker.close, name="toolshelf-old-worker", daemon=True
                ).start()

    def _wait_s(self) -> float | None:
        """How long to wait for incoming messages; None means without limit."""
        if self._worker is None and not self._replaced:
            return None
        now = time.monotonic()
        moments = [now + min(_MAX_WAIT_S, self._idle_s)]
        for connection in self._connections:
            if connection.run:
                reminder = connection.run.deadline + (_REMINDER_S if connection.run.job_read else 0)
                moments.append(
                    connection.killed_at + _GRACE_S if connection.killed_at else reminder
                )
        return max(0.0, min(moments) - now) + 0.001

    def _retire(self, key: str) -> None:
        """End a zygote and all its run supervisors."""
        if self._zygotes.pop(key, None) is None or self._worker is None:
            return
        for connection in [
            each for each in self._connections if each.key == key and each.run is None
        ]:
            self._drop(connection)
        try:
            self._worker.send({"op": "retire", "key": key})
        except OSError:
            self._close_worker()

    def _drop(self, connection: SupervisorConnection) -> None:
        self._connections.discard(connection)
        self._selector.unregister(connection.socket)
        connection.close()

    def _close_worker(self) -> None:
        """End the worker.

        Its run supervisors end with it, and each connection then reports that it is closed.
        """
        worker, self._worker = self._worker, None
        if worker is not None:
            self._selector.unregister(worker)
            worker.close()
        self._zygotes.clear()

    def _give_up(self, reason: str) -> None:
        for connection in list(self._connections):
            self._drop(connection)
        self._close_worker()
        while self._replaced:
            self._replaced.popitem()[0].close()
        for run in self._runs.active_runs():
            self._conclude(run, "crashed", reason)


def _name(job: Job) -> str:
    """The name of a job's zygote.

    One factory in one version of its package has one for its variables and its network.
    """
    variables = f" {hash(frozenset(job.environment.items())):x}" if job.environment else ""
    return (
        f"{job.reference}@{job.version}{'' if job.forks_safely else '+'} {job.network}{variables}"
    )


def _request(op: str, key: str, job: Job) -> dict[str, Any]:
    """A request to the worker that needs a zygote."""
    return {
        "op": op,
        "key": key,
        "reference": job.reference,
        "preload": job.forks_safely,
        "network": job.network,
        "memory_bytes": job.limits.memory_bytes,
        "address_space_bytes": job.limits.address_space_bytes or job.limits.memory_bytes,
        "processes": job.limits.processes,
    }
