"""Check a tool's examples: does a live call return what the spec promises?

For each example: do its parameters fit, does its return value fit `returnType`, and does a live
call return that value? The response must equal it, except at ignored pointers; or it must only
conform. Each call is an ordinary run.
"""

from __future__ import annotations

from collections.abc import Collection
from time import monotonic, sleep

from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.tools.models import Revision, Tool
from playground.configurations.compiled_spec import compiled_spec_of, value_problems
from playground.configurations.secret_members import Configuration
from playground.examples.models import ExampleCheck
from playground.examples.results import settle
from playground.runs.running import ExampleCall, start, wait
from toolshelf_core.errors import Busy
from toolspec.schema.validation import Budget
from toolspec.text.reader import dumps


@sensitive_variables("configuration")
def begin_check(
    tool: Tool,
    revision: Revision,
    *,
    by: User | None,
    configuration: Configuration | None = None,
    configuration_name: str = "",
    exactly: bool = True,
    ignored: Collection[str] = (),
) -> ExampleCheck:
    """Start a live call for every example of `revision` whose parameters fit.

    `by` is None for a command. With `exactly`, a response must equal the example's value, except at
    the JSON Pointers `ignored`; otherwise it only has to conform. The other arguments are those of
    `running.start`.

    Raises:
        NotAllowed: `by` may not run this tool.
        Busy: too many runs are waiting, or the workers cannot be reached. No check is stored then;
            runs that have started continue.
    """
    check = ExampleCheck.objects.create(
        tool=tool, revision=revision, by=by, exactly=exactly, ignored_json=dumps([*sorted(ignored)])
    )
    compiled_spec = compiled_spec_of(revision)
    budget = Budget()
    for number, example in enumerate(compiled_spec.spec.examples, 1):
        if not example.has_parameters:
            continue
        schema = compiled_spec.parameters
        if value_problems(schema, example.parameters, "parameters", budget=budget):
            continue
        try:
            start(
                tool,
                revision,
                example.parameters,
                by=by,
                configuration=configuration,
                configuration_name=configuration_name,
                example=ExampleCall(check, number),
                interface="check",
            )
        except Busy:
            # Without all of its runs, the check would never end, or would pass examples that were
            # not called.
            ExampleCheck.objects.filter(pk=check.pk).delete()
            raise
    check.has_all_runs = True
    check.save(update_fields=["has_all_runs"])
    settle(check)
    return check


def wait_for(check: ExampleCheck, timeout_s: float) -> ExampleCheck:
    """Wait for all runs of `check`, at most `timeout_s` for each."""
    for run in check.runs.all():
        deadline = monotonic() + timeout_s
        # `wait` returns early if many threads wait already.
        while (run := wait(run, deadline - monotonic())).is_active and monotonic() < deadline:
            sleep(0.01)
    settle(check)
    return check


def wait_in_all(check: ExampleCheck, timeout_s: float) -> ExampleCheck:
    """Wait for all runs of `check`, at most `timeout_s` together.

    Less if many threads wait already (see `wait`).
    """
    deadline = monotonic() + timeout_s
    for run in check.runs.active().with_names():
        wait(run, max(0.0, deadline - monotonic()))
    settle(check)
    # Its last run may have settled it.
    check.refresh_from_db(fields=["passed", "failed", "factory", "finished_at"])
    return check
