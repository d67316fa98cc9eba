"""A Maven project that implements a tool with the interfaces of Easy LLM Tools.

    pom.xml, README.md, .gitignore, spec.json
    src/main/java/…/AbstractGetWeather.java                 the definition: values of the spec
    src/main/java/…/GetWeather.java                         the method to write
    src/main/java/…/GetWeatherFactory.java
    src/main/java/…/model/GetWeatherParameters.java         records and enums, if there are any
    src/main/java/…/model/GetWeatherReturnType.java
    src/main/java/…/model/GetWeatherConfiguration.java
    src/main/resources/META-INF/services/…ToolFactory
    src/test/java/…/GetWeatherTest.java                     calls the tool with its examples
    src/test/resources/configuration.json                   the configuration in the test

The folder `java` has the templates. Source: Easy LLM Tools, module llm-tool-spec 0.1.9, package
com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from toolspec.code.project_text import fill_template
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import compile_schema
from toolspec.spec import ToolSpec
from toolspec.text.containers import members_of
from toolspec.text.pretty import print_json
from toolspec.text.reader import JSON, dumps

GROUP: Final = "com.example.tools"
"""The Maven group, and the start of the package: a name that is reserved for examples."""

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
    "tool", "toolfactory", "configurabletoolfactory", "unconfigurabletoolfactory", "dynamictest",
    "jsonnode", "jsonmapper", "jsonprocessingexception", "deserializationfeature", "typereference",
    "type", "stream", "streamsupport", "serviceloader", "inputstream", "ioexception", "test",
    "testfactory", "assertions", "list", "map", "bigdecimal", "biginteger", "string", "object",
    "override", "boolean", "integer", "long", "double", "void", "unsupportedoperationexception",
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
        """Those of the request, the response and, if there is one, the configuration."""
        types = [self.request, self.response]
        if self.configuration is not None:
            types.append(self.configuration)
        return types

    @property
    def types_of_values(self) -> str:
        return f"{self.request.type_}, {self.response.type_}"

    def write_imports(self, *others: str) -> str:
        """The import lines of `others` and of the types of the tool."""
        names = set(others)
        for types in self.types:
            names |= types.imports
        return "".join(f"{line}\n" for line in import_lines(names))


def java_project(spec: ToolSpec, *, group: str = GROUP) -> dict[str, str]:
    """The files of a Maven project that implements the tool of `spec`: relative path -> text.

    Args:
        spec: the tool.
        group: the Maven group; its packages are below the package of the same name.
    """
    tool = _describe_tool(spec, group)
    folder = tool.package.replace(".", "/")
    source = f"src/main/java/{folder}"
    service = f"src/main/resources/META-INF/services/{INTERFACES}.ToolFactory"
    project = {
        "pom.xml": _write_pom(tool, group),
        "README.md": _write_readme(tool, group, folder),
        ".gitignore": "target/\n",
        "spec.json": spec.source,
        f"{source}/Abstract{tool.name}.java": _write_abstract_tool(tool),
        f"{source}/{tool.name}.java": _write_implementation(tool),
        f"{source}/{tool.name}Factory.java": _write_factory(tool),
        service: f"{tool.package}.{tool.name}Factory\n",
        f"src/test/java/{folder}/{tool.name}Test.java": _write_test(tool),
    }
    suffixes = ("Parameters", "ReturnType", "Configuration")
    for types, suffix in zip(tool.types, suffixes, strict=False):
        if types.source is not None:
            project[f"{source}/model/{tool.name}{suffix}.java"] = types.source
    if tool.configuration:
        configuration = print_json(_sample(spec.configuration))
        project["src/test/resources/configuration.json"] = f"{configuration}\n"
    return project


def _describe_tool(spec: ToolSpec, group: str) -> _JavaTool:
    name = _choose_name(spec.name)
    package = f"{group}.{package_segment(spec.name)}"
    definition = members_of(spec.document["definition"])

    def write_types(schema: JSON, pointer: str, suffix: str, subject: str) -> JavaTypes:
        return java_types(
            schema,
            pointer,
            f"{name}{suffix}",
            package=f"{package}.model",
            subject=f"The {subject} of the tool {comment_text(spec.name)}.",
            is_request=suffix == "Parameters",
        )

    request = response = JavaTypes("JsonNode", frozenset({_JSON_NODE}))
    if "parameters" in definition:
        request = write_types(spec.parameters, "/definition/parameters", "Parameters", "parameters")
    else:
        request = replace(request, note="the spec has no `parameters`")
    if "returnType" in definition:
        response = write_types(spec.return_type, "/definition/returnType", "ReturnType", "response")
    else:
        response = replace(response, note="the spec has no `returnType`")
    configuration = None
    if "configuration" in spec.document:
        schema = spec.configuration
        configuration = write_types(schema, "/configuration", "Configuration", "configuration")
    return _JavaTool(spec, name, package, request, response, configuration)


def _choose_name(text: str) -> str:
    name = type_name(text, otherwise="Tool")
    if name == "Tool":
        name = f"Tool{short_hash(text)}"
    lower = name.lower()
    classes = {
        lower,
        f"{lower}factory",
        f"abstract{lower}",
        f"{lower}test",
        f"{lower}configuration",
    }
    if is_device(name) or not _IMPORTED.isdisjoint(classes):
        return f"{name}Tool"
    return name


def _sample(schema: JSON) -> JSON:
    try:
        return sample(compile_schema(schema), "configuration")
    except NoValue:
        return None


def _fill_template(template: str, tool: _JavaTool, **values: str) -> str:
    common = {
        "PACKAGE": tool.package,
        "NAME": tool.name,
        "TITLE": tool.title,
        "REQUEST": tool.request.type_,
        "RESPONSE": tool.response.type_,
        "IMPORTS": tool.write_imports(),
    }
    return fill_template(f"java/{template}", common | values)


# Java


def _write_abstract_tool(tool: _JavaTool) -> str:
    definition = members_of(tool.spec.document["definition"])
    request_type = f"{tool.request.type_}.class"
    imports = [f"{INTERFACES}.Tool", "java.lang.reflect.Type"]
    if "<" in tool.request.type_:
        request_type = f"new TypeReference<{tool.request.type_}>() {{}}.getType()"
        imports.append(_TYPE_REFERENCE)
    getters = _write_getter("getId", tool.spec.tool_id)
    getters += _write_getter("getName", tool.spec.name)
    getters += _write_getter("getDescription", tool.spec.description)
    if "parameters" in definition:
        getters += _write_getter("getParametersSchema", dumps(tool.spec.parameters))
    if "returnType" in definition:
        getters += _write_getter("getReturnTypeSchema", dumps(tool.spec.return_type))
    getters += _write_getter("getExamples", dumps(definition.get("examples", [])))
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
        IMPORTS=tool.write_imports(*imports),
        BOTH=f"<{tool.types_of_values}>",
        CONFIGURATION=configuration,
        REQUEST_TYPE=request_type,
        GETTERS=getters,
    )


def _write_getter(name: str, text: str) -> str:
    return f"""
  @Override
  public String {name}() {{
    return {text_block(text, INDENT * 4)};
  }}
