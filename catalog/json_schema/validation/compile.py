"""`compile_schema`, and what a check says."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from catalog.errors import Problem
from catalog.json_schema.dialects import DEFAULT_DIALECT, Dialect, dialect_of
from catalog.json_schema.validation.budget import Budget
from catalog.json_schema.validation.documents import Document
from catalog.json_schema.validation.drafts import make_validator
from catalog.json_schema.validation.errors import Violation
from catalog.json_schema.validation.subschema import Subschema, root_of
from catalog.jsontext.reader import JSON

MAX_PROBLEMS: Final = 50

Verdict = Literal["conforms", "violates", "unchecked"]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What checking a value against a schema said.

    Attributes:
        verdict: "unchecked" where the check could not be finished and nothing wrong was found until then.
        problems: at most `MAX_PROBLEMS`, in the order of the value; pointers into the value.
        violations: the same, with their branches.
        truncated: there may be more.
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
        dialect: the draft that it is read in.
        root: the whole schema as a place.
    """

    def __init__(self, schema: JSON, *, asserts_formats: bool = True) -> None:
        self.schema = schema
        self.dialect: Dialect = dialect_of(schema, DEFAULT_DIALECT) or DEFAULT_DIALECT
        self.root: Subschema = root_of(Document(schema, self.dialect, make_validator, asserts_formats=asserts_formats))

    def check(self, value: JSON, *, budget: Budget | None = None) -> CheckResult:
        """Check `value`; always ends, within `budget`."""
        survey = self.root.survey(value, budget or Budget(), limit=MAX_PROBLEMS)
        reported = [shown for violation in survey.violations for shown in violation.reported()]
        if not survey.violations:
            return CheckResult("conforms" if survey.reason is None else "unchecked", reason=survey.reason)
        return CheckResult(
            "violates",
            problems=tuple(violation.problem() for violation in islice(reported, MAX_PROBLEMS)),
            violations=survey.violations,
            truncated=survey.truncated or len(reported) > MAX_PROBLEMS,
            reason=survey.reason,
        )


def compile_schema(schema: JSON, *, asserts_formats: bool = True) -> CompiledSchema:
    """`schema` ready to check with, in the draft that its `$schema` names, else 2020-12.

    Never raises: a schema that is malformed is found out when it checks, as "unchecked". Cheap; what a schema needs is
    made when it is first asked for, and kept.
    """
    return CompiledSchema(schema, asserts_formats=asserts_formats)
