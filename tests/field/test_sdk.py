"""Reports about `@tool`: the spec made from an annotation accepts what the tool responds with."""

import json

import pytest

from tests.field import field_input
from toolshelf_tools.decorator import FunctionFactory
from toolshelf_tools.spec import make_spec
from toolshelf_tools.testing import call
from toolspec.schema.validation import compile_schema
from toolspec.text.reader import loads

pytestmark = pytest.mark.unit


def import_tools(subject):
    """The tools of the module in a case, by name."""
    module = {"__name__": subject}
    exec(field_input(subject)["python"], module)
    return {name: value for name, value in module.items() if isinstance(value, FunctionFactory)}


@pytest.mark.parametrize(
    ("subject", "responses"),
    [
        ("sdk-decimal-in-model", {"invoice": {"total": "19.90"}}),
        ("sdk-integer-keys", {"names": {"1": "a"}}),
        ("sdk-set", {"tags": ["a"]}),
        ("sdk-duration-with-fraction", {"pause": "PT0.5S", "now": "2024-01-02T03:04:05"}),
        (
            "sdk-network-secret-bytes-in-model",
            {"login": {"token": "**********", "raw": "hi"}, "net": "10.0.0.0/8"},
        ),
    ],
)
def test_a_response_conforms_to_the_spec_made_from_its_annotation(subject, responses):
    tools = import_tools(subject)

    given = {name: call(factory, {}) for name, factory in tools.items()}

    assert given == responses
    for name, response in given.items():
        schema = loads(json.dumps(make_spec(tools[name])["definition"]["returnType"]))
        assert compile_schema(schema).check(loads(json.dumps(response))).verdict == "conforms"


def test_a_set_is_an_array_of_unique_items():
    tools = import_tools("sdk-set")

    definition = make_spec(tools["tags"])["definition"]

    assert definition["returnType"] == {
        "type": "array",
        "uniqueItems": True,
        "items": {"type": "string"},
    }


def test_a_docstring_of_numpy_describes_the_tool_its_parameters_and_its_response():
    tools = import_tools("sdk-docstring-numpy")

    definition = make_spec(tools["find"])["definition"]

    descriptions = {
        name: each["description"] for name, each in definition["parameters"]["properties"].items()
    }
    assert definition["description"] == "Find notes."
    assert descriptions == {"query": "What to look for.", "top": "How many."}
    assert definition["returnType"]["description"] == "The titles."
