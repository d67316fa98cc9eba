import json
from contextlib import suppress

import pytest

from playground.runs.mocks import NoMock, make_mock
from tests.corpora import DATA, GET_WEATHER, expected
from tests.work import at_most
from toolspec.schema.sampling import NoValue, sample
from toolspec.schema.validation import Budget, compile_schema
from toolspec.spec import read_spec
from toolspec.text import reader

pytestmark = pytest.mark.unit


def mock_of(spec_text, parameters):
    spec = read_spec(spec_text if isinstance(spec_text, bytes | str) else json.dumps(spec_text))
    return make_mock(
        spec, parameters, compile_schema(spec.return_type) if spec.return_type is not None else None
    )


def spec_of(*, examples=None, **definition):
    return {
        "definition": {
            "name": "t",
            "description": "",
            **definition,
            **({"examples": examples} if examples else {}),
        }
    }


TWO_EXAMPLES = spec_of(
    examples=[
        {"description": "one", "parameters": {"city": "Wien", "days": 1}, "returnValue": {"n": 1}},
        {"description": "two", "parameters": {"city": "Graz", "days": 2}, "returnValue": {"n": 2}},
    ]
)


def test_an_example_with_these_parameters_is_the_mock():
    made = mock_of(GET_WEATHER.read_bytes(), {"location": "New York"})

    assert made.source == "example"
    assert made.example == 1
    assert made.description == "Get weather of New York"
    assert made.response == {"condition": "Sunny", "temperature": 28, "temperatureUnit": "C"}


def test_the_order_of_members_and_the_spelling_of_numbers_make_no_difference():
    made = mock_of(TWO_EXAMPLES, reader.loads('{"days": 2.0, "city": "Graz"}'))

    assert (made.source, made.response) == ("example", {"n": 2})


def test_otherwise_the_nearest_example_is_the_mock_and_its_differences_are_named():
    made = mock_of(TWO_EXAMPLES, {"city": "Graz", "days": 3, "unit": "C"})

    assert (made.source, made.example, made.response) == ("nearest", 2, {"n": 2})
    assert [(found.pointer, found.kind) for found in made.differences] == [
        ("/days", "changed"),
        ("/unit", "added"),
    ]


def test_many_differences_are_counted_and_the_first_are_named():
    made = mock_of(
        TWO_EXAMPLES, {"city": "Wien", "days": 1, **{f"x{number}": 0 for number in range(100)}}
    )

    assert len(made.differences) == 20
    assert made.differences_in_all == 100


def test_without_an_example_a_value_is_made_from_return_type():
    return_type = {
        "type": "object",
        "properties": {"celsius": {"type": "number", "minimum": -90, "maximum": 60}},
        "required": ["celsius"],
    }

    made = mock_of(spec_of(returnType=return_type), {"city": "Wien"})

    assert made.source == "returnType"
    assert -90 <= made.response["celsius"] <= 60


def test_the_same_parameters_make_the_same_response_and_others_another():
    spec = spec_of(returnType={"type": "integer", "minimum": 0, "maximum": 10**9})

    first = mock_of(spec, {"city": "Wien", "days": 2}).response
    again = mock_of(spec, reader.loads('{"days": 2.0, "city": "Wien"}')).response
    other = mock_of(spec, {"city": "Graz", "days": 2}).response

    assert first == again
    assert first != other


def test_an_example_without_a_return_value_is_ignored():
    spec = spec_of(returnType={"const": 5}, examples=[{"parameters": {"a": 1}}])

    assert mock_of(spec, {"a": 1}).response == 5


def test_a_spec_without_a_return_type_echoes_the_parameters():
    made = mock_of(spec_of(), {"a": 1})

    assert made.source == "echo"
    assert made.response == {"mock": True, "tool": "t", "parameters": {"a": 1}}


def test_a_return_type_that_accepts_nothing_has_no_mock_and_a_reason():
    with pytest.raises(NoMock) as caught:
        mock_of(spec_of(returnType={"type": "string", "minLength": 5, "maxLength": 2}), {})

    assert caught.value.problem.rule == "mock.no-value"
    assert "No value was found that returnType accepts" in caught.value.problem.message


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"const": None},
        {"enum": [1, "a", None]},
        {"type": ["null", "integer"]},
        {"type": "integer", "minimum": 3, "maximum": 3},
        {"type": "integer", "exclusiveMinimum": 3, "exclusiveMaximum": 5},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        {"type": "number", "multipleOf": 0.01, "minimum": 19.985, "maximum": 19.994},
        {"type": "number", "multipleOf": 0.0001},
        {"allOf": [{"multipleOf": 4}, {"multipleOf": 6}], "minimum": 1, "maximum": 12},
        {"type": "integer", "minimum": 9007199254740993},
        {"type": "string", "minLength": 300},
        {"type": "string", "maxLength": 3},
        {"type": "string", "maxLength": 0},
        {"type": "string", "pattern": "^[A-Z]{3}-\\d+$", "minLength": 6},
        *[
            {"type": "string", "format": form}
            for form in ("date", "date-time", "time", "email", "ipv4", "ipv6", "uri", "uuid", "duration", "hostname")
        ],
        {"type": "array", "items": {"type": "integer"}, "minItems": 5, "uniqueItems": True},
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": True},
        {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": False, "minItems": 2},
        {"type": "array", "items": {"type": "integer"}, "contains": {"const": 7}, "minContains": 2},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": False},
        {"type": "object", "required": ["a", "b"], "properties": {"a": {"type": "integer"}}},
        {"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3},
        {"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "integer"}}, "minProperties": 2,
         "additionalProperties": False},
        {"type": "object", "propertyNames": {"pattern": "^[a-z]{2}$"}, "minProperties": 2},
        {"type": "object", "properties": {"a": True, "b": {"type": "integer"}}, "dependentRequired": {"a": ["b"]},
         "required": ["a"]},
        {"properties": {"a": True}, "required": ["a"], "dependentSchemas": {"a": {"required": ["c"]}}},
        {"properties": {"kind": {"enum": ["x", "y"]}}, "required": ["kind"],
         "if": {"properties": {"kind": {"const": "x"}}}, "then": {"required": ["ex"]}, "else": {"required": ["why"]}},
        {"if": {"const": 1}, "else": False},
        {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 2}]},
        {"oneOf": [{"required": ["a"], "properties": {"b": False}}, {"required": ["b"], "properties": {"a": False}}],
         "type": "object"},
        {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "string", "minLength": 1}}},
        {"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "required": ["next"], "properties": {
            "next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}}}},
        {"$ref": "#/$defs/tree", "$defs": {"tree": {"type": "object", "properties": {
            "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}}},
        {"not": {"type": "string"}},
        {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "string"}}}],
         "unevaluatedProperties": False, "type": "object"},
    ],
    ids=lambda schema: reader.dumps(schema if isinstance(schema, bool) else json.loads(json.dumps(schema)))[:60]
    if not any(isinstance(part, float) for part in (schema.values() if isinstance(schema, dict) else ()))
    else "decimals",
)  # fmt: skip
def test_a_sample_conforms(schema):
    compiled = compile_schema(reader.loads(json.dumps(schema)))

    for seed in range(5):
        assert compiled.check(sample(compiled, str(seed))).verdict == "conforms"


