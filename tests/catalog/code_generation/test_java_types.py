import pytest

from catalog.code_generation.java_model import Record, StringEnum
from catalog.code_generation.java_source import types_source
from catalog.code_generation.java_types import MAX_COMPONENTS, MAX_TYPES, java_types
from catalog.jsontext.reader import loads


def found(schema, **options):
    return java_types(schema, "/definition/parameters", "Holder", **options)


def type_of(schema):
    """The type of a member with this schema, and the reason if it is JsonNode."""
    types = found({"type": "object", "properties": {"a": schema}})
    use = types.declared[0].components[0].use
    return use.written(), use.note


def components_of(schema, name="Holder"):
    """{component: type} of the record `name`."""
    record = next(
        one for one in found(schema).declared if isinstance(one, Record) and one.name == name
    )
    return {component.name: component.use.written() for component in record.components}


def source_of(schema):
    return types_source(found(schema), "example", "The parameters.")


@pytest.mark.parametrize(
    ("schema", "java"),
    [
        ({"type": "string"}, "String"),
        ({"type": "string", "format": "date-time"}, "String"),
        ({"type": "boolean"}, "Boolean"),
        ({"type": "null"}, "Void"),
        ({"type": "number"}, "BigDecimal"),
        ({"type": "number", "format": "double"}, "Double"),
        ({"type": ["integer", "number"]}, "BigDecimal"),
        ({"type": "integer"}, "BigInteger"),
        ({"type": "integer", "minimum": 0}, "BigInteger"),
        ({"type": "integer", "maximum": 100}, "BigInteger"),
        ({"type": ["integer", "null"]}, "BigInteger"),
        (
            {"anyOf": [{"type": "integer", "format": "int32"}, {"type": "integer", "minimum": 1}]},
            "BigInteger",
        ),
        ({"type": "integer", "format": "int64"}, "Long"),
        ({"type": "integer", "format": "uint32"}, "Long"),
        ({"type": "integer", "format": "uint16"}, "Integer"),
        ({"type": "integer", "minimum": 0, "exclusiveMaximum": 2**31}, "Long"),
        ({"type": "integer", "exclusiveMinimum": 0, "maximum": 2**31 - 1}, "Integer"),
        ({"const": 5}, "Long"),
        ({"type": "integer", "format": "int32"}, "Integer"),
        ({"type": "integer", "minimum": 0, "maximum": 100}, "Integer"),
        ({"type": "integer", "minimum": 0, "maximum": 2**31}, "Long"),
        ({"type": "integer", "maximum": 2**63}, "BigInteger"),
        ({"type": "integer", "format": "uint64"}, "BigInteger"),
        ({"enum": [1, 2**70]}, "BigInteger"),
        ({"enum": [1, 2]}, "Long"),
        ({"enum": [True]}, "Boolean"),
        ({"type": "array", "items": {"type": "string"}}, "List<String>"),
        (
            {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}},
            "List<List<BigInteger>>",
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "number"}, {"type": "integer"}],
                "items": False,
            },
            "List<BigDecimal>",
        ),
        ({"type": "array", "prefixItems": [{"type": "number"}], "maxItems": 1}, "List<BigDecimal>"),
        ({"type": "array", "items": False}, "List<Void>"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "Map<String, String>"),
        (
            {
                "type": "object",
                "patternProperties": {"^x": {"type": "string"}},
                "additionalProperties": False,
            },
            "Map<String, String>",
        ),
        (
            {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
            },
            "Map<String, List<String>>",
        ),
        ({"allOf": [{"type": "integer"}, {"minimum": 0}, {"maximum": 5}]}, "Integer"),
        (
            {"anyOf": [{"type": "string", "format": "email"}, {"type": "string", "maxLength": 5}]},
            "String",
        ),
        ({"anyOf": [{"enum": ["a"]}, {"type": "string"}]}, "String"),
        (
            {
                "anyOf": [
                    {"type": "array", "items": {"type": "integer"}},
                    {"type": "array", "items": {"type": "number"}},
                ]
            },
            "List<BigDecimal>",
        ),
    ],
)
def test_a_schema_has_its_java_type(schema, java):
    assert type_of(schema) == (java, "")


