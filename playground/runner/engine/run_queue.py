"""The queue of a runner, in which owners take turns and share the slots."""

from __future__ import annotations

import math
import statistics
import threading
import time
from bisect import insort
from collections import deque
from typing import Final

from playground.runner.engine.local_run import LocalRun
from toolshelf_core.errors import Busy
from toolshelf_core.fairness import SharedSlots, Turns

_LONGEST_RETRY_S: Final = 60


class RunQueue:
    """The waiting and the active runs of one runner. May be used from any thread."""

    def __init__(self, *, slots: int, reserve: int, queue_max: int) -> None:
        self._lock = threading.Lock()
        self._slots = slots
        self._queue_max = queue_max
        self._shared_slots = SharedSlots(slots, reserve=reserve)
        self._turns = Turns()
        self._waiting: list[LocalRun] = []  # in order of turns
        self._active: set[LocalRun] = set()
        self._durations_s: deque[float] = deque(maxlen=50)

    def next_turn(self, owner: str) -> int:
        """The turn of the owner's next job."""
        with self._lock:
            return self._turns.take(owner)

    def add(self, run: LocalRun) -> None:
        """Let `run` wait for its turn.

        Raises:
            Busy: the queue is full.
        """
        with self._lock:
            if len(self._active) + len(self._waiting) >= self._slots + self._queue_max:
                raise Busy("Too many runs are waiting.", retry_after_s=self._retry_after_s())
            insort(self._waiting, run, key=lambda each: each.turn)

    def start_next(self) -> LocalRun | None:
        """The next run, which is active from now on.

        None if none waits for which there is a slot.
        """
        with self._lock:
            if len(self._active) >= self._slots:
                return None
            run = next(
                (run for run in self._waiting if self._shared_slots.take(run.job.owner)), None
            )
            if run is not None:
                self._waiting.remove(run)
                self._turns.record_start(run.turn)
                self._active.add(run)
            return run

    def end(self, run: LocalRun) -> None:
        """Free the slot of `run`, if it has one."""
        with self._lock:
            if run not in self._active:
                return
            self._active.remove(run)
            self._shared_slots.release(run.job.owner)
            self._durations_s.append(time.monotonic() - run.times.started)

    def remove(self, run: LocalRun) -> bool:
        """Remove `run` if it is waiting; whether it was."""
        with self._lock:
            if run not in self._waiting:
                return False
            self._waiting.remove(run)
            return True

    def clear(self) -> list[LocalRun]:
        """Remove the waiting runs, and return them."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
            return waiting

    def active_runs(self) -> list[LocalRun]:
        with self._lock:
            return list(self._active)

    def position_of(self, run: LocalRun) -> int:
        """Its position among the waiting runs, from 1; 0 if it is not waiting."""
        with self._lock:
            return self._waiting.index(run) + 1 if run in self._waiting else 0

    def _retry_after_s(self) -> int:
        """An estimate of when the queue has room again, from the durations of the latest runs."""
        typical = statistics.median(self._durations_s) if self._durations_s else 1.0
        return min(
            _LONGEST_RETRY_S, max(1, math.ceil(typical * len(self._waiting) / self._slots / 4))
        )
