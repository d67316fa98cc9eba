"""Repeat a run: the same call again, with the parameters that are stored."""

from __future__ import annotations

from accounts.models import User
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.saved import find_configuration, open_configuration
from playground.configurations.secret_members import Configuration
from playground.form.secret_search import secret_members
from playground.runs import running
from playground.runs.models import Run
from toolshelf_core.encryption import Unreadable

CONFIGURATION_GONE = (
    "The configuration of that run is no longer available. Fill it in to run again."
)
SECRETS_NOT_STORED = (
    "The parameters of that run contain secrets, which are not stored. Fill them in to run again."
)


class CannotRepeat(ValueError):
    """A part of the call is not stored; the message explains what to do."""


def repeat(
    run: Run,
    *,
    by: User,
    on_same_revision: bool = False,
    configuration: Configuration | None = None,
    configuration_name: str = "",
    interface: str = "",
) -> Run:
    """Start the call of `run` again.

    With `on_same_revision`, the schemas of the run's own revision apply; otherwise those of the
    tool's current one. Without a `configuration`, the saved one that the run used is used in its
    current state. The other arguments are those of `running.start`.

    Raises:
        CannotRepeat: the run had a configuration or secret parameters that are not available.
        Busy: as for `running.start`.
    """
    if configuration is None:
        configuration, configuration_name = _saved_configuration(run, by), run.configuration_name
        if run.configuration_fingerprint and configuration is None:
            raise CannotRepeat(CONFIGURATION_GONE)
    if secret_members(compiled_spec_of(run.revision).parameters, run.parameters, by_name=False):
        raise CannotRepeat(SECRETS_NOT_STORED)
    return running.start(
        run.tool,
        run.revision if on_same_revision else run.tool.current or run.revision,
        run.parameters,
        by=by,
        configuration=configuration,
        configuration_name=configuration_name,
        mode=run.mode,
        timeout_s=run.timeout_s,
        interface=interface,
    )


def _saved_configuration(run: Run, owner: User) -> Configuration | None:
    """The saved configuration that `run` used, in its current state.

    None if `owner` may no longer use it.
    """
    if not run.configuration_name:
        return None
    saved = find_configuration(owner, run.tool, run.configuration_name)
    try:
        return open_configuration(saved, owner) if saved else None
    except Unreadable:
        return None
