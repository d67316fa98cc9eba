"""What an import gives: specs, what was lost on the way, and what is wrong with those that cannot be kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.losses import Loss
from catalog.problems import Problem
from catalog.spec import ToolSpec
from catalog.strict_json import JSON

Kind = Literal["mcp", "openai", "anthropic", "gemini", "langchain", "openapi-3", "swagger-2"]

LABELS: Final[dict[Kind, str]] = {
    "mcp": "MCP tools",
    "openai": "OpenAI functions",
    "anthropic": "Anthropic tools",
    "gemini": "Gemini functions",
    "langchain": "LangChain schemas",
    "openapi-3": "OpenAPI 3",
    "swagger-2": "Swagger 2.0",
}

MAX_TOOLS: Final = 5_000  # of one document
MAX_CHARS: Final = 32 * 1024 * 1024  # of all specs together: definitions may be repeated in each

Object = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class ImportedSpec:
    """One tool of a document as an LLM Tool Spec.

    Attributes:
        pointer: where it stood in the document.
        text: the spec, as JSON.
        document: the same as a value.
        spec: the same as the reader of specs has it; None where it is not acceptable.
        losses: what became of parts of it; pointers into the document that was imported.
        problems: why it is not acceptable even so; empty where it is. Pointers and lines of `text`.
    """

    pointer: str
    text: str = field(repr=False)
    document: Object = field(repr=False)
    spec: ToolSpec | None = field(repr=False, default=None)
    losses: tuple[Loss, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def tool_id(self) -> str:
        definition = self.document["definition"]
        return str(definition.get("id", definition.get("name", ""))) if isinstance(definition, dict) else ""


@dataclass(frozen=True, slots=True)
class Imported:
    """A document taken apart into specs. `notes` speak of the document as a whole, one sentence each."""

    kind: Kind
    specs: tuple[ImportedSpec, ...]
    notes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return LABELS[self.kind]

    @property
    def losses(self) -> Iterator[Loss]:
        return (loss for spec in self.specs for loss in spec.losses)


@dataclass(slots=True)
class Draft:
    """A spec in the making: what was read of one tool, at `pointer` of the document; or why it is none."""

    pointer: str
    name: str
    tool_id: str
    members: Object  # of `definition`, besides id and name
    around: Object = field(default_factory=dict)  # members beside `definition`
    losses: list[Loss] = field(default_factory=list)
    refusal: str = ""
