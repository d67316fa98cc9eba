"""The assessment of a spec: its lint score, and which formats accept it unchanged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from toolspec.exports import FORMATS, usable_as_it_is
from toolspec.lint.linter import lint, score
from toolspec.lint.registry import RULES_VERSION
from toolspec.spec import ToolSpec

# Tools whose assessment has a lower number are assessed again: after a change of rules, and with a
# new export format.
ASSESSED_BY: Final = RULES_VERSION + len(FORMATS) - 8  # there were 8 formats at version 4
GRADES: Final[tuple[tuple[int, str], ...]] = (
    (90, "90 and above"),
    (70, "70 to 89"),
    (0, "Below 70"),
)


@dataclass(frozen=True, slots=True)
class WaivedFinding:
    """A rule that was waived: at one pointer of the spec, or everywhere if `pointer` is ""."""

    rule: str
    pointer: str = ""

    def covers(self, rule: str, pointer: str) -> bool:
        return rule == self.rule and self.pointer in {"", pointer}


@dataclass(frozen=True, slots=True)
class SpecAssessment:
    """The lint score of a spec, and the findings that it was computed from.

    Attributes:
        usable: the keys of the export formats that accept the spec unchanged.
        findings: how many findings each rule has; rules without findings are left out.
    """

    score: int
    usable: tuple[str, ...]
    findings: tuple[tuple[str, int], ...] = ()

    @property
    def grade(self) -> int:
        return grade_of(self.score)


def assess(spec: ToolSpec, waived: Collection[WaivedFinding] = ()) -> SpecAssessment:
    """Assess `spec`; `waived` findings do not lower the score. 1 to 2 ms for a typical spec."""
    findings = []
    for finding in lint(spec):
        if not any(waiver.covers(finding.rule, finding.pointer) for waiver in waived):
            findings.append(finding)
    counts = Counter(finding.rule for finding in findings)
    return SpecAssessment(score(findings), usable_as_it_is(spec), tuple(sorted(counts.items())))


def grade_of(number: int) -> int:
    """The lowest score of the grade that a score belongs to: 90, 70 or 0."""
    return next(lowest for lowest, _ in GRADES if number >= lowest)


# Tokens of the search index. A score has a token of its own and one for its ten, so that "at least"
# needs only a few.


def keys_of(number: int | None, usable: Collection[str]) -> tuple[str, ...]:
    """The tokens of a tool in the search index; none if it is not assessed yet."""
    if number is None:
        return ()
    return ("f_judged", f"f_score_{number}", f"f_scores_{number // 10}", *map(usable_key, usable))


def usable_key(format_key: str) -> str:
    return f"f_usable_{format_key.replace('-', '')}"


def keys_from(lowest: int) -> tuple[str, ...]:
    """Every tool with a score of `lowest` or more has one of these tokens."""
    tens = -(-lowest // 10)
    singles = range(lowest, min(tens * 10, 101))
    keys = [f"f_score_{number}" for number in singles]
    keys += [f"f_scores_{ten}" for ten in range(tens, 11)]
    return tuple(keys)
