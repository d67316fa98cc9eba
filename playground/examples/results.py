"""The results of a check of a tool's examples.

A check calls the tool as the person who started it, so its runs are private like other runs:
everyone sees whether an example holds, and only that person and administrators see the run and
where its response differs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from accounts.models import Person
from accounts.roles import is_administrator
from catalog.tools.events import about_tool
from catalog.webhooks.queue import WebhookEvent, queue_events
from playground.configurations.compiled_spec import compiled_spec_of, value_problems
from playground.configurations.secret_members import redactor_of
from playground.examples.models import ExampleCheck
from playground.factories.connections import factory_of
from playground.form.secret_search import find_secrets
from playground.runs.models import Run
from toolspec.errors import Problem
from toolspec.schema.validation import Budget
from toolspec.spec import Example
from toolspec.value_differences import Change, compare

MAX_SHOWN: Final = 20
STARTING_S: Final = 600  # a check that has no active run for so long no longer starts runs


@dataclass(frozen=True)
class ExampleResult:
    """The result of one example; `number` counts from 1. `passed`: None while its run is active."""

    number: int
    description: str
    parameters_problems: tuple[Problem, ...]
    return_problems: tuple[Problem, ...]
    run: Run | None
    differences: tuple[Change, ...]

    @property
    def passed(self) -> bool | None:
        if self.parameters_problems or self.return_problems:
            return False
        if self.run is None:
            return True  # there is no call: the example has no parameters
        if self.run.is_active:
            return None
        return (
            self.run.outcome == "returned"
            and self.run.verdict != "violates"
            and not self.run.response_cut
            and not self.differences
        )

    @property
    def message(self) -> str:
        """The first failure, in one sentence; "" if there is none."""
        if self.parameters_problems:
            return f"Its parameters are not valid: {self.parameters_problems[0].message}."
        if self.return_problems:
            problem = self.return_problems[0].message
            return f"Its return value does not match the return type: {problem}."
        if self.run is None or self.run.is_active:
            return ""
        if self.run.outcome != "returned":
            return f"The call {self.run.outcome.replace('_', ' ')}."
        if self.run.verdict == "violates":
            return "The response does not match its return type."
        if self.run.response_cut:
            return "The response is too long to be compared."
        if self.differences:
            return f"The response differs: {self.differences[0]}."
        return ""

    def summary(self) -> ExampleSummary:
        """The result without the parts that only some people may see."""
        message = replace(self, differences=()).message
        if self.differences and not message:
            message = "The response differs."
        return ExampleSummary(
            self.number,
            self.description,
            self.passed,
            message,
            self.outcome,
            self.verdict,
            self.duration_ms,
        )

    @property
    def outcome(self) -> str:
        return self.run.outcome if self.run else ""

    @property
    def verdict(self) -> str:
        return self.run.verdict if self.run else ""

    @property
    def duration_ms(self) -> float | None:
        return self.run.duration_ms if self.run else None


@dataclass(frozen=True)
class ExampleSummary:
    """The result of one example as everyone may see it.

    It names neither the run nor members of its response.
    """

    number: int
    description: str
    passed: bool | None
    message: str
    outcome: str  # of the run; "" if the tool was not called
    verdict: str
    duration_ms: float | None


def results_of(check: ExampleCheck) -> list[ExampleResult]:
    """The result of each example of the check's revision."""
    compiled_spec = compiled_spec_of(check.revision)
    runs = {run.example_number: run for run in check.runs.with_names()}
    budget = Budget()  # shared, because a page checks all examples and there may be many
    factory = factory_of(check.tool) if check.exactly and runs else None
    secrets = factory.options.secrets if factory else ()
    return [
        _result(number, example, runs.get(number), check=check, secrets=secrets, budget=budget)
        for number, example in enumerate(compiled_spec.spec.examples, 1)
    ]


def sees_runs_of(check: ExampleCheck, person: Person) -> bool:
    """Whether `person` may see the runs of `check`: their own; administrators see all."""
    return person.is_authenticated and (check.by_id == person.pk or is_administrator(person))


def settle(check: ExampleCheck) -> None:
    """Store the result of `check`, once all its runs have been started and have ended."""
    # In this order: the runs are counted after the last one was stored.
    has_all_runs = ExampleCheck.objects.filter(pk=check.pk, has_all_runs=True).exists()
    if not has_all_runs or check.runs.active().exists():
        return
    results = results_of(check)
    passed = sum(result.passed is True for result in results)
    factories = [result.run.factory for result in results if result.run]
    check.passed, check.failed = passed, len(results) - passed
    check.factory = next(filter(None, factories), "")
    check.finished_at = timezone.now()
    with transaction.atomic():
        is_settled = ExampleCheck.objects.filter(pk=check.pk, finished_at=None).update(
            passed=check.passed,
            failed=check.failed,
            factory=check.factory,
            finished_at=check.finished_at,
        )
        if is_settled and check.failed:
            queue_events([_describe_failure(check, results)])


def settle_check(check: ExampleCheck, **_: object) -> None:
    """Receive `check_run_ended`."""
    settle(check)


def end_orphaned_checks(**_: object) -> None:
    """Settle the checks whose last run crashed; delete those that never started all their runs.

    Without all of its runs a check has no result: `begin_check` stores none either, if it cannot
    start them all. Receives `runs_recovered`.
    """
    active = Run.every.active().filter(example_check=OuterRef("pk")).order_by()
    ended = ExampleCheck.objects.filter(~Exists(active), finished_at=None)
    for check in ended.filter(has_all_runs=True):
        settle(check)
    started_before = timezone.now() - timedelta(seconds=STARTING_S)
    ended.filter(has_all_runs=False, created_at__lt=started_before).delete()


def _describe_failure(check: ExampleCheck, results: list[ExampleResult]) -> WebhookEvent:
    """Without what only some people may see."""
    failed = [result.summary() for result in results if result.passed is False][:MAX_SHOWN]
    examples = [{"number": summary.number, "message": summary.message} for summary in failed]
    counts = {"passed": check.passed, "failed": check.failed}
    return about_tool(
        "examples.failed", check.tool, revision=check.revision.number, **counts, examples=examples
    )


def _result(
    number: int,
    example: Example,
    run: Run | None,
    *,
    check: ExampleCheck,
    secrets: tuple[str, ...],
    budget: Budget,
) -> ExampleResult:
    compiled_spec = compiled_spec_of(check.revision)
    parameters_problems: list[Problem] = []
    return_problems: list[Problem] = []
    if example.has_parameters:
        parameters_problems = value_problems(
            compiled_spec.parameters, example.parameters, "parameters", budget=budget
        )
    if example.has_return_value:
        return_problems = value_problems(
            compiled_spec.return_type, example.return_value, "returnValue", budget=budget
        )
    differences: list[Change] = []
    if run and run.has_response and example.has_return_value and check.exactly:
        # The stored response was redacted, so the expected value is redacted in the same way.
        own = find_secrets(compiled_spec.parameters, example.parameters, by_name=False)
        expected = redactor_of(own, environment=secrets).value(example.return_value)
        differences = compare(expected, run.response, most=MAX_SHOWN, ignored=check.ignored)
    return ExampleResult(
        number,
        example.description or f"Example {number}",
        tuple(parameters_problems[:MAX_SHOWN]),
        tuple(return_problems[:MAX_SHOWN]),
        run,
        tuple(differences),
    )