def test_a_sample_object_has_its_optional_members():
    compiled = compile_schema(
        {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}}
    )

    assert set(sample(compiled, "")) == {"a", "b"}


def test_names_and_formats_give_realistic_strings():
    schema = {
        "properties": {
            "email": {"type": "string"},
            "createdDate": {"type": "string"},
            "homepage_url": {"type": "string"},
        }
    }

    made = sample(compile_schema(schema), "")

    assert made == {
        "email": "ada@example.com",
        "createdDate": "2025-03-14",
        "homepage_url": "https://example.com/item/1",
    }


@pytest.mark.parametrize(
    "schema", [False, {"type": "integer", "minimum": 1, "maximum": 0}, {"enum": []}, {"not": {}}]
)
def test_an_unsatisfiable_schema_has_no_sample(schema):
    with pytest.raises(NoValue):
        sample(compile_schema(schema), "")


def test_a_schema_that_demands_endless_nesting_ends():
    schema = {"type": "object", "required": ["next"], "properties": {"next": {"$ref": "#"}}}

    with pytest.raises(NoValue):
        sample(compile_schema(schema), "")


def test_a_wide_and_deep_schema_ends():
    branch = {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}]}
    members = {f"m{number}": branch for number in range(40)}
    definition = {"type": "object", "properties": members, "required": list(members)}

    with pytest.raises(NoValue):
        sample(
            compile_schema({"$ref": "#/$defs/a", "$defs": {"a": definition, "b": definition}}), ""
        )


def real_return_types():
    for path in sorted(DATA.glob("specs_*.jsonl")):
        if path.name in {"specs_mcp_invalid.jsonl", "specs_mcp.meta.jsonl"}:
            continue
        for line in path.read_text().splitlines():
            definition = reader.loads(line)["definition"]
            if "returnType" in definition:
                yield definition["id"], definition["returnType"]


@pytest.mark.corpora
def test_every_return_type_of_the_real_specs_has_a_mock_that_conforms():
    found = list(real_return_types())

    failed = [
        name
        for name, schema in found
        if (compiled := compile_schema(schema)).check(sample(compiled, name)).verdict != "conforms"
    ]

    assert len(found) > expected(selection=30, full=100)
    assert failed == []


def test_differences_are_counted_beyond_those_that_are_listed():
    spec = read_spec(
        json.dumps({"definition": {"name": "t", "description": "", "examples": [
            {"parameters": {"rows": [1, 2, 3], "a": 1}, "returnValue": {}}
        ]}})
    )  # fmt: skip

    made = make_mock(spec, {"rows": [1, *[0] * 99_999], "b": 1}, None)

    assert [str(found) for found in made.differences[:4]] == [
        "/rows/1 differs", "/rows/2 differs", "/rows/3 is not in the example", "/rows/4 is not in the example",
    ]  # fmt: skip
    assert (len(made.differences), made.differences_in_all) == (20, 100_001)


DOUBLING = {
    "members": lambda inner: {"properties": {"a": inner, "b": inner}, "required": ["a", "b"]},
    "items": lambda inner: {"type": "array", "minItems": 2, "items": inner},
    "1,000 items": lambda inner: {"type": "array", "minItems": 1000, "items": inner},
    "patterns": lambda inner: {"patternProperties": {"^(a|b){90}$": inner}, "minProperties": 9},
}


@pytest.mark.parametrize("double", DOUBLING.values(), ids=DOUBLING)
def test_a_value_that_grows_with_each_reference_is_made_within_the_budget(double):
    names = {f"d{n}": double({"$ref": f"#/$defs/d{n + 1}"}) for n in range(24)}
    compiled = compile_schema({"$ref": "#/$defs/d0", "$defs": {**names, "d24": {"type": "string"}}})

    with at_most(100_000), suppress(NoValue):
        sample(compiled, "seed", Budget(steps=1_000))
