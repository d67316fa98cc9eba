"""What is wrong with a document. Errors in it are values (`Problem`); exceptions carry them.

ToolshelfError
├── DocumentError           a document is invalid; carries its problems
│   ├── JSONTextError       it is not JSON as Toolshelf reads it
│   ├── YAMLTextError       it is not YAML that can be converted to JSON
│   └── SpecError           it is not a valid LLM Tool Spec
├── GenerationError         no code can be generated from the spec
└── the site's own          `toolshelf_core.errors`
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


class GenerationError(ToolshelfError):
    """No code can be generated from the spec: a limit is exceeded. The message is for people."""


MAX_PROBLEMS: Final = 50  # of one document: no user reads more


@dataclass(frozen=True, slots=True)
class Problem:
    """One error in a document.

    `pointer` is a JSON Pointer into the document, `rule` a stable code ("json.syntax",
    "gate.ref-remote", "schema.enum"), `message` one plain sentence. `line` and `column` count from
    1 in the text as uploaded.
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
