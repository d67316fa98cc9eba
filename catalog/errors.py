"""Exceptions of Toolshelf. Errors in a user's document are values (`Problem`); exceptions carry them or stand alone.

ToolshelfError
├── DocumentError           a document is invalid; carries its problems
│   ├── JSONTextError       it is not JSON as Toolshelf reads it
│   ├── YAMLTextError       it is not YAML that can be converted to JSON
│   └── SpecError           it is not a valid LLM Tool Spec
├── RevisionConflict        another user's revision was stored first
├── HeldBySpec              the value comes from the tool's spec, so only a new revision can change it
├── NotAllowed              the person may not do this; the message says why, and who may
├── AccountError            there is no such account, it is disabled, or it cannot be created
├── GenerationError         no code can be generated from the spec
├── OutgoingError           another server cannot be reached, may not be reached, or exceeds a limit
└── Busy                    the limit is reached; carries when to try again
    └── Unreachable         a service that is needed cannot be reached at the moment
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final


class ToolshelfError(Exception):
    """The root of the tree."""


class DocumentError(ToolshelfError):
    """A document is invalid.

    Attributes:
        problems: at least one, in the order of the document.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = tuple(problems)


class JSONTextError(DocumentError):
    """The text is not JSON as Toolshelf reads it."""


class YAMLTextError(DocumentError):
    """The text is not YAML, or contains values that JSON does not have."""


class SpecError(DocumentError):
    """The document is not a valid LLM Tool Spec."""


class RevisionConflict(ToolshelfError):
    """The tool has changed since the caller read it: another change was stored first."""


class HeldBySpec(ToolshelfError):
    """The value to be removed comes from the tool's own spec, so only a new revision can remove it."""


class NotAllowed(ToolshelfError):
    """The person may not do this. The message says why, and who may. A form shows it at its `field`."""

    def __init__(self, message: str = "", *, field: str = "owner") -> None:
        super().__init__(message)
        self.field = field


class AccountError(ToolshelfError):
    """There is no such account, it is disabled, or it cannot be created."""


class GenerationError(ToolshelfError):
    """No code can be generated from the spec: a limit is exceeded. The message is for people."""


class OutgoingError(ToolshelfError):
    """Another server cannot be reached, may not be reached, or exceeds a limit. The message is for people."""


class Busy(ToolshelfError):
    """The limit is reached; try again after `retry_after_s` seconds."""

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(Busy):
    """A service that is needed cannot be reached; it may be available after `retry_after_s` seconds."""


MAX_PROBLEMS: Final = 50  # of one document: no user reads more


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a document.

    `pointer` is a JSON Pointer into the document, `rule` a stable code ("json.syntax", "gate.ref-remote",
    "schema.enum"), `message` one plain sentence. `line` and `column` count from 1 in the text as uploaded.
    """

    pointer: str
    message: str
    rule: str
    keyword: str | None = None
    schema_pointer: str | None = None
    line: int | None = None
    column: int | None = None

    def as_json(self) -> dict[str, str | int]:
        """The problem as JSON, without unknown members."""
        return {name: value for name, value in asdict(self).items() if value is not None}
