"""The state of the page where a tool is tried: its two forms, the source of their values, and the resulting call."""

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

from catalog.accounts.models import User
from catalog.encryption import PageTokens, Unreadable, decrypt, encrypt
from catalog.errors import DocumentError, JSONTextError, NotAllowed
from catalog.jsontext import reader
from catalog.jsontext.reader import JSON
from catalog.models import Revision, Source, Tool
from catalog.rights import may
from playground.compiled_spec import CompiledSpec, compiled_spec_of
from playground.configurations.saved import (
    NO_SUCH_CONFIGURATION,
    UNREADABLE,
    UNSEARCHABLE,
    Choice,
    choices_for,
    delete_configuration,
    find_configuration,
    open_configuration,
    save_configuration,
    share,
    without_unmarked_secrets,
)
from playground.configurations.secret_members import Configuration, described_in_form, secret_members
from playground.factories.connections import factory_of
from playground.factories.registry import FactoryInfo
from playground.history import HistoryBar, history_of
from playground.input_links import InputLink, input_link
from playground.models import Run, SavedConfiguration
from playground.prefill import FieldLink, Prefilled, fields_at, prefilled
from playground.redaction import MIN_SECRET_CHARACTERS
from playground.schema_form.draft import MARK, Raw
from playground.schema_form.form import Submission, begin, submitted
from playground.schema_form.parse import Sent, Upload
from playground.schema_form.serialize import posted
from playground.schema_form.values import ABSENT, Absent, Maybe

USED_LATELY = 20  # runs that are searched for the configuration that was used last
PARAMETERS = "parameters"
CONFIGURATION = "configuration"


@dataclass(frozen=True)
class Notice:
    """A message above the form.

    Attributes:
        text: input that could not be used, shown so that it is not lost.
        empty, marked: fields whose secrets were removed: they are empty, or contain a mark in place of each secret.
    """

    title: str
    message: str = ""
    text: str = ""
    empty: Sequence[FieldLink] = ()
    marked: Sequence[FieldLink] = ()


