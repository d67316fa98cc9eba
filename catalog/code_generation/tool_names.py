"""The names that the generated Python projects of a tool use."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.code_generation.python_names import pascal_name, snake_name
from catalog.jsontext.reader import JSON
from catalog.specs.spec import ToolSpec


@dataclass(frozen=True, slots=True)
class ToolNames:
    """Names for "Get weather": the function get_weather, the package get_weather_tool, the class GetWeatherTool."""

    function: str
    package: str
    distribution: str
    tool: str
    factory: str

    @classmethod
    def of(cls, spec: ToolSpec) -> ToolNames:
        function = snake_name(spec.tool_id, default="tool")
        base = function.strip("_").removesuffix("_tool")
        package = f"{base}_tool" if base != "tool" else "generated_tool"
        name = pascal_name(spec.tool_id).removesuffix("Tool") or "Generated"
        name = name if name[0].isalpha() else f"Tool{name}"
        return cls(function, package, package.replace("_", "-"), f"{name}Tool", f"{name}ToolFactory")


def python_schemas(spec: ToolSpec) -> dict[str, tuple[JSON, str]]:
    """The schemas that become types: Request, Response and, if the tool has one, Configuration."""
    no_members: JSON = {"type": "object", "properties": {}}
    schemas: dict[str, tuple[JSON, str]] = {
        "Request": (no_members if spec.parameters is None else spec.parameters, "/definition/parameters"),
        "Response": (True if spec.return_type is None else spec.return_type, "/definition/returnType"),
    }
    if spec.configuration is not None:
        schemas["Configuration"] = (spec.configuration, "/configuration")
    return schemas
