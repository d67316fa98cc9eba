import json
import re
from xml.etree import ElementTree

import pytest

from tests import corpora
from tests.toolspec.code.java_compiler import STUBS, compile_java, run_java
from toolspec.code import generate_project
from toolspec.code.java_project import INTERFACES, java_project
from toolspec.spec import read_spec, stored_spec
from toolspec.text.reader import dumps

SERVICE = f"src/main/resources/META-INF/services/{INTERFACES}.ToolFactory"
ABSENT = object()


def spec_of(name="Get weather", *, description="d", configuration=ABSENT, **definition):
    document = {"definition": {"name": name, "description": description, **definition}}
    if configuration is not ABSENT:
        document["configuration"] = configuration
    return stored_spec(dumps(document))


def get_weather():
    return read_spec(corpora.GET_WEATHER.read_text(encoding="utf-8"))


# The files


def test_a_project_has_a_definition_a_tool_a_factory_records_and_a_test():
    project = generate_project(get_weather(), "java")

    assert project["spec.json"] == get_weather().source
    assert project[SERVICE] == "com.example.tools.getweather.GetWeatherFactory\n"
    assert sorted(project) == [
        ".gitignore",
        "README.md",
        "pom.xml",
        "spec.json",
        "src/main/java/com/example/tools/getweather/AbstractGetWeather.java",
        "src/main/java/com/example/tools/getweather/GetWeather.java",
        "src/main/java/com/example/tools/getweather/GetWeatherFactory.java",
        "src/main/java/com/example/tools/getweather/model/GetWeatherConfiguration.java",
        "src/main/java/com/example/tools/getweather/model/GetWeatherParameters.java",
        "src/main/java/com/example/tools/getweather/model/GetWeatherReturnType.java",
        SERVICE,
        "src/test/java/com/example/tools/getweather/GetWeatherTest.java",
        "src/test/resources/configuration.json",
    ]


def test_a_tool_with_a_configuration_has_a_configurable_factory():
    factory = file_of(get_weather(), "GetWeatherFactory.java")

    assert (
        "implements ConfigurableToolFactory<GetWeatherParameters, GetWeatherReturnType, GetWeather,"
        " GetWeatherConfiguration> {" in factory
    )
    assert "public GetWeather create(GetWeatherConfiguration configuration) {" in factory


def test_a_tool_without_a_configuration_has_an_unconfigurable_factory():
    spec = spec_of(
        "add", parameters={"properties": {"a": {"type": "number"}}}, returnType={"type": "number"}
    )

    assert "implements UnconfigurableToolFactory<AddParameters, BigDecimal, Add> {" in file_of(
        spec, "AddFactory.java"
    )
    assert "public BigDecimal call(AddParameters request) {" in file_of(spec, "/Add.java")
    assert not any("configuration" in path.lower() for path in java_project(spec))


def test_the_schemas_are_readable_in_the_definition():
    spec = spec_of(
        parameters={
            "type": "object",
            "properties": {"city": {"type": "string", "description": 'A "city"'}},
        }
    )

    assert '''\
    return """
        {"type": "object", "properties": {"city": {"type": "string", "description": "A \\
        \\\\"city\\\\""}}}""";''' in file_of(spec, "AbstractGetWeather.java")


def test_the_request_type_of_a_map_is_a_generic_type():
    spec = spec_of(parameters={"type": "object", "additionalProperties": {"type": "string"}})

    assert "return new TypeReference<Map<String, String>>() {}.getType();" in file_of(
        spec, "AbstractGetWeather.java"
    )


def test_absent_schemas_are_those_of_the_interface_and_the_types_are_json_nodes():
    definition = file_of(spec_of(), "AbstractGetWeather.java")

    assert "implements Tool<JsonNode, JsonNode> {" in definition
    assert "getParametersSchema" not in definition
    assert "getReturnTypeSchema" not in definition
    assert '    return "[]";' in definition
    assert "// The request has a JsonNode: the spec has no `parameters`." in file_of(
        spec_of(), "/GetWeather.java"
    )


def test_the_configuration_of_the_test_is_one_that_the_schema_accepts():
    spec = spec_of(
        configuration={"type": "object", "properties": {"n": {"const": 5}}, "required": ["n"]}
    )

    assert json.loads(java_project(spec)["src/test/resources/configuration.json"]) == {"n": 5}


def test_the_readme_lists_schemas_without_a_java_type():
    readme = java_project(
        spec_of(parameters={"properties": {"a": {"type": ["string", "number"]}}})
    )["README.md"]

    assert "## Schemas without a Java type" in readme
    assert "- `GetWeatherParameters.a`: the schema allows a number or a string" in readme
    assert "## Schemas" not in java_project(get_weather())["README.md"]


