"""`compile_schema`, the keywords of each draft, and the result of a check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from catalog.errors import Problem
from catalog.json_schema.dialects import (
    DEFAULT_DIALECT,
    DRAFT_04,
    DRAFT_06,
    DRAFT_07,
    DRAFT_2019_09,
    DRAFT_2020_12,
    Dialect,
    dialect_of,
)
from catalog.json_schema.validation.applicators import (
    APPLICATORS_04,
    APPLICATORS_06,
    APPLICATORS_07,
    APPLICATORS_2019,
    APPLICATORS_2020,
)
from catalog.json_schema.validation.assertions import ASSERTIONS, ASSERTIONS_04, Assertion
from catalog.json_schema.validation.budget import Budget, Run
from catalog.json_schema.validation.documents import Document
from catalog.json_schema.validation.errors import Failure, Violation
from catalog.json_schema.validation.subschema import MAX_PROBLEMS, Keyword, Subschema, root_of
from catalog.jsontext.reader import JSON

Verdict = Literal["conforms", "violates", "unchecked"]


def _asserting(name: str, check: Assertion) -> Keyword:
    def keyword(subschema: Subschema, run: Run, value: Any, instance: JSON) -> Iterable[Failure]:
        message = check(subschema, run, value, instance)
        return () if message is None else (Failure(subschema, run.path, name, message),)

    return keyword


_ASSERTING_04: Final = {name: _asserting(name, check) for name, check in ASSERTIONS_04.items()}
_ASSERTING: Final = {name: _asserting(name, check) for name, check in ASSERTIONS.items()}

KEYWORDS: Final[Mapping[str, Mapping[str, Keyword]]] = {
    DRAFT_04.uri: {**_ASSERTING_04, **APPLICATORS_04},
    DRAFT_06.uri: {**_ASSERTING, **APPLICATORS_06},
    DRAFT_07.uri: {**_ASSERTING, **APPLICATORS_07},
    DRAFT_2019_09.uri: {**_ASSERTING, **APPLICATORS_2019},
    DRAFT_2020_12.uri: {**_ASSERTING, **APPLICATORS_2020},
}
"""By the URI of each draft, its keywords by name."""


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
        self.root: Subschema = root_of(
            Document(schema, self.dialect, KEYWORDS, asserts_formats=asserts_formats)
        )

    def check(self, value: JSON, *, budget: Budget | None = None) -> CheckResult:
        """Check `value`, within `budget`."""
        violations, truncated, reason = self.root.survey(value, budget or Budget())
        reported = [shown for violation in violations for shown in violation.reported()]
        if not violations:
            return CheckResult("conforms" if reason is None else "unchecked", reason=reason)
        return CheckResult(
            "violates",
            problems=tuple(violation.problem() for violation in islice(reported, MAX_PROBLEMS)),
            violations=tuple(violations),
            truncated=truncated or len(reported) > MAX_PROBLEMS,
            reason=reason,
        )


def compile_schema(schema: JSON, *, asserts_formats: bool = True) -> CompiledSchema:
    """`schema` ready for checks, in the draft that its `$schema` names, else 2020-12.

    Never raises: checks against a malformed schema have the verdict "unchecked". Cheap, because everything is computed
    when it is first needed.
    """
    return CompiledSchema(schema, asserts_formats=asserts_formats)
