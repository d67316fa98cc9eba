"""A tool's examples as its tests: does what the spec promises hold when the tool is really called?

For each example: do its parameters fit, does its return value fit `returnType`, and does a live call give that value
(exactly, but for pointers that are left out; or only something that conforms)? Each call is a run like any other.
"""

from __future__ import annotations

from collections.abc import Collection

from django.views.decorators.debug import sensitive_variables

from catalog.accounts.models import User
from catalog.errors import Busy
from catalog.json_schema.validation import Budget
from catalog.jsontext.reader import dumps
from catalog.models import Revision, Tool
from playground.compiled_spec import compiled_spec_of, value_problems
from playground.configurations.secret_members import Configuration
from playground.examples.results import settle
from playground.models import ExampleCheck
from playground.running import ExampleCall, start, wait


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
    """Start a live call of every example of `revision`. Those that do not even fit are not called.

    Args:
        tool: of the catalog.
        revision: whose examples are checked.
        by: who asks; None for a command.
        configuration: what the tool is made with, for all of them.
        configuration_name: of the saved configuration that it is.
        exactly: the response has to equal the example's value; else it is enough that it conforms.
        ignored: JSON Pointers into the response whose values may differ.

    Raises:
        Busy: too many runs are waiting, or the workers cannot be reached. No check is stored then; runs that have
            started continue.
    """
    check = ExampleCheck.objects.create(
        tool=tool, revision=revision, by=by, exactly=exactly, ignored_json=dumps([*sorted(ignored)])
    )
    contract = compiled_spec_of(revision)
    budget = Budget()
    for number, example in enumerate(contract.spec.examples, 1):
        if not example.has_parameters:
            continue
        if value_problems(contract.parameters, example.parameters, "parameters", budget=budget):
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
            )
        except Busy:
            # Without all of its runs, the check would never end, or would pass examples that were not called.
            ExampleCheck.objects.filter(pk=check.pk).delete()
            raise
    settle(check)
    return check


def wait_for(check: ExampleCheck, timeout_s: float) -> ExampleCheck:
    """`check` when each of its runs has ended, or after `timeout_s` for each of them."""
    for run in check.runs.all():
        wait(run, timeout_s)
    settle(check)
    return check
