"""Run all rules over a spec, in one pass over its schemas: findings, positions and score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from toolspec.errors import Problem
from toolspec.lint.context import SchemaRule, SpecRule, Subject
from toolspec.lint.findings import SEVERITIES, Finding, Fix, Severity
from toolspec.lint.rules import (
    constraints,
    descriptions,
    injection,
    keywords,
    names,
    providers,
    references,
    secrets,
    values,
)
from toolspec.spec import ToolSpec
from toolspec.text.positions import locate
from toolspec.text.reader import JSON

MAX_FINDINGS: Final = 500

# Findings of the same severity come in the order of the modules. A module lists its rules for specs
# and for schemas.
MODULES: Final = (
    names,
    descriptions,
    injection,
    secrets,
    providers,
    references,
    constraints,
    keywords,
    values,
)
OF_SPECS: Final[tuple[SpecRule, ...]] = tuple(
    rule for module in MODULES for rule in getattr(module, "OF_SPECS", ())
)
OF_SCHEMAS: Final[tuple[SchemaRule, ...]] = tuple(
    rule for module in MODULES for rule in getattr(module, "OF_SCHEMAS", ())
)


def lint(spec: ToolSpec) -> list[Finding]:
    """The findings of `spec`, the most severe first.

    At most `MAX_FINDINGS`. Below 1 ms for a typical spec.
    """
    findings = list(islice(_find(Subject(spec)), MAX_FINDINGS))
    return sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))


def _find(subject: Subject) -> Iterator[Finding]:
    for check in OF_SPECS:
        yield from check(subject)
    for part in subject.parts:
        for node in part.map.nodes:
            for check_schema in OF_SCHEMAS:
                yield from check_schema(part, node)


# With positions


@dataclass(frozen=True, slots=True)
class LocatedFinding:
    """A finding with its position: `problem` has the pointer, line, column, message and rule."""

    problem: Problem
    severity: Severity
    fix: Fix | None = None

    @property
    def rule(self) -> str:
        return self.problem.rule

    def as_json(self) -> dict[str, JSON]:
        """{"pointer", "message", "rule", "line", "column", "severity", "fix"}.

        `fix` as `Fix.as_json`, or null.
        """
        fix: JSON = self.fix.as_json() if self.fix is not None else None
        return {**self.problem.as_json(), "severity": self.severity, "fix": fix}


def lint_with_positions(spec: ToolSpec) -> list[LocatedFinding]:
    """The findings of `spec`, the most severe first, with lines and columns of its text."""
    findings = lint(spec)
    if not findings:
        return []
    positions = locate(spec.source, [finding.pointer for finding in findings])
    advice = []
    for finding in findings:
        line, column = positions[finding.pointer]
        problem = Problem(finding.pointer, finding.message, finding.rule, line=line, column=column)
        advice.append(LocatedFinding(problem, finding.severity, finding.fix))
    return advice


# As one number

# The cost of a rule's first finding, of each further one, and the limit for all findings of one
# rule.
COSTS: Final[dict[Severity, tuple[float, float, float]]] = {
    "error": (30, 5, 45),
    "warning": (5, 1.5, 15),
    "info": (1.5, 0.25, 4),
}


def score(findings: Iterable[Finding | LocatedFinding]) -> int:
    """0 (hardly usable) to 100 (no findings).

    Repeated findings of one rule cost less: they are one mistake.
    """
    counts = Counter((finding.rule, finding.severity) for finding in findings)
    cost = 0.0
    for (_, severity), number in counts.items():
        first, further, most = COSTS[severity]
        cost += min(first + further * (number - 1), most)
    return max(round(100 - cost), 0)
