"""A tool as other programs want it: MCP, OpenAI, Anthropic; and what of its spec does not fit there.

Nothing here knows Django.

Sources: Model Context Protocol 2025-11-25, "Tools"; OpenAI API reference, "Function calling" (chat completions);
Anthropic API reference, "Tool use". Names and limits as of November 2025.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from catalog.spec import ToolSpec
from catalog.strict_json import JSON

Schema = dict[str, JSON]


@dataclass(frozen=True, slots=True)
class Loss:
    """Something of the spec that is not the same in the export: at `pointer` of the spec."""

    pointer: str
    kind: Literal["rewritten", "dropped"]
    message: str


@dataclass(frozen=True, slots=True)
class Export:
    """A tool in another format, and what was lost on the way."""

    document: Schema
    losses: tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class Format:
    """A format that a tool can be exported to.

    `name_chars` and `name_length` are what a name there may be made of, and how long it may be.
    """

    key: str
    label: str
    name_chars: str
    name_length: int
    build: Callable[[ToolSpec, str, Schema], Schema]
    keeps: frozenset[str] = frozenset()


def export(spec: ToolSpec, key: str) -> Export:
    """`spec` in the format `key`.

    Raises:
        KeyError: there is no such format.
    """
    target = FORMATS[key]
    losses: list[Loss] = []
    name = _name(spec, target, losses)
    parameters = _object_schema(spec, losses)
    document = target.build(spec, name, parameters)
    losses += _dropped(spec, target)
    return Export(document, tuple(losses))


def _name(spec: ToolSpec, target: Format, losses: list[Loss]) -> str:
    """The name as the format allows it: other characters become "_", and what is too long is cut."""
    name = re.sub(f"[^{target.name_chars}]+", "_", spec.name).strip("_")[: target.name_length] or "tool"
    if name != spec.name:
        message = f"{target.label} names are made of {_described(target)}; {spec.name!r} became {name!r}."
        losses.append(Loss("/definition/name", "rewritten", message))
    return name


def _described(target: Format) -> str:
    dot = ", dots" if "." in target.name_chars else ""
    return f"up to {target.name_length} letters, digits{dot}, hyphens and underscores"


def _object_schema(spec: ToolSpec, losses: list[Loss]) -> Schema:
    """The parameters as a schema of an object, which is all that a model can be asked for."""
    schema = spec.parameters
    if schema is None:
        return {"type": "object", "properties": {}}
    pointer = "/definition/parameters"
    if not isinstance(schema, dict):
        losses.append(Loss(pointer, "rewritten", "A schema that is true or false became one of any object."))
        return {"type": "object"}
    if schema.get("type") == "object":
        return schema
    if "type" in schema:
        losses.append(Loss(f"{pointer}/type", "rewritten", "Parameters are always an object there."))
    else:
        losses.append(Loss(pointer, "rewritten", '"type": "object" was added, which is required there.'))
    return {**schema, "type": "object"}


def _dropped(spec: ToolSpec, target: Format) -> Iterator[Loss]:
    if spec.tool_id != spec.name:
        yield Loss("/definition/id", "dropped", "Tools are known by their name alone there.")
    if spec.return_type is not None and "returnType" not in target.keeps:
        yield Loss("/definition/returnType", "dropped", "There is no schema of what a tool returns there.")
    if spec.examples:
        yield Loss("/definition/examples", "dropped", "There is no place for examples there.")
    if spec.configuration is not None:
        yield Loss("/configuration", "dropped", "A tool is configured where it runs, not where it is described.")


def _mcp(spec: ToolSpec, name: str, parameters: Schema) -> Schema:
    tool: Schema = {"name": name, "description": spec.description, "inputSchema": parameters}
    if name != spec.name:
        tool = {"name": name, "title": spec.name, "description": spec.description, "inputSchema": parameters}
    if isinstance(spec.return_type, dict) and spec.return_type.get("type") == "object":
        tool["outputSchema"] = spec.return_type
    return tool


def _openai(spec: ToolSpec, name: str, parameters: Schema) -> Schema:
    return {
        "type": "function",
        "function": {"name": name, "description": spec.description, "parameters": parameters},
    }


def _anthropic(spec: ToolSpec, name: str, parameters: Schema) -> Schema:
    return {"name": name, "description": spec.description, "input_schema": parameters}


FORMATS: Final[Mapping[str, Format]] = {
    target.key: target
    for target in (
        Format("mcp", "MCP", "A-Za-z0-9_.-", 128, _mcp, keeps=frozenset({"returnType"})),
        Format("openai", "OpenAI", "A-Za-z0-9_-", 64, _openai),
        Format("anthropic", "Anthropic", "A-Za-z0-9_-", 64, _anthropic),
    )
}
