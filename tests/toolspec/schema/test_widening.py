"""The smallest edit with which a schema accepts one more value."""

from __future__ import annotations

from random import Random
from urllib.parse import quote

import pytest

from tests.toolspec.random_schemas import DRAFTS, Schemas
from tests.toolspec.random_values import NAMES
from tests.toolspec.random_values import value as random_value
from toolspec.schema.index import SchemaMap
from toolspec.schema.validation import compile_schema
from toolspec.schema.widening import describe, widen
from toolspec.text.patch import apply_patch

pytestmark = pytest.mark.unit
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}


def accepts(schema, value):
    return compile_schema(schema).check(value).verdict == "conforms"


def refer_to_a_part(schema, random):
    """Declare a property with a reference to any part of the schema."""
    parts = SchemaMap(schema, max_nodes=1_000).nodes
    pointer = quote(random.choice(parts).pointer)
    schema.setdefault("properties", {})[random.choice(NAMES)] = {"$ref": f"#{pointer}"}


@pytest.mark.parametrize(
    ("schema", "value", "widened"),
    [
        ({"type": "string"}, None, {"type": ["string", "null"]}),
        ({"type": ["integer", "null"]}, 0.5, {"type": ["null", "number"]}),
        ({"enum": ["EUR"]}, "CHF", {"enum": ["EUR", "CHF"]}),
        ({"const": "C"}, "F", {"enum": ["C", "F"]}),
        ({"maximum": 60}, 451, {"maximum": 451}),
        ({"exclusiveMinimum": 0}, 0, {"minimum": 0}),
        ({"minLength": 3}, "ab", {"minLength": 2}),
        ({"maxItems": 1}, [1, 2, 3], {"maxItems": 3}),
        ({"pattern": "^a"}, "b", {}),
        ({"required": ["a", "b"]}, {"a": 1}, {"required": ["a"]}),
        ({"required": ["a"]}, {}, {}),
        (
            CLOSED,
            {"mood": "feverish"},
            {**CLOSED, "properties": {"a": {"type": "string"}, "mood": {"type": "string"}}},
        ),
        ({"properties": {"a": False}}, {"a": 1}, {"properties": {"a": {"type": "integer"}}}),
        (
            {"properties": {"type": False}},
            {"type": 1},
            {"properties": {"type": {"type": "integer"}}},
        ),
        ({"contains": {"type": "string"}}, [1], {"contains": {"type": "string"}, "minContains": 0}),
        ({"$schema": DRAFTS["07"], "contains": {"type": "string"}}, [1], {"$schema": DRAFTS["07"]}),
        (
            {"anyOf": [{"type": "string"}, {"type": "boolean"}]},
            7,
            {"anyOf": [{"type": "string"}, {"type": "boolean"}, {"type": "integer"}]},
        ),
        (
            {"oneOf": [{"type": "integer"}, {"type": "number"}]},
            7,
            {"anyOf": [{"type": "integer"}, {"type": "number"}]},
        ),
    ],
)
def test_the_keyword_that_refuses_the_value_is_weakened(schema, value, widened):
    assert apply_patch(schema, widen(schema, value)) == widened


def test_the_edit_is_at_the_part_that_is_refused():
    schema = {"properties": {"readings": {"items": {"properties": {"t": {"maximum": 60}}}}}}

    operations = widen(schema, {"readings": [{"t": 20}, {"t": 451}]})

    assert [each.as_json() for each in operations] == [
        {"op": "add", "path": "/properties/readings/items/properties/t/maximum", "value": 451}
    ]


def test_only_the_violation_at_a_pointer_is_accepted():
    schema = {"properties": {"a": {"maximum": 1}, "b": {"maximum": 1}}}

    widened = apply_patch(schema, widen(schema, {"a": 2, "b": 2}, at="/b"))

    assert widened == {"properties": {"a": {"maximum": 1}, "b": {"maximum": 2}}}


def test_a_value_that_matches_needs_no_edit():
    assert widen({"type": "string"}, "a") == []


def test_a_definition_is_not_widened_where_that_would_refuse_other_values():
    schema = {
        "$defs": {"short": {"maxLength": 1}},
        "properties": {"a": {"$ref": "#/$defs/short"}, "b": {"not": {"$ref": "#/$defs/short"}}},
    }

    assert widen(schema, {"a": "ab"}) is None


@pytest.mark.parametrize(
    "name", ["const", "minimum", "required", "additionalProperties", "contains"]
)
def test_a_refused_property_may_have_the_name_of_a_keyword(name):
    schema = {"properties": {name: False}}

    widened = apply_patch(schema, widen(schema, {name: "a"}))

    assert widened == {"properties": {name: {"type": "string"}}}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (
            {
                "oneOf": [
                    {"type": "object", "properties": {"child": {"$ref": "#/oneOf/1"}}},
                    {"type": "integer"},
                    {"type": "number"},
                ]
            },
            7,
        ),
        (
            {
                "properties": {"n": {"$ref": "#/propertyNames"}},
                "propertyNames": {"maxLength": 2},
            },
            {"abc": 1},
        ),
        (
            {
                "$defs": {"o": {"oneOf": [{"type": "integer"}, {"type": "number"}]}},
                "properties": {"a": {"$ref": "#/$defs/o/oneOf/0"}, "b": {"$ref": "#/$defs/o"}},
            },
            {"b": 7},
        ),
        (
            {
                "properties": {"n": {"$ref": "#short"}},
                "propertyNames": {"$anchor": "short", "maxLength": 2},
            },
            {"abc": 1},
        ),
    ],
)
def test_no_part_that_a_reference_leads_to_is_moved_or_removed(schema, value):
    assert widen(schema, value) is None


@pytest.mark.parametrize("draft", DRAFTS)
def test_the_value_matches_afterwards_and_so_does_all_that_matched_before(draft):
    random = Random(f"widening {draft}")
    edited = 0
    for _ in range(60):
        schema = Schemas(random, draft).document()
        if random.random() < 0.4:
            refer_to_a_part(schema, random)
        values = [random_value(random, 3) for _ in range(12)]
        accepted = [value for value in values if accepts(schema, value)]
        for value in values[:6]:
            operations = widen(schema, value)
            if operations is None:
                continue
            widened = apply_patch(schema, operations)
            edited += bool(operations)

            assert accepts(widened, value), (schema, value, widened)
            lost = [before for before in accepted if not accepts(widened, before)]
            assert not lost, (schema, value, widened, lost)
    assert edited > 20


def test_a_description_matches_the_value_that_it_was_made_from():
    random = Random("descriptions")
    for _ in range(500):
        value = random_value(random, 4)

        assert accepts(describe(value), value), (value, describe(value))


def test_items_are_described_together():
    described = describe([{"a": 1, "b": "x"}, {"a": 0.5}])

    assert described == {
        "type": "array",
        "items": {
            "type": "object",
            "properties": {"a": {"type": "number"}, "b": {"type": "string"}},
            "required": ["a"],
        },
    }


def test_an_object_with_many_members_is_described_as_a_map():
    described = describe({str(number): number for number in range(200)})

    assert described == {"type": "object", "additionalProperties": {"type": "integer"}}
