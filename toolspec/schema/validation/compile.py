"""`compile_schema`, and the result of a check."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from toolspec.errors import Problem
from toolspec.schema.dialects import DEFAULT_DIALECT, Dialect, dialect_of
from toolspec.schema.validation.budget import Budget
from toolspec.schema.validation.documents import Document
from toolspec.schema.validation.errors import Violation
from toolspec.schema.validation.fast_check import FastCheck
from toolspec.schema.validation.subschema import MAX_PROBLEMS, Subschema, make_root
from toolspec.text.reader import JSON

Verdict = Literal["conforms", "violates", "unchecked"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking a value against a schema.

    Attributes:
        verdict: "unchecked" if the check could not be finished and had found no problem.
        problems: at most `MAX_PROBLEMS`, in the order of the value, with pointers into it.
        violations: the same problems, with their branches.
        truncated: whether there may be more.
        reason: why the check could not be finished.
    """

    verdict: Verdict
    problems: tuple[Problem, ...] = ()
    violations: tuple[Violation, ...] = ()
    truncated: bool = False
    reason: str | None = None


class CompiledSchema:
    """A schema that values can be checked against, any number of times, from any thread.

    Attributes:
        dialect: its draft.
        root: the whole schema as a `Subschema`.
    """

    def __init__(self, schema: JSON, *, asserts_formats: bool = True) -> None:
        self.schema = schema
        self.dialect: Dialect = dialect_of(schema, DEFAULT_DIALECT) or DEFAULT_DIALECT
        self.root: Subschema = make_root(
            Document(schema, self.dialect, asserts_formats=asserts_formats)
        )

    def check(self, value: JSON, *, budget: Budget | None = None) -> CheckResult:
        """Check `value`, within `budget`."""
        budget = budget or Budget()
        if self.root.document.flaw is None and self._fast_check.conforms(value, budget):
            return CheckResult("conforms")
        violations, truncated, reason = self.root.find_violations(value, budget)
        if not violations:
            return CheckResult("conforms" if reason is None else "unchecked", reason=reason)
        details: list[Violation] = []
        for violation in violations:
            details += violation.reported()
        return CheckResult(
            "violates",
            problems=tuple(detail.problem() for detail in details[:MAX_PROBLEMS]),
            violations=tuple(violations),
            truncated=truncated or len(details) > MAX_PROBLEMS,
            reason=reason,
        )

    @cached_property
    def _fast_check(self) -> FastCheck:
        return FastCheck(self.schema, self.dialect)


def compile_schema(schema: JSON, *, asserts_formats: bool = True) -> CompiledSchema:
    """`schema` ready for checks, in the draft that its `$schema` names, else 2020-12.

    Never raises: checks against a malformed schema have the verdict "unchecked". Cheap, because
    everything is computed when it is first needed.
    """
    return CompiledSchema(schema, asserts_formats=asserts_formats)
