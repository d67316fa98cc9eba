"""The content of a source, converted to specs by the importers; a tool that cannot become one has problems instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
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
    Imported,
    ImportedSpec,
    NotKnown,
    detect,
    id_for,
    import_document,
    text_with_id,
)
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

Definition = tuple[RemoteTool, JSON]  # a tool of an MCP server, and its definition


@dataclass(frozen=True, slots=True)
class ListedTool:
    """One tool of a source.

    Attributes:
        tool_id: in the catalog, that of `spec`: the name of the source, a dot, and its name there,
            trimmed and cut.
        remote_name: its name at the source.
        sha256: of its definition at the source; for a tool of a document that of `spec`, or "".
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


def listed_tools(source: Source, reading: Reading) -> list[ListedTool]:
    """The tools that `reading` contains, each id once.

    Raises:
        OutgoingError: it cannot be used as a whole.
    """
    if reading.tools is None:
        imported = _import(source, reading.document)
        return document_tools(source, imported, reading.new_ids)
    return _with_ids(source, _of_tools(source, reading.tools), reading.new_ids)


def _stored_ids(source: Source) -> list[tuple[str, str]]:
    """The name and id of each tool of a source.

    Of two with one name, the one that is still listed comes last.
    """
    if source.pk is None:
        return []
    stored_id = Coalesce("catalog_tool__tool_id", "tool_id")
    gone_first = source.tools.order_by(F("gone_at").asc(nulls_last=True))
    return list(gone_first.values_list("remote_name", stored_id))


def _of_tools(source: Source, tools: list[RemoteTool]) -> Iterator[ListedTool]:
    usable, refused = distinct_tools(source, tools)
    yield from refused
    for chunk in _chunks(usable):
        yield from _of_chunk(source, chunk)


def distinct_tools(
    source: Source, tools: Iterable[RemoteTool]
) -> tuple[list[Definition], list[ListedTool]]:
    """The tools of an MCP server, each once with its definition, and those that are refused.

    Those of one id with different names or definitions are refused. Names that differ only in
    blanks or invisible characters, or after many characters, make the same id.
    """
    by_id: dict[str, list[RemoteTool]] = {}
    for tool in tools:
        by_id.setdefault(_id_of(source, tool), []).append(tool)
    usable: list[Definition] = []
    refused: list[ListedTool] = []
    for listed in by_id.values():
        tool = listed[0]
        if refusal := _refusal_of(source, listed):
            refused.append(_refuse(source, tool, refusal))
            continue
        try:
            usable.append((tool, loads(tool.text, max_bytes=settings.MAX_DOCUMENT_BYTES)))
        except DocumentError as error:
            tool_id, name = _id_of(source, tool), _name_of(tool)
            refused.append(ListedTool(tool_id, name, tool.sha256, problems=error.problems))
    return usable, refused


def _refusal_of(source: Source, listed: list[RemoteTool]) -> str:
    """Why tools that have one id cannot be imported; "" if they are one tool."""
    number = len(listed)
    if _id_of(source, listed[0]) == source.start:
        return f"Tools without a name cannot be imported ({number})."
    if len({_name_of(tool) for tool in listed}) > 1:
        return (
            f"The source lists {number} tools with this id: their names differ, but look the same."
        )
    if len({tool.sha256 for tool in listed}) > 1:
        return f"The source lists this tool {number} times, with different definitions."
    if len(_name_of(listed[0])) > MAX_REMOTE_NAME:
        return (
            f"The name of the tool is too long: at most {MAX_REMOTE_NAME} characters are allowed."
        )
    return ""


def _name_of(tool: RemoteTool) -> str:
    return tool.name if isinstance(tool.name, str) else ""


def _id_of(source: Source, tool: RemoteTool) -> str:
    return id_for(f"{source.start}{_name_of(tool)}")


def _refuse(source: Source, tool: RemoteTool, message: str) -> ListedTool:
    problem = Problem("", message, "source.tool")
    return ListedTool(_id_of(source, tool), _name_of(tool), tool.sha256, problems=(problem,))


def _of_chunk(source: Source, tools: list[Definition]) -> Iterator[ListedTool]:
    try:
        imported = import_document(
            list_of(tools), prefix=source.id_prefix, max_spec_bytes=settings.MAX_SPEC_BYTES
        )
    except NotKnown:
        for tool, _ in tools:
            yield _refuse(
                source,
                tool,
                "This is not a tool of the Model Context Protocol: it has no `inputSchema`.",
            )
        return
    by_index = {int(split_pointer(one.pointer)[1]): one for one in imported.specs}
    for index, (tool, _) in enumerate(tools):
        yield _listed(by_index[index], source, tool)


