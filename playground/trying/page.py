"""The page where a tool is tried: what it shows beside the forms, and its buttons except Run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from urllib.parse import urlsplit

from django.conf import settings

from accounts.models import User
from catalog.access.rights import may
from catalog.sources.models import Source
from playground.configurations.binding import origins_of
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.input_digest import input_digest, stored_digest
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import delete_configuration, save_configuration, share
from playground.configurations.secret_members import Configuration
from playground.form.nodes import RawNode, Summary
from playground.form.secret_search import secret_members
from playground.form.values import ABSENT, Absent
from playground.history.history import HistoryBar, history_of
from playground.runs.visitors import VISITOR_TIMEOUT_S
from playground.trying.input_links import InputLink, input_link
from playground.trying.prefill import FieldLink, fields_at, prefilled
from playground.trying.saved_inputs import delete_input, inputs_of, save_input
from playground.trying.trial_input import CONFIGURATION, Notice, TrialInput, error_of
from toolshelf_core.errors import NotAllowed
from toolshelf_core.redaction import MIN_SECRET_CHARACTERS
from toolspec.errors import DocumentError
from toolspec.text.reader import JSON


@dataclass
class Trial(TrialInput):
    """One user trying one tool."""

    save_as: str = ""
    saved_now: str = ""
    link: InputLink | None = None
    left_out: Sequence[FieldLink] = ()
    input_name: str = ""
    is_input_saved: bool = False

    # -- for the page -------------------------------------------------------------------------------------------------

    @property
    def source(self) -> Source | None:
        """The source that the tool runs through."""
        return self.factory.listed.source if self.factory and self.factory.listed else None

    @property
    def called_host(self) -> str:
        """The host that a run through the source calls by default; "" for a command."""
        if self.source is None:
            return ""
        urls = origins_of(self.tool, self.revision, {}) or self.source.address
        return urlsplit(urls.partition(" ")[0]).netloc

    @property
    def differs(self) -> bool:
        """Whether the source has a different definition than the approved one."""
        return bool(self.factory and self.factory.listed and self.factory.listed.differs)

    @property
    def why_not_live(self) -> str:
        """Why the tool cannot be called; "" if it can."""
        if self.factory is None:
            return "Mock only."
        if self.factory.listed is not None:
            return self.factory.error or ""
        return (
            "" if self.has_working_factory else "Mock only: the code that runs this tool is broken."
        )

    @property
    def usual_timeout_s(self) -> int:
        return int(VISITOR_TIMEOUT_S if self.is_visitor else settings.RUN_TIMEOUT_S)

    @property
    def min_secret_characters(self) -> int:
        """Shorter secrets are not removed from responses and logs."""
        return MIN_SECRET_CHARACTERS

    @property
    def may_share(self) -> bool:
        """Whether the user may share the selected configuration, or stop sharing it."""
        return self.selected is not None and (
            not self.is_shared_by_other or bool(may(self.user, "administer"))
        )

    @cached_property
    def input_digest(self) -> str:
        """The digest of the filled-in parameters; "" if the text of one cannot be parsed."""
        return (
            ""
            if self.parameters.unread
            else input_digest(self.compiled_spec, self.parameters_value)
        )

    @property
    def unread(self) -> Sequence[Summary]:
        """The fields of the parameters whose text cannot be parsed, so that it is not sent."""
        return self.parameters.mark_unread().form.errors if self.parameters.unread else ()

    @property
    def examples(self) -> list[tuple[int, str, str]]:
        """Number, description and digest of each example that has parameters."""
        return [
            (
                number,
                example.description or f"Example {number}",
                input_digest(self.compiled_spec, example.parameters),
            )
            for number, example in enumerate(self.compiled_spec.spec.examples, 1)
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
        """Title and return value of the example whose parameters are filled in, else of the first that has one."""
        examples = self.compiled_spec.spec.examples
        filled_in = next(
            (number for number, _, digest in self.examples if digest == self.input_digest), 0
        )
        if filled_in and examples[filled_in - 1].has_return_value:
            return f"Expected response (example {filled_in})", examples[filled_in - 1].return_value
        for number, example in enumerate(examples, 1):
            if example.has_return_value:
                return f"Response in example {number}", example.return_value
        return None

    @property
    def shows_preview(self) -> bool:
        """Whether the preview shows anything that the form, in JSON mode, does not."""
        if self.parameters.view == "fields":
            return True
        return (
            self.configuration is not None
            and self.configuration.view == "fields"
            and self.mode == "live"
        )

    @property
    def marks(self) -> dict[str, JSON]:
        """The problems of each form that is shown as JSON, for its editor: name -> [{"line", "column", "message"}]."""
        shown = [(form, form.form.root) for form in (self.parameters, self.configuration) if form]
        return {
            form.form.name: list(map(asdict, root.marks))
            for form, root in shown
            if isinstance(root, RawNode)
        }

    @property
    def error_title(self) -> str:
        """The title of the error summary."""
        action = {"link": "share", "save": "save", "save-input": "save"}.get(self.pressed, "run")
        return (
            f"Fix {len(self.errors)} problems to {action}"
            if len(self.errors) > 1
            else f"Fix 1 problem to {action}"
        )

    @property
    def configuration_label(self) -> str:
        """The configuration in one line."""
        if self.selected is not None and (self.is_shared_by_other or self.configuration_name):
            return next(
                (choice.label for choice in self.saved if choice.reference == self.saved_name),
                self.saved_name,
            )
        if self._configuration_is_empty:
            return "not filled in" if self._configuration_is_incomplete else "none"
        return f"{self.saved_name}, edited" if self.saved_name else "used for this run only"

    @property
    def configuration_is_open(self) -> bool:
        """Whether the configuration is shown: something in it is missing, wrong, changed, or was just pressed."""
        if self.is_shared_by_other:
            return False
        if (
            self.save_as
            or self.saved_now
            or self.pressed.startswith((CONFIGURATION, "sav", "forget", "share", "stop"))
        ):
            return True
        if self.configuration is None or self.configuration.problems:
            return self.configuration is not None
        if (
            self.run is not None
            and self.run.configuration_fingerprint
            and not self.run.configuration_name
        ):
            return True
        is_edited = not self._configuration_is_empty and not self.configuration_name
        return is_edited or (self.mode == "live" and self._configuration_is_incomplete)

    @property
    def _configuration_is_empty(self) -> bool:
        return self.configuration is None or self.configuration.value in (ABSENT, {})

    @cached_property
    def _configuration_is_incomplete(self) -> bool:
        schema, value = self.compiled_spec.configuration_form, self.configuration_value
        return (
            schema is not None
            and value is not None
            and schema.check(value.value).verdict != "conforms"
        )

    # -- buttons ------------------------------------------------------------------------------------------------------

    def use_example(self, query: Mapping[str, str]) -> None:
        """Replace the filled-in parameters by those of an example."""
        _, _, number = query.get("use", "").partition(":")
        value = self._of_example(number or query.get("example", ""))
        if not isinstance(value, Absent):
            self.parameters = self._parameters_of(value)

    def use_run(self, query: Mapping[str, str]) -> None:
        """Replace the filled-in parameters by those of a run."""
        _, _, run_id = query.get("use", "").partition(":")
        run = self._visible_run(run_id)
        if run is None:
            return
        from_run = prefilled(compiled_spec_of(run.revision), run.parameters)
        self.parameters = self._parameters_of(from_run.value)
        self._note_missing_secrets(from_run)

    @property
    def saved_inputs(self) -> list[tuple[str, str]]:
        """Name and digest of each of the user's saved inputs of this tool."""
        return [
            (saved.name, stored_digest(saved.parameters))
            for saved in inputs_of(self.user, self.tool)
        ]

    def use_input(self, query: Mapping[str, str]) -> None:
        """Replace the filled-in parameters by a saved input."""
        _, _, name = query.get("use", "").partition(":")
        saved = inputs_of(self.user, self.tool).filter(name=name).first()
        if saved is None:
            self.notices.append(Notice("You have no saved input of this name for this tool."))
            return
        self.parameters = self._parameters_of(saved.parameters)
        if saved.revision_number != self.revision.number:
            title = f"This input was saved for revision {saved.revision_number}."
            self.notices.append(Notice(title, "Check it: parameters may have changed."))

    def save_input(self, query: Mapping[str, str]) -> None:
        """Save the filled-in parameters."""
        if not isinstance(self.user, User):
            return
        self.input_name = query.get("input_name", "")
        if self._has_unread():
            return
        own = None if self.is_shared_by_other else self.configuration_value
        try:
            saved, left_out = save_input(
                self.user, self.revision, self.input_name, self.parameters_value, own
            )
        except DocumentError as error:
            self.errors.append({"href": "#input_name", "message": error.problems[0].message})
            return
        self.input_name, self.is_input_saved = saved.name, True
        self.left_out = fields_at(self.parameters.form, left_out)

    def forget_input(self, query: Mapping[str, str]) -> None:
        """Delete a saved input."""
        _, _, name = query.get("use", "").partition(":")
        if isinstance(self.user, User):
            delete_input(self.user, self.tool, name)

    def share_input(self, _query: Mapping[str, str]) -> None:
        """Offer an address with the filled-in parameters."""
        if self._has_unread():
            return
        own = None if self.is_shared_by_other else self.configuration_value
        self.link = input_link(
            self.tool, self.revision, self.compiled_spec, self.parameters.value, own
        )
        self.left_out = fields_at(self.parameters.form, self.link.left_out)

    def _has_unread(self) -> bool:
        """Whether the text of a parameter cannot be parsed; then it has an error, since its value would be lost."""
        if self.parameters.unread:
            self.parameters = self.parameters.mark_unread()
            found = self.parameters.form.errors
            self.errors += [
                {"href": f"#{error.target}", "message": error.message} for error in found
            ]
        return bool(self.parameters.unread)

    def use_saved(self, _query: Mapping[str, str]) -> None:
        """Replace the filled-in configuration by a saved one."""
        self.load_configuration()

    def save(self, query: Mapping[str, str]) -> None:
        """Save the filled-in configuration."""
        value = self.configuration_value
        if value is None or self.is_visitor or not isinstance(self.user, User):
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
                self.user,
                self.tool,
                self.save_as,
                value,
                self.compiled_spec.configuration,
                removed=removed,
            )
        except DocumentError as error:
            problem = error.problems[0]
            href = (
                "#configuration-form"
                if problem.pointer.startswith("/configuration")
                else "#save_as"
            )
            self.errors.append({"href": href, "message": problem.message})
            return
        self.saved_name, self.save_as = saved.name, ""
        self.saved_now = saved.name
        self.load_configuration()

    def save_for_run(self, query: Mapping[str, str]) -> None:
        """Save the configuration under the name that was typed, and go on with what is saved; `errors` say if not."""
        self.save_as = query.get("save_as", "")
        if self.configuration is None:
            return
        if self.configuration.unread:  # saving would lose what was typed
            if self.mode == "mock":
                self.configuration = self.configuration.mark_unread()
                self.errors += [error_of(error) for error in self.configuration.form.errors]
            return
        others, self.errors = self.errors, []
        self.save(query)
        if not self.saved_now:
            self.errors += others
            return
        self.check_configuration()

    def _removed_secrets(self, value: Configuration) -> set[str]:
        """The pointers of secrets that were saved and have been removed in the form."""
        stored = self._stored()
        if isinstance(stored, Absent):
            return set()
        before = {
            pointer for pointer, _ in secret_members(self.compiled_spec.configuration, stored)
        }
        return before - {
            pointer for pointer, _ in secret_members(self.compiled_spec.configuration, value.value)
        }

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
