"""Lists of tools in the formats of model providers and MCP servers.

Sources: MCP 2025-11-25, "Tool"; OpenAI, "FunctionDefinition" and "FunctionTool"; Anthropic, "Tool"; Gemini,
"FunctionDeclaration"; LangChain, `convert_to_openai_tool`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from catalog.conversion_report import Report
from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.detect import detect, format_of_tool, tools_in
from catalog.specs.importers.openapi.schemas import from_openapi_3
from catalog.specs.importers.repair import repaired_schema
from catalog.specs.importers.results import Draft, ImportFormat, Object

_STORED_BESIDE: Final = "Stored in `{}`, outside the definition."


def _refusal_of(tool: JSON) -> str:
    if isinstance(tool, dict) and isinstance(tool.get("arguments"), list):
        return "This is not a tool: it has `arguments`, but no input schema. Is it an MCP prompt?"
    return "This is not a tool in a known format."


def drafts_of_tools(document: JSON, *, prefix: str) -> Iterator[Draft]:
    """One draft per tool in `document`; the ids are `prefix` and the name."""
    given = _given_ids(document)
    for pointer, tool in tools_in(document):
        format_key = format_of_tool(tool) or _format_by_neighbours(tool, document)
        read = _READERS.get(format_key) if format_key else None
        if read is None or format_key is None or not isinstance(tool, dict):
            name = tool.get("name") if isinstance(tool, dict) else None
            yield Draft(pointer, str(name or ""), "", {}, refusal=_refusal_of(tool))
            continue
        report = Report()
        draft = read(tool, pointer, report)
        draft.has_own_id = bool(given.get(pointer))
        draft.tool_id = given.get(pointer) or f"{prefix}{draft.name}"
        draft.losses = list(report)
        parent = pointer_join(pointer, "function") if "function" in tool else pointer
        draft.origins = {
            part: pointer_join(parent, *tokens) for part, tokens in _ORIGINS[format_key].items()
        }
        draft.document = document
        yield draft


def notes_on_list(document: JSON) -> Iterator[str]:
    """Sentences about a list of tools as a whole."""
    result = document.get("result", document) if isinstance(document, dict) else None
    if isinstance(result, dict) and result.get("nextCursor"):
        yield "The list is incomplete: `nextCursor` refers to another page, which is not in this document."


def _format_by_neighbours(tool: JSON, document: JSON) -> ImportFormat | None:
    """The format of a tool without parameters, if the format allows it to omit them."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return None
    if tool.get("type", "function") != "function":
        return None  # a built-in tool of the provider, or one with free text instead of parameters
    format_key = detect(document)
    return format_key if format_key in _MAY_BE_BARE else None


def _given_ids(document: JSON) -> dict[str, str]:
    """Ids beside tools, as in {"id": "airline.book", "tool": {…}}, by the tools' pointers."""
    rows = (
        {pointer_join("", index): row for index, row in enumerate(document)}
        if isinstance(document, list)
        else {}
    )
    return {
        pointer_join(pointer, "tool"): tool_id
        for pointer, row in (rows or {"": document}).items()
        if isinstance(row, dict) and "tool" in row and isinstance(tool_id := row.get("id"), str)
    }


def _draft(
    tool: Object, pointer: str, report: Report, members: Object, *, name: JSON = None
) -> Draft:
    name = tool.get("name") if name is None else name
    description = tool.get("description")
    if not isinstance(description, str):
        report.rewritten(
            pointer_join(pointer, "description"),
            "The description is missing; it was set to an empty string.",
        )
        description = ""
    members = {
        "description": description,
        **{key: value for key, value in members.items() if value is not None},
    }
    return Draft(pointer, name if isinstance(name, str) else "", "", members)


def _schema(tool: Object, member: str, pointer: str, report: Report) -> JSON:
    """The schema in `member`; None if it is absent."""
    schema = tool.get(member)
    if schema is None:
        return None
    return repaired_schema(schema, pointer_join(pointer, member), report)


def _store_rest(
    draft: Draft, key: str, tool: Object, known: frozenset[str], report: Report
) -> Draft:
    """Store the members of `tool` that a spec has no member for in the extension `key`."""
    rest: Object = {name: value for name, value in tool.items() if name not in known}
    if rest:
        draft.siblings[key] = rest
        for name in rest:
            report.preserved(pointer_join(draft.pointer, name), _STORED_BESIDE.format(key))
    return draft


def _mcp(tool: Object, pointer: str, report: Report) -> Draft:
    draft = _draft(
        tool,
        pointer,
        report,
        {
            "parameters": _schema(tool, "inputSchema", pointer, report),
            "returnType": _schema(tool, "outputSchema", pointer, report),
        },
    )
    return _store_rest(
        draft,
        "x-mcp",
        tool,
        frozenset({"name", "description", "inputSchema", "outputSchema"}),
        report,
    )


