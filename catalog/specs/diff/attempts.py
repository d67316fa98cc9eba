"""Values held against schemas while two of them are compared, within one budget."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.json_schema.validation import Budget
from catalog.jsontext.reader import JSON
from catalog.specs.diff import ranges
from catalog.specs.diff.conjunction import Together, TooMuch
from catalog.specs.diff.ranges import is_integral, number_edge
from catalog.specs.diff.string_sets import Puzzles

MAX_LISTED: Final = 256  # integers between two bounds that are looked at one by one
EFFORT: Final = 200_000  # of one comparison, in places that are looked at
EFFORT_BETWEEN_LOOKS: Final = 200  # at the clock, which is not free
STEPS: Final = 1_000_000  # of one comparison
SECONDS: Final = 1.0  # of CPU time
EMPTY: Final[Mapping[str, JSON]] = {"array": [], "object": {}, "string": ""}


@dataclass
class Trial:
    """Answers about values, from a budget that all of them share; what was answered is remembered.

    Attributes:
        effort: how much more may be looked at.
        next_look: at the clock, when less effort than this is left.
        started: when that began (CPU time of this thread, s).
        apart: which pairs of schemas have no value in common.
    """

    effort: int = EFFORT
    apart: dict[Hashable, bool] = field(default_factory=dict)
    next_look: int = EFFORT
    started: float = field(default_factory=time.thread_time)
    budget: Budget = field(default_factory=lambda: Budget(steps=STEPS, seconds=SECONDS))
    puzzles: Puzzles = field(default_factory=Puzzles)
    _listed: dict[Hashable, list[JSON] | None] = field(default_factory=dict)

    def spend(self, effort: int) -> None:
        """Count `effort`.

        Raises:
            TooMuch: that was too much, or it takes too long.
        """
        self.effort -= effort
        if self.effort < 0:
            raise TooMuch
        if self.effort < self.next_look:
            self.next_look = self.effort - EFFORT_BETWEEN_LOOKS
            if time.thread_time() - self.started > SECONDS:
                raise TooMuch

    def accepts(self, whole: Together, value: JSON) -> bool | None:
        """Whether `value` is valid by all of `whole`; None where that cannot be found out."""
        if whole.nothing:
            return False
        answers = [place.is_valid(value, self.budget) for place in whole.places]
        if False in answers:
            return False
        return None if None in answers or whole.unclear else True

    def values_of(self, whole: Together) -> list[JSON] | None:
        """All values that `whole` accepts, or may; None where they cannot be listed."""
        if whole.key not in self._listed:
            candidates = self._candidates(whole)
            self._listed[whole.key] = (
                None
                if candidates is None
                else [value for value in candidates if self.accepts(whole, value) is not False]
            )
        return self._listed[whole.key]

    def _candidates(self, whole: Together) -> list[JSON] | None:
        if not whole.kinds:
            return []
        if whole.choices:
            return whole.fitting_choices
        if "fraction" in whole.kinds:
            return None
        found: list[JSON] = []
        for kind in sorted(whole.kinds):
            values = self._candidates_of(kind, whole)
            if values is None:
                return None
            found += values
        return found

    def _candidates_of(self, kind: str, whole: Together) -> list[JSON] | None:
        if kind in {"boolean", "null"}:
            return [False, True] if kind == "boolean" else [None]
        if kind == "integer":
            return self._integers(whole)
        return [EMPTY[kind]] if ranges.most(whole, kind) == 0 else None

    def _integers(self, whole: Together) -> list[JSON] | None:
        low, high = (number_edge(whole, lowest=lowest, integers=is_integral(whole)) for lowest in (True, False))
        if low is None or high is None or high[0] - low[0] > MAX_LISTED:
            return None
        return list(range(int(low[0]), int(high[0]) + 1))
