"""The runner's thread: gives runs to keepers, watches their sockets and deadlines, and lets go of what is idle."""

from __future__ import annotations

import logging
import math
import os
import selectors
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from playground.runner.connections import SupervisorConnection
from playground.runner.local_run import LocalRun
from playground.runner.worker_process import WorkerProcess

logger = logging.getLogger(__name__)

_REMINDER_S: Final = 0.3  # after its deadline a run's keeper is told to end it, if it has not done so by itself
_GRACE_S: Final = 0.5  # so long after that, nothing more is expected of the keeper
_KEEPER_IDLE_S: Final = 15.0
_IMPORT_LIMIT_S: Final = 60.0
_REFUSED_AGAIN_S: Final = 2.0  # a factory that cannot be used is tried again after this long
_LOOKS_UP_S: Final = 5.0
_LOOKS_FOR_IDLE_S: Final = 1.0
_AFTER_FAILURE_S: Final = 1.0
_MAX_ATTEMPTS: Final = 2


class RunQueue(Protocol):
    """Where the runner's thread gets its work."""

    def next_run(self) -> LocalRun | None:
        """The next run, when there is a slot for it."""
        ...

    def active_runs(self) -> list[LocalRun]: ...

    def runs_to_kill(self) -> list[LocalRun]: ...

    def ended(self, run: LocalRun) -> None:
        """A slot is free again."""
        ...

    def isolation_found(self, isolation: dict[str, Any]) -> None: ...

    def is_closing(self) -> bool: ...


@dataclass
class _Parent:
    """A factory's parent, as far as the server knows of it."""

    asked_at: float
    used_at: float
    answers: bool = False
    unusable_since: float = 0.0


