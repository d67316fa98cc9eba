"""Limits of the formats, and limits of the work for one export."""

import pytest

from tests.factories import properties
from tests.toolspec.exports.exported import parameters_in, spec_with
from tests.work import at_most
from toolspec.exports import FORMATS, export
from toolspec.exports.size_limits import strict_obstacles
from toolspec.text.reader import dumps


def test_obstacles_name_the_limits_of_strict_mode():
    members = {f"member{number}": {"type": "string"} for number in range(1, 5_002)}

    assert strict_obstacles({"type": "object", "properties": members}) == [
        "There are 5,001 properties; at most 5,000 are allowed."
    ]
    assert strict_obstacles(
        {"type": "string", "enum": [f"{number:0>80}" for number in range(300)]}
    ) == [
        "An `enum` has more than 250 strings, and together they have more than 15,000 characters."
    ]


def test_strict_allows_ten_levels_of_objects():
    schema = properties()
    for _ in range(10):
        schema = {**properties(inner=schema), "required": ["inner"]}

    assert export(spec_with(schema), "openai-strict").obstacles == (
        "There are 11 levels of objects; at most 10 are allowed.",
    )


def circle(length):
    """Definitions d0, d1, …: each has a member `next` that refers to the next one, the last to the first."""
    return {
        f"d{n}": properties(next={"$ref": f"#/$defs/d{(n + 1) % length}"}) | {"description": f"{n}"}
        for n in range(length)
    }


def test_references_are_written_out_64_schemas_deep_for_gemini():
    exported = export(
        spec_with({**properties(d={"$ref": "#/$defs/d0"}), "$defs": circle(700)}), "gemini"
    )

    schema, depth = parameters_in(exported), 1
    while "properties" in schema:
        [schema], depth = schema["properties"].values(), depth + 1
    assert (schema, depth) == ({"type": "object", "description": "63"}, 65)
    [loss] = [loss for loss in exported.losses if "nested here" in loss.reason]
    assert loss.what == "dropped"
    assert loss.pointer == "/definition/parameters/$defs/d62/properties/next"
    assert loss.reason == "More than 64 schemas are nested here; deeper ones accept any value."


def test_strict_mode_allows_any_number_of_definitions_that_refer_to_each_other():
    exported = export(
        spec_with({**properties(d={"$ref": "#/$defs/d0"}), "$defs": circle(700)}), "openai-strict"
    )

    definitions = parameters_in(exported)["$defs"]
    assert list(definitions) == [f"d{n}" for n in range(700)]
    assert definitions["d699"]["properties"]["next"]["anyOf"] == [
        {"$ref": "#/$defs/d0"},
        {"type": "null"},
    ]


@pytest.mark.parametrize("key", FORMATS)
@pytest.mark.parametrize(
    "hop", [lambda inner: inner, lambda inner: {"allOf": [inner]}], ids=["$ref", "allOf"]
)
def test_chains_of_references_are_exported_to_every_format(key, hop):
    names = {
        f"d{n}_{m}": hop({"$ref": f"#/$defs/d{n}_{m + 1}"}) for n in range(60) for m in range(14)
    }
    for n in range(60):
        names[f"d{n}_14"] = properties(next={"$ref": f"#/$defs/d{n + 1}_0"})
    schema = {
        **properties(d={"$ref": "#/$defs/d0_0"}),
        "$defs": names | {"d60_0": {"type": "string"}},
    }

    exported = export(spec_with(schema), key)

    assert exported.document
    assert not [loss for loss in exported.losses if "too deep" in loss.reason]


def test_the_number_of_written_schemas_is_limited():
    definitions = {"d0": {"type": "string"}}
    for number in range(1, 13):
        inner = {"$ref": f"#/$defs/d{number - 1}"}
        definitions[f"d{number}"] = properties(a=inner, b=inner)

    exported = export(
        spec_with({**properties(x={"$ref": "#/$defs/d12"}), "$defs": definitions}), "gemini"
    )

    assert exported.obstacles == ("With references expanded, there are more than 5,000 schemas.",)


def hostile():
    """Schemas that the schema policy allows, and that multiply when they are written out."""
    members = {f"p{number}": {"type": "string"} for number in range(450)}
    yield (
        "wide alternatives",
        {**properties(**members), "anyOf": [properties(**{f"q{n}": {}}) for n in range(450)]},
    )
    yield (
        "one member often",
        {"allOf": [properties(p={"maxLength": number}) for number in range(450)]},
    )
    yield "many parts", {"allOf": [properties(**{f"p{number}": {}}) for number in range(900)]}
    yield (
        "long lists",
        properties(**{f"p{n}": {"allOf": [{"enum": list(range(300))}] * 2} for n in range(10)}),
    )
    deep = {"type": "string"}
    for _ in range(8):
        deep = {
            "type": "object",
            "properties": {"a": {}},
            "anyOf": [deep, {"required": ["a"], "properties": {"b": {}}}],
        }
    yield "deep alternatives", deep


@pytest.mark.deep
@pytest.mark.parametrize("schema", [pytest.param(schema, id=name) for name, schema in hostile()])
@pytest.mark.parametrize("key", FORMATS)
def test_hostile_schemas_are_exported_with_bounded_work(key, schema):
    for parameters in (schema, properties(x=schema)):
        spec = spec_with(parameters)

        with at_most(3_000_000):
            dumps(export(spec, key).document)
