"""What an import gives: specs, what was lost on the way, and what is wrong with those that cannot be kept."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal

from catalog.conversion_report import Loss, is_within
from catalog.errors import Problem
from catalog.jsontext.pointers import resolve_pointer
from catalog.jsontext.reader import JSON
from catalog.specs.spec import ToolSpec

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
    """A spec in the making: what was read of one tool, at `pointer` of the document; or why it is none.

    Attributes:
        origins: where in the `document` schemas of the spec come from, by their pointers in the spec.
    """

    pointer: str
    name: str
    tool_id: str
    members: Object  # of `definition`, besides id and name
    around: Object = field(default_factory=dict)  # members beside `definition`
    losses: list[Loss] = field(default_factory=list)
    refusal: str = ""
    origins: dict[str, str] = field(default_factory=dict)
    document: JSON = None

    def origin(self, pointer: str) -> str:
        """Where in the document what stands at `pointer` of the spec came from; the tool, where that is not known."""
        for part, place in self.origins.items():
            if is_within(pointer, part) and stands_at(self.document, f"{place}{pointer.removeprefix(part)}"):
                return f"{place}{pointer.removeprefix(part)}"
        return self.pointer


def stands_at(document: JSON, pointer: str) -> bool:
    """Whether there is anything at `pointer`."""
    try:
        resolve_pointer(document, pointer)
    except LookupError:
        return False
    return True
