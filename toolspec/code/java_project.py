"""A Maven project that implements a tool with the interfaces of Easy LLM Tools.

    pom.xml, README.md, .gitignore, spec.json
    src/main/java/…/AbstractGetWeather.java                 the definition: values of the spec
    src/main/java/…/GetWeather.java                         the method to write
    src/main/java/…/GetWeatherFactory.java
    src/main/java/…/model/GetWeatherParameters.java         records and enums, if the schemas need any
    src/main/java/…/model/GetWeatherReturnType.java
    src/main/java/…/model/GetWeatherConfiguration.java
    src/main/resources/META-INF/services/…ToolFactory
    src/test/java/…/GetWeatherTest.java                     calls the tool with the examples of the spec
    src/test/resources/configuration.json                   the configuration of the tool in the test

The folder `java` has the templates. Source: Easy LLM Tools, module llm-tool-spec 0.1.9, package
com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from typing import Final

from toolspec.code.java_names import artifact_id, is_device, package_segment, short_hash, type_name
from toolspec.code.java_text import (
    INDENT,
    comment_text,
    literal,
    markdown_block,
    markdown_code,
    text_block,
    xml_text,
)
from toolspec.code.java_types import JavaTypes, import_lines, java_types
from toolspec.code.project_text import filled
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

GROUP: Final = "com.example.tools"
"""The group of the Maven artifact and the start of the package: a name that is reserved for examples."""

INTERFACES: Final = "com.javaaidev.easyllmtools.llmtoolspec"

_MAX_FALLBACKS: Final = 50  # in the README
_TYPE_REFERENCE: Final = "com.fasterxml.jackson.core.type.TypeReference"
_JSON_NODE: Final = "com.fasterxml.jackson.databind.JsonNode"
_IMPORTS_OF_TEST: Final = (
    _TYPE_REFERENCE,
    _JSON_NODE,
    "com.fasterxml.jackson.databind.DeserializationFeature",
    "com.fasterxml.jackson.databind.json.JsonMapper",
    f"{INTERFACES}.ToolFactory",
    "java.io.IOException",
    "java.util.ServiceLoader",
    "java.util.stream.Stream",
    "java.util.stream.StreamSupport",
    "org.junit.jupiter.api.DynamicTest",
    "org.junit.jupiter.api.Test",
    "org.junit.jupiter.api.TestFactory",
)
# Simple names, in small letters, that the generated files use for other things.
_IMPORTED: Final = frozenset({
    "tool", "toolfactory", "configurabletoolfactory", "unconfigurabletoolfactory", "dynamictest", "jsonnode",
    "jsonmapper", "jsonprocessingexception", "deserializationfeature", "typereference", "type", "stream",
    "streamsupport", "serviceloader", "inputstream", "ioexception", "test", "testfactory", "assertions", "list", "map",
    "bigdecimal", "biginteger", "string", "object", "override", "boolean", "integer", "long", "double", "void",
    "unsupportedoperationexception",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class _JavaTool:
    """The names and types of a tool. `configuration` is None for a tool that has none."""

    spec: ToolSpec
    name: str
    package: str
    request: JavaTypes
    response: JavaTypes
    configuration: JavaTypes | None

    @property
    def title(self) -> str:
        return comment_text(self.spec.name)

    @property
    def types(self) -> list[JavaTypes]:
        found = [self.request, self.response]
        return found if self.configuration is None else [*found, self.configuration]

    @property
    def types_of_values(self) -> str:
        return f"{self.request.type_}, {self.response.type_}"

    def imports(self, *others: str) -> str:
        """The import lines of `others` and of the types of the tool."""
        names = frozenset(others).union(*(types.imports for types in self.types))
        return "".join(f"{line}\n" for line in import_lines(names))


def java_project(spec: ToolSpec, *, group: str = GROUP) -> dict[str, str]:
    """The files of a Maven project that implements the tool of `spec`: relative path -> text.

    Args:
        spec: the tool.
        group: the Maven group; its packages are below the package of the same name.
    """
    tool = _java_tool(spec, group)
    folder = tool.package.replace(".", "/")
    source = f"src/main/java/{folder}"
    service = f"src/main/resources/META-INF/services/{INTERFACES}.ToolFactory"
    found = {
        "pom.xml": _pom(tool, group),
        "README.md": _readme(tool, group, folder),
        ".gitignore": "target/\n",
        "spec.json": spec.source,
        f"{source}/Abstract{tool.name}.java": _abstract_tool(tool),
        f"{source}/{tool.name}.java": _implementation(tool),
        f"{source}/{tool.name}Factory.java": _factory(tool),
        service: f"{tool.package}.{tool.name}Factory\n",
        f"src/test/java/{folder}/{tool.name}Test.java": _test(tool),
    }
    for types, suffix in zip(
        tool.types, ("Parameters", "ReturnType", "Configuration"), strict=False
    ):
        if types.source is not None:
            found[f"{source}/model/{tool.name}{suffix}.java"] = types.source
    if tool.configuration:
        configuration = print_json(_sample(spec.configuration))
        found["src/test/resources/configuration.json"] = f"{configuration}\n"
    return found


def _java_tool(spec: ToolSpec, group: str) -> _JavaTool:
    name = _tool_name(spec.name)
    package = f"{group}.{package_segment(spec.name)}"
    definition = members_of(spec.document["definition"])

    def types(schema: JSON, pointer: str, suffix: str, subject: str) -> JavaTypes:
        return java_types(
            schema,
            pointer,
            f"{name}{suffix}",
            package=f"{package}.model",
            subject=f"The {subject} of the tool {comment_text(spec.name)}.",
            is_request=suffix == "Parameters",
        )

    def absent(keyword: str) -> JavaTypes:
        note = f"the spec has no `{keyword}`"
        return JavaTypes("JsonNode", frozenset({_JSON_NODE}), note)

    request = absent("parameters")
    if "parameters" in definition:
        request = types(spec.parameters, "/definition/parameters", "Parameters", "parameters")
    response = absent("returnType")
    if "returnType" in definition:
        response = types(spec.return_type, "/definition/returnType", "ReturnType", "response")
    configuration = None
    if "configuration" in spec.document:
        schema = spec.configuration
        configuration = types(schema, "/configuration", "Configuration", "configuration")
    return _JavaTool(spec, name, package, request, response, configuration)


def _tool_name(text: str) -> str:
    name = type_name(text, otherwise="Tool")
    if name == "Tool":
        name = f"Tool{short_hash(text)}"
    classes = (name, f"{name}Factory", f"Abstract{name}", f"{name}Test", f"{name}Configuration")
    if is_device(name) or any(one.lower() in _IMPORTED for one in classes):
        return f"{name}Tool"
    return name


def _sample(schema: JSON) -> JSON:
    try:
        return sample(compile_schema(schema), "configuration")
    except NoValue:
        return None


def _fill_template(template: str, tool: _JavaTool, **values: str) -> str:
    text = files("toolspec.code").joinpath("java", f"{template}.txt").read_text("utf-8")
    common = {
        "PACKAGE": tool.package,
        "NAME": tool.name,
        "TITLE": tool.title,
        "REQUEST": tool.request.type_,
        "RESPONSE": tool.response.type_,
        "IMPORTS": tool.imports(),
    }
    return filled(text, common | values)


# Java


def _abstract_tool(tool: _JavaTool) -> str:
    has = members_of(tool.spec.document["definition"])
    request_type = f"{tool.request.type_}.class"
    imports = [f"{INTERFACES}.Tool", "java.lang.reflect.Type"]
    if "<" in tool.request.type_:
        request_type = f"new TypeReference<{tool.request.type_}>() {{}}.getType()"
        imports.append(_TYPE_REFERENCE)
    texts = {
        "getId": tool.spec.tool_id,
        "getName": tool.spec.name,
        "getDescription": tool.spec.description,
        "getParametersSchema": dumps(tool.spec.parameters) if "parameters" in has else None,
        "getReturnTypeSchema": dumps(tool.spec.return_type) if "returnType" in has else None,
        "getExamples": dumps(has.get("examples", [])),
    }
    getters = [_getter(name, text) for name, text in texts.items() if text is not None]
    configuration = ""
    if tool.configuration:
        configuration = f"""
  /** The configuration that the tool was created with. */
  protected final {tool.configuration.type_} configuration;

  protected Abstract{tool.name}({tool.configuration.type_} configuration) {{
    this.configuration = configuration;
  }}
