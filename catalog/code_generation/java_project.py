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

Source: Easy LLM Tools, module llm-tool-spec 0.1.9, package com.javaaidev.easyllmtools.llmtoolspec.
"""

from __future__ import annotations

from typing import Final

from catalog.code_generation.java_maven import pom, readme
from catalog.code_generation.java_source import imports, types_source
from catalog.code_generation.java_text import INDENT, doc_comment, literal, text_block
from catalog.code_generation.java_tool import JavaTool, java_tool
from catalog.json_schema.sampling import NoValue, sample
from catalog.json_schema.validation import compile_schema
from catalog.jsontext.containers import members_of
from catalog.jsontext.pretty import print_json
from catalog.jsontext.reader import JSON, dumps
from catalog.specs.spec import ToolSpec

GROUP: Final = "com.example.tools"
"""The group of the Maven artifact and the start of the package: a name that is reserved for examples."""

INTERFACES: Final = "com.javaaidev.easyllmtools.llmtoolspec"


def java_project(spec: ToolSpec, *, group: str = GROUP) -> dict[str, str]:
    """The files of a Maven project that implements the tool of `spec`: relative path -> text.

    Args:
        spec: the tool.
        group: the Maven group; its packages are below the package of the same name.
    """
    tool = java_tool(spec, group)
    source = f"src/main/java/{tool.package.replace('.', '/')}"
    tests = source.replace("/main/", "/test/")
    files = {
        "pom.xml": pom(tool),
        "README.md": readme(tool),
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
        text = types_source(
            types, f"{tool.package}.model", f"The {subject} of the tool {tool.title}."
        )
        if text is not None:
            files[f"{source}/model/{types.holder}.java"] = text
    if tool.configuration:
        files["src/test/resources/configuration.json"] = (
            f"{print_json(_sample(spec.configuration))}\n"
        )
    return files


def _sample(schema: JSON) -> JSON:
    try:
        return sample(compile_schema(schema), "configuration")
    except NoValue:
        return None


# Java


def _abstract_tool(tool: JavaTool) -> str:
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


def _implementation(tool: JavaTool) -> str:
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


def _factory(tool: JavaTool) -> str:
    if tool.configuration:
        interface = "ConfigurableToolFactory"
        configuration = tool.written(tool.configuration)
        arguments = f"{tool.both}, {tool.name}, {configuration}"
        parameter, argument = f"{configuration} configuration", "configuration"
    else:
        interface, arguments, parameter, argument = (
            "UnconfigurableToolFactory",
            f"{tool.both}, {tool.name}",
            "",
            "",
        )
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


def _test(tool: JavaTool) -> str:
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
