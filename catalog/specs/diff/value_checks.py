"""Checks of single values during a comparison, within one shared budget."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.json_schema.validation import Budget, Subschema
from catalog.jsontext.reader import JSON
from catalog.specs.diff import ranges
from catalog.specs.diff.conjunction import Conjunction, TooMuch, Union
from catalog.specs.diff.keywords import assertions_of, type_of, types_of
from catalog.specs.diff.ranges import is_integral, number_edge
from catalog.specs.diff.string_sets import StringSearch

MAX_LISTED: Final = 256  # integers between two bounds that are tried one by one
EFFORT: Final = 200_000  # of one comparison, in subschemas examined
EFFORT_BETWEEN_LOOKS: Final = 200  # at the clock
STEPS: Final = 1_000_000  # of one comparison
SECONDS: Final = 1.0  # of CPU time
EMPTY: Final[Mapping[str, JSON]] = {"array": [], "object": {}, "string": ""}


@dataclass
class ValueChecks:
    """Cached answers about values, from one shared budget.

    Attributes:
        effort: the rest of the budget.
        next_look: the clock is read when less effort than this is left.
        started: CPU time of this thread at the start (s).
        disjoint: whether pairs of schemas have no value in common.
    """

    effort: int = EFFORT
    disjoint: dict[Hashable, bool] = field(default_factory=dict)
    next_look: int = EFFORT
    started: float = field(init=False)
    budget: Budget = field(default_factory=lambda: Budget(steps=STEPS, seconds=SECONDS))
    strings: StringSearch = field(default_factory=StringSearch)
    _listed: dict[Hashable, list[JSON] | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.started = time.thread_time()

    def spend(self, effort: int) -> None:
        """Count `effort`.

        Raises:
            TooMuch: the budget or the time is used up.
        """
        self.effort -= effort
        if self.effort < 0:
            raise TooMuch
        if self.effort < self.next_look:
            self.next_look = self.effort - EFFORT_BETWEEN_LOOKS
            if time.thread_time() - self.started > SECONDS:
                raise TooMuch

    def accepts(self, whole: Conjunction, value: JSON) -> bool | None:
        """Whether `value` is valid for all of `whole`; None if that is not known."""
        if whole.accepts_nothing:
            return False
        answers = [self._is_valid(subschema, value) for subschema in whole.subschemas]
        if False in answers:
            return False
        return None if None in answers or whole.has_unknown_parts else True

    def _is_valid(self, subschema: Subschema, value: JSON) -> bool | None:
        unions = [
            Union(subschema, keyword)
            for keyword in ("anyOf", "oneOf")
            if keyword in subschema.keywords
        ]
        if unions and assertions_of(subschema) <= {"type", "anyOf", "oneOf"}:
            marks = [union.marks for union in unions if union.marks is not None]
            if len(marks) == len(
                unions
            ):  # looked up, because to check each value against each branch is quadratic
                if isinstance(value, list | dict):
                    return False
                kind = type_of(value)
                return kind in types_of(subschema) and all((kind, value) in some for some in marks)
        return subschema.is_valid(value, self.budget)

    def values_of(self, whole: Conjunction) -> list[JSON] | None:
        """All values that `whole` accepts or may accept; None if they cannot be listed."""
        if whole.key not in self._listed:
            candidates = self._candidates(whole)
            self._listed[whole.key] = (
                None
                if candidates is None
                else [value for value in candidates if self.accepts(whole, value) is not False]
            )
        return self._listed[whole.key]

    def _candidates(self, whole: Conjunction) -> list[JSON] | None:
        if not whole.types:
            return []
        if whole.choices:
            return whole.valid_choices
        if "fraction" in whole.types:
            return None
        found: list[JSON] = []
        for type_name in sorted(whole.types):
            values = self._candidates_of(type_name, whole)
            if values is None:
                return None
            found += values
        return found

    def _candidates_of(self, type_name: str, whole: Conjunction) -> list[JSON] | None:
        if type_name in {"boolean", "null"}:
            return [False, True] if type_name == "boolean" else [None]
        if type_name == "integer":
            return self._integers(whole)
        return [EMPTY[type_name]] if ranges.most(whole, type_name) == 0 else None

    def _integers(self, whole: Conjunction) -> list[JSON] | None:
        low, high = (
            number_edge(whole, lowest=lowest, integers=is_integral(whole))
            for lowest in (True, False)
        )
        if low is None or high is None or high[0] - low[0] > MAX_LISTED:
            return None
        return list(range(int(low[0]), int(high[0]) + 1))
