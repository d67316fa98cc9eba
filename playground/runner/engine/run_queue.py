"""The queue of a runner, in which owners take turns and share the slots."""

from __future__ import annotations

import threading
from bisect import insort

from playground.runner.engine.local_run import LocalRun
from toolshelf_core.fairness import SharedSlots, Turns


class RunQueue:
    """The waiting and the active runs of one runner. May be used from any thread."""

    def __init__(self, *, slots: int, reserve: int) -> None:
        self._lock = threading.Lock()
        self._slots = slots

        self._shared_slots = SharedSlots(slots, reserve=reserve)
        self._turns = Turns()
        self._waiting: list[LocalRun] = []  # in order of turns
        self._active: set[LocalRun] = set()

    def next_turn(self, owner: str) -> int:
        """The turn of the owner's next job."""
        with self._lock:
            return self._turns.take(owner)

    def add(self, run: LocalRun) -> None:
        """Let `run` wait for its turn."""
        with self._lock:
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