class Dispatcher:
    """The state of the runner's thread. Nobody else touches it, but for `wake`."""

    def __init__(
        self, office: RunQueue, start_worker: Callable[[], WorkerProcess], *, slots: int, idle_s: float
    ) -> None:
        self._office = office
        self._start_worker = start_worker
        self._most_keepers = 2 * slots
        self._idle_s = idle_s
        self._worker: WorkerProcess | None = None
        self._keepers: set[SupervisorConnection] = set()
        self._parents: dict[str, _Parent] = {}
        self._numbers: dict[str, int] = {}
        self._typed: set[str] = set()
        self._used_at = 0.0
        self._looked_at = 0.0
        self._selector = selectors.DefaultSelector()
        self._bell = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._selector.register(self._bell, selectors.EVENT_READ, self._hear_bell)

    def wake(self) -> None:
        """Let the thread look for work. From any thread."""
        os.eventfd_write(self._bell, 1)

    def serve(self) -> None:
        """Work until the office closes."""
        while not self._office.is_closing():
            try:
                for key, _ in self._selector.select(self._patience_s()):
                    key.data(key.fileobj)
                self._kill_cancelled()
                self._start_waiting()
                self._look_after_deadlines()
                self._let_go_of_idle()
            except Exception:
                logger.exception("The runner failed; its runs are given up.")
                self._give_up("The runner failed.")
                time.sleep(_AFTER_FAILURE_S)
        self._give_up("The server was stopped.")
        self._selector.close()
        os.close(self._bell)

    def warm(self) -> WorkerProcess:
        """The worker, started if need be."""
        if self._worker is None:
            self._worker = self._start_worker()
            self._selector.register(self._worker, selectors.EVENT_READ, self._hear_worker)
        return self._worker

    # What comes in

    def _hear_bell(self, _: object) -> None:
        os.eventfd_read(self._bell)

    def _hear_worker(self, worker: WorkerProcess) -> None:
        """It says how far it sets processes apart; or it has ended."""
        try:
            self._office.isolation_found(worker.read_isolation())
        except OSError:
            self._close_worker()

    def _hear_keeper(self, keeper: SupervisorConnection) -> None:
        if keeper not in self._keepers:  # let go of, a moment ago
            return
        run = keeper.run
        keeper.send()
        alive = keeper.receive()
        if run is not None and (parent := self._parents.get(keeper.key)):
            parent.answers = parent.answers or run.taken
            if run.is_typed and _name(run) not in self._typed:
                self._typed.add(_name(run))
                parent.used_at = -math.inf  # the next run has another parent, which knows types already
        if run is not None and keeper.run is None:
            self._office.ended(run)
        if keeper.unusable is not None or not alive:
            self._lose(keeper)
        else:
            self._watch(keeper)

    def _lose(self, keeper: SupervisorConnection) -> None:
        """A keeper has gone, perhaps in the middle of a run."""
        run, keeper.run = keeper.run, None
        self._drop(keeper)
        if keeper.unusable is not None and (parent := self._parents.get(keeper.key)):
            parent.unusable_since = parent.unusable_since or time.monotonic()
        if run is None:
            return
        if keeper.unusable is not None:
            self._conclude(run, "raised", keeper.unusable)
        elif not run.accepted and run.attempts < _MAX_ATTEMPTS and not run.cancelled:
            self._start(run)
        else:
            self._conclude(run, "crashed", "The process that watched the run has ended.")

    # Runs

    def _start_waiting(self) -> None:
        while run := self._office.next_run():
            run.times.started = time.monotonic()
            self._start(run)

    def _start(self, run: LocalRun) -> None:
        if run.cancelled:
            self._conclude(run, "cancelled", "The run was cancelled before the tool began.")
            return
        run.attempts += 1
        key = self._key(run)
        ready = [each for each in self._keepers if each.run is None and each.key == key]
        try:
            # the one that has waited longest is sure to have the run's process made already
            keeper = min(ready, key=lambda each: each.idle_since) if ready else self._new_keeper(key, run)
            if len(ready) <= 1 and len(self._keepers) < self._most_keepers:
                self._new_keeper(key, run)  # so that the next run, too, finds one that is ready
        except OSError as error:
            logger.warning("No process could be started for a run: %s", error)
            self._close_worker()
            self._conclude(run, "crashed", f"No process could be started for the run: {error}")
            return
        self._parents[key].used_at = time.monotonic()
        keeper.start(run)
        self._watch(keeper)

    def _key(self, run: LocalRun) -> str:
        """The parent that the run needs; another one than before when that could not be used a while ago."""
        name = _name(run)
        key = f"{name}#{self._numbers.setdefault(name, 0)}{' typed' if name in self._typed else ''}"
        parent = self._parents.get(key)
        if parent and parent.unusable_since and time.monotonic() > parent.unusable_since + _REFUSED_AGAIN_S:
            self._numbers[name] += 1
            self._retire(key)
            return self._key(run)
        return key

    def _new_keeper(self, key: str, run: LocalRun) -> SupervisorConnection:
        idle = sorted((each for each in self._keepers if each.run is None), key=lambda each: each.idle_since)
        for keeper in idle[: max(0, len(self._keepers) + 1 - self._most_keepers)]:
            self._drop(keeper)
        keeper = SupervisorConnection(key)
        self.warm().send(
            {
                "op": "keeper",
                "key": key,
                "reference": run.job.reference,
                "preload": run.job.forks_safely,
                "typed": _name(run) in self._typed,
                "memory_bytes": run.job.limits.memory_bytes,
                "processes": run.job.limits.processes,
            },
            keeper.theirs,
        )
        keeper.theirs.close()
        self._keepers.add(keeper)
        self._selector.register(keeper.socket, selectors.EVENT_READ, lambda _: self._hear_keeper(keeper))
        now = time.monotonic()
        self._parents.setdefault(key, _Parent(now, now))
        return keeper

    def _watch(self, keeper: SupervisorConnection) -> None:
        """Look out for what the keeper sends, and for room when there is more to be sent."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if keeper.has_more_to_send else 0)
        key = self._selector.get_key(keeper.socket)
        if key.events != events:
            self._selector.modify(keeper.socket, events, key.data)

    def _conclude(self, run: LocalRun, outcome: Any, error: str) -> None:
        run.conclude(outcome, error)
        self._office.ended(run)

    def _kill_cancelled(self) -> None:
        for run in self._office.runs_to_kill():
            keeper = next((each for each in self._keepers if each.run is run), None)
            if keeper is not None:
                self._kill(keeper)

    def _kill(self, keeper: SupervisorConnection) -> None:
        """End a keeper's run; when it has not begun, the keeper goes too."""
        run = keeper.run
        if run is None or keeper.killed_at:
            return
        keeper.killed_at = time.monotonic()
        if run.taken:
            keeper.kill()
            self._watch(keeper)
            return
        keeper.run = None
        self._drop(keeper)
        if run.cancelled:
            self._conclude(run, "cancelled", "The run was cancelled before the tool began.")
        else:
            limit = run.job.limits.timeout_s
            self._conclude(
                run, "timed_out", f"The tool did not begin within {limit:g} s: its factory was being imported."
            )

    def _look_after_deadlines(self) -> None:
        now = time.monotonic()
        for keeper in [each for each in self._keepers if each.run]:
            run = keeper.run
            if run is None:
                continue
            if keeper.killed_at and now > keeper.killed_at + _GRACE_S:
                keeper.run = None
                self._drop(keeper)  # it ends by itself when it is done
                outcome = "cancelled" if run.cancelled else "timed_out"
                self._conclude(run, outcome, "The run was ended; its processes are still being cleared away.")
            elif not keeper.killed_at and now > run.deadline + (_REMINDER_S if run.taken else 0):
                self._kill(keeper)

    # What is kept ready

    def _let_go_of_idle(self) -> None:
        now = time.monotonic()
        if now < self._looked_at + min(_LOOKS_FOR_IDLE_S, self._idle_s / 4):
            return
        self._looked_at = now
        used = {keeper.key for keeper in self._keepers if keeper.run}
        by_key: dict[str, int] = {}
        for keeper in self._keepers:
            by_key[keeper.key] = by_key.get(keeper.key, 0) + 1
        for keeper in [each for each in self._keepers if each.run is None and now > each.idle_since + _KEEPER_IDLE_S]:
            if by_key[keeper.key] > 1:
                by_key[keeper.key] -= 1
                self._drop(keeper)
        for key, parent in list(self._parents.items()):
            hangs = not parent.answers and now > parent.asked_at + _IMPORT_LIMIT_S
            if hangs or (key not in used and now > parent.used_at + self._idle_s):
                self._retire(key)
        if self._parents:
            self._used_at = now
        elif self._worker is not None and not self._keepers and now > self._used_at + self._idle_s:
            self._close_worker()

    def _patience_s(self) -> float | None:
        """How long nothing has to be done, unless something comes in; None for ever."""
        if self._worker is None:
            return None
        now = time.monotonic()
        moments = [now + min(_LOOKS_UP_S, self._idle_s)]
        for keeper in self._keepers:
            if keeper.run:
                reminder = keeper.run.deadline + (_REMINDER_S if keeper.run.taken else 0)
                moments.append(keeper.killed_at + _GRACE_S if keeper.killed_at else reminder)
        return max(0.0, min(moments) - now) + 0.001

    def _retire(self, key: str) -> None:
        """End a parent, and every keeper of it."""
        if self._parents.pop(key, None) is None or self._worker is None:
            return
        for keeper in [each for each in self._keepers if each.key == key and each.run is None]:
            self._drop(keeper)
        try:
            self._worker.send({"op": "retire", "key": key})
        except OSError:
            self._close_worker()

    def _drop(self, keeper: SupervisorConnection) -> None:
        self._keepers.discard(keeper)
        self._selector.unregister(keeper.socket)
        keeper.close()

    def _close_worker(self) -> None:
        """Let the worker go; its keepers' sockets close with it, and tell of it one by one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._selector.unregister(worker)
            worker.close()
        self._parents.clear()

    def _give_up(self, reason: str) -> None:
        for keeper in list(self._keepers):
            self._drop(keeper)
        self._close_worker()
        for run in self._office.active_runs():
            self._conclude(run, "crashed", reason)


def _name(run: LocalRun) -> str:
    """What a parent is for: a factory, in one version of its package."""
    return f"{run.job.reference}@{run.job.version}{'' if run.job.forks_safely else '+'}"
