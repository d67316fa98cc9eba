"""Completions for a position in JSON text."""

import pytest

from playground.form.completions import find_completions
from toolspec.schema.children import member
from toolspec.schema.validation import compile_schema
from toolspec.schema.validation.budget import MAX_STEPS

SCHEMA = {
    "$defs": {
        "node": {"properties": {"next": {"$ref": "#/$defs/node"}, "size": {"type": "integer"}}}
    },
    "type": "object",
    "required": ["to", "mode"],
    "properties": {
        "cc": {"type": ["string", "null"], "description": "A copy."},
        "to": {"type": "string"},
        "mode": {"enum": ["fast", 'by "hand"', 3]},
        "urgent": {"type": "boolean"},
        "tree": {"$ref": "#/$defs/node"},
        "parts": {"items": {"oneOf": [{"properties": {"text": {}}}, {"properties": {"file": {}}}]}},
        "pair": {"prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}},
        "never": False,
        "strict": {
            "oneOf": [
                {"properties": {"a": {"properties": {"deep": {}}}}, "additionalProperties": False},
                {"properties": {"b": {}}, "additionalProperties": False},
            ]
        },
    },
    "additionalProperties": {"properties": {"extra": {}}},
    "if": {"required": ["urgent"]},
    "then": {"properties": {"reason": {"type": "string"}}},
}


def found(*path, schema=SCHEMA):
    return find_completions(compile_schema(schema).root, path)


def names(*path):
    return [one.text for one in found(*path).members]


def values(*path):
    return [one.text for one in found(*path).values]


def test_members_have_their_types_and_descriptions_and_required_ones_come_first():
    members = found().members

    assert [one.text for one in members] == [
        "to",
        "mode",
        "cc",
        "urgent",
        "tree",
        "parts",
        "pair",
        "strict",
        "reason",
    ]
    assert [one.is_required for one in members[:3]] == [True, True, False]
    assert (members[2].detail, members[2].description) == ("string or null", "A copy.")


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": ["integer", "number"]}, "number"),
        ({"type": "integer"}, "integer"),
        ({"type": ["string", "boolean", "null"]}, "string, boolean or null"),
        ({}, ""),
    ],
)
def test_types_are_named_as_in_json_schema(schema, words):
    [one] = found(schema={"properties": {"a": schema}}).members

    assert one.detail == words


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        (["tree", "next", "next"], ["next", "size"]),
        (["parts", 7], ["text", "file"]),
        (["another"], ["extra"]),
        (["strict"], ["a", "b"]),
        (["strict", "a"], ["deep"]),
        (["to"], []),
        (["never"], []),
    ],
)
def test_members_are_found_through_references_unions_and_lists(path, expected):
    assert sorted(names(*path)) == sorted(expected)


def test_values_are_json_texts():
    assert values("mode") == ['"fast"', '"by \\"hand\\""', "3"]
    assert values("urgent") == ["true", "false"]
    assert [values("pair", index) for index in range(3)] == [["1"], ["2"], ["3"]]
    assert values("to") == values() == values("parts") == []


def test_a_schema_that_is_too_large_has_no_completions():
    wide = {"anyOf": [{"properties": {f"p{number}": {}}} for number in range(5000)]}

    assert not found(schema=wide).members


def test_looking_for_completions_is_bounded_work(monkeypatch):
    lookups = []
    monkeypatch.setattr(
        "playground.form.completions.member",
        lambda *given: lookups.append(1) or member(*given),
    )
    wide = {"anyOf": [{"properties": {f"p{branch}": {}}} for branch in range(3900)]}

    found(schema=wide)

    assert len(lookups) <= MAX_STEPS
