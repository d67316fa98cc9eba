"""What a check may cost, and how it ends early.

Every keyword counts as a step, and so does every part of a value that a keyword looks through by itself. Descending
into a subschema, in place or into the value, counts as a level, so that Python's recursion limit is never reached.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from catalog.validation.places import Place

MAX_STEPS: Final = 1_000_000
MAX_DEPTH: Final = 260  # four levels for each of the 64 that a value may be nested
MAX_SECONDS: Final = 0.5  # of this thread's CPU time
MAX_DETAILS: Final = 500  # violations inside the branches of unions

_STEPS_BETWEEN_LOOKS: Final = 512  # at the clock
_FRAMES_PER_LEVEL: Final = 3
_FRAMES_KEPT_FREE: Final = 60


class Unchecked(Exception):
    """The check cannot be finished; the text is the reason, for people."""


@dataclass(slots=True)
class Budget:
    """What one check may cost, or several that share it. What is spent is gone."""

    steps: int = MAX_STEPS
    depth: int = MAX_DEPTH
    seconds: float = MAX_SECONDS


@dataclass(slots=True)
class Run:
    """One check on its way.

    Attributes:
        levels: how much deeper it may go. A level stands for three of Python's frames.
        path: where in the value it stands.
        fits: (place, identity of a value) -> whether the value is valid there, as far as known.
        open: the references that are being followed, as (place, identity of a value).
        reported: the references whose violations have been told, as (place, path); None while only validity counts.
        suppressed: how often violations were not told, because they had been.
        details: how many more violations inside branches may be told.
        evaluated: what `unevaluatedProperties` and `unevaluatedItems` have found out.
    """

    budget: Budget
    levels: int
    steps: int
    started: float
    next_look: int
    path: list[str | int] = field(default_factory=list)
    fits: dict[tuple[Place, int], bool] = field(default_factory=dict)
    open: set[tuple[Place, int]] = field(default_factory=set)
    reported: set[tuple[Place, tuple[str | int, ...]]] | None = None
    suppressed: int = 0
    details: int = MAX_DETAILS
    evaluated: dict[tuple[Place, int], frozenset[str] | frozenset[int] | None] = field(default_factory=dict)

    def spend(self, steps: int = 1) -> None:
        """Count `steps`.

        Raises:
            Unchecked: that was too much, or took too long.
        """
        self.steps -= steps
        if self.steps < self.next_look:
            self._look()

    def _look(self) -> None:
        if self.steps < 0:
            raise Unchecked("The check takes too many steps.")
        if time.thread_time() - self.started > self.budget.seconds:
            raise Unchecked("The check takes too long.")
        self.next_look = max(self.steps - _STEPS_BETWEEN_LOOKS, 0)

    def seconds_left(self) -> float:
        """CPU time that is left (s)."""
        return self.budget.seconds - (time.thread_time() - self.started)

    def descend(self, levels: int = 1) -> None:
        """Go `levels` deeper; adding to `levels` goes back.

        Raises:
            Unchecked: that is too deep.
        """
        self.levels -= levels
        if self.levels < 0:
            raise Unchecked("The schema or the value is nested too deeply to be checked.")


_RUN: ContextVar[Run] = ContextVar("run")

current_run = _RUN.get


@contextmanager
def running(budget: Budget) -> Iterator[Run]:
    """One check, paid from `budget`."""
    steps = budget.steps
    run = Run(
        budget=budget,
        levels=min(budget.depth, _levels_until_recursion_limit()),
        steps=steps,
        started=time.thread_time(),
        next_look=max(steps - _STEPS_BETWEEN_LOOKS, 0),
    )
    token = _RUN.set(run)
    try:
        yield run
    finally:
        _RUN.reset(token)
        budget.steps = max(run.steps, 0)
        budget.seconds -= time.thread_time() - run.started


def _levels_until_recursion_limit() -> int:
    frames, frame = 0, sys._getframe()
    while frame.f_back is not None:
        frames, frame = frames + 1, frame.f_back
    return (sys.getrecursionlimit() - frames - _FRAMES_KEPT_FREE) // _FRAMES_PER_LEVEL
