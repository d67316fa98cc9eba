"""The budget of a check, and how a check ends early.

Every keyword counts as a step, and so does every part of a value that a keyword visits by itself.
Descending into a subschema, for the same value or a part of it, counts as a level, so Python's
recursion limit is never reached.
"""

from __future__ import annotations

import sys
import time
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from toolspec.schema.validation.subschema import Subschema

MAX_STEPS: Final = 1_000_000
MAX_DEPTH: Final = 260  # four levels for each of the 64 that a value may be nested
MAX_SECONDS: Final = 0.5  # of this thread's CPU time
MAX_DETAILS: Final = 500  # violations inside the branches of unions

_STEPS_BETWEEN_LOOKS: Final = 512  # at the clock
_FRAMES_PER_LEVEL: Final = 3
_RESERVED_FRAMES: Final = 60


class Unchecked(Exception):
    """The check cannot be finished; the text is the reason, for users."""


@dataclass(slots=True)
class Budget:
    """The limits of one check, or of several that share them. Checks deduct what they use."""

    steps: int = MAX_STEPS
    seconds: float = MAX_SECONDS


class Run:
    """A check in progress, with its budget: `with Run(budget) as run`.

    Attributes:
        levels: how much deeper it may go. A level takes three of Python's frames.
        path: the current position in the value.
        fits: (subschema, identity of a value) -> whether the value is valid there, as far as known.
        open: what is being checked, as (subschema, identity of a value); see `enter`.
        reported: the references whose violations are reported, as (subschema, path); None while
            only validity counts.
        details: how many more violations inside branches may be reported.
        evaluated: the results of `unevaluatedProperties` and `unevaluatedItems` so far.
    """

    __slots__ = (
        "_budget",
        "_next_look",
        "_started",
        "_steps",
        "_token",
        "details",
        "evaluated",
        "fits",
        "levels",
        "open",
        "path",
        "reported",
    )

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._steps = budget.steps
        self._next_look = max(budget.steps - _STEPS_BETWEEN_LOOKS, 0)
        self.levels = min(MAX_DEPTH, _count_levels_left())
        self.path: list[str | int] = []
        self.fits: dict[tuple[Subschema, int], bool] = {}
        self.open: set[tuple[Subschema, int]] = set()
        self.reported: set[tuple[Subschema, tuple[str | int, ...]]] | None = None
        self.details = MAX_DETAILS
        self.evaluated: dict[tuple[Subschema, int], frozenset[str] | frozenset[int] | None] = {}

    def __enter__(self) -> Self:
        self._token = _RUN.set(self)
        self._started = time.thread_time()
        return self

    def __exit__(self, *_: object) -> None:
        _RUN.reset(self._token)
        self._budget.steps = max(self._steps, 0)
        self._budget.seconds -= time.thread_time() - self._started

    def spend(self, steps: int = 1) -> None:
        """Count `steps`.

        Raises:
            Unchecked: the steps or the time are used up.
        """
        self._steps -= steps
        if self._steps < self._next_look:
            self._look_at_clock()

    def _look_at_clock(self) -> None:
        if self._steps < 0:
            raise Unchecked("The check takes too many steps.")
        if time.thread_time() - self._started > self._budget.seconds:
            raise Unchecked("The check takes too long.")
        self._next_look = max(self._steps - _STEPS_BETWEEN_LOOKS, 0)

    def seconds_left(self) -> float:
        """The CPU time that is left (s)."""
        return self._budget.seconds - (time.thread_time() - self._started)

    def descend(self, levels: int = 1) -> None:
        """Go `levels` deeper; to go back, add to `self.levels`.

        Raises:
            Unchecked: this is too deep.
        """
        self.levels -= levels
        if self.levels < 0:
            raise Unchecked("The schema or the value is nested too deeply to be checked.")

    def enter(self, key: tuple[Subschema, int]) -> None:
        """Begin to check a value in a subschema; to end it, discard `key` from `self.open`.

        Raises:
            Unchecked: that is being done already.
        """
        if key in self.open:
            raise Unchecked("The schema refers to itself without going deeper into the value.")
        self.open.add(key)


_RUN: ContextVar[Run] = ContextVar("run")

current_run = _RUN.get


def _count_levels_left() -> int:
    frames = 0
    frame = sys._getframe()
    while frame.f_back is not None:  # walked at each check of a value, so it is short
        frames, frame = frames + 1, frame.f_back
    return (sys.getrecursionlimit() - frames - _RESERVED_FRAMES) // _FRAMES_PER_LEVEL
