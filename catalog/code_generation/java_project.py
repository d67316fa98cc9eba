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
    src/test/resources/configuration.json                   what the test creates the tool with

Source: Easy LLM Tools, module llm-tool-spec 0.1.9, package com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from catalog.code_generation.java_model import IMPORTS, JavaTypes, Use
from catalog.code_generation.java_names import artifact_id, is_device, package_segment, short_hash, type_name
from catalog.code_generation.java_source import imports, types_source
from catalog.code_generation.java_text import (
    INDENT,
    comment_text,
    doc_comment,
    literal,
    markdown_block,
    markdown_code,
    text_block,
    xml_text,
)
from catalog.code_generation.java_types import java_types
from catalog.json_schema.sampling import NoValue, sample
from catalog.json_schema.validation import compile_schema
from catalog.jsontext.containers import members_of
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.spec import ToolSpec

GROUP: Final = "com.example.tools"
"""The group of the Maven artifact and the start of the package: a name that is reserved for examples."""

INTERFACES: Final = "com.javaaidev.easyllmtools.llmtoolspec"
_VERSIONS: Final = {
    "release": "17",
    "llm-tool-spec": "0.1.9",
    "jackson": "2.18.2",
    "junit": "5.11.4",
    "compiler-plugin": "3.13.0",
    "surefire-plugin": "3.2.5",
}
_MAX_FALLBACKS: Final = 50  # in the README

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
class _Tool:
    """What the files are made of. `configuration` is None for a tool that has none."""

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


def java_project(spec: ToolSpec, *, group: str = GROUP) -> dict[str, str]:
    """The files of a Maven project that implements the tool of `spec`: relative path -> text.

    Args:
        spec: the tool.
        group: the Maven group; its packages are below the package of the same name.
    """
    tool = _tool(spec, group)
    source = f"src/main/java/{tool.package.replace('.', '/')}"
    tests = source.replace("/main/", "/test/")
    files = {
        "pom.xml": _pom(tool),
        "README.md": _readme(tool),
        ".gitignore": "target/\n",
        "spec.json": spec.source,
        f"{source}/Abstract{tool.name}.java": _abstract_tool(tool),
        f"{source}/{tool.name}.java": _implementation(tool),
        f"{source}/{tool.name}Factory.java": _factory(tool),
        f"src/main/resources/META-INF/services/{INTERFACES}.ToolFactory": f"{tool.package}.{tool.name}Factory\n",
        f"{tests}/{tool.name}Test.java": _test(tool),
    }
    subjects = ("parameters", "response", "configuration")
    for types, subject in zip(tool.all_types, subjects, strict=False):
        text = types_source(types, f"{tool.package}.model", f"The {subject} of the tool {tool.title}.")
        if text is not None:
            files[f"{source}/model/{types.holder}.java"] = text
    if tool.configuration:
        files["src/test/resources/configuration.json"] = f"{dumps(_sample(spec.configuration), indent=2)}\n"
    return files