def _openai(tool: Object, pointer: str, report: Report) -> Draft:
    inner = tool.get("function")
    function, at = (
        (inner, pointer_join(pointer, "function")) if isinstance(inner, dict) else (tool, pointer)
    )
    draft = _draft(
        function, at, report, {"parameters": _schema(function, "parameters", at, report)}
    )
    draft.pointer = at
    known = frozenset({"type", "function", "name", "description", "parameters"})
    _store_rest(draft, "x-openai", function, known, report)
    draft.pointer = pointer
    return draft


def _anthropic(tool: Object, pointer: str, report: Report) -> Draft:
    examples = tool.get("input_examples")
    members: Object = {
        "parameters": _schema(tool, "input_schema", pointer, report),
        "examples": [{"parameters": example} for example in examples]
        if isinstance(examples, list)
        else None,
    }
    draft = _draft(tool, pointer, report, members)
    known = frozenset({"name", "description", "input_schema", "input_examples", "type"})
    return _store_rest(draft, "x-anthropic", tool, known, report)


def _gemini(tool: Object, pointer: str, report: Report) -> Draft:
    members: Object = {}
    for name, member in (("parameters", "parameters"), ("response", "returnType")):
        whole = next(
            (
                spelling
                for spelling in (f"{name}JsonSchema", f"{name}_json_schema")
                if tool.get(spelling)
            ),
            "",
        )
        if whole:
            members[member] = _schema(tool, whole, pointer, report)
        elif tool.get(name) is not None:
            at = pointer_join(pointer, name)
            members[member] = repaired_schema(
                from_openapi_3(_gemini_schema(tool[name]), at, report), at, report
            )
    draft = _draft(tool, pointer, report, members)
    rest: Object = {name: value for name, value in tool.items() if value is not None}
    return _store_rest(draft, "x-gemini", rest, _OF_GEMINI, report)


def _gemini_schema(schema: JSON) -> JSON:
    """`schema` in the spelling of the REST API, with numbers where Google's JSON writes an int64 as text.

    Python's SDK spells keywords in snake case, and writes null for absent ones.
    """
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    for spelling, value in schema.items():
        keyword = _GEMINI_CAMEL.get(spelling, spelling)
        if value is None and keyword in _GEMINI_KEYWORDS:
            continue
        if keyword == "properties" and isinstance(value, dict):
            out[keyword] = {name: _gemini_schema(member) for name, member in value.items()}
        elif keyword in {"items", "additionalProperties"}:
            out[keyword] = _gemini_schema(value)
        elif keyword in {"anyOf", "prefixItems"} and isinstance(value, list):
            out[keyword] = [_gemini_schema(branch) for branch in value]
        elif keyword in _GEMINI_INT64 and isinstance(value, str) and _INT64.fullmatch(value):
            out[keyword] = int(value)
        else:
            out[keyword] = value
    return out


def _langchain(tool: Object, pointer: str, report: Report) -> Draft:
    """The whole object is the schema of the parameters; its title and description are the tool's."""
    examples = tool.get("examples")
    schema = {
        name: value
        for name, value in tool.items()
        if name not in {"title", "description", "examples"}
    }
    members: Object = {"parameters": repaired_schema(schema, pointer, report)}
    if isinstance(examples, list) and all(isinstance(example, dict) for example in examples):
        members["examples"] = [{"parameters": example} for example in examples]
    return _draft(tool, pointer, report, members, name=tool.get("title"))


_OF_GEMINI: Final = frozenset(
    {
        "name", "description", "parameters", "response", "parametersJsonSchema", "responseJsonSchema",
        "parameters_json_schema", "response_json_schema",
    }
)  # fmt: skip
_INT64: Final = re.compile("[0-9]{1,19}")
_GEMINI_INT64: Final = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"},
)
_GEMINI_CAMEL: Final[Mapping[str, str]] = {
    "any_of": "anyOf", "prefix_items": "prefixItems", "additional_properties": "additionalProperties",
    "property_ordering": "propertyOrdering", "min_items": "minItems", "max_items": "maxItems",
    "min_length": "minLength", "max_length": "maxLength", "min_properties": "minProperties",
    "max_properties": "maxProperties",
}  # fmt: skip
_GEMINI_KEYWORDS: Final = frozenset(
    {
        *_GEMINI_CAMEL.values(), "type", "title", "description", "format", "pattern", "items", "properties", "required",
        "enum", "nullable", "minimum", "maximum", "example",
    }
)  # fmt: skip
_MAY_BE_BARE: Final = frozenset({"openai", "gemini"})
_PARAMETERS: Final = "/definition/parameters"
_RETURN_TYPE: Final = "/definition/returnType"
_ORIGINS: Final[Mapping[ImportFormat, Mapping[str, tuple[str, ...]]]] = {
    "mcp": {_PARAMETERS: ("inputSchema",), _RETURN_TYPE: ("outputSchema",)},
    "openai": {_PARAMETERS: ("parameters",)},
    "anthropic": {_PARAMETERS: ("input_schema",)},
    "gemini": {_PARAMETERS: ("parameters",), _RETURN_TYPE: ("response",)},
    "langchain": {_PARAMETERS: ()},
}
_READERS: Final[Mapping[ImportFormat, Callable[[Object, str, Report], Draft]]] = {
    "mcp": _mcp,
    "openai": _openai,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "langchain": _langchain,
}
