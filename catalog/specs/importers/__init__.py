"""Documents of other formats as LLM Tool Specs, and what was lost in the conversion. Nothing is fetched.

detect          the format of a document
tool_lists      MCP, OpenAI, Anthropic, Gemini, LangChain: each entry is one tool
openapi/        OpenAPI 3.x and Swagger 2.0: each operation is one tool
repair          schemas with other conventions as JSON Schema; type_names: the types of programming languages
build           from drafts to specs that the reader of specs accepts
results         the imported specs with their losses
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from catalog.jsontext.reader import JSON
from catalog.specs.importers.build import Finisher
from catalog.specs.importers.detect import detect, may_be_imported
from catalog.specs.importers.openapi.document import OWN, Operations, slug_of, title_of
from catalog.specs.importers.openapi.schemas import TooManySchemas
from catalog.specs.importers.results import LABELS, MAX_TOOLS, Draft, Imported, ImportedSpec, Kind
from catalog.specs.importers.tool_lists import drafts_of_tools, notes_on_list

__all__ = [
    "LABELS", "MAX_DOCUMENT_BYTES", "Imported", "ImportedSpec", "Kind", "NotKnown", "detect", "import_document",
    "may_be_imported", "prefix_for",
]  # fmt: skip

MAX_DOCUMENT_BYTES: Final = 8 * 1024 * 1024


class NotKnown(ValueError):
    """The document is in none of the formats that can be imported."""


def prefix_for(document: JSON, file_name: str = "") -> str:
    """What the ids of the tools in `document` start with unless one says otherwise, without the dot.

    The title of an API; the name of the file of an MCP server's list, without its ending; else nothing.
    """
    kind = detect(document)
    if kind in {"openapi-3", "swagger-2"} and isinstance(document, dict):
        return "" if OWN in document else slug_of(title_of(document))
    stem = file_name.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return slug_of(stem) if kind == "mcp" else ""


def import_document(document: JSON, *, prefix: str = "") -> Imported:
    """The tools in `document`, each as a spec; those that are not acceptable with their problems.

    Args:
        document: JSON as `jsontext.reader` reads it, of at most `MAX_DOCUMENT_BYTES`.
        prefix: what the ids start with; a dot follows it.

    Raises:
        NotKnown: `detect` says None.
    """
    kind = detect(document)
    if kind is None:
        raise NotKnown("This is no document of a format that can be imported.")
    start = f"{prefix}." if prefix else ""
    if kind not in {"openapi-3", "swagger-2"} or not isinstance(document, dict):
        notes = [*notes_on_list(document)]
        specs = _finished(drafts_of_tools(document, prefix=start), notes)
    else:
        operations = Operations(document, prefix=start)
        specs, notes = _finished(operations.drafts(), operations.notes), operations.notes
    return Imported(kind, specs, tuple(notes))


def _finished(drafts: Iterator[Draft], notes: list[str]) -> tuple[ImportedSpec, ...]:
    finisher = Finisher()
    specs: list[ImportedSpec] = []
    try:
        for draft in drafts:
            if len(specs) == MAX_TOOLS:
                notes.append(f"At most {MAX_TOOLS:,} tools are read of one document; the rest was left.")
                break
            specs.append(finisher.finished(draft))
    except TooManySchemas as error:
        notes.append(str(error))
    return tuple(specs)
