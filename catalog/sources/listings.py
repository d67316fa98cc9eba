"""The content of a source, converted to specs by the importers; a tool that cannot become one has problems instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from django.conf import settings
from django.db.models import F
from django.db.models.functions import Coalesce

from catalog.sources.models import Source
from catalog.sources.reading import Reading, RemoteTool
from toolshelf_core.errors import OutgoingError
from toolspec.conversion_report import Loss
from toolspec.errors import DocumentError, Problem, SpecError
from toolspec.foreign_documents import foreign_document
from toolspec.imports import (
    Deadline,
    Imported,
    ImportedSpec,
    NotKnown,
    detect,
    id_for,
    import_document,
    text_with_id,
)
from toolspec.imports.results import NO_DEADLINE
from toolspec.spec import ToolSpec, read_spec
from toolspec.text import yaml_reader
from toolspec.text.pointers import split_pointer
from toolspec.text.reader import JSON, loads

CHUNK: Final = (
    1_000  # tools per document for the importers, which limit the size of all specs of a document
)
MAX_REMOTE_NAME: Final = 255  # characters, of the column
APIS: Final = frozenset({"openapi-3", "swagger-2"})
NO_NEW_IDS: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool of a source.

    Attributes:
        tool_id: in the catalog, that of `spec`: the name of the source, a dot, and its name there,
            trimmed and cut.
        remote_name: its name at the source.
        sha256: of its definition at the source.
        spec: None if it cannot become a spec; then `problems` say why.
        losses: of its conversion.
        imported: the converted tool; None if the definition at an MCP server was not converted.
    """

    tool_id: str
    remote_name: str
    sha256: str
    spec: ToolSpec | None = field(repr=False, default=None)
    problems: tuple[Problem, ...] = ()
    losses: tuple[Loss, ...] = ()
    imported: ImportedSpec | None = field(repr=False, default=None)


def listed_tools(
    source: Source, reading: Reading, deadline: Deadline = NO_DEADLINE
) -> list[ListedTool]:
    """The tools that `reading` contains, each id once; operations that are not converted by `deadline` have problems.

    Raises:
        OutgoingError: it cannot be used as a whole.
    """
    if reading.tools is None:
        return document_tools(source, _import(source, reading.document, deadline))
    return _server_tools(source, reading.tools)


def _stored_ids(source: Source) -> list[tuple[str, str]]:
    """The name and id of each tool of a source.

    Of two with one name, the one that is still listed comes last.
    """
    if source.pk is None:
        return []
    stored_id = Coalesce("catalog_tool__tool_id", "tool_id")
    gone_first = source.tools.order_by(F("gone_at").asc(nulls_last=True))
    return list(gone_first.values_list("remote_name", stored_id))


def _server_tools(source: Source, tools: list[RemoteTool]) -> list[ListedTool]:
    """The tools of an MCP server as `document_tools`: with the ids that they have here, and without those left out.

    The source may have been a document, whose tools had trimmed and cut names.
    """
    left_out = {id_for(f"{source.start}{name}") for name in source.left_out}
    ids = {id_for(f"{source.start}{name}"): stored_id for name, stored_id in _stored_ids(source)}
    listed = [one for one in _of_tools(source, tools) if one.tool_id not in left_out]
    numbers = Counter(ids.get(one.tool_id, one.tool_id) for one in listed)
    return [_with_stored_id(one, ids.get(one.tool_id, one.tool_id), numbers) for one in listed]


def _with_stored_id(tool: ListedTool, tool_id: str, numbers: Counter[str]) -> ListedTool:
    """`numbers`: how many tools want each id."""
    if tool_id == tool.tool_id:
        return tool
    if numbers[tool_id] > 1:
        return replace(tool, tool_id=tool_id, spec=None, problems=(_shared_id(tool_id),))
    if tool.spec is None or tool.imported is None:
        return replace(tool, tool_id=tool_id)
    spec, problems = _read_with_id(tool.imported, tool_id)
    return replace(tool, tool_id=tool_id, spec=spec, problems=problems)


def _of_tools(source: Source, tools: list[RemoteTool]) -> Iterator[ListedTool]:
    """Each tool once; those of one id with different names or definitions are refused.

    Names that differ only in blanks or invisible characters, or after many characters, make the
    same id.
    """
    by_id: dict[str, list[RemoteTool]] = {}
    for tool in tools:
        by_id.setdefault(_id_of(source, tool), []).append(tool)
    single: list[RemoteTool] = []
    for tool_id, listed in by_id.items():
        if tool_id == source.start:
            yield _refuse(
                source, listed[0], f"Tools without a name cannot be imported ({len(listed)})."
            )
        elif len({_name_of(tool) for tool in listed}) > 1:
            message = f"The source lists {len(listed)} tools with this id: their names differ, but look the same."
            yield _refuse(source, listed[0], message)
        elif len({tool.sha256 for tool in listed}) > 1:
            message = f"The source lists this tool {len(listed)} times, with different definitions."
            yield _refuse(source, listed[0], message)
        elif len(_name_of(listed[0])) > MAX_REMOTE_NAME:
            message = f"The name of the tool is too long: at most {MAX_REMOTE_NAME} characters are allowed."
            yield _refuse(source, listed[0], message)
        else:
            single.append(listed[0])
    for chunk in _chunks(single):
        yield from _of_chunk(source, chunk)


def _name_of(tool: RemoteTool) -> str:
    return tool.name if isinstance(tool.name, str) else ""


def _id_of(source: Source, tool: RemoteTool) -> str:
    return id_for(f"{source.start}{_name_of(tool)}")


