"""Run a call as an ordinary run, with the configuration chosen for MCP, and cancel it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from django.views.decorators.debug import sensitive_variables

from accounts.models import Person, User
from catalog.tools.models import Revision
from playground.configurations.mcp_choice import (
    ChosenConfigurationGone,
    find_configuration_for_call,
)
from playground.configurations.saved import UNREADABLE, open_configuration
from playground.mcp.protocol import RequestId
from playground.mcp.toolsets import Call
from playground.runs import running
from playground.runs.models import Run
from toolshelf_core.encryption import Unreadable
from toolspec.text.reader import dumps

QUEUE_TIMEOUT_S: Final = 60  # a client does not wait longer for its call to leave the queue


class NotStarted(Exception):
    """The call was not started; the message tells the model or its user how to proceed."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request.

    It has the user of the token or a visitor, and the session of a legacy client, or "".
    """

    user: Person
    session: str = ""

    def request_key(self, request_id: RequestId) -> str:
        """Identifies one of the caller's requests, so that a later one can cancel it.

        "" without a session.
        """
        if not self.session:
            return ""
        return hashlib.sha256(f"{self.session} {dumps(request_id)}".encode()).hexdigest()


@sensitive_variables("configuration")
def start(call: Call, caller: Caller, request_id: RequestId) -> Run:
    """Start the run of `call`; for a visitor, who asks only for mocks, nothing is stored.

    The thread is in the waiting room (`playground.runs.waiting_room`).

    Raises:
        NotStarted: the chosen configuration cannot be read.
        Busy: too many runs are waiting.
    """
    revision = call.tool.current
    # For mypy: toolsets return only tools with a revision.
    assert isinstance(revision, Revision)  # noqa: S101
    if not isinstance(caller.user, User):
        return running.unsaved_mock(call.tool, revision, call.arguments)
    saved, configuration = None, None
    if call.mode == "live":
        try:
            saved = find_configuration_for_call(caller.user, call.tool)
            configuration = open_configuration(saved, caller.user) if saved else None
        except ChosenConfigurationGone as error:
            raise NotStarted(str(error)) from None
        except Unreadable:
            raise NotStarted(f"The tool was not called. {UNREADABLE}") from None
    return running.start(
        call.tool,
        revision,
        call.arguments,
        by=caller.user,
        configuration=configuration,
        configuration_name=saved.reference_for(caller.user) if saved else "",
        mode=call.mode,
        timeout_s=call.timeout_s,
        interface="mcp",
        mcp_request=caller.request_key(request_id),
    )


def call_timeout_s(run: Run) -> float:
    """How long a client waits for `run`, in seconds: its time limit, and some time in the queue."""
    return run.timeout_s + QUEUE_TIMEOUT_S


def cancel(caller: Caller, request_id: RequestId) -> None:
    """Cancel the run of an earlier request of the same session, if it is active."""
    key = caller.request_key(request_id)
    if not key:
        return
    run = Run.objects.active().filter(by=caller.user.pk, mcp_request=key).first()
    if run is not None:
        running.cancel(run)
