"""The result of an import: specs with their losses, and the problems of the invalid ones."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Final, Literal

from toolspec.conversion_report import Loss, is_within
from toolspec.errors import Problem
from toolspec.spec import ToolSpec
from toolspec.text.pointers import exists_at
from toolspec.text.reader import JSON

ImportFormat = Literal[
    "mcp", "openai", "anthropic", "gemini", "langchain", "openapi-3", "swagger-2"
]

LABELS: Final[dict[ImportFormat, str]] = {
    "mcp": "MCP tools",
    "openai": "OpenAI functions",
    "anthropic": "Anthropic tools",
    "gemini": "Gemini functions",
    "langchain": "LangChain schemas",
    "openapi-3": "OpenAPI 3",
    "swagger-2": "Swagger 2.0",
}

MAX_TOOLS: Final = 5_000  # of one document
TOO_MANY_TOOLS: Final = f"Only the first {MAX_TOOLS:,} tools of the document were imported."
MAX_BYTES_TOGETHER: Final = 32 * 1024 * 1024  # of all specs: definitions are repeated in each
TOO_LARGE_TOGETHER: Final = (
    f"The specs of this document have more than {MAX_BYTES_TOGETHER // 2**20} MiB together; "
    "split the document and import its parts."
)
TOO_LONG_RULE: Final = "import.too-long"
TOO_LONG: Final = (
    "Importing this document takes longer than one request may take, so this tool was left out. "
    "Add the document as a source, load it with `manage.py load_specs`, or split it."
)

Object = dict[str, JSON]


SHARE_TO_BEGIN: Final = 0.6  # of the time of an import; checking the tools takes the rest


class Deadline:
    """The end of the CPU time that this thread may spend on an import.

    Without `seconds` there is none.
    """

    def __init__(self, seconds: float | None = None) -> None:
        self._seconds = seconds
        self._start_s = time.thread_time()

    @property
    def is_over(self) -> bool:
        return self._seconds is not None and self._spent_s > self._seconds

    @property
    def is_near(self) -> bool:
        """Whether to begin nothing new, so that what was begun can be finished."""
        return self._seconds is not None and self._spent_s > self._seconds * SHARE_TO_BEGIN

    @property
    def _spent_s(self) -> float:
        return time.thread_time() - self._start_s


NO_DEADLINE: Final = Deadline()


@dataclass(frozen=True, slots=True)
class ImportedSpec:
    """One tool of a document as an LLM Tool Spec.

    Attributes:
        pointer: of the tool in the imported document.
        text: the spec, as JSON.
        document: the same, parsed.
        spec: the same as a `ToolSpec`; None if it is invalid.
        losses: changes and losses, with pointers into the imported document.
        problems: why it is invalid, with pointers and lines of `text`; empty for a valid spec.
        has_own_id: whether the document states its id; otherwise the id was made of the prefix and
            the name.
    """

    pointer: str
    text: str = field(repr=False)
    document: Object = field(repr=False)
    spec: ToolSpec | None = field(repr=False, default=None)
    losses: tuple[Loss, ...] = ()
    problems: tuple[Problem, ...] = ()
    has_own_id: bool = False

    @property
    def tool_id(self) -> str:
        definition = self.document["definition"]
        if not isinstance(definition, dict):
            return ""
        return str(definition.get("id", definition.get("name", "")))


@dataclass(frozen=True, slots=True)
class Imported:
    """The specs from one document. `notes`: sentences about the document as a whole."""

    format_key: ImportFormat
    specs: tuple[ImportedSpec, ...]
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return LABELS[self.format_key]


@dataclass(slots=True)
class Draft:
    """A spec in progress: the tool at `pointer` of the document, or the reason for its `refusal`.

    Attributes:
        origins: pointers to schemas in `document`, by their pointers in the spec.
        has_own_id: whether the document states `tool_id`.
    """

    pointer: str
    name: str
    tool_id: str
    members: Object  # of `definition`, besides id and name
    siblings: Object = field(default_factory=dict)  # members beside `definition`
    losses: list[Loss] = field(default_factory=list)
    refusal: str = ""
    refusal_rule: str = "import.not-a-tool"
    origins: dict[str, str] = field(default_factory=dict)
    document: JSON = None
    has_own_id: bool = False

    def origin(self, pointer: str) -> str:
        """The pointer in the document for `pointer` in the spec.

        That of the tool if it is not known.
        """
        for part, origin in self.origins.items():
            place = origin + pointer.removeprefix(part)
            if is_within(pointer, part) and exists_at(self.document, place):
                return place
        return self.pointer
