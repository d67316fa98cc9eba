"""Convert documents of other formats to LLM Tool Specs, with a report of the losses.

Nothing is fetched.

detect          the format of a document
tool_lists      MCP, OpenAI, Anthropic, Gemini, LangChain: each entry is one tool
openapi/        OpenAPI 3.x and Swagger 2.0: each operation is one tool
repair          schemas with other conventions as JSON Schema; type_names: types of languages
build           drafts become specs that `read_spec` accepts
results         the imported specs with their losses
"""

from __future__ import annotations

from itertools import islice
from typing import Final

from toolspec.imports.build import Finisher, id_for, text_with_id
from toolspec.imports.detect import detect, may_be_imported
from toolspec.imports.openapi.document import OWN, Operations, slug_of, title_of
from toolspec.imports.results import (
    MAX_TOOLS,
    NO_DEADLINE,
    TOO_MANY_TOOLS,
    Deadline,
    Imported,
    ImportedSpec,
)
from toolspec.imports.tool_lists import drafts_of_tools, notes_on_list
from toolspec.spec import MAX_SPEC_BYTES
from toolspec.text.containers import members_of
from toolspec.text.reader import JSON

__all__ = [
    "MAX_DOCUMENT_BYTES", "Deadline", "Imported", "ImportedSpec", "NotKnown", "detect", "id_for",
    "import_document", "is_own_export", "may_be_imported", "name_of", "prefix_for", "text_with_id",
]  # fmt: skip

MAX_DOCUMENT_BYTES: Final = 32 * 1024 * 1024


class NotKnown(ValueError):
    """The document is in none of the formats that can be imported."""


def prefix_for(document: JSON, file_name: str = "") -> str:
    """The default prefix of the ids of the tools in `document`, without the dot.

    The title of an API; for the list of an MCP server, the name of its file without suffix; else
    "".
    """
    format_key = detect(document)
    if format_key in {"openapi-3", "swagger-2"} and isinstance(document, dict):
        return "" if OWN in document else slug_of(title_of(document))
    stem = file_name.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    return slug_of(stem) if format_key == "mcp" else ""


def name_of(document: JSON) -> str:
    """The title of an API, or the name that an MCP server gives itself.

    "" if the document has none.
    """
    if not isinstance(document, dict):
        return ""
    server = members_of(document.get("result", document)).get("serverInfo")
    name = server.get("name") if isinstance(server, dict) else title_of(document)
    return name.strip() if isinstance(name, str) else ""


def is_own_export(document: JSON) -> bool:
    """Whether it is a tool of a Toolshelf catalog that was exported as OpenAPI."""
    return isinstance(document, dict) and OWN in document


def import_document(
    document: JSON,
    *,
    prefix: str = "",
    max_spec_bytes: int = MAX_SPEC_BYTES,
    deadline: Deadline = NO_DEADLINE,
) -> Imported:
    """The tools in `document`, each as a spec; invalid ones with their problems.

    Args:
        document: JSON as `toolspec.text.reader` reads it, of at most `MAX_DOCUMENT_BYTES`.
        prefix: of the ids, without the dot.
        max_spec_bytes: the longest spec that the site accepts.
        deadline: tools that are not finished by then have the problem `import.too-long`.

    Raises:
        NotKnown: `detect` returns None.
    """
    format_key = detect(document)
    if format_key is None:
        raise NotKnown("This document is not in a format that can be imported.")
    start = f"{prefix}." if prefix else ""
    if format_key in {"openapi-3", "swagger-2"} and isinstance(document, dict):
        operations = Operations(
            document, prefix=start, max_spec_bytes=max_spec_bytes, deadline=deadline
        )
        drafts_of_api = list(operations.drafts())
        finisher = Finisher(max_spec_bytes, deadline, sharing=drafts_of_api)
        specs, notes = tuple(map(finisher.finish, drafts_of_api)), operations.notes
    else:
        finisher = Finisher(max_spec_bytes, deadline)
        drafts = drafts_of_tools(document, prefix=start)
        specs = tuple(map(finisher.finish, islice(drafts, MAX_TOOLS)))
        notes = list(notes_on_list(document))
        if next(drafts, None) is not None:
            notes.append(TOO_MANY_TOOLS)
    return Imported(format_key, specs, tuple(notes))
