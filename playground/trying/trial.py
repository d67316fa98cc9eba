"""One trial of a tool: what is filled in on the page, and what its buttons came to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest

from playground.configurations.secret_members import Configuration, describe_secrets_in_form
from playground.form.draft import MARK
from playground.form.form import Submission, begin, read_submission
from playground.form.parse import Pairs, Sent, Upload
from playground.form.serialize import list_controls
from playground.runs.models import Run
from playground.trying.chosen_configuration import (
    ChosenConfiguration,
    choose_configuration,
    find_usual_reference,
)
from playground.trying.input_links import InputLink
from playground.trying.notices import FieldLink, Notice, describe_errors
from playground.trying.prefill import (
    Prefill,
    read_prefill,
)
from playground.trying.subject import TrialSubject
from toolshelf_core.paging import read_number
from toolspec.text.reader import JSON, dumps, loads

PARAMETERS: Final = "parameters"
CONFIGURATION: Final = "configuration"


@dataclass(frozen=True)
class Outcome:
    """What came of a button other than *Run*.

    Attributes:
        configuration_name, input_name: typed to save something under; "" once that is saved.
        saved_configuration, saved_input: the name of what was just saved.
        left_out: the secret parameters that are not in the saved input or the link.
    """

    configuration_name: str = ""
    saved_configuration: str = ""
    input_name: str = ""
    saved_input: str = ""
    link: InputLink | None = None
    left_out: Sequence[FieldLink] = ()


@dataclass
class Trial:
    """What one user has filled in for one tool.

    Attributes:
        configuration: None if the tool takes none, or another user shares the chosen one.
        timeout: the time limit in seconds, as typed; "" for the default.
        pressed: the button, as its value; "" for *Run* and without one.
        run: the run on the page.
        is_restored: whether it was filled in before signing in.
        errors: the entries of the error summary.
    """

    subject: TrialSubject
    mode: str
    timeout: str
    chosen: ChosenConfiguration
    parameters: Submission
    configuration: Submission | None
    pressed: str = ""
    run: Run | None = None
    is_restored: bool = False
    notices: list[Notice] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    outcome: Outcome = field(default_factory=Outcome)

    @property
    def forms(self) -> list[Submission]:
        if self.configuration is None:
            return [self.parameters]
        return [self.configuration, self.parameters]

    @property
    def timeout_s(self) -> float | None:
        """The time limit that is filled in; None for the default.

        Raises:
            ValueError: it is not a number within the bounds.
        """
        if not self.timeout:
            return None
        seconds = float(self.timeout)
        if not 0 < seconds <= settings.RUN_TIMEOUT_MAX_S:
            raise ValueError(self.timeout)
        return seconds

    @property
    def parameters_value(self) -> JSON:
        """The parameters for the call; {} if nothing is filled in."""
        return self.parameters.value_or_empty

    @property
    def typed_configuration(self) -> Configuration | None:
        """The configuration that is filled in; None without a form for it."""
        if self.configuration is None:
            return None
        return Configuration(self.configuration.value_or_empty)

    @property
    def configuration_value(self) -> Configuration | None:
        """The configuration to create the tool with; None if the spec has none."""
        return self.chosen.shared or self.typed_configuration

    @property
    def configuration_name(self) -> str:
        """The name of the saved configuration, if it is used as it was saved."""
        used, stored = self.configuration_value, self.chosen.value
        if used and stored and used.fingerprint(b"") == stored.fingerprint(b""):
            return self.chosen.reference
        return ""

    def add_error(self, target: str, message: str) -> None:
        """`target`: the id of the control that the error is about; "" for none."""
        self.errors.append({"href": f"#{target}" if target else "", "message": message})

    def collect_errors(self) -> None:
        """Add the errors of everything that is filled in."""
        for submission in self.forms:
            self.errors += describe_errors(submission.form)
            if submission.unchecked and not submission.problems:
                reason = f"The {submission.form.name} could not be checked: {submission.unchecked}"
                self.add_error(submission.form.root.head.id, reason)
        try:
            _ = self.timeout_s
        except ValueError:
            limit = f"above 0 and at most {settings.RUN_TIMEOUT_MAX_S} seconds"
            self.add_error("timeout_s", f"Enter a time limit {limit}.")


# -- opening the page ------------------------------------------------------------------------------


def open_trial(subject: TrialSubject, query: Mapping[str, str]) -> Trial:
    """Fill in the forms from the URL.

    `query`: {"run"?, "example"?, "parameters"?, "revision"?, "configuration"?, "mode"?}.
    """
    source = next((name for name in ("run", "example", "parameters") if name in query), "")
    prefill = read_prefill(subject, source, query[source]) if source else Prefill()
    reference = query.get("configuration")
    mode, timeout = "live", ""
    run = prefill.run
    if run is not None:
        mode = "mock" if run.is_mock else "live"
        timeout = "" if run.timeout_s == settings.RUN_TIMEOUT_S else f"{run.timeout_s:g}"
        if reference is None:
            reference = run.configuration_name
    if reference is None:
        reference = find_usual_reference(subject)
    chosen = choose_configuration(subject, reference)
    trial = Trial(
        subject,
        subject.choose_mode(query.get("mode", ""), default=mode),
        timeout,
        chosen,
        begin_parameters(subject, prefill),
        begin_configuration(subject, chosen),
        run=run,
    )
    trial.notices += prefill.list_notices(trial.parameters.form)
    is_lost = run and run.configuration_fingerprint and not run.configuration_name
    if is_lost and subject.is_configurable:
        title = "The configuration of that run was not stored."
        trial.notices.append(Notice(title, "Fill it in to run again."))
    trial.notices += chosen.notices
    revision = read_number(query.get("revision", ""))
    if revision is not None and revision != subject.revision.number:
        title = f"This link was created for revision {revision}. "
        title += f"This page runs revision {subject.revision.number}."
        trial.notices.append(Notice(title, "Check the input: parameters may have changed."))
    return trial


def begin_parameters(subject: TrialSubject, prefill: Prefill) -> Submission:
    schema = subject.compiled_spec.parameters
    return begin(schema, prefill.value, name=PARAMETERS, seal=subject.seal)


def begin_configuration(subject: TrialSubject, chosen: ChosenConfiguration) -> Submission | None:
    """The form with the chosen configuration, or an empty one; None without a form."""
    if not subject.is_configurable or chosen.shared:
        return None
    return begin(
        subject.compiled_spec.configuration_form,
        chosen.contents,
        name=CONFIGURATION,
        stored=chosen.contents,
        seal=subject.seal,
    )


# -- submissions -----------------------------------------------------------------------------------


def list_pairs(request: HttpRequest) -> Iterator[tuple[str, Sent]]:
    """Every name and value of the request, in order; files as `Upload`."""
    for name, values in request.POST.lists():
        for value in values:
            yield name, str(value)
    for name, files in request.FILES.lists():
        for file in files:
            if isinstance(file, UploadedFile):
                yield name, Upload(file.name or "", file.read(), file.content_type or "")


def read_trial(subject: TrialSubject, pairs: Sequence[tuple[str, Sent]]) -> Trial:
    """Read the submitted forms.

    *Run* collects their errors; so does the switch between fields and JSON, if the page has shown
    errors (`checked`). Other buttons only draw the forms again.
    """
    fields = {name: text for name, text in pairs if isinstance(text, str)}
    operation, use = fields.get("op", ""), fields.get("use", "")
    is_checked = "run" in fields or use == "check"
    if operation:
        is_checked = ":view:" in operation and "checked" in fields
    chosen = choose_configuration(subject, fields.get("saved", ""))
    mode = subject.choose_mode(fields.get("mode", ""))
    checks_configuration = is_checked and mode == "live"
    trial = Trial(
        subject,
        mode,
        fields.get("timeout_s", "").strip()[:20],
        chosen,
        _read_parameters(subject, pairs, is_checked=is_checked),
        _read_configuration(subject, chosen, pairs, is_checked=checks_configuration),
        pressed=operation or use,
    )
    trial.notices += chosen.notices
    for submission in trial.forms:
        for part in submission.omitted:
            title = f"The JSON leaves out {part.label}, which cannot be read."
            trial.notices.append(Notice(title, f"{part.detail}."))
    if is_checked:
        trial.collect_errors()
        return trial
    trial.parameters = trial.parameters.mark_unread()
    if trial.configuration is not None:
        trial.configuration = trial.configuration.mark_unread()
    return trial


def restore_trial(subject: TrialSubject, unfinished: str) -> Trial:
    """Fill in the entries that `dump_unfinished` returned."""
    trial = read_trial(subject, cast("list[tuple[str, Sent]]", loads(unfinished)))
    trial.is_restored = True
    return trial


def dump_unfinished(trial: Trial) -> str:
    """The entries of the form as JSON, to be stored until the visitor has signed in.

    Files, fields that contain a secret and the entries of a union's other branches are left out;
    so is the mode, which is that of a visitor.
    """
    pairs: list[JSON] = [["timeout_s", trial.timeout]]
    for submission in trial.forms:
        for tag, path, text in list_controls(submission.draft):
            if tag not in {"c", "h"} and MARK not in text:
                pairs.append([f"{submission.form.name}:{tag}:{path}", text])
    return dumps(pairs)


def check_configuration(trial: Trial) -> None:
    """Check the configuration as it is filled in now; collect the errors of both forms again."""
    if trial.configuration is not None:
        controls = list_controls(trial.configuration.draft)
        pairs = [(f"{CONFIGURATION}:{tag}:{path}", text) for tag, path, text in controls]
        trial.configuration = _read_configuration(
            trial.subject, trial.chosen, pairs, is_checked=trial.mode == "live"
        )
    trial.errors = []
    trial.collect_errors()


def _read_parameters(subject: TrialSubject, pairs: Pairs, *, is_checked: bool) -> Submission:
    schema = subject.compiled_spec.parameters
    return read_submission(
        schema,
        pairs,
        name=PARAMETERS,
        seal=subject.seal,
        is_checked=is_checked,
        adjust=lambda result, value: describe_secrets_in_form(result, schema, value),
    )


def _read_configuration(
    subject: TrialSubject, chosen: ChosenConfiguration, pairs: Pairs, *, is_checked: bool
) -> Submission | None:
    if not subject.is_configurable or chosen.shared:
        return None
    schema = subject.compiled_spec.configuration_form
    return read_submission(
        schema,
        pairs,
        name=CONFIGURATION,
        stored=chosen.contents,
        seal=subject.seal,
        is_checked=is_checked,
        adjust=lambda result, value: describe_secrets_in_form(result, schema, value, by_name=True),
    )