def _refuse(source: Source, tool: RemoteTool, message: str) -> ListedTool:
    problem = Problem("", message, "source.tool")
    return ListedTool(_id_of(source, tool), _name_of(tool), tool.sha256, problems=(problem,))


def _of_chunk(source: Source, tools: list[RemoteTool]) -> Iterator[ListedTool]:
    definitions: list[JSON] = []
    readable: list[RemoteTool] = []
    for tool in tools:
        try:
            definitions.append(loads(tool.text, max_bytes=settings.MAX_DOCUMENT_BYTES))
        except DocumentError as error:
            yield ListedTool(
                _id_of(source, tool), _name_of(tool), tool.sha256, problems=error.problems
            )
        else:
            readable.append(tool)
    if not definitions:
        return
    try:
        imported = import_document(
            {"tools": definitions}, prefix=source.id_prefix, max_spec_bytes=settings.MAX_SPEC_BYTES
        )
    except NotKnown:
        for tool in readable:
            yield _refuse(
                source,
                tool,
                "This is not a tool of the Model Context Protocol: it has no `inputSchema`.",
            )
        return
    by_index = {int(split_pointer(one.pointer)[1]): one for one in imported.specs}
    for index, tool in enumerate(readable):
        yield _listed(by_index[index], source, tool)


def _chunks(tools: list[RemoteTool]) -> Iterator[list[RemoteTool]]:
    for start in range(0, len(tools), CHUNK):
        yield tools[start : start + CHUNK]


def _listed(imported: ImportedSpec, source: Source, tool: RemoteTool) -> ListedTool:
    tool_id = _id_of(source, tool)
    if imported.spec is not None and imported.spec.tool_id != tool_id:
        return _refuse(source, tool, "Its definition contains that of a tool with another name.")
    return ListedTool(
        tool_id,
        _name_of(tool),
        tool.sha256,
        imported.spec,
        imported.problems,
        imported.losses,
        imported,
    )


def _import(source: Source, text: str, deadline: Deadline) -> Imported:
    document = read_document(text)
    format_key = detect(document)
    if format_key is None or (source.is_connected and format_key not in APIS):
        reason = (
            foreign_document(document)
            or "This is not an OpenAPI document: it has no `openapi` or `swagger` field."
        )
        raise OutgoingError(reason)
    return import_document(
        document,
        prefix=source.id_prefix,
        max_spec_bytes=settings.MAX_SPEC_BYTES,
        deadline=deadline,
    )


def document_tools(
    source: Source,
    imported: Imported,
    new_ids: Mapping[str, str] = NO_NEW_IDS,
    left_out: Collection[str] = (),
) -> list[ListedTool]:
    """The tools of a document, without those that the source leaves out.

    Args:
        source: its tools keep the ids that they have here, as long as the document has their names.
        imported: the document, converted with the prefix of the source.
        new_ids: instead of those that the conversion gives, by the names of the tools.
        left_out: the names of tools whose ids others may have.
    """
    ids = {**dict(_stored_ids(source)), **new_ids}
    named = [(one.tool_id.removeprefix(source.start), one) for one in imported.specs]
    numbers = Counter(
        _id_in(one, ids.get(name)) for name, one in named if name not in left_out and one.spec
    )
    listed = []
    for name, one in named:
        if name in source.left_out:
            continue
        tool_id = _id_in(one, ids.get(name))
        is_left_out = name in left_out
        others = numbers[tool_id] - (not is_left_out)
        if others and one.spec and (is_left_out or tool_id != one.tool_id):
            problems = (_shared_id(tool_id),)
            listed.append(ListedTool(tool_id, name, "", None, problems, one.losses, one))
        else:
            listed.append(_document_tool(name, one, tool_id))
    return listed


def _document_tool(name: str, imported: ImportedSpec, tool_id: str) -> ListedTool:
    spec, problems = imported.spec, imported.problems
    if spec and tool_id != imported.tool_id:
        spec, problems = _read_with_id(imported, tool_id)
    sha256 = spec.sha256 if spec else ""
    return ListedTool(tool_id, name, sha256, spec, problems, imported.losses, imported)


def _id_in(imported: ImportedSpec, wanted: str | None) -> str:
    """The id of a tool, which has another one if the document does not state its own."""
    if wanted is None or imported.has_own_id:
        return imported.tool_id
    return wanted


def _read_with_id(
    imported: ImportedSpec, tool_id: str
) -> tuple[ToolSpec | None, tuple[Problem, ...]]:
    try:
        text = text_with_id(imported, tool_id).encode()
        return read_spec(text, max_bytes=settings.MAX_SPEC_BYTES), ()
    except SpecError as error:  # nobody sees the text, so its lines mean nothing
        return None, tuple(replace(one, line=None, column=None) for one in error.problems)


def _shared_id(tool_id: str) -> Problem:
    message = (
        f"Another tool of this document has the id {tool_id!r}, too. "
        "Choose another id, or leave one of them out."
    )
    return Problem("/definition/id", message, "import.same-id")


def read_document(text: str) -> JSON:
    """The document of a source, in JSON or YAML.

    Raises:
        OutgoingError: it is neither.
    """
    try:
        if text.lstrip().startswith(("{", "[")):
            return loads(text, max_bytes=settings.MAX_DOCUMENT_BYTES)
        return yaml_reader.loads(text, max_bytes=settings.MAX_DOCUMENT_BYTES).value
    except DocumentError as error:
        [first] = error.problems[:1]
        where = f" (line {first.line}, column {first.column})" if first.line else ""
        raise OutgoingError(f"The document cannot be read: {first.message}{where}") from error
