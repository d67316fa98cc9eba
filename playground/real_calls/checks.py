"""Check the live calls of the last 30 days against another spec of their tool.

No tool is called.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Final

from accounts.models import Person
from catalog.tools.lookup import revision_of
from catalog.tools.models import Tool
from playground.configurations.compiled_spec import CompiledSpec
from playground.form.secret_marks import secret_names
from playground.runs.filters import DAY_MS, id_at
from playground.runs.models import Run, RunQuerySet
from toolshelf_core.redaction import MARK
from toolspec.schema.validation import Budget, CheckResult, CompiledSchema, Violation
from toolspec.secret_names import is_secret_name
from toolspec.spec import ToolSpec
from toolspec.text.reader import loads

DAYS: Final = 30
MAX_CALLS: Final = 10_000  # the latest ones
MAX_BYTES: Final = 20_000_000  # of all texts of one answer, of parameters and of responses
ROWS_AT_ONCE: Final = 20  # each may have a megabyte
MAX_SECONDS: Final = 0.5  # CPU time for the parameters, and as much for the responses
QUICK_SECONDS: Final = 0.1  # likewise, in the preview of an upload
SHOWN: Final = 5


@dataclass(frozen=True)
class FailingCall:
    """A call that the spec would refuse, or whose response would not match it; the first reason."""

    run_id: str
    pointer: str
    message: str


@dataclass
class Checked:
    """What a check of many calls found.

    `is_cut`: there are more calls, or there was no time to check them all.
    """

    number: int = 0
    failing: int = 0
    shown: list[FailingCall] = field(default_factory=list)
    is_cut: bool = False

    def add(self, run_id: str, result: CheckResult) -> None:
        """Count one call with this result."""
        self.number += 1
        if result.verdict == "conforms":
            return
        self.failing += 1
        if len(self.shown) == SHOWN:
            return
        if result.violations:
            first = result.violations[0]
            self.shown.append(FailingCall(run_id, first.pointer, first.message))
        else:
            self.shown.append(FailingCall(run_id, "", result.reason or ""))

    @property
    def more(self) -> int:
        """How many of those that fail are not shown."""
        return self.failing - len(self.shown)


@dataclass(frozen=True)
class RealCalls:
    """How the calls of the last 30 days would fare with a spec.

    `responses` is None if they cannot be checked: without a return type, and for an OpenAPI tool,
    whose responses depend on the HTTP status, which runs do not store.
    """

    calls: Checked
    responses: Checked | None
    days: int = DAYS


def check_real_calls(
    tool: Tool, spec: ToolSpec, person: Person, *, seconds: float | None = None
) -> RealCalls:
    """Check the calls of `tool` that `person` may see against `spec`.

    It takes at most `seconds` of CPU time for the parameters, and as much for the responses (None:
    `MAX_SECONDS`).

    Other people's calls do not count: by trying one pattern after the other, their number would
    reveal parameters. Refused calls are left out. A secret, which is not stored, counts as given.
    Parameters that cannot be checked count as refused, as in a run.
    """
    since = id_at(round(time.time() * 1000) - DAYS * DAY_MS)
    runs = Run.objects.visible_to(person).filter(tool=tool, mode="live", id__gte=since)
    compiled = CompiledSpec(spec)
    secret = secret_names(spec.parameters) | secret_names(revision_of(tool).spec.parameters)
    sent = runs.exclude(outcome__in=["refused", "queued"])
    seconds = MAX_SECONDS if seconds is None else seconds
    calls = _check(sent, "parameters_json", compiled.parameters, secret, seconds)
    if compiled.return_type is None or "x-openapi" in spec.document:
        return RealCalls(calls, None)
    returned = runs.filter(outcome="returned", response_cut=False, response_json__isnull=False)
    responses = _check(
        returned, "response_json", compiled.return_type, frozenset(), seconds, redacted=True
    )
    return RealCalls(calls, responses)


def check_quickly(tool: Tool, spec: ToolSpec, person: Person) -> RealCalls:
    """`check_real_calls` for the preview of an upload, which has several tools."""
    return check_real_calls(tool, spec, person, seconds=QUICK_SECONDS)


def _check(
    runs: RunQuerySet,
    column: str,
    schema: CompiledSchema | None,
    secret: frozenset[str],
    seconds: float,
    *,
    redacted: bool = False,
) -> Checked:
    """Check the texts of `column` against `schema`, each distinct text once, for `seconds`.

    Members whose names are in `secret` may be missing, since they are not stored. With `redacted`,
    texts in which a secret was replaced are left out: the original value is not stored.
    """
    checked, known = Checked(), dict[str, CheckResult]()
    budget = Budget(steps=20_000_000, seconds=seconds)
    size = 0
    latest = runs.order_by("-id").values_list("id", column)[:MAX_CALLS]
    for run_id, text in latest.iterator(chunk_size=ROWS_AT_ONCE):
        if redacted and MARK in text:
            continue
        size += len(text)
        if text not in known and size <= MAX_BYTES:
            result = _result_for(text, schema, secret, budget)
            if budget.seconds > 0 and budget.steps > 0:  # else it was not checked to its end
                known[text] = result
        if text not in known:
            checked.is_cut = True
            break
        checked.add(run_id, known[text])
    checked.is_cut |= checked.number == MAX_CALLS
    return checked


def _result_for(
    text: str, schema: CompiledSchema | None, secret: frozenset[str], budget: Budget
) -> CheckResult:
    """The result for the value in `text`, without missing members that are secret."""
    if schema is None:
        return CheckResult("conforms")
    started = time.thread_time()
    value = loads(text, max_bytes=MAX_BYTES)
    budget.seconds -= time.thread_time() - started
    result = schema.check(value, budget=budget)
    if result.verdict != "violates":
        return result
    remaining = tuple(each for each in result.violations if not _is_secret_missing(each, secret))
    return replace(result, violations=remaining) if remaining else CheckResult("conforms")


def _is_secret_missing(violation: Violation, secret: frozenset[str]) -> bool:
    """Whether only members are missing whose values were never stored, because they are secret."""
    if violation.keyword not in {"required", "dependentRequired"}:
        return False
    return all(name in secret or is_secret_name(name) for name in violation.names)