def list_of(tools: Iterable[Definition]) -> JSON:
    """The document that lists these tools."""
    return {"tools": [definition for _, definition in tools]}


def _chunks(tools: list[Definition]) -> Iterator[list[Definition]]:
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


def _import(source: Source, text: str) -> Imported:
    document = read_api(text) if source.is_connected else read_document(text)
    return import_document(
        document, prefix=source.id_prefix, max_spec_bytes=settings.MAX_SPEC_BYTES
    )


def read_api(text: str) -> JSON:
    """The document of an API.

    Raises:
        OutgoingError: it is something else.
    """
    document = read_document(text)
    if detect(document) in APIS:
        return document
    reason = foreign_document(document)
    raise OutgoingError(
        reason or "This is not an OpenAPI document: it has no `openapi` or `swagger` field."
    )


def document_tools(
    source: Source,
    imported: Imported,
    new_ids: Mapping[str, str] = NO_NEW_IDS,
    left_out: Collection[str] = (),
) -> list[ListedTool]:
    """The tools of a document that was converted with the source's prefix, as `_with_ids`."""
    tools = []
    for one in imported.specs:
        name = one.tool_id.removeprefix(source.start)
        tools.append(ListedTool(one.tool_id, name, "", one.spec, one.problems, one.losses, one))
    return [_with_hash(tool) for tool in _with_ids(source, tools, new_ids, left_out)]


def _with_hash(tool: ListedTool) -> ListedTool:
    """The tool of a document; its hash is that of its spec, with the id that it has here."""
    return replace(tool, sha256=tool.spec.sha256) if tool.spec else tool


def _with_ids(
    source: Source,
    tools: Iterable[ListedTool],
    new_ids: Mapping[str, str],
    left_out: Collection[str] = (),
) -> list[ListedTool]:
    """The tools, without those that the source leaves out.

    Args:
        source: its tools keep the ids that they have here, as long as it has their names. It may have
            been a document, whose tools had trimmed and cut names.
        tools: with the ids that the conversion gives.
        new_ids: instead of those, by the names of the tools.
        left_out: the names of tools whose ids others may have.
    """
    names = {**dict(_stored_ids(source)), **new_ids}
    ids = {id_for(f"{source.start}{name}"): tool_id for name, tool_id in names.items()}
    absent = {id_for(f"{source.start}{name}") for name in source.left_out}
    renamed = []
    for tool in tools:
        if tool.tool_id not in absent and tool.remote_name not in source.left_out:
            is_fixed = tool.imported is not None and tool.imported.has_own_id
            tool_id = tool.tool_id if is_fixed else ids.get(tool.tool_id, tool.tool_id)
            renamed.append((tool, tool_id))
    numbers = Counter(
        tool_id for tool, tool_id in renamed if tool.spec and tool.remote_name not in left_out
    )
    return [
        _with_id(tool, tool_id, numbers[tool_id], is_left_out=tool.remote_name in left_out)
        for tool, tool_id in renamed
    ]


def _with_id(tool: ListedTool, tool_id: str, number: int, *, is_left_out: bool) -> ListedTool:
    """The tool with this id, which `number` of those that are not left out want."""
    others = number - (not is_left_out)
    is_changed = tool_id != tool.tool_id
    if tool.spec is None or tool.imported is None or not (is_changed or is_left_out):
        return replace(tool, tool_id=tool_id)
    if others:
        return replace(tool, tool_id=tool_id, spec=None, problems=(_shared_id(tool_id),))
    if not is_changed:
        return tool
    spec, problems = _read_with_id(tool.imported, tool_id)
    return replace(tool, tool_id=tool_id, spec=spec, problems=problems)


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


def is_json(text: str) -> bool:
    """Whether the document of a source is read as JSON, otherwise as YAML."""
    return text.lstrip().startswith(("{", "["))


def read_document(text: str) -> JSON:
    """The document of a source, in JSON or YAML.

    Raises:
        OutgoingError: it is neither.
    """
    try:
        if is_json(text):
            return loads(text, max_bytes=settings.MAX_DOCUMENT_BYTES)
        return yaml_reader.loads(text, max_bytes=settings.MAX_DOCUMENT_BYTES).value
    except DocumentError as error:
        [first] = error.problems[:1]
        where = f" (line {first.line}, column {first.column})" if first.line else ""
        raise OutgoingError(f"The document cannot be read: {first.message}{where}") from error