@pytest.mark.parametrize(
    ("schema", "java", "note"),
    [
        ({}, "JsonNode", "The schema allows any value."),
        (True, "JsonNode", "The schema allows any value."),
        ({"type": "object"}, "Map<String, JsonNode>", "The schema allows any properties."),
        (
            {"type": "object", "properties": {}},
            "Map<String, JsonNode>",
            "The schema allows any properties.",
        ),
        (
            {"type": "object", "patternProperties": {"^x": {"type": "string"}}},
            "Map<String, JsonNode>",
            "The schema allows any properties.",
        ),
        ({"type": "array"}, "List<JsonNode>", "The schema allows any items."),
        (
            {"type": "array", "prefixItems": [{"type": "string"}]},
            "List<JsonNode>",
            "The schema allows any items.",
        ),
    ],
)
def test_a_schema_that_restricts_nothing_is_a_json_node_and_no_fallback(schema, java, note):
    assert type_of(schema) == (java, note)
    assert found(schema).fallbacks == ()


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": ["string", "number"]}, "The schema allows a string or a number."),
        (
            {"anyOf": [{"type": "string"}, {"type": "array"}]},
            "The schema allows a string or an array.",
        ),
        ({"enum": ["a", 1, True]}, "The schema allows a string, an integer or a boolean."),
        ({"allOf": [False]}, "The schema allows no value."),
        (
            {"anyOf": [{"type": "string", "maxLength": n} for n in range(100)]},
            "The schema has more than 64 alternatives.",
        ),
    ],
)
def test_a_schema_without_a_java_type_is_a_json_node_with_the_reason(schema, reason):
    types = found(schema)

    assert (types.use.written(), types.use.note) == ("JsonNode", reason)
    assert [(one.pointer, one.reason) for one in types.fallbacks] == [
        ("/definition/parameters", reason)
    ]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": ["string", "null"]},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"oneOf": [{"type": "null"}, {"type": "string"}]},
        {"anyOf": [{"type": "string"}, {"type": "string", "maxLength": 2}, {"const": None}]},
        {"$ref": "#/$defs/text"},
    ],
)
def test_null_beside_a_type_makes_it_nullable(schema):
    types = found({"properties": {"a": schema}, "$defs": {"text": {"type": ["string", "null"]}}})

    use = types.declared[0].components[0].use
    assert (use.written(), use.nullable) == ("String", True)


def test_a_required_value_that_may_be_null_is_always_written():
    source = source_of({"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]})

    assert (
        '@JsonInclude(JsonInclude.Include.ALWAYS)\n    @JsonProperty(value = "a", required = true) String a) {'
        in source
    )
    assert "@param a May be null." in source


def test_an_optional_value_is_left_out_if_it_is_null():
    source = source_of({"properties": {"a": {"type": "string", "description": "A text"}}})

    assert "@JsonInclude(JsonInclude.Include.NON_NULL)\npublic record Holder(" in source
    assert '    @JsonProperty("a") String a) {' in source
    assert "@param a A text. Optional." in source


def test_strings_with_listed_values_are_an_enum():
    types = found({"properties": {"unit": {"enum": ["C", "F", "not known", "C!"]}}})

    assert types.declared[1] == StringEnum(
        "Unit", "", (("C", "C"), ("F", "F"), ("NOT_KNOWN", "not known"), ("C2", "C!"))
    )


def test_constants_of_several_alternatives_are_one_enum():
    alternatives = [{"const": "a", "title": "First"}, {"const": "b"}, {"const": None}]

    types = found({"properties": {"kind": {"oneOf": alternatives}}})

    assert types.declared[1] == StringEnum("Kind", "", (("A", "a"), ("B", "b")))


def test_an_enum_of_too_many_values_is_a_string():
    assert type_of({"enum": [f"v{number}" for number in range(501)]}) == ("String", "")


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


def test_a_definition_is_one_type_however_often_it_is_used():
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
        ({"properties": {"next": {"$ref": "#"}}}, {"next": "Holder"}),
        (
            {"properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}},
            {"next": "Holder"},
        ),
        (
            {"properties": {"parts": {"type": "array", "items": {"$ref": "#"}}}},
            {"parts": "List<Holder>"},
        ),
        (
            {"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}},
            {"n": "Holder"},
        ),
    ],
)
def test_a_record_may_contain_itself(schema, components):
    assert components_of(schema) == components


def test_a_union_that_contains_itself_is_one_record():
    schema = {
        "$ref": "#/$defs/node",
        "$defs": {
            "node": {"oneOf": [{"$ref": "#/$defs/leaf"}, {"$ref": "#/$defs/pair"}]},
            "leaf": {
                "type": "object",
                "properties": {"type": {"const": "leaf"}, "value": {"type": "number"}},
            },
            "pair": {
                "type": "object",
                "properties": {
                    "type": {"const": "pair"},
                    "left": {"$ref": "#/$defs/node"},
                    "right": {"$ref": "#/$defs/node"},
                },
            },
        },
    }

    types = found(schema)

    assert [one.name for one in types.declared] == ["Holder", "Type"]
    assert components_of(schema) == {
        "type": "Type",
        "value": "BigDecimal",
        "left": "Holder",
        "right": "Holder",
    }
    assert types.fallbacks == ()


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"$ref": "#"}},
        {"type": "object", "additionalProperties": {"$ref": "#"}},
        {"$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"},
    ],
)
def test_a_list_or_map_that_contains_itself_ends_in_a_json_node(schema):
    types = found(schema)

    assert types.use.base == "JsonNode"
    assert "contains itself without an object in between" in types.fallbacks[0].reason