def _tool(spec: ToolSpec, group: str) -> _Tool:
    name = _tool_name(spec.name)
    has = members_of(spec.document["definition"])

    def types(schema: JSON, pointer: str, suffix: str, present: bool) -> JavaTypes:
        if present:
            return java_types(schema, pointer, f"{name}{suffix}", empty_record=suffix == _REQUEST)
        use = Use("JsonNode", note=f"The spec has no `{pointer.rsplit('/', 1)[-1]}`.")
        return JavaTypes(f"{name}{suffix}", use, "", (), ())

    return _Tool(
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
    return f"{name}Tool" if is_device(name) or any(one.lower() in _IMPORTED for one in classes) else name


def _sample(schema: JSON) -> JSON:
    try:
        return sample(compile_schema(schema), "configuration")
    except NoValue:
        return None


# Java


def _abstract_tool(tool: _Tool) -> str:
    has = members_of(tool.spec.document["definition"])
    request = tool.request.use
    type_of_request = f"{tool.written(tool.request)}.class"
    names = [f"{INTERFACES}.Tool", "java.lang.reflect.Type", *tool.imports_of(tool.all_types)]
    if request.around:
        type_of_request = f"new TypeReference<{tool.written(tool.request)}>() {{}}.getType()"
        names.append("com.fasterxml.jackson.core.type.TypeReference")
    texts = {
        "getId": tool.spec.tool_id,
        "getName": tool.spec.name,
        "getDescription": tool.spec.description,
        "getParametersSchema": dumps(tool.spec.parameters) if "parameters" in has else None,
        "getReturnTypeSchema": dumps(tool.spec.return_type) if "returnType" in has else None,
        "getExamples": dumps(has.get("examples", [])),
    }
    lines = [
        f"package {tool.package};",
        "",
        *imports(names),
        *doc_comment(
            [
                f"The definition of the tool {tool.title}, generated from its spec.",
                f"Write the tool in {{@link {tool.name}}}; this class changes when the spec does.",
            ]
        ),
        f"public abstract class Abstract{tool.name} implements Tool<{tool.both}> {{",
    ]
    if tool.configuration:
        configuration = tool.written(tool.configuration)
        lines += [
            "",
            f"{INDENT}/** The configuration that the tool was created with. */",
            f"{INDENT}protected final {configuration} configuration;",
            "",
            f"{INDENT}protected Abstract{tool.name}({configuration} configuration) {{",
            f"{INDENT * 2}this.configuration = configuration;",
            f"{INDENT}}}",
        ]
    lines += _getter("Type", "getRequestType", type_of_request)
    for method, text in texts.items():
        lines += _getter("String", method, text_block(text, INDENT * 4)) if text is not None else []
    return "\n".join([*lines, "}", ""])


def _getter(type_: str, name: str, expression: str) -> list[str]:
    return [
        "",
        f"{INDENT}@Override",
        f"{INDENT}public {type_} {name}() {{",
        f"{INDENT * 2}return {expression};",
        f"{INDENT}}}",
    ]


def _implementation(tool: _Tool) -> str:
    request, response = tool.written(tool.request), tool.written(tool.response)
    notes = [
        f"{INDENT * 2}// {types.use.base}: {types.use.note}"
        for types in (tool.request, tool.response)
        if types.use.note
    ]
    constructor: list[str] = []
    if tool.configuration:
        if tool.configuration.use.note:
            notes.append(f"{INDENT * 2}// Configuration: {tool.configuration.use.note}")
        constructor = [
            f"{INDENT}public {tool.name}({tool.written(tool.configuration)} configuration) {{",
            f"{INDENT * 2}super(configuration);",
            f"{INDENT}}}",
            "",
        ]
    lines = [
        f"package {tool.package};",
        "",
        *imports(tool.imports_of(tool.all_types)),
        *doc_comment([f"The tool {tool.title}."]),
        f"public class {tool.name} extends Abstract{tool.name} {{",
        "",
        *constructor,
        f"{INDENT}@Override",
        f"{INDENT}public {response} call({request} request) {{",
        *notes,
        f'{INDENT * 2}throw new UnsupportedOperationException("{tool.name}.call is not implemented yet.");',
        f"{INDENT}}}",
        "}",
        "",
    ]
    return "\n".join(lines)


def _factory(tool: _Tool) -> str:
    if tool.configuration:
        interface = "ConfigurableToolFactory"
        configuration = tool.written(tool.configuration)
        arguments = f"{tool.both}, {tool.name}, {configuration}"
        parameter, argument = f"{configuration} configuration", "configuration"
    else:
        interface, arguments, parameter, argument = "UnconfigurableToolFactory", f"{tool.both}, {tool.name}", "", ""
    lines = [
        f"package {tool.package};",
        "",
        *imports([f"{INTERFACES}.{interface}", *tool.imports_of(tool.all_types)]),
        *doc_comment([f"Creates the tool {tool.title}. It is registered in META-INF/services."]),
        f"public class {tool.name}Factory",
        f"{INDENT * 2}implements {interface}<{arguments}> {{",
        *_getter("String", "toolId", literal(tool.spec.tool_id)),
        "",
        f"{INDENT}@Override",
        f"{INDENT}public {tool.name} create({parameter}) {{",
        f"{INDENT * 2}return new {tool.name}({argument});",
        f"{INDENT}}}",
        "}",
        "",
    ]
    return "\n".join(lines)


def _test(tool: _Tool) -> str:
    if tool.configuration:
        configuration = tool.written(tool.configuration)
        create = f"""\
    try (InputStream text = {tool.name}Test.class.getResourceAsStream("/configuration.json")) {{
      {configuration} configuration = JSON.readValue(text, new TypeReference<{configuration}>() {{}});
      return new {tool.name}Factory().create(configuration);
    }}"""
    else:
        create = f"    return new {tool.name}Factory().create();"
    names = [
        "com.fasterxml.jackson.core.type.TypeReference",
        "com.fasterxml.jackson.databind.DeserializationFeature",
        "com.fasterxml.jackson.databind.JsonNode",
        "com.fasterxml.jackson.databind.json.JsonMapper",
        f"{INTERFACES}.ToolFactory",
        *(["java.io.InputStream"] if tool.configuration else []),
        "java.io.IOException",
        "java.util.ServiceLoader",
        "java.util.stream.Stream",
        "java.util.stream.StreamSupport",
        "org.junit.jupiter.api.DynamicTest",
        "org.junit.jupiter.api.Test",
        "org.junit.jupiter.api.TestFactory",
        *tool.imports_of(tool.all_types),
    ]
    response = tool.written(tool.response)
    return "\n".join(
        [
            f"package {tool.package};",
            "",
            "import static org.junit.jupiter.api.Assertions.assertEquals;",
            "import static org.junit.jupiter.api.Assertions.assertTrue;",
            "",
            *imports(names),
            *doc_comment([f"Calls the tool {tool.title} with the examples of its spec."]),
            f"""\
class {tool.name}Test {{

  /** Whether responses must equal those of the examples: set it if the tool is deterministic. */
  private static final boolean EXACT = false;

  private static final JsonMapper JSON = JsonMapper.builder()
      .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
      .build();

  private static {tool.name} tool() throws IOException {{
{create}
  }}

  @Test
  void theFactoryIsFound() {{
    assertTrue(ServiceLoader.load(ToolFactory.class).stream()
        .anyMatch(provider -> provider.type() == {tool.name}Factory.class));
  }}

  @Test
  void theFactoryMakesTheToolOfItsId() throws IOException {{
    assertEquals(new {tool.name}Factory().toolId(), tool().getId());
  }}

  @TestFactory
  Stream<DynamicTest> examples() throws IOException {{
    {tool.name} tool = tool();
    return StreamSupport.stream(JSON.readTree(tool.getExamples()).spliterator(), false)
        .filter(example -> example.has("parameters"))
        .map(example -> DynamicTest.dynamicTest(
            example.path("description").asText("example"), () -> check(tool, example)));
  }}

  private static void check({tool.name} tool, JsonNode example) throws IOException {{
    {tool.written(tool.request)} request = JSON.convertValue(
        example.get("parameters"), JSON.constructType(tool.getRequestType()));
    JsonNode response = written(tool.call(request));
    assertEquals(response, written(read(response)), "The response does not match its type.");
    if (EXACT && example.has("returnValue")) {{
      assertEquals(written(read(example.get("returnValue"))), response);
    }}
  }}

  private static {response} read(JsonNode value) {{
    return JSON.convertValue(value, new TypeReference<{response}>() {{}});
  }}

  private static JsonNode written({response} response) throws IOException {{
    return JSON.readTree(JSON.writeValueAsString(response));
  }}
}}
""",
        ]
    )


# Maven, README


def _pom(tool: _Tool) -> str:
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
    xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
  <modelVersion>4.0.0</modelVersion>

  <groupId>{tool.group}</groupId>
  <artifactId>{artifact_id(tool.spec.name)}</artifactId>
  <version>0.1.0-SNAPSHOT</version>
  <name>{xml_text(tool.spec.name)}</name>
  <description>{xml_text(tool.spec.description)}</description>

  <properties>
    <maven.compiler.release>{_VERSIONS["release"]}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>

  <dependencies>
    <dependency>
      <groupId>com.javaaidev.easyllmtools</groupId>
      <artifactId>llm-tool-spec</artifactId>
      <version>{_VERSIONS["llm-tool-spec"]}</version>
    </dependency>
    <dependency>
      <groupId>com.fasterxml.jackson.core</groupId>
      <artifactId>jackson-databind</artifactId>
      <version>{_VERSIONS["jackson"]}</version>
    </dependency>
    <dependency>
      <groupId>org.junit.jupiter</groupId>
      <artifactId>junit-jupiter</artifactId>
      <version>{_VERSIONS["junit"]}</version>
      <scope>test</scope>
    </dependency>
  </dependencies>

  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-compiler-plugin</artifactId>
        <version>{_VERSIONS["compiler-plugin"]}</version>
      </plugin>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-surefire-plugin</artifactId>
        <version>{_VERSIONS["surefire-plugin"]}</version>
      </plugin>
    </plugins>
  </build>
</project>
"""


def _readme(tool: _Tool) -> str:
    name, path = tool.name, f"src/main/java/{tool.package.replace('.', '/')}"
    configuration = ""
    if tool.configuration:
        configuration = """
The test creates the tool with `src/test/resources/configuration.json`, a generated value. Replace it with one that
works, but do not put secrets there.
"""
    return f"""\
# {markdown_code(tool.spec.name)}

{markdown_block(tool.spec.description)}

This project was generated from `spec.json`, the spec of the tool. It needs Java {_VERSIONS["release"]} and Maven.

1. Write the method `call` in `{path}/{name}.java`.
2. Run `mvn verify`. The test calls the tool with the examples of the spec; it fails until the method is written.
3. Put the JAR from `target/` and its dependencies on the class path of the program that uses the tool. It finds
   `{name}Factory` by the file in `META-INF/services`.
{configuration}
`Abstract{name}.java` and the folder `model` come from the spec: generate them again when the spec changes. Change the
group and the package from `{tool.group}` to your own.
{_readme_fallbacks(tool)}"""


def _readme_fallbacks(tool: _Tool) -> str:
    found = [fallback for types in tool.all_types for fallback in types.fallbacks]
    if not found:
        return ""
    lines = [f"- {markdown_code(fallback.pointer or '/')}: {fallback.reason}" for fallback in found[:_MAX_FALLBACKS]]
    if len(found) > _MAX_FALLBACKS:
        lines.append(f"- {len(found) - _MAX_FALLBACKS:,} more")
    return "\n".join(
        ["", "## Schemas without a Java type", "", "Their values are of the type `JsonNode`.", "", *lines, ""]
    )