def test_the_pom_is_xml_with_the_published_coordinates_and_names_no_host():
    pom = java_project(spec_of("a <b> & ${user.home}", description="]]> \x01 ${env.PATH}"))[
        "pom.xml"
    ]

    root = ElementTree.fromstring(pom)
    names = {"m": "http://maven.apache.org/POM/4.0.0"}
    assert root.findtext("m:name", namespaces=names) == "a <b> & $ {user.home}"
    assert root.findtext("m:properties/m:maven.compiler.release", namespaces=names) == "17"
    assert [
        one.findtext("m:artifactId", namespaces=names)
        for one in root.iterfind(".//m:dependency", names)
    ] == [
        "llm-tool-spec",
        "jackson-databind",
        "junit-jupiter",
    ]
    assert "${" not in pom
    assert set(re.findall(r"//([\w.]+)", pom)) == {
        "maven.apache.org",
        "www.w3.org",
    }  # names of XML, not addresses


@pytest.mark.parametrize(
    ("name", "class_name", "package"),
    [
        ("tool", "Tool1b6a8f2c", None),
        ("string", "StringTool", "string"),
        ("import", "Import", "toolimport"),
        ("con", "ConTool", "toolcon"),
        ("configurable tool", "ConfigurableToolTool", "configurabletool"),
        ("3d", "Tool3d", "tool3d"),
    ],
)
def test_the_name_of_a_tool_never_stands_for_something_else(name, class_name, package):
    service = java_project(spec_of(name))[SERVICE]

    found_package, found_class = service.removesuffix("Factory\n").rsplit(".", 1)
    assert package is None or found_package == f"com.example.tools.{package}"
    assert found_class == class_name or (
        name == "tool" and re.fullmatch("Tool[0-9a-f]{8}", found_class)
    )


def file_of(spec, end):
    return next(text for path, text in java_project(spec).items() if path.endswith(end))


# Compiled

ATTACK = (
    "*/ } class Evil { static { System.exit(3); } } /* \\u002a/ class Evil2 {} /\\u002a \\u000a class Evil3 {} //"
    ' "; } class Evil4 {} // \\" \\\\u0022 """ \r\n class Evil5 {} \u202e \u2028 \x85 \x01'
    " <script>{@code */ @Evil \\uuuu0041 \\"
)
PLAIN = "".join(character for character in ATTACK if character.isprintable())
TEXT = {
    "type": "string",
    "description": ATTACK,
    "default": ATTACK,
    "pattern": ATTACK,
    "format": ATTACK,
}
INNER = {
    "type": "object",
    "description": ATTACK,
    "title": ATTACK,
    "properties": {ATTACK: TEXT},
    "required": [ATTACK],
}
WORDS = """
class record var yield sealed permits enum _ true null int String List Map Object Record JsonNode JsonProperty hashCode
getClass wait value values of name ordinal Enum Override this 城市 имя 1 é $
"""
SPECS = {
    "weather": get_weather(),
    "empty": spec_of("empty"),
    "attack": spec_of(
        PLAIN,
        id=PLAIN + "\U0001f600",
        description=ATTACK * 30,
        parameters={
            "properties": {ATTACK: INNER, "e": {"enum": [ATTACK, *ATTACK.split()]}, "d": {"$ref": "#/$defs/x"}},
            "$defs": {"x": INNER},
            "additionalProperties": INNER,
        },
        returnType={"type": "array", "items": INNER, "description": ATTACK},
        examples=[{"description": ATTACK, "parameters": {ATTACK: ATTACK}, "returnValue": {}}],
        configuration=INNER,
    ),
    "words": spec_of(
        "class",
        parameters={
            "properties": {
                word: {"type": "object", "properties": {word: {"enum": [word, word.upper(), f"{word}!"]}}}
                for word in [*WORDS.split(), "e\u0301", "two words"]
            }
        },
    ),
    "case": spec_of(
        parameters={
            "properties": {
                word: {"type": "object", "properties": {"x": {"enum": [word]}}}
                for word in ("item", "Item", "ITEM", "getWeatherParameters", "GETWEATHERPARAMETERS", "get_weather")
            }
        }
    ),
    "long": spec_of(
        "very long name " * 13,
        description="é" * 70_000 + "\\" * 70_000,
        parameters={
            "properties": {"p" * 5000: {"type": "object", "properties": {"q" * 5000 + str(n): {} for n in range(5)}}}
        },
        returnType={"enum": ["\u200b" * 30_000, "short", '"' * 70_000]},
        examples=[{"parameters": {"x": " " * 70_000}}],
    ),
    "many": spec_of(
        "many",
        parameters={
            "properties": {f"p{n}": {"type": "integer", "enum": [n]} for n in range(252)},
            "additionalProperties": {"type": "string"},
        },
        returnType={"properties": {"e": {"enum": [f"value {n}" for n in range(500)]}}},
        configuration={"properties": {f"p{n}": {} for n in range(300)}},
    ),
    "recursive": spec_of(
        "recursive",
        parameters={
            "$ref": "#/$defs/node",
            "$defs": {
                "node": {"oneOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#/$defs/pair"}]},
                "leaf": {"type": "object", "properties": {"type": {"const": "leaf"}}, "required": ["type"]},
                "pair": {"type": "object", "properties": {"type": {"const": "pair"}, "left": {"$ref": "#/$defs/node"}}},
            },
        },
        returnType={"type": "array", "items": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}},
        configuration={"type": "object", "additionalProperties": {"properties": {"a": {"$ref": "#"}}}},
    ),
    "scalars": spec_of(
        "scalars", parameters={"type": "string"}, returnType={"type": "null"}, configuration={"enum": ["a", "b"]}
    ),
    "booleans": spec_of("booleans", parameters=True, returnType=False, configuration=True),
    "lists": spec_of(
        "lists",
        parameters={"type": "array", "items": {"type": "array", "items": {"properties": {"a": {"type": "number"}}}}},
        returnType={"additionalProperties": {"additionalProperties": {"enum": ["x"]}}},
        configuration={"type": "array", "items": {"type": "integer", "maximum": 2**64}},
    ),
    **{f"tool{name}": spec_of(name) for name in ("Tool", "list", "string", "Test", "json node", "城市", "type", "aux")},
    **{f"mcp{number}": stored_spec(line) for number, line in enumerate(corpora.lines("specs_mcp")[:60:10])},
}  # fmt: skip