"""


def _write_implementation(tool: _JavaTool) -> str:
    subjects = ("The request", "The response", "The configuration")
    notes = ""
    for subject, types in zip(subjects, tool.types, strict=False):
        if types.note:
            notes += f"{INDENT * 2}// {subject} has a JsonNode: {comment_text(types.note)}.\n"
    constructor = ""
    if tool.configuration:
        constructor = f"""\
  public {tool.name}({tool.configuration.type_} configuration) {{
    super(configuration);
  }}

"""
    return _fill_template("Tool.java", tool, CONSTRUCTOR=constructor, NOTES=notes)


def _write_factory(tool: _JavaTool) -> str:
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
        IMPORTS=tool.write_imports(f"{INTERFACES}.{interface}"),
        INTERFACE=f"{interface}<{types}>",
        ID=literal(tool.spec.tool_id),
        PARAMETER=parameter,
        ARGUMENT=argument,
    )


def _write_test(tool: _JavaTool) -> str:
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
        IMPORTS=tool.write_imports(*imports),
        CREATE=create,
        RESPONSE_TYPE=f"<{tool.response.type_}>",
    )


# Around the sources


def _write_pom(tool: _JavaTool, group: str) -> str:
    return _fill_template(
        "pom.xml",
        tool,
        GROUP=group,
        ARTIFACT=artifact_id(tool.spec.name),
        XML_NAME=xml_text(tool.spec.name),
        XML_DESCRIPTION=xml_text(tool.spec.description),
    )


def _write_readme(tool: _JavaTool, group: str, folder: str) -> str:
    configuration = ""
    if tool.configuration:
        configuration = """
The test creates the tool with `src/test/resources/configuration.json`, a generated value. \
Replace it with one that
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
        FALLBACKS=_list_fallbacks(tool),
    )


def _list_fallbacks(tool: _JavaTool) -> str:
    fallbacks: list[tuple[str, str]] = []
    for types in tool.types:
        fallbacks += types.fallbacks
    if not fallbacks:
        return ""
    text = "\n## Schemas without a Java type\n\nTheir values are of the type `JsonNode`.\n\n"
    for where, reason in fallbacks[:_MAX_FALLBACKS]:
        text += f"- {markdown_code(where)}: {reason}\n"
    if len(fallbacks) > _MAX_FALLBACKS:
        text += f"- {len(fallbacks) - _MAX_FALLBACKS:,} more\n"
    return text
