"""Findings with lines and columns: for the API, commands and editors."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.errors import Problem
from catalog.jsontext.positions import locate
from catalog.jsontext.reader import JSON
from catalog.specs.lint.findings import Fix, Severity
from catalog.specs.lint.linter import lint
from catalog.specs.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class Advice:
    """A finding with its position: `problem` has the pointer, line, column, message and rule."""

    problem: Problem
    severity: Severity
    fix: Fix | None = None

    @property
    def rule(self) -> str:
        return self.problem.rule

    def as_json(self) -> dict[str, JSON]:
        """{"pointer", "message", "rule", "line", "column", "severity", "fix"}; `fix` as `Fix.as_json`, or null."""
        fix: JSON = self.fix.as_json() if self.fix is not None else None
        return {**self.problem.as_json(), "severity": self.severity, "fix": fix}


def advise(spec: ToolSpec) -> list[Advice]:
    """The findings of `spec`, the most severe first, with lines and columns of its text."""
    findings = lint(spec)
    positions = locate(spec.source, [finding.pointer for finding in findings]) if findings else {}
    return [
        Advice(
            Problem(finding.pointer, finding.message, finding.rule, line=line, column=column),
            finding.severity,
            finding.fix,
        )
        for finding in findings
        for line, column in [positions[finding.pointer]]
    ]
