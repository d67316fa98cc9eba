"""Detect the format of a document by its typical members.

A document without them is read as a spec.

Sources: the version fields of OpenAPI and Swagger; MCP, "Listing Tools"; the tool parameters of
OpenAI (Chat Completions, Responses), Anthropic and Gemini; LangChain, `convert_to_openai_tool`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from toolspec import foreign_documents
from toolspec.imports.results import ImportFormat, Object
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join, split_pointer
from toolspec.text.reader import JSON

MARKS: Final = (
    b'"openapi"', b'"swagger"', b'"tools"', b'"functions"', b'"functionDeclarations"',
    b'"function_declarations"', *foreign_documents.MARKS,
)  # fmt: skip
MAX_LOOKED_AT: Final = 20  # tools of a list, to detect its format


def may_be_imported(text: bytes) -> bool:
    """Whether `text` contains a member name of a format with several tools, or a foreign one.

    Cheap.
    """
    return any(mark in text for mark in MARKS)


def detect(document: JSON) -> ImportFormat | None:
    """The format of `document`; None if it is a spec, or of an unknown format."""
    if isinstance(document, dict):
        if "definition" in document:
            return None
        is_api = isinstance(document.get("paths"), dict)
        if is_api or "openapi" in document or "swagger" in document:
            return _api_format(document.get("openapi", document.get("swagger")))
    for pointer, tool in islice(tools_in(document), MAX_LOOKED_AT):
        format_key = format_of_tool(tool)
        if format_key is not None:
            return format_key
        has_name = isinstance(tool, dict) and "name" in tool
        if has_name and not _GEMINIS.isdisjoint(split_pointer(pointer)[-2:-1]):
            return "gemini"  # a function without parameters has no member that shows its format
    return None


def _api_format(version: JSON) -> ImportFormat | None:
    text = str(version)
    if text.startswith("3."):
        return "openapi-3"
    return "swagger-2" if text in {"2.0", "2"} else None


def format_of_tool(tool: JSON) -> ImportFormat | None:
    """The format of one tool."""
    if not isinstance(tool, dict):
        return None
    for format_key, fits in _TOOLS:
        if fits(tool):
            return format_key
    return None


def tools_in(value: JSON, pointer: str = "", depth: int = 3) -> Iterator[tuple[str, JSON]]:
    """The tools in `value` with their pointers: it is a tool, or has a list of tools."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            item_pointer = pointer_join(pointer, index)
            if depth and isinstance(item, dict) and format_of_tool(item) is None:
                inner = list(tools_in(item, item_pointer, depth - 1))
                yield from inner or [(item_pointer, item)]
            else:
                yield item_pointer, item
        return
    if not isinstance(value, dict):
        return
    if format_of_tool(value) is not None:
        yield pointer, value
        return
    holder = next((name for name in _HOLDERS if isinstance(value.get(name), list | dict)), None)
    if holder is not None and depth:
        yield from tools_in(value[holder], pointer_join(pointer, holder), depth - 1)


_GEMINIS: Final = frozenset({"functionDeclarations", "function_declarations"})
_HOLDERS: Final = ("result", "tools", "functions", *sorted(_GEMINIS), "tool")


def _has(*names: str) -> Callable[[Object], bool]:
    return lambda tool: isinstance(tool.get("name"), str) and any(name in tool for name in names)


def _is_openai(tool: Object) -> bool:
    return tool.get("type") == "function" and ("function" in tool or "name" in tool)


def _is_gemini(tool: Object) -> bool:
    """It has types in capitals, or members that no other format has."""
    if not isinstance(tool.get("name"), str):
        return False
    if not _GEMINI_MEMBERS.isdisjoint(tool):
        return True
    schema = members_of(tool.get("parameters"))
    declared = schema.get("type")
    if isinstance(declared, str) and declared.isupper():
        return True
    return not _GEMINI_ORDERING.isdisjoint(schema)


_GEMINI_MEMBERS: Final = frozenset({
    "response", "parametersJsonSchema", "responseJsonSchema", "parameters_json_schema",
    "response_json_schema",
})  # fmt: skip
_GEMINI_ORDERING: Final = frozenset({"propertyOrdering", "property_ordering"})


def _is_langchain(tool: Object) -> bool:
    if "name" in tool or not isinstance(tool.get("title"), str):
        return False
    return isinstance(tool.get("properties"), dict)


_TOOLS: Final[tuple[tuple[ImportFormat, Callable[[Object], bool]], ...]] = (
    ("openai", _is_openai),
    ("mcp", _has("inputSchema", "outputSchema")),
    ("anthropic", _has("input_schema")),
    ("gemini", _is_gemini),
    ("openai", _has("parameters")),
    ("langchain", _is_langchain),
)
