"""The Java types of schemas, as they stand in the generated project."""

import re

import pytest

from toolspec.code.java_project import java_project
from toolspec.code.java_types import MAX_COMPONENTS
from toolspec.spec import stored_spec
from toolspec.text.reader import dumps, loads

MODEL = "src/main/java/com/example/tools/holder/model/HolderParameters.java"


def project_of(schema):
    definition = {"name": "holder", "description": "", "parameters": schema}
    return java_project(stored_spec(dumps({"definition": definition})))


def source_of(schema):
    return project_of(schema)[MODEL]


def request_type(schema):
    tool = next(text for path, text in project_of(schema).items() if path.endswith("/Holder.java"))
    return re.search(r"call\((.*) request\)", tool)[1]


def components_of(schema, name="HolderParameters"):
    """{component: type} of the record `name`."""
    record = re.search(rf"public record {name}\((.*?)\n? *\{{", source_of(schema), re.DOTALL)[1]
    lines = [line for line in record.splitlines() if "@Json" in line]
    found = (re.fullmatch(r".*\) (.+) (\S+?)[,)]?", line) for line in lines)
    return {match[2]: match[1] for match in found}


def type_of(schema):
    return components_of({"type": "object", "properties": {"a": schema}})["a"]


@pytest.mark.parametrize(
    ("schema", "java"),
    [
        ({"type": "string"}, "String"),
        ({"type": "string", "format": "date-time"}, "String"),
        ({"type": "boolean"}, "Boolean"),
        ({"type": "null"}, "Void"),
        ({"type": "number"}, "BigDecimal"),
        ({"type": "number", "format": "double"}, "Double"),
        ({"type": "integer"}, "BigInteger"),
        ({"type": "integer", "format": "int64"}, "Long"),
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 2**31}, "Long"),
        ({"type": "integer", "minimum": 0, "maximum": 2**63}, "BigInteger"),
        ({"enum": [1, 2**70]}, "BigInteger"),
        ({"enum": [1, 2]}, "Long"),
        ({"enum": [True]}, "Boolean"),
        ({"enum": ["a", "b"]}, "A"),
        ({"type": "array", "items": {"type": "string"}}, "List<String>"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "List<List<BigInteger>>",
        ),
        ({"type": "array"}, "List<JsonNode>"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "Map<String, String>"),
        ({"type": "object"}, "Map<String, JsonNode>"),
        ({"type": "object", "properties": {"x": {"type": "string"}}}, "A"),
        ({"allOf": [{"type": "integer"}, {"minimum": 0}, {"maximum": 5}]}, "Long"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "String"),
        ({}, "JsonNode"),
        ({"type": ["string", "number"]}, "JsonNode"),
    ],
)
def test_a_schema_has_its_java_type(schema, java):
    assert type_of(schema) == java


def test_numbers_are_compared_as_they_are_written():
    assert type_of(loads('{"type": "integer", "maximum": 1e3, "minimum": 0.0}')) == "Long"


def test_the_reason_for_a_json_node_stands_above_the_component():
    source = source_of({"properties": {"a": {"type": ["string", "array"]}}})

    reason = "// JsonNode: the schema allows an array or a string."
    assert f'    {reason}\n    @JsonProperty("a") JsonNode a) {{' in source


def test_a_required_value_that_may_be_null_is_always_written():
    source = source_of({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]})

    written = '@JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty(value = "a", required = true)'
    assert f"{written} String a) {{" in source
    assert "@param a May be null." in source


def test_an_optional_value_is_left_out_if_it_is_null():
    source = source_of({"properties": {"a": {"type": "string", "description": "A text"}}})

    assert "@JsonInclude(JsonInclude.Include.NON_NULL)\npublic record HolderParameters(" in source
    assert "@param a A text. Optional." in source


def test_strings_with_listed_values_are_an_enum_which_equal_lists_share():
    listed = {"enum": ["C", "F", "not known", "C!", None]}
    schema = {"properties": {"unit": listed, "units": {"type": "array", "items": listed}}}

    source = source_of(schema)

    assert components_of(schema) == {"unit": "Unit", "units": "List<Unit>"}
    constants = re.findall(r'@JsonProperty\("(.*)"\) (\w+),?$', source, re.MULTILINE)
    assert constants == [("C", "C"), ("F", "F"), ("not known", "NOT_KNOWN"), ("C!", "C2")]


def test_objects_inside_an_object_are_records_of_their_own():
    schema = {
        "properties": {
            "home": {"type": "object", "properties": {"city": {"type": "string"}}},
            "visits": {
                "type": "array",
                "items": {"type": "object", "properties": {"at": {"type": "string"}}},
            },
        }
    }

    assert components_of(schema) == {"home": "Home", "visits": "List<VisitsItem>"}
    assert components_of(schema, "VisitsItem") == {"at": "String"}


