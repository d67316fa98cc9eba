"""What the page shows beside its forms, made from values that the view has read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from playground.configurations.binding import origins_of
from playground.configurations.compiled_spec import CompiledSpec
from playground.configurations.input_digest import input_digest
from playground.configurations.saved import Choice
from playground.form.nodes import RawNode, Summary
from playground.form.values import ABSENT
from playground.trying.buttons import CONFIGURATION_BUTTONS
from playground.trying.subject import TrialSubject
from playground.trying.trial import CONFIGURATION, Trial
from toolspec.text.reader import JSON


@dataclass(frozen=True, slots=True)
class ExampleInput:
    """An example that has parameters, and their digest."""

    number: int
    description: str
    digest: str


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a response should look like: a value of an example, or the return type itself."""

    title: str
    value: JSON


def list_examples(compiled_spec: CompiledSpec) -> list[ExampleInput]:
    examples = []
    for number, example in enumerate(compiled_spec.spec.examples, 1):
        if example.has_parameters:
            description = example.description or f"Example {number}"
            digest = input_digest(compiled_spec, example.parameters)
            examples.append(ExampleInput(number, description, digest))
    return examples


def digest_parameters(trial: Trial) -> str:
    """The digest of the filled-in parameters; "" if the text of one cannot be parsed."""
    if trial.parameters.unread:
        return ""
    return input_digest(trial.subject.compiled_spec, trial.parameters_value)


def expect_response(
    compiled_spec: CompiledSpec, inputs: Sequence[ExampleInput], digest: str
) -> Expectation | None:
    """The return value of the example whose parameters have this digest.

    Else that of the first example that has one, else the return type; None without one.
    """
    examples = compiled_spec.spec.examples
    number = next((each.number for each in inputs if each.digest == digest), 0)
    if number and examples[number - 1].has_return_value:
        title = f"Expected response (example {number})"
        return Expectation(title, examples[number - 1].return_value)
    for number, example in enumerate(examples, 1):
        if example.has_return_value:
            return Expectation(f"Response in example {number}", example.return_value)
    if compiled_spec.spec.return_type is None:
        return None
    return Expectation("Expected return type", compiled_spec.spec.return_type)


def list_unread(trial: Trial) -> Sequence[Summary]:
    """The fields of the parameters whose text cannot be parsed, so that it is not sent."""
    if not trial.parameters.unread:
        return ()
    return trial.parameters.mark_unread().form.errors


def list_marks(trial: Trial) -> dict[str, JSON]:
    """The problems of each form that is shown as JSON, for its editor.

    {"parameters": [{"line", "column", "message"}], "configuration": the same}
    """
    marks: dict[str, JSON] = {}
    for submission in trial.forms:
        root = submission.form.root
        if isinstance(root, RawNode):
            marks[submission.form.name] = [asdict(mark) for mark in root.marks]
    return marks


def title_errors(trial: Trial) -> str:
    """The title of the error summary."""
    action = {"link": "share", "save": "save", "save-input": "save"}.get(trial.pressed, "run")
    if len(trial.errors) == 1:
        return f"Fix 1 problem to {action}"
    return f"Fix {len(trial.errors)} problems to {action}"


def find_called_host(subject: TrialSubject) -> str:
    """The host that a run through the source calls by default; "" for a command."""
    if subject.source is None or not subject.can_run_live:
        return ""
    origins = origins_of(subject.tool, subject.revision, {}) or subject.source.address
    first, _, _ = origins.partition(" ")
    return urlsplit(first).netloc


def describe_configuration(trial: Trial, choices: Sequence[Choice]) -> str:
    """The configuration in one line."""
    reference = trial.chosen.reference
    if trial.configuration_name:
        labels = {choice.reference: choice.label for choice in choices}
        return labels.get(reference, reference)
    if _is_empty(trial):
        return "not filled in" if _is_incomplete(trial) else "none"
    return f"{reference}, edited" if reference else "used for this run only"


def is_configuration_open(trial: Trial) -> bool:
    """Whether something in the configuration is missing, wrong, edited, or was just pressed."""
    if trial.configuration is None:
        return False
    outcome = trial.outcome
    if outcome.configuration_name or outcome.saved_configuration or trial.configuration.problems:
        return True
    if trial.pressed in CONFIGURATION_BUTTONS or trial.pressed.startswith(f"{CONFIGURATION}:"):
        return True
    run = trial.run
    if run and run.configuration_fingerprint and not run.configuration_name:
        return True
    if not _is_empty(trial) and not trial.configuration_name:
        return True
    return trial.mode == "live" and _is_incomplete(trial)


def _is_empty(trial: Trial) -> bool:
    return trial.configuration is None or trial.configuration.value in (ABSENT, {})


def _is_incomplete(trial: Trial) -> bool:
    schema = trial.subject.compiled_spec.configuration_form
    typed = trial.typed_configuration
    if schema is None or typed is None:
        return False
    return schema.check(typed.value).verdict != "conforms"
