"""The assessment of a spec: its lint score, and which formats accept it as it is."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from catalog.specs.exporters import usable_as_it_is
from catalog.specs.lint.linter import lint
from catalog.specs.lint.score import score
from catalog.specs.spec import ToolSpec

ASSESSED_BY: Final = 2  # raise it when rules change what is found or what is usable: everything is then judged again
GRADES: Final[tuple[tuple[int, str], ...]] = ((90, "90 and above"), (70, "70 to 89"), (0, "Below 70"))


@dataclass(frozen=True, slots=True)
class WaivedFinding:
    """What somebody decided to live with: a rule, at one place of the spec or, where `pointer` is "", anywhere."""

    rule: str
    pointer: str = ""

    def covers(self, rule: str, pointer: str) -> bool:
        return rule == self.rule and self.pointer in {"", pointer}


@dataclass(frozen=True, slots=True)
class SpecAssessment:
    """`usable`: the keys of the export formats that accept the spec as it is."""

    score: int
    usable: tuple[str, ...]

    @property
    def grade(self) -> int:
        return grade_of(self.score)


def assess(spec: ToolSpec, waived: Collection[WaivedFinding] = ()) -> SpecAssessment:
    """Assess `spec`; what is `waived` costs nothing. Some 1 to 2 ms for a typical spec."""
    found = lint(spec)
    standing = [one for one in found if not any(each.covers(one.rule, one.pointer) for each in waived)]
    return SpecAssessment(score(standing), usable_as_it_is(spec))


def grade_of(number: int) -> int:
    """The lowest score of the grade that a score belongs to: 90, 70 or 0."""
    return next(lowest for lowest, _ in GRADES if number >= lowest)


# What searches find it by. A score is a token of its own and one of its ten, so that "at least" needs but a few.


def keys_of(number: int | None, usable: Collection[str]) -> tuple[str, ...]:
    """The tokens of a tool in the search index; none where it is not judged yet."""
    if number is None:
        return ()
    return ("f_judged", f"f_score_{number}", f"f_scores_{number // 10}", *map(usable_key, usable))


def usable_key(format_key: str) -> str:
    return f"f_usable_{format_key.replace('-', '')}"


def keys_from(lowest: int) -> tuple[str, ...]:
    """The tokens of which every tool with a score of `lowest` or more has one."""
    tens = -(-lowest // 10)
    singles = range(lowest, min(tens * 10, 101))
    return (*(f"f_score_{number}" for number in singles), *(f"f_scores_{ten}" for ten in range(tens, 11)))


def keys_of_grade(lowest: int) -> tuple[str, ...]:
    """The tokens of which every tool of a grade, and no other, has one."""
    highest = min((other for other, _ in GRADES if other > lowest), default=101)
    return tuple(f"f_scores_{ten}" for ten in range(lowest // 10, -(-highest // 10)))
