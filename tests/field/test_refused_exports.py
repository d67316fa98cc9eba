"""Exports that a provider refused: they are changed so that it accepts them, and the verdict says so."""

import json

import pytest

from tests.factories import make_spec, properties
from tests.field import field_input
from toolspec.exports import export, usable_as_it_is

pytestmark = pytest.mark.unit

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
LOOKAROUND = "^(?!\\.)[a-z.]+$"


def exported(key, **definition):
    return export(make_spec("find", **definition), key)


def schema_in(found):
    document = found.document.get("function", found.document)
    return document["parameters"]


def unions_in(value):
    """Every schema in a document that has `anyOf`."""
    if isinstance(value, dict):
        if "anyOf" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from unions_in(inner)


@pytest.mark.parametrize("case", ["gemini-anyof-beside-description", "gemini-type-list-nullable"])
def test_nothing_stands_beside_a_union_for_gemini(case):
    found = exported("gemini", **field_input(case))

    unions = list(unions_in(found.document))
    assert unions
    assert all(union.keys() == {"anyOf"} for union in unions)
    assert found.verdict == "with changes"


@pytest.mark.parametrize(
    "schema",
    [
        {"title": "Weight", "anyOf": [NUMBER, TEXT]},
        {"anyOf": [NUMBER, TEXT, {"type": "null"}], "default": None, "description": "How heavy"},
        {
            "oneOf": [NUMBER, {"type": "string", "description": "In words"}],
            "description": "How heavy",
        },
        {"type": "array", "items": {"anyOf": [NUMBER, TEXT], "description": "A weight"}},
        {
            "type": ["array", "null"],
            "description": "d",
            "items": {"type": ["number", "string", "null"]},
        },
        {
            "anyOf": [{"anyOf": [NUMBER, TEXT], "description": "inner"}, {"type": "boolean"}],
            "description": "outer",
        },
        {"description": "Anything"},
        {"type": "array", "prefixItems": [NUMBER, TEXT], "description": "A pair"},
        {"$ref": "#/$defs/w", "description": "d"},
        {"type": ["integer", "string"], "default": 5, "minimum": 1, "minLength": 2},
    ],
)
def test_no_union_of_gemini_has_a_second_keyword(schema):
    parameters = properties(w=schema) | {"$defs": {"w": {"anyOf": [NUMBER, TEXT], "title": "W"}}}

    found = exported("gemini", parameters=parameters, returnType=parameters)

    assert all(union.keys() == {"anyOf"} for union in unions_in(found.document))


def test_what_stood_beside_a_union_stands_in_its_alternatives():
    union = {
        "anyOf": [NUMBER, {**TEXT, "description": "In words."}],
        "description": "How heavy",
        "default": 1,
    }

    found = schema_in(exported("gemini", parameters=properties(w=union)))

    assert found["properties"]["w"] == {
        "anyOf": [
            {"type": "number", "description": "How heavy", "default": 1},
            {"type": "string", "description": "How heavy. In words."},
        ]
    }


def test_a_default_that_no_alternative_allows_is_reported_as_lost():
    union = {"anyOf": [NUMBER, {**TEXT, "enum": ["light"]}], "default": "heavy"}

    found = exported("gemini", parameters=properties(w=union))

    (loss,) = [loss for loss in found.changes if loss.pointer.endswith("/default")]
    assert loss.what == "dropped"
    assert "heavy" not in json.dumps(found.document)


def test_gemini_gets_no_empty_text_in_an_enum():
    found = exported("gemini", **field_input("gemini-empty-enum-value"))

    assert schema_in(found)["properties"]["state"]["enum"] == ["open", "closed"]
    assert found.verdict == "with changes"
    assert [loss.what for loss in found.changes] == ["dropped"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "items": {"type": "string", "enum": ["", "a"]}},
        {"anyOf": [{"enum": ["", "a"]}, NUMBER]},
        {"type": ["string", "null"], "enum": ["", None]},
        {"const": ""},
        {"enum": [""]},
        {"type": ["string", "integer"], "enum": ["", "a", 1]},
    ],
)
def test_no_enum_of_gemini_has_an_empty_text_at_any_depth(schema):
    found = exported("gemini", parameters=properties(state=schema))

    assert '""' not in json.dumps(found.document["parameters"]).replace('\\"', "'")
    assert '"enum": []' not in json.dumps(found.document)
    assert found.verdict == "with changes"


@pytest.mark.parametrize("key", ["openai", "openai-strict"])
def test_a_pattern_with_lookaround_is_described_instead_for_openai(key):
    spec = make_spec("find", **field_input("openai-lookaround"))

    found = export(spec, key)

    mail = schema_in(found)["properties"]["mail"]
    assert "pattern" not in mail
    assert "^(?!\\.)[a-z.]+@[a-z]+$" in mail["description"]
    assert found.verdict == "with changes"
    assert key not in usable_as_it_is(spec)


@pytest.mark.parametrize(
    "pattern", [LOOKAROUND, "(?<=a)b", "(?<!a)b", "a(?=b)", "(?:a|(?:b(?!c))+)"]
)
@pytest.mark.parametrize("key", ["openai", "openai-strict"])
def test_each_kind_of_lookaround_is_found(key, pattern):
    found = exported(
        key, parameters=properties(a={"type": "array", "items": {**TEXT, "pattern": pattern}})
    )

    assert '"pattern"' not in json.dumps(found.document)


@pytest.mark.parametrize("pattern", [r"\(?=a", "[(?=]a", "(?:a)b", "(?<name>a)b"])
@pytest.mark.parametrize("key", ["openai", "openai-strict"])
def test_a_pattern_that_only_resembles_a_lookaround_stays(key, pattern):
    schema = {
        **properties(a={**TEXT, "pattern": pattern}),
        "required": ["a"],
        "additionalProperties": False,
    }

    found = exported(key, parameters=schema)

    assert schema_in(found)["properties"]["a"]["pattern"] == pattern
    assert found.verdict == "as it is"


def test_lookaround_in_names_of_properties_is_left_out():
    schema = properties() | {
        "patternProperties": {LOOKAROUND: TEXT, "^x": TEXT},
        "propertyNames": {"pattern": LOOKAROUND},
        "additionalProperties": False,
    }

    found = exported("openai", parameters=schema)

    assert schema_in(found)["patternProperties"] == {"^x": TEXT}
    assert "pattern" not in schema_in(found)["propertyNames"]
    assert "additionalProperties" not in schema_in(found)
    assert found.verdict == "with changes"


def test_a_property_named_pattern_is_no_pattern():
    found = exported("openai", parameters=properties(pattern={**TEXT, "default": LOOKAROUND}))

    assert found.verdict == "as it is"
