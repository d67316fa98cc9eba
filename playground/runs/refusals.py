"""The reasons to refuse a run, before anything is called."""

from __future__ import annotations

from django.views.decorators.debug import sensitive_variables

from playground.configurations.compiled_spec import CompiledSpec, value_problems
from playground.configurations.secret_members import Configuration
from playground.factories.info import FactoryInfo
from toolspec.errors import Problem
from toolspec.schema.validation import Budget
from toolspec.text.reader import JSON

SHARED_UNUSABLE = (
    "The secrets of this shared configuration cannot be removed from responses. Ask its "
    "owner to save it again."
)


@sensitive_variables("configuration")
def request_problems(
    compiled_spec: CompiledSpec,
    parameters: JSON,
    configuration: Configuration | None,
    *,
    factory: FactoryInfo | None,
    is_live: bool,
    budget: Budget,
) -> list[Problem]:
    """The reasons to refuse this run.

    Pointers begin with /parameters or /configuration; "" is the tool itself.
    """
    problems: list[Problem] = []
    if is_live:
        problems += factory_problems(factory)
    problems += value_problems(compiled_spec.parameters, parameters, "parameters", budget=budget)
    takes_none = factory is not None and factory.configurable is False
    if takes_none and configuration and configuration.value != {}:
        message = "This tool takes no configuration; leave it out."
        problems.append(Problem("/configuration", message, "run.not-configurable"))
    elif configuration and configuration.shared_as:
        # Validating would reveal something about the hidden value: anyone can publish a schema.
        pass
    elif compiled_spec.configuration and (configuration or is_live):
        problems += value_problems(
            compiled_spec.configuration,
            configuration.value if configuration else {},
            "configuration",
            budget=budget,
        )
    return problems


def factory_problems(factory: FactoryInfo | None) -> list[Problem]:
    """The reasons why the tool cannot be called: it has no factory, or a broken one."""
    if factory is None:
        message = (
            "This tool is mock only. Start a mock run, connect its server, or write it in Python."
        )
        return [Problem("", message, "run.no-factory")]
    if factory.state != "ok" and factory.listed is not None:
        return [Problem("", factory.error or "", "run.no-connection")]
    if factory.state != "ok":
        message = f"The factory of this tool is broken: {factory.error or 'it could not be loaded'}"
        return [Problem("", message, "run.broken-factory")]
    return []


def without_contents(problems: list[Problem], configuration: Configuration | None) -> list[Problem]:
    """`problems` without any position in a configuration that the user may not see."""
    if configuration is None or not configuration.shared_as:
        return problems
    shown_problems = []
    for problem in problems:
        if problem.pointer.startswith("/configuration"):
            problem = Problem("/configuration", SHARED_UNUSABLE, problem.rule)  # noqa: PLW2901
        shown_problems.append(problem)
    return shown_problems