@pytest.mark.parametrize(
    "schema",
    [{"$ref": "#"}, {"allOf": [{"$ref": "#"}]}, {"anyOf": [{"$ref": "#"}, {"type": "null"}]}],
)
def test_a_reference_that_leads_to_itself_is_a_json_node(schema):
    types = found(schema)

    assert types.use.written() == "JsonNode"
    assert (
        types.fallbacks[0].reason
        == "References lead from a schema to itself, so a check would never end."
    )


def test_the_members_of_several_objects_are_one_record_and_required_where_all_require_them():
    schema = {
        "oneOf": [
            {
                "properties": {"kind": {"const": "a"}, "size": {"type": "integer"}},
                "required": ["kind", "size"],
            },
            {
                "properties": {"kind": {"const": "b"}, "size": {"type": "string"}},
                "required": ["kind"],
            },
        ]
    }

    record, kind = found(schema).declared

    assert [(one.name, one.use.written(), one.required) for one in record.components] == [
        ("kind", "Kind", True),
        ("size", "JsonNode", False),
    ]
    assert [value for _, value in kind.constants] == ["a", "b"]


def test_branches_that_only_require_members_change_nothing():
    schema = {
        "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    assert components_of(schema) == {"a": "String", "b": "BigInteger"}


def test_members_of_all_parts_of_all_of_are_merged():
    schema = {
        "allOf": [
            {"$ref": "#/$defs/base"},
            {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
        ],
        "$defs": {
            "base": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        },
    }

    record = found(schema).declared[0]

    assert [(one.name, one.use.written(), one.required) for one in record.components] == [
        ("a", "String", True),
        ("b", "BigInteger", True),
    ]


def test_members_that_only_apply_under_a_condition_are_optional_components():
    schema = {
        "properties": {"a": {"type": "string"}},
        "allOf": [
            {
                "if": {"required": ["a"]},
                "then": {"properties": {"b": {"type": "integer"}}, "required": ["b"]},
            },
            {"if": {"required": ["b"]}, "then": {"properties": {"c": {"type": "boolean"}}}},
        ],
        "dependentSchemas": {"a": {"properties": {"d": {"type": "number"}}}},
    }

    assert components_of(schema) == {
        "a": "String",
        "d": "BigDecimal",
        "c": "Boolean",
        "b": "BigInteger",
    }


def test_other_members_that_the_schema_mentions_are_a_map():
    source = source_of(
        {"properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}
    )

    assert "@JsonAnySetter @JsonAnyGetter Map<String, BigInteger> additionalProperties) {" in source
    assert "JsonIgnoreProperties" not in source


def test_other_members_are_ignored_if_the_schema_does_not_mention_them():
    assert "@JsonIgnoreProperties(ignoreUnknown = true)" in source_of(
        {"properties": {"a": {"type": "string"}}}
    )


def test_other_members_are_refused_if_the_schema_forbids_them():
    assert "JsonIgnoreProperties" not in source_of(
        {"properties": {"a": {}}, "additionalProperties": False}
    )


def test_a_tool_without_parameters_has_a_record_without_components():
    types = found({"type": "object", "properties": {}}, empty_record=True)

    assert types.use.written() == "Holder"
    assert "public record Holder() {" in types_source(types, "example", "The parameters.")


@pytest.mark.parametrize("number", [MAX_COMPONENTS + 1, 2000])
def test_an_object_with_more_members_than_a_record_can_have_is_a_map(number):
    types = found({"type": "object", "properties": {f"p{index}": {} for index in range(number)}})

    assert types.use.written() == "Map<String, JsonNode>"
    assert (
        types.fallbacks[0].reason
        == f"The object has {number:,} properties; a record can have at most 253."
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "A property has an empty name, which Jackson's annotations cannot express."),
        ("x" * 65_536, "A property has a name that is too long for a Java annotation."),
    ],
)
def test_an_object_with_a_member_that_annotations_cannot_name_is_a_map(name, reason):
    types = found({"type": "object", "properties": {name: {"type": "string"}}})

    assert types.use.written() == "Map<String, JsonNode>"
    assert types.fallbacks[0].reason == reason


def test_members_whose_names_are_alike_become_different_components():
    schema = {
        "properties": {
            name: {} for name in ("user_id", "userId", "user-id", "class", "class_", "_")
        }
    }

    assert list(components_of(schema)) == [
        "userId",
        "userId2",
        "userId3",
        "class_",
        "class_2",
        "value",
    ]


def test_records_differ_in_more_than_case_from_each_other_and_from_the_types_of_java():
    inner = {"type": "object", "properties": {"x": {"type": "string"}}}
    schema = {"properties": dict.fromkeys(("item", "ITEM", "string", "list", "holder"), inner)}

    assert list(components_of(schema).values()) == [
        "Item",
        "ITEM2",
        "StringType",
        "ListType",
        "Holder2",
    ]


def test_a_keyword_that_the_draft_does_not_have_is_ignored():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}},
    }

    assert components_of(schema) == {"a": "List<JsonNode>"}


