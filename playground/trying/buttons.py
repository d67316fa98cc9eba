"""The buttons of the page other than *Run*.

Each changes a trial; `posted` is the submitted form.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from catalog.access.rights import may
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import delete_configuration, save_configuration, share
from playground.configurations.secret_members import Configuration
from playground.form.secret_search import secret_members
from playground.form.values import Absent
from playground.trying.chosen_configuration import choose_configuration
from playground.trying.input_links import link_input
from playground.trying.notices import describe_errors, list_fields
from playground.trying.prefill import (
    read_prefill,
)
from playground.trying.saved_inputs import delete_input, save_input
from playground.trying.trial import (
    Outcome,
    Trial,
    begin_configuration,
    begin_parameters,
    check_configuration,
)
from toolshelf_core.errors import NotAllowed
from toolspec.errors import DocumentError
from toolspec.text.pointers import exists_at
from toolspec.text.reader import JSON

# -- the parameters --------------------------------------------------------------------------------


def fill_in(trial: Trial, posted: Mapping[str, str]) -> None:
    """Replace the filled-in parameters by those of an example, a run or a saved input."""
    source, _, key = posted.get("use", "").partition(":")
    prefill = read_prefill(trial.subject, source, key)
    if not prefill.is_empty:
        trial.parameters = begin_parameters(trial.subject, prefill)
    trial.notices += prefill.list_notices(trial.parameters.form)


def save_typed_input(trial: Trial, posted: Mapping[str, str]) -> None:
    """Save the filled-in parameters."""
    user = trial.subject.user
    if not isinstance(user, User):
        return
    name = posted.get("input_name", "")
    trial.outcome = Outcome(input_name=name)
    if _refuse_unread(trial):
        return
    try:
        saved, left_out = save_input(
            user,
            trial.subject.revision,
            name,
            trial.parameters_value,
            trial.typed_configuration,
        )
    except DocumentError as error:
        trial.add_error("input_name", error.problems[0].message)
        return
    fields = list_fields(trial.parameters.form, left_out)
    trial.outcome = Outcome(saved_input=saved.name, left_out=fields)


def delete_saved_input(trial: Trial, posted: Mapping[str, str]) -> None:
    _, _, name = posted.get("use", "").partition(":")
    delete_input(trial.subject.user, trial.subject.tool, name)


def share_input(trial: Trial, _posted: Mapping[str, str]) -> None:
    """Offer a URL with the filled-in parameters."""
    if _refuse_unread(trial):
        return
    link = link_input(
        trial.subject.tool,
        trial.subject.compiled_spec,
        trial.parameters.value,
        trial.typed_configuration,
    )
    fields = list_fields(trial.parameters.form, link.left_out)
    trial.outcome = Outcome(link=link, left_out=fields)


def _refuse_unread(trial: Trial) -> bool:
    """Whether the text of a parameter cannot be parsed; it gets an error, or it would be lost."""
    if not trial.parameters.unread:
        return False
    trial.parameters = trial.parameters.mark_unread()
    trial.errors += describe_errors(trial.parameters.form)
    return True


# -- the configuration -----------------------------------------------------------------------------


def use_saved_configuration(trial: Trial, _posted: Mapping[str, str]) -> None:
    """Replace the filled-in configuration by the chosen one."""
    trial.configuration = begin_configuration(trial.subject, trial.chosen)


@sensitive_variables("value")
def save_typed_configuration(trial: Trial, posted: Mapping[str, str]) -> None:
    """Save the filled-in configuration."""
    subject = trial.subject
    user = subject.user
    if trial.configuration is None or subject.is_visitor or not isinstance(user, User):
        return
    name = posted.get("save_as", "")
    trial.outcome = Outcome(configuration_name=name)
    value = trial.configuration.value
    if isinstance(value, Absent):
        message = "The configuration is not complete. Fill it in before you save it."
        trial.add_error("configuration-form", message)
        return
    try:
        saved = save_configuration(
            user,
            subject.tool,
            name,
            Configuration(value),
            subject.compiled_spec.configuration,
            removed=_find_removed_secrets(trial, value),
        )
    except DocumentError as error:
        problem = error.problems[0]
        is_value = problem.pointer.startswith("/configuration")
        target = "configuration-form" if is_value else "save_as"
        trial.add_error(target, problem.message)
        return
    trial.outcome = Outcome(saved_configuration=saved.name)
    _choose(trial, saved.name)


def save_configuration_for_run(trial: Trial, posted: Mapping[str, str]) -> None:
    """Save the configuration under the name that was typed, and go on with what is saved.

    If it cannot be saved, the trial has errors.
    """
    trial.outcome = Outcome(configuration_name=posted.get("save_as", ""))
    if trial.configuration is None:
        return
    if trial.configuration.unread:  # saving would lose what was typed
        if trial.mode == "mock":
            trial.configuration = trial.configuration.mark_unread()
            trial.errors += describe_errors(trial.configuration.form)
        return
    earlier_errors = trial.errors
    trial.errors = []
    save_typed_configuration(trial, posted)
    if trial.outcome.saved_configuration:
        check_configuration(trial)
    else:
        trial.errors += earlier_errors


def delete_saved_configuration(trial: Trial, _posted: Mapping[str, str]) -> None:
    """Delete the chosen configuration."""
    if isinstance(trial.subject.user, User):
        delete_configuration(trial.subject.user, trial.subject.tool, trial.chosen.reference)
    _choose(trial, "")


def change_sharing(trial: Trial, posted: Mapping[str, str]) -> None:
    """Share the chosen configuration with everyone who may run the tool, or stop sharing it."""
    saved = trial.chosen.saved
    if saved is None or not isinstance(trial.subject.user, User):
        return
    is_shared = posted.get("use", "") == "share"
    visibility = SavedConfiguration.EVERYONE if is_shared else SavedConfiguration.PRIVATE
    try:
        share(saved, visibility, by=trial.subject.user)
    except NotAllowed as error:
        trial.add_error("saved", str(error))
        return
    if trial.chosen.shared:  # an administrator stopped sharing it, and cannot use it any more
        _choose(trial, "")


def may_share_chosen(trial: Trial) -> bool:
    """Whether the user may share the chosen configuration, or stop sharing it."""
    if trial.chosen.saved is None:
        return False
    return trial.chosen.shared is None or bool(may(trial.subject.user, "administer"))


def _choose(trial: Trial, reference: str) -> None:
    trial.chosen = choose_configuration(trial.subject, reference)
    trial.notices += trial.chosen.notices
    trial.configuration = begin_configuration(trial.subject, trial.chosen)


@sensitive_variables("value", "stored")
def _find_removed_secrets(trial: Trial, value: JSON) -> set[str]:
    """The pointers of secrets that were saved and have been removed in the form."""
    stored = trial.chosen.contents
    if isinstance(stored, Absent):
        return set()
    secrets = secret_members(trial.subject.compiled_spec.configuration, stored)
    return {pointer for pointer, _ in secrets if not exists_at(value, pointer)}


Button: TypeAlias = Callable[[Trial, Mapping[str, str]], None]
INPUT_BUTTONS: Final[Mapping[str, Button]] = {
    "example": fill_in,
    "run": fill_in,
    "input": fill_in,
    "save-input": save_typed_input,
    "forget-input": delete_saved_input,
    "link": share_input,
}
CONFIGURATION_BUTTONS: Final[Mapping[str, Button]] = {
    "saved": use_saved_configuration,
    "save": save_typed_configuration,
    "forget": delete_saved_configuration,
    "share": change_sharing,
    "stop-sharing": change_sharing,
}
