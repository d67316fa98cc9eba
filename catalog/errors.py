"""Exceptions of Toolshelf. What a person is likely to get wrong is a `Problem`; what breaks a promise is raised.

ToolshelfError
├── DocumentError           a document is not acceptable; carries its problems
│   ├── JSONTextError       it is not JSON as Toolshelf reads it
│   ├── YAMLTextError       it is not YAML that JSON can hold
│   └── SpecError           it is not an acceptable LLM Tool Spec
├── RevisionConflict        somebody else's revision landed first
├── HeldBySpec              it is the tool's spec that says so, and only a revision can unsay it
├── NotTheOwner             only a tool's owner may do this, or staff
├── AccountError            there is no such account, it is disabled, or it cannot be created
└── Busy                    no room for one more; carries when to try again
    └── Unreachable         what would do it cannot be reached for the moment
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final


class ToolshelfError(Exception):
    """The root of the tree."""


class DocumentError(ToolshelfError):
    """A document is not acceptable.

    Attributes:
        problems: at least one, in the order of the document.
    """

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__(problems[0].message)
        self.problems = tuple(problems)


class JSONTextError(DocumentError):
    """The text is not JSON as Toolshelf reads it."""


class YAMLTextError(DocumentError):
    """The text is not YAML, or holds what JSON cannot."""


class SpecError(DocumentError):
    """The document is not an acceptable LLM Tool Spec."""


class RevisionConflict(ToolshelfError):
    """Another revision landed first, and the caller named the one it had seen."""


class HeldBySpec(ToolshelfError):
    """What is to be taken from a tool is said by its own spec, so that only a revision can take it away."""


class NotTheOwner(ToolshelfError):
    """Only a tool's owner may do this, or staff."""


class AccountError(ToolshelfError):
    """There is no such account, it is disabled, or it cannot be created."""


class Busy(ToolshelfError):
    """No room for one more; try again after `retry_after_s` seconds."""

    def __init__(self, message: str, *, retry_after_s: int) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class Unreachable(Busy):
    """What would do it cannot be reached; perhaps after `retry_after_s` seconds."""


MAX_PROBLEMS: Final = 50  # of one document: nobody reads more


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a document.

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
        """The problem as JSON, without the members that are not known."""
        return {name: value for name, value in asdict(self).items() if value is not None}