GROUPS = {name: f"g{number}" for number, name in enumerate(SPECS)}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """{name: definition}, and the names of the classes of each project."""
    folder = tmp_path_factory.mktemp("java")
    projects = {name: java_project(spec, group=GROUPS[name]) for name, spec in SPECS.items()}
    classes = compile_java(folder, projects, STUBS.parent / "PrintDefinitions.java")
    factories = [files[SERVICE].strip() for files in projects.values()]
    lines = run_java(folder, "PrintDefinitions", *factories).splitlines()
    return dict(zip(projects, map(json.loads, lines), strict=True)), classes


def test_the_values_of_the_definition_are_those_of_the_spec(compiled):
    definitions, _ = compiled

    for name, spec in SPECS.items():
        *names, parameters, return_type, examples, _ = definitions[name]
        definition = spec.document["definition"]
        assert names == [spec.tool_id, spec.tool_id, spec.name, spec.description], name
        assert json.loads(parameters) == json.loads(dumps(definition.get("parameters", {}))), name
        assert json.loads(return_type) == json.loads(dumps(definition.get("returnType", {}))), name
        assert json.loads(examples) == json.loads(dumps(definition.get("examples", []))), name


def test_numbers_of_the_spec_are_written_as_they_were():
    written = '{"maximum": 1.50, "minimum": -0, "multipleOf": 1e2}'
    definition = f'{{"name": "n", "description": "", "parameters": {written}}}'

    java = file_of(stored_spec(f'{{"definition": {definition}}}'), "/AbstractN.java")

    assert written in java.replace("\\", "")


@pytest.mark.parametrize(
    ("name", "type_name"),
    [
        ("weather", "getweather.model.GetWeatherParameters"),
        ("scalars", "java.lang.String"),
        ("booleans", "com.fasterxml.jackson.databind.JsonNode"),
        ("lists", "lists.model.ListsParameters$ItemItem>>"),
    ],
)
def test_the_request_type_is_the_type_of_the_parameters(compiled, name, type_name):
    assert compiled[0][name][-1].endswith(type_name)


def test_nothing_of_a_spec_becomes_code(compiled):
    found = {name for name in compiled[1] if name.startswith(f"{GROUPS['attack']}.")}

    declared = set()
    for path, text in java_project(SPECS["attack"], group=GROUPS["attack"]).items():
        if path.endswith(".java"):
            top = path.split("java/")[1].removesuffix(".java").replace("/", ".")
            inner = re.findall(r"^  public (?:enum|record) (\w+)", text, re.MULTILINE)
            declared |= {top, *(f"{top}${name}" for name in inner)}
    anonymous = {name for name in found if re.search(r"\$[0-9]+$", name)}
    assert found - anonymous == declared
    assert not any(re.search(r"(?:^|[.$])Evil", name) for name in compiled[1])


def test_every_file_can_be_stored_on_every_system():
    for name, spec in SPECS.items():
        paths = list(java_project(spec))
        assert len({path.lower() for path in paths}) == len(paths), name
        assert all(path.isascii() and re.fullmatch(r"[\w./-]+", path) for path in paths), name
        assert all(len(part) <= 255 for path in paths for part in path.split("/")), name


def test_the_files_of_compiled_classes_differ_in_more_than_case(compiled):
    assert len({name.lower() for name in compiled[1]}) == len(compiled[1])
    assert max(len(name.rsplit(".", 1)[-1]) for name in compiled[1]) <= 255 - len(".class")


# Real specs


@pytest.mark.slow
@pytest.mark.deep
@pytest.mark.corpora
def test_every_real_spec_compiles_and_almost_all_have_real_types(tmp_path):
    specs = [stored_spec(line) for line in corpora.share(corpora.lines("specs_mcp"))]

    projects = [java_project(spec, group=f"g{number}") for number, spec in enumerate(specs)]
    compile_java(tmp_path, {str(number): files for number, files in enumerate(projects)})

    with_real_types = sum(
        "\n## Schemas without a Java type\n" not in files["README.md"] for files in projects
    )
    assert with_real_types >= 0.95 * len(specs)
