"""Lists of tools in the formats of model providers and MCP servers.

Sources: MCP 2025-11-25, "Tool"; OpenAI, "FunctionDefinition" and "FunctionTool"; Anthropic, "Tool";
Gemini, "FunctionDeclaration"; LangChain, `convert_to_openai_tool`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolspec.conversion_report import Report
from toolspec.imports.detect import detect, format_of_tool, tools_in
from toolspec.imports.openapi.schemas import from_openapi_3
from toolspec.imports.repair import repaired_schema
from toolspec.imports.results import Draft, ImportFormat, Object
from toolspec.text.containers import members_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

_STORED_BESIDE: Final = "Stored in `{}`, outside the definition."


def _explain_refusal(tool: JSON) -> str:
    if isinstance(tool, dict) and isinstance(tool.get("arguments"), list):
        return "This is not a tool: it has `arguments`, but no input schema. Is it an MCP prompt?"
    return "This is not a tool in a known format."


def drafts_of_tools(document: JSON, *, prefix: str) -> Iterator[Draft]:
    """One draft per tool in `document`; the ids are `prefix` and the name."""
    own_ids = _find_ids(document)
    for pointer, tool in tools_in(document):
        format_key = format_of_tool(tool) or _format_by_neighbours(tool, document)
        if format_key is None or format_key not in _LAYOUTS or not isinstance(tool, dict):
            name = tool.get("name") if isinstance(tool, dict) else None
            yield Draft(pointer, str(name or ""), "", {}, refusal=_explain_refusal(tool))
            continue
        draft = _read(format_key, tool, pointer)
        own_id = own_ids.get(pointer)
        draft.has_own_id = bool(own_id)
        draft.tool_id = own_id or f"{prefix}{draft.name}"
        draft.document = document
        yield draft


def notes_on_list(document: JSON) -> Iterator[str]:
    """Sentences about a list of tools as a whole."""
    page = members_of(document)
    if members_of(page.get("result", page)).get("nextCursor"):
        note = "The list is incomplete: `nextCursor` refers to another page,"
        yield f"{note} which is not in this document."


def _format_by_neighbours(tool: JSON, document: JSON) -> ImportFormat | None:
    """The format of a tool without parameters, if the format allows it to omit them."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return None
    if tool.get("type", "function") != "function":
        return None  # a built-in tool of the provider, or one with free text instead of parameters
    format_key = detect(document)
    return format_key if format_key in _MAY_BE_BARE else None


def _find_ids(document: JSON) -> dict[str, str]:
    """Ids beside tools, as in {"id": "airline.book", "tool": {…}}, by the tools' pointers."""
    rows = {"": document}
    if isinstance(document, list):
        rows = {pointer_join("", index): row for index, row in enumerate(document)}
    ids: dict[str, str] = {}
    for pointer, row in rows.items():
        tool_id = members_of(row).get("id")
        if isinstance(tool_id, str) and "tool" in members_of(row):
            ids[pointer_join(pointer, "tool")] = tool_id
    return ids


def _read(format_key: ImportFormat, tool: Object, pointer: str) -> Draft:
    layout, report = _LAYOUTS[format_key], Report()
    function, at = tool, pointer
    inner = tool.get("function")
    if format_key == "openai" and isinstance(inner, dict):
        function, at = inner, pointer_join(pointer, "function")
    if format_key == "gemini":  # Python's SDK writes null for absent members
        function = {name: value for name, value in tool.items() if value is not None}
    description = function.get("description")
    members: Object = {"description": description if isinstance(description, str) else ""}
    for part, member in layout.parts.items():
        schema = layout.read_schema(function, member, at, report)
        if schema is not None:
            members[part] = schema
    examples = function.get(layout.examples)
    if isinstance(examples, list) and all(map(layout.is_example, examples)):
        members["examples"] = [{"parameters": example} for example in examples]
    if not isinstance(description, str):
        reason = "The description is missing; it was set to an empty string."
        report.rewritten(pointer_join(at, "description"), reason)
    name = function.get(layout.name)
    draft = Draft(pointer, name if isinstance(name, str) else "", "", members)
    if format_key != "langchain":  # there, the whole object is the schema
        _store_rest(draft, format_key, function, at, report)
    for part, member in layout.parts.items():
        draft.origins[f"/definition/{part}"] = pointer_join(at, member) if member else at
    draft.losses = list(report)
    return draft


def _store_rest(
    draft: Draft, format_key: ImportFormat, tool: Object, pointer: str, report: Report
) -> None:
    """Store the members of `tool` that a spec has no member for in an extension."""
    known, extension = _LAYOUTS[format_key].known, f"x-{format_key}"
    rest: Object = {name: value for name, value in tool.items() if name not in known}
    if rest:
        draft.siblings[extension] = rest
    for name in rest:
        report.preserved(pointer_join(pointer, name), _STORED_BESIDE.format(extension))


