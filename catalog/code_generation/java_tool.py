"""The names and the types of a tool in Java, from which the files of its project are written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from catalog.code_generation.java_model import IMPORTS, JavaTypes, Use
from catalog.code_generation.java_names import is_device, package_segment, short_hash, type_name
from catalog.code_generation.java_text import comment_text
from catalog.code_generation.java_types import java_types
from catalog.jsontext.containers import members_of
from catalog.jsontext.reader import JSON
from catalog.specs.spec import ToolSpec

_REQUEST: Final = "Parameters"
_RESPONSE: Final = "ReturnType"
_CONFIGURATION: Final = "Configuration"
_IMPORTED: Final = frozenset({
    "tool", "toolfactory", "configurabletoolfactory", "unconfigurabletoolfactory", "dynamictest", "jsonnode",
    "jsonmapper", "jsonprocessingexception", "deserializationfeature", "typereference", "type", "stream",
    "streamsupport", "serviceloader", "inputstream", "ioexception", "test", "testfactory", "assertions", "list", "map",
    "bigdecimal", "biginteger", "string", "object", "override", "boolean", "integer", "long", "double", "void",
    "unsupportedoperationexception",
})  # fmt: skip
"""Simple names, in small letters, that the generated files use for other things."""


@dataclass(frozen=True, slots=True)
class JavaTool:
    """The contents of the files. `configuration` is None for a tool that has none."""

    spec: ToolSpec
    group: str
    package: str
    name: str
    request: JavaTypes
    response: JavaTypes
    configuration: JavaTypes | None

    @property
    def title(self) -> str:
        return comment_text(self.spec.name)

    @property
    def all_types(self) -> list[JavaTypes]:
        return [self.request, self.response, *filter(None, [self.configuration])]

    def written(self, types: JavaTypes) -> str:
        return types.use.written(types.holder)

    @property
    def both(self) -> str:
        return f"{self.written(self.request)}, {self.written(self.response)}"

    def imports_of(self, all_types: Iterable[JavaTypes]) -> list[str]:
        """The full names of the types that these types are written with."""
        names: list[str] = []
        for types in all_types:
            names += [f"{self.package}.model.{types.holder}"] if types.use.declared else []
            names += [IMPORTS[name] for name in types.use.names()]
        return names


def java_tool(spec: ToolSpec, group: str) -> JavaTool:
    """The tool of `spec`; its package is below the package of the Maven group `group`."""
    name = _tool_name(spec.name)
    has = members_of(spec.document["definition"])

    def types(schema: JSON, pointer: str, suffix: str, present: bool) -> JavaTypes:
        if present:
            return java_types(schema, pointer, f"{name}{suffix}", empty_record=suffix == _REQUEST)
        use = Use("JsonNode", note=f"The spec has no `{pointer.rsplit('/', 1)[-1]}`.")
        return JavaTypes(f"{name}{suffix}", use, "", (), ())

    return JavaTool(
        spec=spec,
        group=group,
        package=f"{group}.{package_segment(spec.name)}",
        name=name,
        request=types(spec.parameters, "/definition/parameters", _REQUEST, "parameters" in has),
        response=types(spec.return_type, "/definition/returnType", _RESPONSE, "returnType" in has),
        configuration=(
            types(spec.configuration, "/configuration", _CONFIGURATION, True)
            if "configuration" in spec.document
            else None
        ),
    )


def _tool_name(text: str) -> str:
    name = type_name(text, otherwise="Tool")
    if name == "Tool":
        name = f"Tool{short_hash(text)}"
    classes = (name, f"{name}Factory", f"Abstract{name}", f"{name}Test", f"{name}{_CONFIGURATION}")
    return (
        f"{name}Tool"
        if is_device(name) or any(one.lower() in _IMPORTED for one in classes)
        else name
    )
