"""The content of a source, converted to specs by the importers; a tool that cannot become one has problems instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings

from catalog.errors import DocumentError, OutgoingError, Problem
from catalog.jsontext import yaml_reader
from catalog.jsontext.pointers import split_pointer
from catalog.jsontext.reader import JSON, loads
from catalog.models import Source
from catalog.sources.reading import Reading, RemoteTool
from catalog.specs.foreign_documents import foreign_document
from catalog.specs.importers import MAX_DOCUMENT_BYTES, Imported, ImportedSpec, NotKnown, detect, import_document
from catalog.specs.spec import ToolSpec

CHUNK: Final = 1_000  # tools per document for the importers, which limit the size of all specs of a document
_OPENAPI: Final = frozenset({"openapi-3", "swagger-2"})


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool of a source.

    Attributes:
        tool_id: in the catalog: the name of the source, a dot, and its name there.
        remote_name: its name at the source.
        sha256: of its definition at the source.
        spec: None if it cannot become a spec; then `problems` say why.
    """

    tool_id: str
    remote_name: str
    sha256: str
    spec: ToolSpec | None = field(repr=False, default=None)
    problems: tuple[Problem, ...] = ()


def listed_tools(source: Source, reading: Reading) -> list[ListedTool]:
    """The tools that `reading` contains, each id once.

    Raises:
        OutgoingError: it cannot be used as a whole.
    """
    if reading.tools is None:
        return list(_of_document(source, reading.document))
    names = Counter(str(tool.name) for tool in reading.tools)
    if twice := next((name for name, count in names.items() if count > 1), None):
        raise OutgoingError(f"The source lists the tool {twice[:100]!r} twice.")
    return list(_of_tools(source, reading.tools))


def _of_tools(source: Source, tools: list[RemoteTool]) -> Iterator[ListedTool]:
    for chunk in _chunks(tools):
        definitions: list[JSON] = []
        readable: list[RemoteTool] = []
        for tool in chunk:
            name = tool.name if isinstance(tool.name, str) else ""
            try:
                definitions.append(loads(tool.text, max_bytes=MAX_DOCUMENT_BYTES))
            except DocumentError as error:
                yield ListedTool(f"{source.name}.{name}", name, tool.sha256, problems=error.problems)
            else:
                readable.append(tool)
        if definitions:
            imported = _imported({"tools": definitions}, source)
            by_index = {int(split_pointer(one.pointer)[1]): one for one in imported.specs}
            for index, tool in enumerate(readable):
                yield _listed(by_index[index], source, tool)


def _chunks(tools: list[RemoteTool]) -> Iterator[list[RemoteTool]]:
    for start in range(0, len(tools), CHUNK):
        yield tools[start : start + CHUNK]


def _listed(imported: ImportedSpec, source: Source, tool: RemoteTool) -> ListedTool:
    name = tool.name if isinstance(tool.name, str) else ""
    tool_id = imported.tool_id or f"{source.name}.{name}"
    return ListedTool(tool_id, name, tool.sha256, imported.spec, imported.problems)


def _of_document(source: Source, text: str) -> Iterator[ListedTool]:
    try:
        document = _parsed(text)
    except DocumentError as error:
        [first] = error.problems[:1]
        where = f" (line {first.line}, column {first.column})" if first.line else ""
        raise OutgoingError(f"The document cannot be read: {first.message}{where}") from error
    if detect(document) not in _OPENAPI:
        reason = (
            foreign_document(document) or "This is not an OpenAPI document: it has no `openapi` or `swagger` field."
        )
        raise OutgoingError(reason)
    for one in _imported(document, source).specs:
        remote_name = one.tool_id.removeprefix(f"{source.name}.")
        sha256 = one.spec.sha256 if one.spec else ""
        yield ListedTool(one.tool_id, remote_name, sha256, one.spec, one.problems)


def _parsed(text: str) -> JSON:
    """The document, in JSON or YAML."""
    if text.lstrip().startswith("{"):
        return loads(text, max_bytes=MAX_DOCUMENT_BYTES)
    return yaml_reader.loads(text, max_bytes=MAX_DOCUMENT_BYTES).value


def _imported(document: JSON, source: Source) -> Imported:
    try:
        return import_document(document, prefix=source.name, max_spec_bytes=settings.MAX_SPEC_BYTES)
    except NotKnown as error:
        raise OutgoingError("The server's tools are not in the format of the Model Context Protocol.") from error
