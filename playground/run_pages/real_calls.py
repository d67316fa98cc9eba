"""The live calls of the last 30 days, checked against a spec that is not published yet. No tool is called."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from catalog.accounts.models import Person
from catalog.errors import JSONTextError
from catalog.json_schema.validation import Budget, CheckResult, CompiledSchema, Violation
from catalog.jsontext.reader import loads
from catalog.models import Tool
from catalog.shortcuts import revision_of
from catalog.specs.secret_names import is_secret_name
from catalog.specs.spec import ToolSpec
from playground.compiled_spec import CompiledSpec
from playground.models import Run, RunQuerySet
from playground.run_pages.filters import DAY_MS, id_at
from playground.schema_form.secret_marks import secret_names

DAYS: Final = 30
MAX_CALLS: Final = 10_000  # the latest ones
MAX_BYTES: Final = (
    20_000_000  # of texts that are read for one answer, of parameters and of responses
)
MAX_SECONDS: Final = 0.5  # CPU time for the parameters, and as much for the responses
SHOWN: Final = 5


@dataclass(frozen=True)
class FailingCall:
    """A call that the spec would refuse, or whose response would not match it; the first reason."""

    run_id: str
    pointer: str
    message: str


@dataclass
class Checked:
    """What a check of many calls found. `is_cut`: there are more, or those that could not be checked."""

    number: int = 0
    failing: int = 0
    shown: list[FailingCall] = field(default_factory=list)
    is_cut: bool = False


@dataclass(frozen=True)
class RealCalls:
    """How the calls of the last 30 days would fare with a spec: their parameters, and their responses."""

    calls: Checked
    responses: Checked


def check_real_calls(tool: Tool, spec: ToolSpec, person: Person) -> RealCalls:
    """Check the calls of `tool` that `person` may see against `spec`.

    Other people's calls do not count: with patterns that are tried one after the other, their number would reveal
    parameters. Refused calls are left out. A secret, which is not stored, counts as given.
    """
    since = id_at(round(time.time() * 1000) - DAYS * DAY_MS)
    runs = Run.objects.visible_to(person).filter(tool=tool, mode="live", id__gte=since)
    compiled = CompiledSpec(spec)
    secret = secret_names(spec.parameters) | secret_names(revision_of(tool).spec.parameters)
    sent = runs.exclude(outcome__in=["refused", "queued"])
    returned = runs.filter(outcome="returned", response_cut=False, response_json__isnull=False)
    return RealCalls(
        calls=_check(sent, "parameters_json", compiled.parameters, secret),
        responses=_check(returned, "response_json", compiled.return_type, frozenset()),
    )


def _check(
    runs: RunQuerySet, column: str, schema: CompiledSchema | None, secret: frozenset[str]
) -> Checked:
    """Check the texts of `column` against `schema`, each distinct text once."""
    checked, known = Checked(), dict[str, FailingCall | None]()
    budget = Budget(steps=20_000_000, seconds=MAX_SECONDS)
    size = 0
    for run_id, text in runs.order_by("-id").values_list("id", column)[:MAX_CALLS].iterator():
        size += len(text)
        if text not in known and size <= MAX_BYTES:
            failure = _first_failure(run_id, text, schema, secret, budget)
            if budget.seconds > 0 and budget.steps > 0:  # else it was not checked to its end
                known[text] = failure
        if text not in known:
            checked.is_cut = True
            break
        checked.number += 1
        if (failure := known[text]) is not None:
            checked.failing += 1
            if len(checked.shown) < SHOWN:
                checked.shown.append(FailingCall(run_id, failure.pointer, failure.message))
    checked.is_cut |= checked.number == MAX_CALLS
    return checked


def _first_failure(
    run_id: str,
    text: str,
    schema: CompiledSchema | None,
    secret: frozenset[str],
    budget: Budget,
) -> FailingCall | None:
    """Why `schema` refuses the value in `text`; None if it accepts it, or cannot tell."""
    if schema is None:
        return None
    try:
        value = loads(text, max_bytes=MAX_BYTES)
    except JSONTextError:  # a limit was larger when it was stored
        return None
    found = next(_reasons(schema.check(value, budget=budget), secret), None)
    return FailingCall(run_id, found.pointer, found.message) if found else None


def _reasons(result: CheckResult, secret: frozenset[str]) -> Iterator[Violation]:
    """The violations, but for missing members that are secret: their values were never stored."""
    for violation in result.violations:
        is_missing = violation.keyword in {"required", "dependentRequired"}
        if not is_missing or not all(
            name in secret or is_secret_name(name) for name in violation.names
        ):
            yield violation
