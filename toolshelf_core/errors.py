"""Exceptions of the site. Those of documents are in `toolspec.errors`.

ToolshelfError
├── RevisionConflict        another user's revision was stored first
├── HeldBySpec              the value comes from the tool's spec: only a new revision changes it
├── NotAllowed              the person may not do this; the message says why, and who may
├── AccountError            there is no such account, it is disabled, or it cannot be created
├── OutgoingError           another server cannot be reached, may not be reached, or exceeds a limit
└── Busy                    the limit is reached; carries when to try again
    └── Unreachable         a service that is needed cannot be reached at the moment
"""

from __future__ import annotations

from toolspec.errors import ToolshelfError


class RevisionConflict(ToolshelfError):
    """The tool has changed since the caller read it: another change was stored first."""


class HeldBySpec(ToolshelfError):
    """The value to be removed comes from the tool's spec: only a new revision can remove it."""


class NotAllowed(ToolshelfError):
    """The person may not do this. The message says why, and who may; a form shows it at `field`."""

    def __init__(self, message: str = "", *, field: str = "owner") -> None:
        super().__init__(message)
        self.field = field


class AccountError(ToolshelfError):
    """There is no such account, it is disabled, or it cannot be created."""


class OutgoingError(ToolshelfError):
    """Another server cannot be reached, may not be reached, or exceeds a limit.

    The message is for people.
    """


class Busy(ToolshelfError):
    """The limit is reached; try again after `retry_after_s` seconds."""

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(Busy):
    """A service that is needed cannot be reached; try again after `retry_after_s` seconds."""