def test_early_drafts_are_read_by_their_own_rules():
    schema = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "a": {"type": "array", "items": [{"type": "string"}], "additionalItems": False}
        },
    }

    assert components_of(schema) == {"a": "List<String>"}


def test_constraints_and_defaults_are_sentences_of_the_comment():
    schema = {
        "properties": {
            "when": {
                "type": "string",
                "format": "date",
                "default": "2024-05-31",
                "deprecated": True,
            },
            "level": {"enum": [1, 2]},
        }
    }

    source = " ".join(source_of(schema).replace("*", "").split())

    assert 'Format: date, like 2024-05-31. Default: "2024-05-31". Deprecated. Optional.' in source
    assert "@param level One of 1, 2. Optional." in source


def test_the_reason_stands_above_the_component():
    source = source_of({"properties": {"a": {"type": ["string", "array"]}}})

    assert (
        '    // JsonNode: The schema allows a string or an array.\n    @JsonProperty("a") JsonNode a) {'
        in source
    )


def test_the_items_of_a_list_have_a_class_that_holds_their_record():
    types = found(
        {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}
    )

    source = types_source(types, "example", "The response.")
    assert types.use.written(types.holder) == "List<Holder.Item>"
    assert "public final class Holder {" in source
    assert "  public record Item(" in source


@pytest.mark.parametrize(
    "schema",
    [
        None,
        1,
        "x",
        [],
        False,
        {"type": 1},
        {"type": ["x"]},
        {"properties": []},
        {"properties": {"a": 1}},
        {"required": [{}, 1]},
        {"enum": {}},
        {"enum": []},
        {"items": 3, "type": "array"},
        {"allOf": {}},
        {"anyOf": [1, None]},
        {"$ref": 1},
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.org/x"},
        {"additionalProperties": 1, "type": "object"},
        {"type": "integer", "maximum": "x", "format": []},
        {"patternProperties": {"(": {}}},
        {"then": 1, "if": 1},
        {"$schema": 5},
        {"dependentSchemas": [1], "properties": {"a": {}}},
        {"description": 1, "properties": {"a": {}}},
    ],
)
def test_what_is_not_a_schema_is_no_error(schema):
    types = found(schema)

    assert types.use.written(types.holder)
    types_source(types, "example", "The parameters.")


def deep(number):
    schema = {"type": "string"}
    for _ in range(number):
        schema = {"type": "object", "properties": {"inner": schema}}
    return schema


LONG_CHAIN = {
    "$ref": "#/$defs/d0",
    "$defs": {
        f"d{n}": {"type": "array", "items": {"$ref": f"#/$defs/d{n + 1}"}} for n in range(2000)
    }
    | {"d2000": True},
}
BRANCHING = {
    "$ref": "#/$defs/d0",
    "$defs": {
        f"d{n}": {
            "anyOf": [
                {
                    "type": "object",
                    "properties": {
                        f"p{k}": {"$ref": f"#/$defs/d{(n * k + k + side) % 40}"} for k in range(8)
                    },
                }
                for side in (0, 1)
            ]
        }
        for n in range(40)
    },
}
DOUBLING = {
    "$ref": "#/$defs/d0",
    "$defs": {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(60)}
    | {"d60": {"type": "object"}},
}


@pytest.mark.deep
@pytest.mark.parametrize(
    "schema",
    [
        deep(29),
        LONG_CHAIN,
        BRANCHING,
        DOUBLING,
        {
            "type": "object",
            "properties": {
                f"p{n}": {"type": "object", "properties": {"a": {}}} for n in range(250)
            },
        },
        {"allOf": [{"properties": {f"p{n}": {"enum": ["a", f"b{n}"]}}} for n in range(250)]},
        {"anyOf": [{"properties": {f"p{n}": {"items": {"$ref": "#"}}}} for n in range(60)]},
    ],
)
def test_the_result_is_bounded_and_found_soon(schema):
    """Without limits, some of these would take hours."""
    types = found(schema)

    assert len(types.declared) <= MAX_TYPES
    assert sum(len(one.components) for one in types.declared if isinstance(one, Record)) <= 3_000


def test_numbers_are_compared_as_they_are_written():
    assert type_of(loads('{"type": "integer", "maximum": 1e3, "minimum": 0.0}')) == ("Integer", "")
