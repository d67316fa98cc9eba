"""A tool as an OpenAPI document."""

from tests.factories import GET_WEATHER, properties
from tests.toolspec.exports.exported import changes_of, spec_with
from toolspec.exports import export
from toolspec.spec import read_spec


def test_openapi_has_every_part_of_the_spec():
    spec = read_spec(GET_WEATHER.read_bytes())

    exported = export(spec, "openapi")
    operation = exported.document["paths"][f"/tools/{spec.slug}"]["post"]

    assert operation["requestBody"]["content"]["application/json"] == {
        "schema": {"$ref": "#/components/schemas/Parameters"},
        "examples": {
            "example-1": {"summary": "Get weather of New York", "value": {"location": "New York"}}
        },
    }
    assert exported.document["components"]["schemas"] == {
        "Parameters": spec.parameters,
        "Returns": spec.return_type,
    }
    assert exported.document["x-llm-tool"] == {
        "name": "Get weather",
        "configuration": spec.configuration,
    }
    assert [loss.pointer for loss in exported.changes] == ["/definition/name"]


def test_openapi_has_definitions_among_its_components():
    schema = {
        **properties(a={"$ref": "#/$defs/text"}, self={"$ref": "#"}),
        "$defs": {"text": {"type": "string"}},
    }

    assert export(spec_with(schema), "openapi").document["components"]["schemas"] == {
        "Parameters": properties(
            a={"$ref": "#/components/schemas/Parameters.text"},
            self={"$ref": "#/components/schemas/Parameters"},
        ),
        "Parameters.text": {"type": "string"},
    }


def test_openapi_gets_no_default_that_its_schema_refuses():
    parameters = properties(
        a={"type": "string", "default": None},
        b={"$ref": "#/$defs/n"},
        c={"type": "string", "default": "x"},
    )
    exported = export(
        spec_with({**parameters, "$defs": {"n": {"type": "integer", "default": "one"}}}), "openapi"
    )

    schemas = exported.document["components"]["schemas"]
    assert schemas["Parameters"]["properties"]["a"] == {"type": "string"}
    assert schemas["Parameters"]["properties"]["c"] == {"type": "string", "default": "x"}
    assert schemas["Parameters.n"] == {"type": "integer"}
    assert exported.verdict == "with changes"
    assert {pointer for pointer, what in changes_of(exported).items() if what == "dropped"} == {
        "/definition/parameters/properties/a/default",
        "/definition/parameters/$defs/n/default",
    }


def test_openapi_keeps_a_default_that_cannot_be_checked():
    slow = {"type": "string", "pattern": "^(a+)+$", "default": "a" * 40 + "!"}
    exported = export(spec_with(properties(a=slow)), "openapi")

    assert "a" in exported.document["components"]["schemas"]["Parameters"]["properties"]