@dataclass
class Trial:
    """One user trying one tool. `submit` and `open` fill in the two forms."""

    tool: Tool
    revision: Revision
    user: User | AnonymousUser
    mode: str = "live"
    timeout: str = ""
    saved_name: str = ""
    notices: list[Notice] = field(default_factory=list)
    errors: list[dict[str, str]] = field(default_factory=list)
    run: Run | None = None
    save_as: str = ""
    is_restored: bool = False
    pressed: str = ""
    link: InputLink | None = None
    left_out: Sequence[FieldLink] = ()
    parameters: Submission = field(init=False)
    configuration: Submission | None = None
    selected: SavedConfiguration | None = field(default=None, init=False)
    _opened: Configuration | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        self.contract: CompiledSpec = compiled_spec_of(self.revision)
        self.factory: FactoryInfo | None = factory_of(self.tool)
        self.seal = PageTokens(str(self.user.pk), self.tool.slug)
        if not self.can_run_live:
            self.mode = "mock"

    # -- for the page -------------------------------------------------------------------------------------------------

    @property
    def can_run_live(self) -> bool:
        return self.factory is not None and self.factory.state == "ok"

    @property
    def source(self) -> Source | None:
        """The source that the tool runs through."""
        return self.factory.listed.source if self.factory and self.factory.listed else None

    @property
    def differs(self) -> bool:
        """Whether the source has a different definition than the approved one."""
        return bool(self.factory and self.factory.listed and self.factory.listed.differs)

    @property
    def why_not_live(self) -> str:
        """Why the tool cannot be called; "" if it can."""
        if self.factory is None:
            return "No factory is installed for this tool."
        if self.factory.listed is not None:
            return self.factory.error or ""
        return "" if self.can_run_live else "The factory is broken: see Factories."

    @property
    def is_configurable(self) -> bool:
        return self.contract.configuration is not None

    @property
    def usual_timeout_s(self) -> int:
        return int(settings.RUN_TIMEOUT_S)

    @property
    def min_secret_characters(self) -> int:
        """Shorter secrets are not removed from responses and logs."""
        return MIN_SECRET_CHARACTERS

    @property
    def saved(self) -> list[Choice]:
        """The saved configurations that the user may choose."""
        if not self.is_configurable or not isinstance(self.user, User):
            return []
        return choices_for(self.user, SavedConfiguration.objects.filter(tool=self.tool))

    @property
    def is_shared_by_other(self) -> bool:
        """Whether the selected configuration is used without being shown: another user shares it."""
        return self.selected is not None and self.selected.owner_id != self.user.pk

    @property
    def may_share(self) -> bool:
        """Whether the user may share the selected configuration, or stop sharing it."""
        return self.selected is not None and (not self.is_shared_by_other or bool(may(self.user, "administer")))

    @property
    def examples(self) -> list[tuple[int, str]]:
        """Number and description of each example that has parameters."""
        return [
            (number, example.description or f"Example {number}")
            for number, example in enumerate(self.contract.spec.examples, 1)
            if example.has_parameters
        ]

    @cached_property
    def history(self) -> list[HistoryBar]:
        """The user's latest runs of this tool, oldest first."""
        return history_of(self.tool, self.user)

    @property
    def last_run(self) -> HistoryBar | None:
        """The user's latest run of this tool."""
        return self.history[-1] if self.history else None

    @property
    def expected_example(self) -> tuple[str, JSON] | None:
        """Title and return value of the first example that has one."""
        for number, example in enumerate(self.contract.spec.examples, 1):
            if example.has_return_value:
                return f"Response of example {number}", example.return_value
        return None

    @property
    def shows_preview(self) -> bool:
        """Whether the preview shows anything that the form, in JSON mode, does not."""
        if self.parameters.view == "fields":
            return True
        return self.configuration is not None and self.configuration.view == "fields" and self.mode == "live"

    @property
    def error_title(self) -> str:
        """The title of the error summary."""
        return f"Fix {len(self.errors)} problems to run" if len(self.errors) > 1 else "Fix 1 problem to run"

    @property
    def configuration_label(self) -> str:
        """The configuration in one line."""
        if self.selected is not None and (self.is_shared_by_other or self.configuration_name):
            return next((choice.label for choice in self.saved if choice.reference == self.saved_name), self.saved_name)
        if self._configuration_is_empty:
            return "not filled in" if self._configuration_is_incomplete else "none"
        return f"{self.saved_name}, edited" if self.saved_name else "used for this run only"

    @property
    def configuration_is_open(self) -> bool:
        """Whether the configuration is shown: something in it is missing, wrong, changed, or was just pressed."""
        if self.is_shared_by_other:
            return False
        if self.save_as or self.pressed.startswith((CONFIGURATION, "sav", "forget", "share", "stop")):
            return True
        if self.configuration is None or self.configuration.problems:
            return self.configuration is not None
        if self.run is not None and self.run.configuration_fingerprint and not self.run.configuration_name:
            return True
        is_edited = not self._configuration_is_empty and not self.configuration_name
        return is_edited or (self.mode == "live" and self._configuration_is_incomplete)

    @property
    def _configuration_is_empty(self) -> bool:
        return self.configuration is None or self.configuration.value in (ABSENT, {})

    @cached_property
    def _configuration_is_incomplete(self) -> bool:
        schema, value = self.contract.configuration_form, self.configuration_value
        return schema is not None and value is not None and schema.check(value.value).verdict != "conforms"

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
        self.saved_name = query["configuration"] if "configuration" in query else self._usual_configuration()
        self._begin(value)
        if from_run:
            self._note_missing_secrets(from_run)
        self._note_other_revision(query.get("revision", ""))

    def _note_other_revision(self, number: str) -> None:
        """If the address was made for another revision of the tool, say so: its input may not fit."""
        if not (number.isascii() and number.isdecimal() and len(number) < 6) or int(number) == self.revision.number:
            return
        title = f"This link was created for revision {int(number)}. This page runs revision {self.revision.number}."
        self.notices.append(Notice(title, "Check the input: parameters may have changed."))

    def _usual_configuration(self) -> str:
        """The saved configuration to begin with: that of the run on the page, else the one that was used last."""
        if self.run is not None or not self.is_configurable or not isinstance(self.user, User):
            return self.saved_name
        used = (
            Run.objects.filter(tool=self.tool, by=self.user)
            .order_by("-id")
            .values_list("configuration_name", flat=True)
        )
        usable = {choice.reference for choice in self.saved}
        return next((name for name in used[:USED_LATELY] if name in usable), "") if usable else ""

    def _of_run(self, run_id: str) -> Prefilled:
        run = Run.objects.visible_to(self.user).with_names().filter(pk=run_id, tool=self.tool).first()
        if run is None:
            self.notices.append(Notice("This tool has no such run, or you have no access to it."))
            return Prefilled(ABSENT)
        self.run = run
        self.mode = run.mode if self.can_run_live else "mock"
        self.timeout = "" if run.timeout_s == settings.RUN_TIMEOUT_S else f"{run.timeout_s:g}"
        self.saved_name = run.configuration_name
        if run.configuration_fingerprint and not run.configuration_name and self.is_configurable:
            self.notices.append(Notice("The configuration of that run was not stored.", "Fill it in to run again."))
        return prefilled(compiled_spec_of(run.revision), run.parameters)

    def _note_missing_secrets(self, from_run: Prefilled) -> None:
        """If the run's parameters contained secrets, list the fields that must be filled in again."""
        if not from_run.emptied:
            return
        empty, marked = (fields_at(self.parameters.form, paths) for paths in (from_run.emptied, from_run.marked))
        notice = Notice(
            "Secrets among the parameters of that run are not stored.", "Fill in again:", empty=empty, marked=marked
        )
        self.notices.append(notice)

    def _of_example(self, number: str) -> Maybe:
        examples = self.contract.spec.examples
        index = int(number) - 1 if number.isascii() and number.isdecimal() and len(number) < 6 else -1
        if not 0 <= index < len(examples) or not examples[index].has_parameters:
            self.notices.append(Notice("The spec has no such example with parameters."))
            return ABSENT
        return examples[index].parameters

    def _of_text(self, text: str) -> Maybe:
        try:
            return reader.loads(text, max_bytes=settings.RUN_PARAMETERS_BYTES)
        except JSONTextError as error:
            message = f"They are not valid JSON: {error.problems[0].message}"
            self.notices.append(Notice("The parameters in the URL could not be used.", message, text))
            return ABSENT

    def _begin(self, value: Maybe) -> None:
        self.parameters = self._parameters_of(value)
        self.load_configuration()

    def _parameters_of(self, value: Maybe) -> Submission:
        return begin(self.contract.parameters, value, name=PARAMETERS, label="Parameters", seal=self.seal)

    def load_configuration(self) -> None:
        """Fill in the selected saved configuration, else an empty one."""
        if not self.is_configurable:
            return
        stored = self._stored()
        if self.is_shared_by_other:
            self.configuration = None
            return
        self.configuration = begin(
            self.contract.configuration_form,
            stored,
            name=CONFIGURATION,
            label="Configuration",
            stored=stored,
            seal=self.seal,
        )

    def use_example(self, query: Mapping[str, str]) -> None:
        """Replace the filled-in parameters by those of an example."""
        _, _, number = query.get("use", "").partition(":")
        value = self._of_example(number or query.get("example", ""))
        if not isinstance(value, Absent):
            self.parameters = self._parameters_of(value)

    def use_run(self, query: Mapping[str, str]) -> None:
        """Replace the filled-in parameters by those of a run."""
        _, _, run_id = query.get("use", "").partition(":")
        run = Run.objects.visible_to(self.user).with_names().filter(pk=run_id, tool=self.tool).first()
        if run is None:
            self.notices.append(Notice("This tool has no such run, or you have no access to it."))
            return
        from_run = prefilled(compiled_spec_of(run.revision), run.parameters)
        self.parameters = self._parameters_of(from_run.value)
        self._note_missing_secrets(from_run)

    def share_input(self, _query: Mapping[str, str]) -> None:
        """Offer an address with the filled-in parameters."""
        value, draft = self.parameters.value, self.parameters.draft
        if isinstance(value, Absent) and isinstance(draft, Raw):
            self.link = InputLink(problem="The parameters are not valid JSON. Correct them, then share them.")
            return
        own = None if self.is_shared_by_other else self.configuration_value
        self.link = input_link(self.tool, self.revision, self.contract, value, own)
        self.left_out = fields_at(self.parameters.form, self.link.left_out)

    def use_saved(self, _query: Mapping[str, str]) -> None:
        """Replace the filled-in configuration by a saved one."""
        self.load_configuration()

    def save(self, query: Mapping[str, str]) -> None:
        """Save the filled-in configuration."""
        value = self.configuration_value
        if value is None or not isinstance(self.user, User):
            return
        self.save_as = query.get("save_as", "")
        if isinstance(self.configuration and self.configuration.value, Absent):
            self.errors.append(
                {
                    "href": "#configuration-form",
                    "message": "The configuration is not complete. Fill it in before you save it.",
                }
            )
            return
        removed = self._removed_secrets(value)
        try:
            saved = save_configuration(
                self.user, self.tool, self.save_as, value, self.contract.configuration, removed=removed
            )
        except DocumentError as error:
            problem = error.problems[0]
            href = "#configuration-form" if problem.pointer.startswith("/configuration") else "#save_as"
            self.errors.append({"href": href, "message": problem.message})
            return
        self.saved_name, self.save_as = saved.name, ""
        self.load_configuration()

    def _removed_secrets(self, value: Configuration) -> set[str]:
        """The pointers of secrets that were saved and have been removed in the form."""
        stored = self._stored()
        if isinstance(stored, Absent):
            return set()
        before = {pointer for pointer, _ in secret_members(self.contract.configuration, stored)}
        return before - {pointer for pointer, _ in secret_members(self.contract.configuration, value.value)}

    def forget(self, _query: Mapping[str, str]) -> None:
        """Delete the selected saved configuration."""
        if isinstance(self.user, User):
            delete_configuration(self.user, self.tool, self.saved_name)
        self.saved_name = ""
        self.load_configuration()

    def share(self, _query: Mapping[str, str]) -> None:
        """Share the selected saved configuration with everyone who may run the tool."""
        self._share(SavedConfiguration.EVERYONE)

    def stop_sharing(self, _query: Mapping[str, str]) -> None:
        """Stop sharing the selected saved configuration."""
        self._share(SavedConfiguration.PRIVATE)

    def _share(self, visibility: str) -> None:
        selected = self.selected
        if selected is None or not isinstance(self.user, User):
            return
        try:
            share(selected, visibility, by=self.user)
        except NotAllowed as error:
            self.errors.append({"href": "#saved", "message": str(error)})
            return
        if self.is_shared_by_other:  # staff stopped sharing it, so they cannot use it any more
            self.saved_name = ""
            self.load_configuration()

    # -- submissions --------------------------------------------------------------------------------------------------

    def submit(self, request: HttpRequest, *, is_checked: bool) -> None:
        """Read the submitted forms. With `is_checked`, collect their errors; else they are only rendered again."""
        self._fill(list(_pairs(request)), request.POST, is_checked=is_checked and not request.POST.get("op", ""))

    def _fill(self, pairs: list[tuple[str, Sent]], single: Mapping[str, str], *, is_checked: bool) -> None:
        """Read all names and values of a request; `single` has the fields outside the schema forms."""
        self.pressed = single.get("op") or single.get("use") or ""
        if single.get("mode") in {"live", "mock"} and self.can_run_live:
            self.mode = single["mode"]
        self.timeout = single.get("timeout_s", "").strip()[:20]
        self.saved_name = single.get("saved", "")
        self.parameters = submitted(
            self.contract.parameters,
            pairs,
            name=PARAMETERS,
            label="Parameters",
            seal=self.seal,
            is_checked=is_checked,
            adjust=lambda result, value: described_in_form(result, self.contract.parameters, value),
        )
        stored = self._stored() if self.is_configurable else ABSENT
        if self.is_configurable and not self.is_shared_by_other:
            self.configuration = submitted(
                self.contract.configuration_form,
                pairs,
                name=CONFIGURATION,
                label="Configuration",
                stored=stored,
                seal=self.seal,
                is_checked=is_checked and self.mode == "live",
                adjust=lambda result, value: described_in_form(
                    result, self.contract.configuration_form, value, by_name=True
                ),
            )
        if is_checked:
            self._collect_errors()

    def unfinished(self) -> str:
        """The entries of the form, encrypted, to be stored until the visitor has signed in; without secrets and files.

        Fields that contain a secret are left out, and so are the entries of a union's other branches.
        """
        pairs: list[JSON] = [["mode", self.mode], ["timeout_s", self.timeout]]
        for submission in filter(None, (self.configuration, self.parameters)):
            for tag, path, text in posted(submission.draft):
                if tag not in {"c", "h"} and MARK not in text:
                    pairs.append([f"{submission.form.name}:{tag}:{path}", text])
        return encrypt(pairs)

    def restore(self, unfinished: str) -> bool:
        """Fill in the entries from `unfinished`; False if they can no longer be decrypted."""
        try:
            pairs = cast("list[tuple[str, Sent]]", decrypt(unfinished))
        except Unreadable:
            return False
        self._fill(pairs, {name: text for name, text in pairs if isinstance(text, str)}, is_checked=False)
        self.is_restored = True
        return True

    def _collect_errors(self) -> None:
        for submission in (self.configuration, self.parameters):
            if submission is None:
                continue
            self.errors += [{"href": f"#{error.target}", "message": error.message} for error in submission.form.errors]
            if submission.unchecked and not submission.problems:
                message = f"The {submission.form.name} could not be checked: {submission.unchecked}"
                self.errors.append({"href": f"#{submission.form.root.head.id}", "message": message})
        try:
            _ = self.timeout_s
        except ValueError:
            message = f"Enter a time limit above 0 and at most {settings.RUN_TIMEOUT_MAX_S} seconds."
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
        return Configuration({} if isinstance(self.configuration.value, Absent) else self.configuration.value)

    @property
    def configuration_name(self) -> str:
        """The name of the saved configuration, if it is used as it was saved."""
        stored, value = self._stored(), self.configuration_value
        if self.is_shared_by_other:
            return self.saved_name
        if value is None or isinstance(stored, Absent):
            return ""
        return self.saved_name if Configuration(stored).fingerprint(b"") == value.fingerprint(b"") else ""

    # -- saved configurations -----------------------------------------------------------------------------------------

    @sensitive_variables("value", "opened")
    def _stored(self) -> Maybe:
        """The selected saved configuration with its secrets; ABSENT if there is none, or if the user may not see it.

        It also finds `selected`, again each time: the submitted form may select another one.
        """
        self.selected = self._opened = None
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
        self.selected, self._opened = saved, opened
        value = opened.value
        if opened.shared_as:
            return ABSENT
        shown = without_unmarked_secrets(value, self.contract.configuration_form)
        if shown is None:
            self._add_notice(Notice("The saved configuration cannot be used.", UNSEARCHABLE))
            return ABSENT
        return shown

    def _add_notice(self, notice: Notice) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def _pairs(request: HttpRequest) -> Iterator[tuple[str, Sent]]:
    """Every name and value of the request, in order; files as `Upload`."""
    for name, values in request.POST.lists():
        for value in values:
            yield name, str(value)
    for name, files in request.FILES.lists():
        for file in files:
            if isinstance(file, UploadedFile):
                yield name, Upload(file.name or "", file.read())
