"""OpenAI's strict mode, one of the restricted dialects (`restricted_schema.py`)."""

import pytest

from tests.factories import properties
from tests.toolspec.exports.exported import changes_of, parameters_in, spec_with, strict
from toolspec.exports import export


def test_strict_closes_objects_and_requires_all_members():
    schema = {**properties(a={"type": "string"}, b={"type": "integer"}), "required": ["a"]}

    exported = export(spec_with(schema), "openai-strict")

    assert exported.document["function"]["strict"] is True
    assert parameters_in(exported) == {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": ["integer", "null"]}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }
    assert changes_of(exported) == {
        "/definition/parameters": "rewritten",
        "/definition/parameters/properties/b": "rewritten",
    }


def test_a_strict_schema_can_be_used_as_it_is():
    schema = {**properties(a={"type": "string"}), "required": ["a"], "additionalProperties": False}

    exported = export(spec_with(schema), "openai-strict")

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


@pytest.mark.parametrize(
    ("optional", "written"),
    [
        ({"type": "string", "enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": 3}, {"type": ["integer", "null"], "enum": [3, None]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
        ),
        ({}, {"type": ["string", "number", "boolean", "null"]}),
    ],
)
def test_an_optional_member_may_be_null_in_strict_mode(optional, written):
    assert strict(properties(a=optional))["properties"]["a"] == written


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        (
            {"type": "string", "minLength": 2},
            {"type": "string", "description": "At least 2 characters."},
        ),
        (
            {"type": "string", "description": "A page", "format": "uri"},
            {"type": "string", "description": "A page. Format: URI, like https://example.org/."},
        ),
        ({"type": "string", "format": "date"}, {"type": "string", "format": "date"}),
        ({"type": "integer", "default": 5}, {"type": "integer", "description": "Default: 5."}),
        ({"type": "number", "exclusiveMinimum": 0}, {"type": "number", "exclusiveMinimum": 0}),
        (
            {"type": "array", "items": {"type": "string"}, "minItems": 1, "uniqueItems": True},
            {
                "type": "array",
                "items": {"type": "string"},
                "minItems": 1,
                "description": "No duplicates.",
            },
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
            {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
        ),
        (
            {"allOf": [{"type": "string", "pattern": "^a"}, {"maxLength": 3}]},
            {"type": "string", "pattern": "^a", "description": "At most 3 characters."},
        ),
        (
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "integer"}],
                "items": False,
            },
            {
                "type": "array",
                "items": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "maxItems": 2,
            },
        ),
        (
            {"type": ["string", "integer"], "minimum": 1},
            {"type": ["string", "integer"], "minimum": 1},
        ),
        (
            {"enum": ["a", 1]},
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "integer", "enum": [1]}]},
        ),
        (
            {"type": "object", "additionalProperties": {"type": "string"}},
            {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
        ),
        (
            {"type": "object", "required": ["x"]},
            {
                "type": "object",
                "properties": {"x": {"type": ["string", "number", "boolean", "null"]}},
                "required": ["x"],
                "additionalProperties": False,
            },
        ),
        ({"type": "string", "not": {"const": "x"}}, {"type": "string"}),
    ],
)
def test_a_schema_in_strict_mode(schema, written):
    parameters = {**properties(a=schema), "required": ["a"]}

    assert strict(parameters)["properties"]["a"] == written


def test_strict_keeps_references_and_recursion():
    tree = {
        **properties(children={"type": "array", "items": {"$ref": "#/$defs/tree"}}),
        "required": ["children"],
    }
    parameters = {
        **properties(root={"$ref": "#/$defs/tree"}),
        "required": ["root"],
        "$defs": {"tree": tree},
    }

    assert strict(parameters) == {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/tree"}},
        "required": ["root"],
        "additionalProperties": False,
        "$defs": {
            "tree": {
                "type": "object",
                "properties": {"children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}},
                "required": ["children"],
                "additionalProperties": False,
            }
        },
    }
