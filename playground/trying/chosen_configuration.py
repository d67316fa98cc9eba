"""The saved configuration that is chosen on the page, opened once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from playground.configurations.binding import moved_message
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import (
    NO_SUCH_CONFIGURATION,
    UNREADABLE,
    UNSEARCHABLE,
    Choice,
    find_configuration,
    list_usable_choices,
    open_configuration,
    without_unmarked_secrets,
)
from playground.configurations.secret_members import Configuration
from playground.form.values import ABSENT, Absent, Maybe
from playground.runs.models import Run
from playground.trying.notices import Notice
from playground.trying.subject import TrialSubject
from toolshelf_core.encryption import Unreadable

RECENTLY_USED: Final = 20  # runs that are searched for the configuration that was used last


@dataclass(frozen=True)
class ChosenConfiguration:
    """A saved configuration, or none.

    Attributes:
        reference: its name; "OWNER/NAME" if another user shares it; "" for none.
        saved: None if there is none, or if another user shares it and it cannot be used.
        contents: its value with its secrets, to fill in; ABSENT if the user may not see it or it
            cannot be used.
        shared: its value if another user shares it, so that it is used without being shown.
        notices: why it cannot be used.
    """

    reference: str = ""
    saved: SavedConfiguration | None = None
    contents: Maybe = field(default=ABSENT, repr=False)
    shared: Configuration | None = None
    notices: tuple[Notice, ...] = ()

    @property
    def value(self) -> Configuration | None:
        """The configuration to create the tool with; None if it cannot be used."""
        if self.shared is not None or isinstance(self.contents, Absent):
            return self.shared
        return Configuration(self.contents)


NO_CONFIGURATION: Final = ChosenConfiguration()


@sensitive_variables("opened", "contents")
def choose_configuration(subject: TrialSubject, reference: str) -> ChosenConfiguration:
    """The saved configuration that `reference` means to the user; a visitor's run uses none."""
    user, tool = subject.user, subject.tool
    if not reference or not _may_choose(subject):
        return NO_CONFIGURATION
    saved = find_configuration(user, tool, reference)
    if saved is None:
        return ChosenConfiguration(notices=(Notice(NO_SUCH_CONFIGURATION),))
    own = saved if saved.owner_id == user.pk else None
    try:
        opened = open_configuration(saved, user)
    except Unreadable:
        notice = Notice("The saved configuration cannot be used.", UNREADABLE)
        return ChosenConfiguration(reference, own, notices=(notice,))
    moved = moved_message(opened, tool, subject.revision) if subject.source else ""
    if moved:
        notice = Notice("The saved configuration is not filled in.", moved)
        return ChosenConfiguration(reference, own, notices=(notice,))
    if opened.shared_as:
        return ChosenConfiguration(reference, saved, shared=opened)
    contents = without_unmarked_secrets(opened.value, subject.compiled_spec.configuration_form)
    if contents is None:
        notice = Notice("The saved configuration cannot be used.", UNSEARCHABLE)
        return ChosenConfiguration(reference, own, notices=(notice,))
    return ChosenConfiguration(reference, own, contents)


def find_usual_reference(subject: TrialSubject) -> str:
    """The saved configuration to begin with: the one that was used last; "" for none.

    Before the first run, it is the user's only one.
    """
    choices = list_choices(subject)
    if not choices:
        return ""
    runs = Run.objects.filter(tool=subject.tool, by=subject.user).order_by("-id")
    recent = list(runs.values_list("configuration_name", flat=True)[:RECENTLY_USED])
    own = [choice.reference for choice in choices if not choice.shared_by]
    if not recent and len(own) == 1:
        return own[0]
    usable = {choice.reference for choice in choices}
    return next((name for name in recent if name in usable), "")


def list_choices(subject: TrialSubject) -> list[Choice]:
    """The saved configurations that the user may choose."""
    if not _may_choose(subject):
        return []
    return list_usable_choices(subject.user, SavedConfiguration.objects.filter(tool=subject.tool))


def _may_choose(subject: TrialSubject) -> bool:
    is_person = isinstance(subject.user, User)
    return is_person and subject.is_configurable and not subject.is_visitor
