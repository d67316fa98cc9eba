"""References and `allOf` are merged with the keywords beside them."""

from tests.factories import properties
from tests.toolspec.exports.exported import strict


def test_keywords_beside_a_reference_are_merged_with_its_target():
    parameters = {
        **properties(a={"$ref": "#/$defs/text", "description": "Here."}),
        "required": ["a"],
        "$defs": {"text": {"type": "string", "description": "There."}},
    }

    assert strict(parameters)["properties"]["a"] == {"description": "Here.", "type": "string"}


def test_keywords_beside_alternatives_are_copied_into_each():
    schema = {
        **properties(kind={"type": "string"}),
        "required": ["kind"],
        "anyOf": [{"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {}}],
    }

    branches = strict({**properties(x=schema), "required": ["x"]})["properties"]["x"]["anyOf"]

    assert [list(branch["properties"]) for branch in branches] == [["kind", "a"], ["kind"]]