"""
    return _fill_template(
        "AbstractTool.java",
        tool,
        IMPORTS=tool.imports(*imports),
        BOTH=f"<{tool.types_of_values}>",
        CONFIGURATION=configuration,
        REQUEST_TYPE=request_type,
        GETTERS="".join(getters),
    )


def _getter(name: str, text: str) -> str:
    return f"""
  @Override
  public String {name}() {{
    return {text_block(text, INDENT * 4)};
  }}
"""


def _implementation(tool: _JavaTool) -> str:
    subjects = ("The request", "The response", "The configuration")
    notes = [
        f"{INDENT * 2}// {subject} has a JsonNode: {comment_text(types.note)}.\n"
        for subject, types in zip(subjects, tool.types, strict=False)
        if types.note
    ]
    constructor = ""
    if tool.configuration:
        constructor = f"""\
  public {tool.name}({tool.configuration.type_} configuration) {{
    super(configuration);
  }}

"""
    return _fill_template("Tool.java", tool, CONSTRUCTOR=constructor, NOTES="".join(notes))


def _factory(tool: _JavaTool) -> str:
    interface = "UnconfigurableToolFactory"
    types = f"{tool.types_of_values}, {tool.name}"
    parameter = argument = ""
    if tool.configuration:
        interface = "ConfigurableToolFactory"
        types = f"{types}, {tool.configuration.type_}"
        parameter = f"{tool.configuration.type_} configuration"
        argument = "configuration"
    return _fill_template(
        "Factory.java",
        tool,
        IMPORTS=tool.imports(f"{INTERFACES}.{interface}"),
        INTERFACE=f"{interface}<{types}>",
        ID=literal(tool.spec.tool_id),
        PARAMETER=parameter,
        ARGUMENT=argument,
    )


def _test(tool: _JavaTool) -> str:
    imports = list(_IMPORTS_OF_TEST)
    create = f"    return new {tool.name}Factory().create();"
    if tool.configuration:
        imports.append("java.io.InputStream")
        type_ = tool.configuration.type_
        create = f"""\
    try (InputStream text = {tool.name}Test.class.getResourceAsStream("/configuration.json")) {{
      {type_} configuration = JSON.readValue(text, new TypeReference<{type_}>() {{}});
      return new {tool.name}Factory().create(configuration);
    }}"""
    return _fill_template(
        "Test.java",
        tool,
        IMPORTS=tool.imports(*imports),
        CREATE=create,
        RESPONSE_TYPE=f"<{tool.response.type_}>",
    )


# Around the sources


def _pom(tool: _JavaTool, group: str) -> str:
    return _fill_template(
        "pom.xml",
        tool,
        GROUP=group,
        ARTIFACT=artifact_id(tool.spec.name),
        XML_NAME=xml_text(tool.spec.name),
        XML_DESCRIPTION=xml_text(tool.spec.description),
    )


def _readme(tool: _JavaTool, group: str, folder: str) -> str:
    configuration = ""
    if tool.configuration:
        configuration = """
The test creates the tool with `src/test/resources/configuration.json`, a generated value. Replace it with one that
works, but do not put secrets there.
"""
    return _fill_template(
        "README.md",
        tool,
        GROUP=group,
        FOLDER=folder,
        MARKDOWN_NAME=markdown_code(tool.spec.name),
        MARKDOWN_DESCRIPTION=markdown_block(tool.spec.description),
        CONFIGURATION=configuration,
        FALLBACKS=_list_of_fallbacks(tool),
    )


def _list_of_fallbacks(tool: _JavaTool) -> str:
    found = [fallback for types in tool.types for fallback in types.fallbacks]
    if not found:
        return ""
    lines = [f"- {markdown_code(where)}: {reason}\n" for where, reason in found[:_MAX_FALLBACKS]]
    if len(found) > _MAX_FALLBACKS:
        lines.append(f"- {len(found) - _MAX_FALLBACKS:,} more\n")
    head = "\n## Schemas without a Java type\n\nTheir values are of the type `JsonNode`.\n\n"
    return head + "".join(lines)
