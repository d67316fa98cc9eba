"""Gemini's schemas, one of the restricted dialects (`restricted_schema.py`)."""

import pytest

from tests.factories import make_spec, properties
from tests.toolspec.exports.exported import gemini, parameters_in, spec_with
from toolspec.exports import export


def test_false_in_a_schema_that_was_merged_has_the_pointer_of_that_schema():
    spec = spec_with(
        {"type": "object", "properties": {"a": {"type": "null", "anyOf": [False, {"minItems": 1}]}}}
    )

    exported = export(spec, "gemini")

    pointers = [loss.pointer for loss in exported.changes]
    assert not [pointer for pointer in pointers if "allOf" in pointer]


@pytest.mark.parametrize(
    ("schema", "written"),
    [
        ({"type": ["string", "null"]}, {"type": "string", "nullable": True}),
        (
            {"type": ["string", "integer"]},
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        ),
        ({"type": "integer", "enum": [1, 2]}, {"type": "integer", "description": "One of 1, 2."}),
        ({"const": "a"}, {"type": "string", "enum": ["a"]}),
        (
            {"type": "string", "format": "uri"},
            {"type": "string", "description": "Format: URI, like https://example.org/."},
        ),
        ({"type": "string", "format": "date-time"}, {"type": "string", "format": "date-time"}),
        ({"type": "integer", "exclusiveMinimum": 0}, {"type": "integer", "minimum": 1}),
        (
            {"type": "number", "exclusiveMinimum": 0},
            {"type": "number", "description": "Greater than 0."},
        ),
        (
            {
                "type": "object",
                "additionalProperties": False,
                "properties": {"a": {"type": "string"}},
            },
            {"type": "object", "properties": {"a": {"type": "string"}}},
        ),
    ],
)
def test_a_schema_for_gemini(schema, written):
    assert gemini(properties(a=schema))["properties"]["a"] == written


def test_references_are_written_out_for_gemini():
    parameters = {**properties(a={"$ref": "#/$defs/text"}), "$defs": {"text": {"type": "string"}}}

    assert gemini(parameters) == properties(a={"type": "string"})


def test_recursion_is_cut_for_gemini():
    tree = properties(children={"type": "array", "items": {"$ref": "#/$defs/tree"}})
    exported = export(
        spec_with({**properties(root={"$ref": "#/$defs/tree"}), "$defs": {"tree": tree}}), "gemini"
    )

    assert parameters_in(exported)["properties"]["root"] == {
        "type": "object",
        "properties": {"children": {"type": "array", "items": {"type": "object"}}},
    }
    assert exported.verdict == "with changes"


def test_gemini_gets_the_order_of_members():
    assert gemini(properties(b={"type": "string"}, a={"type": "string"}))["propertyOrdering"] == [
        "b",
        "a",
    ]


def test_gemini_gets_the_return_type():
    assert export(make_spec("a", returnType=properties(a={"type": "string"})), "gemini").document[
        "response"
    ] == (properties(a={"type": "string"}))
