"""The lint errors of the specs that a preview shows, so that they can be fixed before they are published."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from catalog.tools.lint_models import Waiver
from catalog.uploads.parse import Candidate
from toolspec.errors import Problem
from toolspec.lint.linter import lint_with_positions
from toolspec.spec import ToolSpec

MAX_SPECS: Final = 200  # of one upload that are linted, 0.5 ms each
MAX_BYTES: Final = 512 * 1024  # of all of them


class LintErrors:
    """Lints the first specs of a dry run; the others have no lint errors in its report."""

    def __init__(self) -> None:
        self._specs_left = MAX_SPECS
        self._bytes_left = MAX_BYTES

    def of(self, candidate: Candidate, *, is_new: bool) -> tuple[Problem, ...]:
        """The findings of severity "error" in a spec that would be published, without those that the tool waives.

        They have a line and column if the source contains the spec as it is. The warnings of
        `candidate` are left out.
        """
        spec, size = candidate.spec, len(candidate.piece.text)
        if not isinstance(spec, ToolSpec) or self._specs_left < 1 or size > self._bytes_left:
            return ()
        self._specs_left -= 1
        self._bytes_left -= size
        known = {(warning.rule, warning.pointer) for warning in candidate.warnings}
        errors = [
            advice.problem for advice in lint_with_positions(spec) if advice.severity == "error"
        ]
        errors = [error for error in errors if (error.rule, error.pointer) not in known]
        if errors and not is_new:
            waivers = [
                waiver.waived for waiver in Waiver.objects.filter(tool__tool_id=spec.tool_id)
            ]
            errors = [
                one
                for one in errors
                if not any(waived.covers(one.rule, one.pointer) for waived in waivers)
            ]
        return tuple(_in_source(error, candidate) for error in errors)


def _in_source(problem: Problem, candidate: Candidate) -> Problem:
    if candidate.origin is None:
        return candidate.piece.in_source(problem)
    return replace(problem, line=None, column=None)  # the text was generated