def _read_schema(tool: Object, member: str, pointer: str, report: Report) -> JSON:
    """The schema in `member`; None if it is absent."""
    schema = tool.get(member)
    if schema is None:
        return None
    return repaired_schema(schema, pointer_join(pointer, member), report)


def _read_gemini_schema(tool: Object, member: str, pointer: str, report: Report) -> JSON:
    """The schema in `member`, as of OpenAPI 3.0, or beside it as JSON Schema.

    None if it is absent.
    """
    for spelling in (f"{member}JsonSchema", f"{member}_json_schema"):
        if tool.get(spelling):
            return _read_schema(tool, spelling, pointer, report)
    if member not in tool:
        return None
    at = pointer_join(pointer, member)
    converted = from_openapi_3(_spell_gemini_schema(tool[member]), at, report)
    return repaired_schema(converted, at, report)


def _read_langchain_schema(tool: Object, _member: str, pointer: str, report: Report) -> JSON:
    """The tool without its own members, which is the schema of the parameters."""
    own = {"title", "description", "examples"}
    schema: Object = {name: value for name, value in tool.items() if name not in own}
    return repaired_schema(schema, pointer, report)


def _spell_gemini_schema(schema: JSON) -> JSON:
    """`schema` in the spelling of the REST API.

    It has numbers where Google's JSON writes an int64 as text. Python's SDK spells keywords in
    snake case, and writes null for absent ones.
    """
    if not isinstance(schema, dict):
        return schema
    out: Object = {}
    for spelling, value in schema.items():
        keyword = _GEMINI_CAMEL.get(spelling, spelling)
        if value is None and keyword in _GEMINI_KEYWORDS:
            continue
        if keyword == "properties" and isinstance(value, dict):
            out[keyword] = {name: _spell_gemini_schema(member) for name, member in value.items()}
        elif keyword in {"items", "additionalProperties"}:
            out[keyword] = _spell_gemini_schema(value)
        elif keyword in {"anyOf", "prefixItems"} and isinstance(value, list):
            out[keyword] = [_spell_gemini_schema(branch) for branch in value]
        elif keyword in _GEMINI_INT64 and isinstance(value, str) and _INT64.fullmatch(value):
            out[keyword] = int(value)
        else:
            out[keyword] = value
    return out


_INT64: Final = re.compile("[0-9]{1,19}")
_GEMINI_INT64: Final = frozenset(
    {"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"},
)
_GEMINI_CAMEL: Final[Mapping[str, str]] = {
    "any_of": "anyOf", "prefix_items": "prefixItems",
    "additional_properties": "additionalProperties", "property_ordering": "propertyOrdering",
    "min_items": "minItems", "max_items": "maxItems", "min_length": "minLength",
    "max_length": "maxLength", "min_properties": "minProperties",
    "max_properties": "maxProperties",
}  # fmt: skip
_GEMINI_KEYWORDS: Final = frozenset(
    {
        *_GEMINI_CAMEL.values(), "type", "title", "description", "format", "pattern", "items",
        "properties", "required", "enum", "nullable", "minimum", "maximum", "example",
    }
)  # fmt: skip
_MAY_BE_BARE: Final = frozenset({"openai", "gemini"})


def _accept_any(_example: JSON) -> bool:
    return True


def _is_object(example: JSON) -> bool:
    return isinstance(example, dict)


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the tools of a format have the parts of a spec.

    Attributes:
        parts: the members with schemas, by the member of `definition`; "" is the tool itself.
        other: further members that a spec has a place for, or that only say what the tool is.
        examples: the member with the parameters of examples, if all of them are examples.
    """

    parts: Mapping[str, str]
    other: frozenset[str] = frozenset()
    name: str = "name"
    examples: str = ""
    is_example: Callable[[JSON], bool] = _accept_any
    read_schema: Callable[[Object, str, str, Report], JSON] = _read_schema

    @property
    def known(self) -> frozenset[str]:
        members = {"name", "description", self.examples, *self.parts.values()}
        return self.other | (members - {""})


_LAYOUTS: Final[Mapping[ImportFormat, _Layout]] = {
    "mcp": _Layout({"parameters": "inputSchema", "returnType": "outputSchema"}),
    "openai": _Layout({"parameters": "parameters"}, frozenset({"type", "function"})),
    "anthropic": _Layout(
        {"parameters": "input_schema"}, frozenset({"type"}), examples="input_examples"
    ),
    "gemini": _Layout(
        {"parameters": "parameters", "returnType": "response"},
        frozenset({
            "parametersJsonSchema", "responseJsonSchema", "parameters_json_schema",
            "response_json_schema",
        }),
        read_schema=_read_gemini_schema,
    ),
    "langchain": _Layout(
        {"parameters": ""},
        name="title",
        examples="examples",
        is_example=_is_object,
        read_schema=_read_langchain_schema,
    ),
}  # fmt: skip
