"""Schemas of other formats that lost parts in an import: names listed twice, and Gemini in other spellings."""

import pytest

from tests.factories import properties
from tests.field import field_input
from toolspec.imports import import_document

pytestmark = pytest.mark.unit


def tool_in(document):
    """The one spec in a document, and the changes of its import as (what, pointer)."""
    (imported,) = import_document(document).specs
    assert imported.problems == ()
    return imported.document["definition"], [(loss.what, loss.pointer) for loss in imported.losses]


# -- names listed twice -----------------------------------------------------------------------------------------------


def test_a_name_that_is_required_twice_is_required_once():
    definition, losses = tool_in(field_input("required-twice"))

    assert definition["parameters"]["required"] == ["node"]
    assert losses == [("rewritten", "/tools/0/inputSchema/required")]


TWICE = {**properties(a={"type": "string"}), "required": ["a", "a"]}
ONCE = {**properties(a={"type": "string"}), "required": ["a"]}


@pytest.mark.parametrize(
    ("schema", "repaired"),
    [
        (
            properties(list={"type": "array", "items": TWICE}),
            properties(list={"type": "array", "items": ONCE}),
        ),
        (properties(b={"anyOf": [TWICE]}), properties(b={"anyOf": [ONCE]})),
        ({**TWICE, "$defs": {"a": TWICE}}, {**ONCE, "$defs": {"a": ONCE}}),
        (
            {**ONCE, "dependentRequired": {"a": ["b", "b"]}},
            {**ONCE, "dependentRequired": {"a": ["b"]}},
        ),
        (
            properties(a={"type": ["string", "null", "string"]}),
            properties(a={"type": ["string", "null"]}),
        ),
        (properties(required=TWICE), properties(required=ONCE)),
    ],
)
def test_names_listed_twice_are_listed_once_at_any_depth(schema, repaired):
    definition, losses = tool_in(
        {"tools": [{"name": "t", "description": "d", "inputSchema": schema}]}
    )

    assert definition["parameters"] == repaired
    assert losses


@pytest.mark.parametrize(
    "document",
    [
        {"type": "function", "function": {"name": "t", "description": "d", "parameters": TWICE}},
        {"name": "t", "description": "d", "input_schema": TWICE},
        {
            "functionDeclarations": [
                {"name": "t", "description": "d", "parameters": {**TWICE, "type": "OBJECT"}}
            ]
        },
    ],
)
def test_names_listed_twice_are_listed_once_in_every_format(document):
    definition, losses = tool_in(document)

    assert definition["parameters"]["required"] == ["a"]
    assert losses


def test_a_list_with_other_values_than_names_is_still_removed():
    schema = {**properties(a={"type": "string"}), "required": ["a", 1, "a"]}

    definition, losses = tool_in(
        {"tools": [{"name": "t", "description": "d", "inputSchema": schema}]}
    )

    assert "required" not in definition["parameters"]
    assert losses == [("dropped", "/tools/0/inputSchema/required")]


# -- Gemini -----------------------------------------------------------------------------------------------------------


def test_a_declaration_in_snake_case_keeps_its_schemas():
    definition, losses = tool_in(field_input("gemini-snake-case-declaration"))

    assert definition["parameters"]["properties"] == {"q": {"type": "string"}}
    assert definition["returnType"]["properties"] == {"n": {"type": "integer"}}
    assert losses == []


def test_numbers_that_are_texts_become_numbers():
    definition, _ = tool_in(field_input("gemini-int64-as-text"))

    members = definition["parameters"]["properties"]
    assert members["l"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
        "maxItems": 3,
    }
    assert members["s"] == {"type": "string", "maxLength": 5}


def test_schemas_in_snake_case_are_read_at_every_depth():
    schema = {
        "type": "OBJECT",
        "properties": {
            "any_of": {"any_of": [{"type": "STRING", "min_length": "2"}, {"type": "INTEGER"}], "title": None},
            "list": {"type": "ARRAY", "max_items": 5, "items": {"type": "OBJECT", "min_properties": "1"}},
        },
        "property_ordering": ["any_of", "list"],
        "required": ["any_of"],
    }  # fmt: skip

    definition, _ = tool_in(
        [{"function_declarations": [{"name": "f", "description": "d", "parameters": schema}]}]
    )

    members = definition["parameters"]["properties"]
    assert members["any_of"] == {"anyOf": [{"type": "string", "minLength": 2}, {"type": "integer"}]}
    assert members["list"]["maxItems"] == 5
    assert members["list"]["items"]["minProperties"] == 1
    assert definition["parameters"]["required"] == ["any_of"]
