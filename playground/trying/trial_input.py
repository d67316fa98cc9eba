"""The input of the page where a tool is tried: its two forms, and the source of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.access.rights import Answer, may
from catalog.tools.models import Revision, Tool
from playground.configurations.binding import moved_message
from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import (
    NO_SUCH_CONFIGURATION,
    UNREADABLE,
    UNSEARCHABLE,
    Choice,
    choices_for,
    find_configuration,
    open_configuration,
    without_unmarked_secrets,
)
from playground.configurations.secret_members import Configuration, described_in_form
from playground.factories.connections import factory_of
from playground.factories.info import FactoryInfo
from playground.form.draft import MARK
from playground.form.form import Submission, begin, read_submission
from playground.form.nodes import Summary
from playground.form.parse import Sent, Upload
from playground.form.serialize import list_controls
from playground.form.values import ABSENT, Absent, Maybe
from playground.runs import visitors
from playground.runs.models import Run, RunQuerySet
from playground.trying.prefill import FieldLink, Prefilled, fields_at, prefilled
from toolshelf_core.encryption import PageTokens, Unreadable
from toolspec.errors import JSONTextError
from toolspec.text import reader
from toolspec.text.reader import JSON, dumps, loads

RECENTLY_USED = 20  # runs that are searched for the configuration that was used last
PARAMETERS = "parameters"
CONFIGURATION = "configuration"


@dataclass(frozen=True)
class Notice:
    """A message above the form.

    Attributes:
        text: input that could not be used, shown so that it is not lost.
        empty, marked: fields whose secrets were removed: they are empty, or contain a mark in place
            of each secret.
    """

    title: str
    message: str = ""
    text: str = ""
    empty: Sequence[FieldLink] = ()
    marked: Sequence[FieldLink] = ()


@dataclass
class TrialInput:
    """The forms that one user fills in for one tool. `submit` and `open` fill them in."""

    tool: Tool
    revision: Revision
    user: User | AnonymousUser
    mode: str = "live"
    timeout: str = ""
    saved_name: str = ""
    notices: list[Notice] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    visitor_runs: RunQuerySet = field(default_factory=Run.every.none)
    run: Run | None = None
    is_restored: bool = False
    pressed: str = ""
    parameters: Submission = field(init=False)
    configuration: Submission | None = None
    selected: SavedConfiguration | None = field(default=None, init=False)
    _opened: Configuration | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.compiled_spec: CompiledSpec = compiled_spec_of(self.revision)
        self.factory: FactoryInfo | None = factory_of(self.tool)
        self.seal = PageTokens(str(self.user.pk), self.tool.slug)
        if not self.can_run_live:
            self.mode = "mock"

    @property
    def is_connected(self) -> bool:
        """Whether the tool runs through its source."""
        return self.factory is not None and self.factory.listed is not None

    @property
    def has_working_factory(self) -> bool:
        return self.factory is not None and self.factory.state == "ok"

    @property
    def can_run_live(self) -> bool:
        """Whether the tool can be called by this user."""
        return self.has_working_factory and (bool(self.run_right) or self.is_visitor)

    @cached_property
    def is_visitor(self) -> bool:
        """Whether this user may not run tools, except for this one, which is built in."""
        return not self.run_right and visitors.may_run(self.factory)

    @cached_property
    def run_right(self) -> Answer:
        """Whether this user may run the tool. Users who may not still get mocks, which are not stored."""
        return may(self.user, "run", self.tool)

    @property
    def is_configurable(self) -> bool:
        return self.compiled_spec.configuration is not None

    @property
    def saved(self) -> list[Choice]:
        """The saved configurations that the user may choose; a visitor's run uses none."""
        if self.is_visitor or not self.is_configurable:
            return []
        return choices_for(self.user, SavedConfiguration.objects.filter(tool=self.tool))

    @property
    def is_shared_by_other(self) -> bool:
        """Whether the selected configuration is used without being shown: another user shares it."""
        return self.selected is not None and self.selected.owner_id != self.user.pk

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

    # -- opening the page ---------------------------------------------------------------------------------------------

    def open(self, query: Mapping[str, str]) -> None:
        """Fill in the forms from the URL's `run`, `example`, `parameters`, `revision`, `configuration` and `mode`."""
        value: Maybe = ABSENT
        from_run = self._of_run(query["run"]) if "run" in query else None
        if from_run:
            value = from_run.value
        elif "example" in query:
            value = self._of_example(query["example"])
        elif "parameters" in query:
            value = self._of_text(query["parameters"])
        if query.get("mode") in {"live", "mock"} and self.can_run_live:
            self.mode = query["mode"]
        self.saved_name = (
            query["configuration"] if "configuration" in query else self._usual_configuration()
        )
        self.parameters = self._parameters_of(value)
        self.load_configuration()
        if from_run:
            self._note_missing_secrets(from_run)
        self._note_other_revision(query.get("revision", ""))

    def _note_other_revision(self, number: str) -> None:
        """If the address was made for another revision of the tool, say so: its input may not fit."""
        if (
            not (number.isascii() and number.isdecimal() and len(number) < 6)
            or int(number) == self.revision.number
        ):
            return
        title = f"This link was created for revision {int(number)}. This page runs revision {self.revision.number}."
        self.notices.append(Notice(title, "Check the input: parameters may have changed."))

    def _usual_configuration(self) -> str:
        """The saved configuration to begin with: that of the run on the page, else the one that was used last.

        Before the first run, it is the user's only one.
        """
        if self.run is not None or not self.is_configurable or not isinstance(self.user, User):
            return self.saved_name
        used = (
            Run.objects.filter(tool=self.tool, by=self.user)
            .order_by("-id")
            .values_list("configuration_name", flat=True)
        )
        usable = {choice.reference for choice in self.saved}
        if not usable:
            return ""
        recent = list(used[:RECENTLY_USED])
        own = [choice.reference for choice in self.saved if not choice.shared_by]
        if not recent and len(own) == 1:
            return own[0]
        return next((name for name in recent if name in usable), "")

    def _visible_run(self, run_id: str) -> Run | None:
        """The run of the tool with this id; None, with a notice, if there is none that the user may see."""
        own = self.visitor_runs.filter(pk=run_id, tool=self.tool).first()
        visible = Run.objects.visible_to(self.user).with_names()
        run = own or visible.filter(pk=run_id, tool=self.tool).first()
        if run is None:
            self.notices.append(Notice("This tool has no such run, or you have no access to it."))
        return run

    def _of_run(self, run_id: str) -> Prefilled:
        run = self._visible_run(run_id)
        if run is None:
            return Prefilled(ABSENT)
        self.run = run
        self.mode = "live" if self.can_run_live and not run.is_mock else "mock"
        self.timeout = "" if run.timeout_s == settings.RUN_TIMEOUT_S else f"{run.timeout_s:g}"
        self.saved_name = run.configuration_name
        if run.configuration_fingerprint and not run.configuration_name and self.is_configurable:
            self.notices.append(
                Notice("The configuration of that run was not stored.", "Fill it in to run again.")
            )
        return prefilled(compiled_spec_of(run.revision), run.parameters)

    def _note_missing_secrets(self, from_run: Prefilled) -> None:
        """If the run's parameters contained secrets, list the fields that must be filled in again."""
        if not from_run.emptied:
            return
        empty, marked = (
            fields_at(self.parameters.form, paths) for paths in (from_run.emptied, from_run.marked)
        )
        notice = Notice(
            "Secrets among the parameters of that run are not stored.",
            "Fill in again:",
            empty=empty,
            marked=marked,
        )
        self.notices.append(notice)

    def _of_example(self, number: str) -> Maybe:
        examples = self.compiled_spec.spec.examples
        index = (
            int(number) - 1 if number.isascii() and number.isdecimal() and len(number) < 6 else -1
        )
        if not 0 <= index < len(examples) or not examples[index].has_parameters:
            self.notices.append(Notice("The spec has no such example with parameters."))
            return ABSENT
        return examples[index].parameters

    def _of_text(self, text: str) -> Maybe:
        try:
            return reader.loads(text, max_bytes=settings.RUN_PARAMETERS_BYTES)
        except JSONTextError as error:
            message = f"They are not valid JSON: {error.problems[0].message}"
            self.notices.append(
                Notice("The parameters in the URL could not be used.", message, text)
            )
            return ABSENT

    def _parameters_of(self, value: Maybe) -> Submission:
        return begin(self.compiled_spec.parameters, value, name=PARAMETERS, seal=self.seal)

    def load_configuration(self) -> None:
        """Fill in the selected saved configuration, else an empty one."""
        if not self.is_configurable:
            return
        stored = self._stored()
        if self.is_shared_by_other:
            self.configuration = None
            return
        self.configuration = begin(
            self.compiled_spec.configuration_form,
            stored,
            name=CONFIGURATION,
            stored=stored,
            seal=self.seal,
        )

    # -- submissions --------------------------------------------------------------------------------------------------

    def submit(self, request: HttpRequest, *, is_checked: bool) -> None:
        """Read the submitted forms. With `is_checked`, collect their errors; else they are only rendered again.

        The switch between fields and JSON shows the errors that the page has shown (`checked`).
        """
        operation = request.POST.get("op", "")
        is_switched = ":view:" in operation and "checked" in request.POST
        self._fill(
            list(_pairs(request)),
            request.POST,
            is_checked=is_switched or (is_checked and not operation),
        )

    def _fill(
        self, pairs: list[tuple[str, Sent]], single: Mapping[str, str], *, is_checked: bool
    ) -> None:
        """Read all names and values of a request; `single` has the fields outside the schema forms."""
        self.pressed = single.get("op") or single.get("use") or ""
        if single.get("mode") in {"live", "mock"} and self.can_run_live:
            self.mode = single["mode"]
        self.timeout = single.get("timeout_s", "").strip()[:20]
        self.saved_name = single.get("saved", "")
        self.parameters = read_submission(
            self.compiled_spec.parameters,
            pairs,
            name=PARAMETERS,
            seal=self.seal,
            is_checked=is_checked,
            adjust=lambda result, value: described_in_form(
                result, self.compiled_spec.parameters, value
            ),
        )
        stored = self._stored() if self.is_configurable else ABSENT
        if self.is_configurable and not self.is_shared_by_other:
            self._submit_configuration(pairs, stored, is_checked=is_checked)
        for submission in filter(None, (self.parameters, self.configuration)):
            for left in submission.omitted:
                title = f"The JSON leaves out {left.label}, which cannot be read."
                self.notices.append(Notice(title, f"{left.detail}."))
        if is_checked:
            self._collect_errors()
            return
        self.parameters = self.parameters.mark_unread()
        if self.configuration is not None:
            self.configuration = self.configuration.mark_unread()

    def check_configuration(self) -> None:
        """Check the configuration as it is filled in now, and collect the errors of both forms again."""
        if self.configuration is not None:
            name = self.configuration.form.name
            controls = list_controls(self.configuration.draft)
            pairs: list[tuple[str, Sent]] = [
                (f"{name}:{tag}:{path}", text) for tag, path, text in controls
            ]
            self._submit_configuration(pairs, self._stored(), is_checked=True)
        self.errors = []
        self._collect_errors()

    def _submit_configuration(
        self, pairs: list[tuple[str, Sent]], stored: Maybe, *, is_checked: bool
    ) -> None:
        self.configuration = read_submission(
            self.compiled_spec.configuration_form,
            pairs,
            name=CONFIGURATION,
            stored=stored,
            seal=self.seal,
            is_checked=is_checked and self.mode == "live",
            adjust=lambda result, value: described_in_form(
                result, self.compiled_spec.configuration_form, value, by_name=True
            ),
        )

    def unfinished(self) -> str:
        """The entries of the form as JSON, to be stored until the visitor has signed in; without secrets and files.

        Fields that contain a secret are left out, and so are the entries of a union's other
        branches. The mode is that of a visitor, so it is left out, too.
        """
        pairs: list[JSON] = [["timeout_s", self.timeout]]
        for submission in filter(None, (self.configuration, self.parameters)):
            for tag, path, text in list_controls(submission.draft):
                if tag not in {"c", "h"} and MARK not in text:
                    pairs.append([f"{submission.form.name}:{tag}:{path}", text])
        return dumps(pairs)

    def restore(self, unfinished: str) -> None:
        """Fill in the entries from `unfinished`."""
        pairs = cast("list[tuple[str, Sent]]", loads(unfinished))
        self._fill(
            pairs, {name: text for name, text in pairs if isinstance(text, str)}, is_checked=False
        )
        self.is_restored = True

    def _collect_errors(self) -> None:
        for submission in (self.configuration, self.parameters):
            if submission is None:
                continue
            self.errors += [error_of(error) for error in submission.form.errors]
            if submission.unchecked and not submission.problems:
                message = f"The {submission.form.name} could not be checked: {submission.unchecked}"
                self.errors.append({"href": f"#{submission.form.root.head.id}", "message": message})
        try:
            _ = self.timeout_s
        except ValueError:
            message = (
                f"Enter a time limit above 0 and at most {settings.RUN_TIMEOUT_MAX_S} seconds."
            )
            self.errors.append({"href": "#timeout_s", "message": message})

    @property
    def parameters_value(self) -> JSON:
        """The parameters for the call; {} if nothing is filled in."""
        return {} if isinstance(self.parameters.value, Absent) else self.parameters.value

    @property
    def configuration_value(self) -> Configuration | None:
        """The configuration to create the tool with; None if the spec has none."""
        if self._opened is not None and self.is_shared_by_other:
            return self._opened
        if self.configuration is None:
            return None
        return Configuration(
            {} if isinstance(self.configuration.value, Absent) else self.configuration.value
        )

    @property
    def configuration_name(self) -> str:
        """The name of the saved configuration, if it is used as it was saved."""
        stored, value = self._stored(), self.configuration_value
        if self.is_shared_by_other:
            return self.saved_name
        if value is None or isinstance(stored, Absent):
            return ""
        return (
            self.saved_name
            if Configuration(stored).fingerprint(b"") == value.fingerprint(b"")
            else ""
        )

    # -- saved configurations -----------------------------------------------------------------------------------------

    @sensitive_variables("value", "opened")
    def _stored(self) -> Maybe:
        """The selected saved configuration with its secrets; ABSENT if there is none, or if the user may not see it.

        It also finds `selected`, again each time: the submitted form may select a different one.
        """
        self.selected = self._opened = None
        if self.is_visitor:
            self.saved_name = ""
        if not self.saved_name or not isinstance(self.user, User):
            return ABSENT
        saved = find_configuration(self.user, self.tool, self.saved_name)
        if saved is None:
            self._add_notice(Notice(NO_SUCH_CONFIGURATION))
            self.saved_name = ""
            return ABSENT
        self.selected = saved if saved.owner_id == self.user.pk else None
        try:
            opened = open_configuration(saved, self.user)
        except Unreadable:
            self._add_notice(Notice("The saved configuration cannot be used.", UNREADABLE))
            return ABSENT
        moved = moved_message(opened, self.tool, self.revision) if self.is_connected else ""
        if moved:
            self._add_notice(Notice("The saved configuration is not filled in.", moved))
            return ABSENT
        self.selected, self._opened = saved, opened
        value = opened.value
        if opened.shared_as:
            return ABSENT
        shown = without_unmarked_secrets(value, self.compiled_spec.configuration_form)
        if shown is None:
            self._add_notice(Notice("The saved configuration cannot be used.", UNSEARCHABLE))
            return ABSENT
        return shown

    def _add_notice(self, notice: Notice) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def error_of(error: Summary) -> dict[str, str]:
    """An entry of the page's error summary. In JSON text, with line and column, to which the link jumps."""
    entry = {"href": f"#{error.target}", "message": error.message}
    return (
        entry | {"line": str(error.mark.line), "column": str(error.mark.column)}
        if error.mark
        else entry
    )


def _pairs(request: HttpRequest) -> Iterator[tuple[str, Sent]]:
    """Every name and value of the request, in order; files as `Upload`."""
    for name, values in request.POST.lists():
        for value in values:
            yield name, str(value)
    for name, files in request.FILES.lists():
        for file in files:
            if isinstance(file, UploadedFile):
                yield name, Upload(file.name or "", file.read(), file.content_type or "")