def test_a_definition_is_one_record_however_often_it_is_used():
    schema = {
        "properties": {
            "from": {"$ref": "#/$defs/place"},
            "to": {"anyOf": [{"$ref": "#/$defs/place"}, {"type": "null"}]},
        },
        "$defs": {"place": {"type": "object", "properties": {"city": {"type": "string"}}}},
    }

    assert components_of(schema) == {"from": "Place", "to": "Place"}


@pytest.mark.parametrize(
    ("schema", "components"),
    [
        (
            {"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}},
            {"next": "HolderParameters"},
        ),
        (
            {"properties": {"parts": {"type": "array", "items": {"$ref": "#"}}}},
            {"parts": "List<HolderParameters>"},
        ),
    ],
)
def test_a_record_may_contain_itself(schema, components):
    assert components_of(schema) == components


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "object", "additionalProperties": {"$ref": "#"}},
        {"anyOf": [{"$ref": "#"}, {"type": "null"}]},
    ],
)
def test_what_contains_itself_without_an_object_ends_in_a_json_node(schema):
    assert "JsonNode" in request_type(schema)
    assert "## Schemas without a Java type" in project_of(schema)["README.md"]


def test_other_members_that_the_schema_mentions_are_a_map():
    schema = {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}

    source = source_of(schema)

    others = "@JsonAnySetter @JsonAnyGetter Map<String, JsonNode> additionalProperties) {"
    assert others in source
    assert "JsonIgnoreProperties" not in source


def test_other_members_are_ignored_if_nothing_mentions_and_refused_if_the_schema_forbids_them():
    unmentioned = source_of({"properties": {"a": {"type": "string"}}})
    forbidden = source_of({"properties": {"a": {}}, "additionalProperties": False})

    assert "@JsonIgnoreProperties(ignoreUnknown = true)" in unmentioned
    assert "JsonIgnoreProperties" not in forbidden
    assert "JsonAnySetter" not in forbidden


def test_a_tool_without_parameters_has_a_record_without_components():
    assert "public record HolderParameters() {" in source_of({"type": "object", "properties": {}})


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (
            [f"p{index}" for index in range(MAX_COMPONENTS + 1)],
            "the object has 254 properties, and a record can have at most 253",
        ),
        ([""], "a property has a name that Jackson's annotations cannot express"),
        (["x" * 65_536], "a property has a name that Jackson's annotations cannot express"),
    ],
)
def test_an_object_that_cannot_be_a_record_is_a_json_node_with_the_reason(names, reason):
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}

    assert request_type(schema) == "JsonNode"
    assert f"- `HolderParameters`: {reason}\n" in project_of(schema)["README.md"]
    assert type_of(schema) == "JsonNode"


def test_members_whose_names_are_alike_become_different_components():
    names = ("user_id", "userId", "user-id", "class", "class_", "_")

    components = components_of({"properties": {name: {} for name in names}})

    assert list(components) == ["userId", "userId2", "userId3", "class_", "class_2", "value"]


def test_records_differ_in_more_than_case_from_each_other_and_from_the_types_of_java():
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    names = ("item", "ITEM", "string", "list", "holderParameters")

    components = components_of({"properties": dict.fromkeys(names, inner)})

    types = list(components.values())
    assert len({type_.lower() for type_ in types}) == len(types)
    assert not {"String", "List", "HolderParameters"} & set(types)


def test_constraints_and_defaults_are_sentences_of_the_comment():
    schema = {
        "properties": {
            "code": {"type": "string", "maxLength": 3, "default": "ABC"},
            "level": {"enum": [1, 2]},
        }
    }

    source = " ".join(source_of(schema).replace("*", "").split())

    assert '@param code At most 3 characters. Default: "ABC". Optional.' in source
    assert "@param level One of 1, 2. Optional." in source


def test_the_items_of_a_list_have_a_class_that_holds_their_record():
    schema = {"type": "array", "items": {"type": "object", "properties": {"a": {}}}}

    assert request_type(schema) == "List<HolderParameters.Item>"
    assert "public final class HolderParameters {" in source_of(schema)
    assert "  public record Item(" in source_of(schema)


NO_SCHEMAS = [
        None, 1, "x", [], False, {"type": 1}, {"type": ["x"]}, {"properties": []}, {"properties": {"a": 1}},
        {"required": [{}, 1]}, {"enum": {}}, {"enum": []}, {"items": 3, "type": "array"}, {"allOf": {}},
        {"anyOf": [1, None]}, {"$ref": 1}, {"$ref": "#/nowhere"}, {"$ref": "https://example.org/x"},
        {"additionalProperties": 1, "type": "object"}, {"type": "integer", "maximum": "x", "format": []},
        {"patternProperties": {"(": {}}}, {"then": 1, "if": 1}, {"$schema": 5},
        {"dependentSchemas": [1], "properties": {"a": {}}}, {"description": 1, "properties": {"a": {}}},
]  # fmt: skip


def test_what_is_not_a_schema_is_no_error():
    for schema in NO_SCHEMAS:
        assert request_type(schema), schema
