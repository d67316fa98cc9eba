"""Which format a document is in, by its own marks; what has none of them is left to the reader of specs.

Sources: the version fields of OpenAPI and Swagger; MCP, "Listing Tools"; the tool parameters of OpenAI (Chat
Completions, Responses), Anthropic and Gemini; LangChain, `convert_to_openai_tool`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Final

from catalog.jsontext.pointers import pointer_join, split_pointer
from catalog.jsontext.reader import JSON
from catalog.specs.importers.results import Kind, Object

MARKS: Final = (
    b'"openapi"', b'"swagger"', b'"tools"', b'"functions"', b'"functionDeclarations"', b'"function_declarations"',
)  # fmt: skip
MAX_LOOKED_AT: Final = 20  # tools of a list, to tell its format


def may_be_imported(text: bytes) -> bool:
    """Whether `text` has one of the marks of a document that holds several tools; cheap."""
    return any(mark in text for mark in MARKS)


def detect(document: JSON) -> Kind | None:
    """The format of `document`; None where it is a spec, or nothing that is known."""
    if isinstance(document, dict):
        if "definition" in document:
            return None
        version = document.get("openapi", document.get("swagger"))
        if isinstance(document.get("paths"), dict) or "openapi" in document or "swagger" in document:
            return _api_kind(version)
    for pointer, tool in islice(tools_in(document), MAX_LOOKED_AT):
        kind = kind_of_tool(tool)
        if kind is not None:
            return kind
        if isinstance(tool, dict) and "name" in tool and _GEMINIS & set(split_pointer(pointer)[-2:-1]):
            return "gemini"  # a function that takes nothing says nothing of it
    return None


def _api_kind(version: JSON) -> Kind | None:
    text = str(version)
    if text.startswith("3."):
        return "openapi-3"
    return "swagger-2" if text in {"2.0", "2"} else None


def kind_of_tool(tool: JSON) -> Kind | None:
    """The format of one tool."""
    if not isinstance(tool, dict):
        return None
    return next((kind for kind, fits in _TOOLS if fits(tool)), None)


def tools_in(document: JSON) -> Iterator[tuple[str, JSON]]:
    """The tools in `document`, each with its pointer: it is one, a list of them, or holds a list of them."""
    yield from _tools_below(document, "", 3)


def _tools_below(value: JSON, pointer: str, depth: int) -> Iterator[tuple[str, JSON]]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            place = pointer_join(pointer, index)
            if depth and isinstance(item, dict) and kind_of_tool(item) is None:
                inner = list(_tools_below(item, place, depth - 1))
                yield from inner or [(place, item)]
            else:
                yield place, item
        return
    if not isinstance(value, dict):
        return
    if kind_of_tool(value) is not None:
        yield pointer, value
        return
    holder = next((name for name in _HOLDERS if isinstance(value.get(name), list | dict)), None)
    if holder is not None and depth:
        yield from _tools_below(value[holder], pointer_join(pointer, holder), depth - 1)


_GEMINIS: Final = frozenset({"functionDeclarations", "function_declarations"})
_HOLDERS: Final = ("result", "tools", "functions", *sorted(_GEMINIS), "tool")


def _has(*names: str) -> Callable[[Object], bool]:
    return lambda tool: isinstance(tool.get("name"), str) and any(name in tool for name in names)


def _is_openai(tool: Object) -> bool:
    return tool.get("type") == "function" and ("function" in tool or "name" in tool)


def _is_gemini(tool: Object) -> bool:
    """By the types in capitals, or by fields that no other format has."""
    schema = tool.get("parameters")
    if not isinstance(tool.get("name"), str) or not isinstance(schema, dict):
        return isinstance(tool.get("name"), str) and ("parametersJsonSchema" in tool or "response" in tool)
    kind = schema.get("type")
    return (isinstance(kind, str) and kind.isupper()) or "propertyOrdering" in schema or "response" in tool


def _is_langchain(tool: Object) -> bool:
    return isinstance(tool.get("title"), str) and isinstance(tool.get("properties"), dict) and "name" not in tool


_TOOLS: Final[tuple[tuple[Kind, Callable[[Object], bool]], ...]] = (
    ("openai", _is_openai),
    ("mcp", _has("inputSchema", "outputSchema")),
    ("anthropic", _has("input_schema")),
    ("gemini", _is_gemini),
    ("openai", _has("parameters")),
    ("langchain", _is_langchain),
)
