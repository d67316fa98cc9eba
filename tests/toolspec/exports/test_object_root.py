"""Models send parameters as an object, so every root becomes one."""

import pytest

from tests.factories import make_spec, properties
from tests.toolspec.exports.exported import changes_of, parameters_in, spec_with
from toolspec.exports import FORMATS, export


@pytest.mark.parametrize("key", FORMATS)
def test_a_tool_without_parameters_can_be_used_as_it_is(key):
    assert export(make_spec("tool"), key).verdict == "as it is"


@pytest.mark.parametrize("key", ["mcp", "openai", "anthropic", "langchain"])
def test_parameters_become_an_object(key):
    exported = export(spec_with({"properties": {"a": {"type": "string"}}}), key)

    assert parameters_in(exported)["type"] == "object"
    assert changes_of(exported)["/definition/parameters"] == "rewritten"


@pytest.mark.parametrize("key", sorted(FORMATS.keys() - {"openapi"}))
def test_parameters_that_are_not_an_object_cannot_be_used(key):
    exported = export(spec_with({"type": "array", "items": {"type": "string"}}), key)

    assert exported.verdict == "not usable"
    assert exported.obstacles == (
        "Models send parameters as an object, but these parameters do not allow one.",
    )


@pytest.mark.parametrize("key", ["openai", "anthropic"])
def test_alternatives_at_the_top_become_one_list_of_members(key):
    schema = {
        "oneOf": [
            {
                **properties(url={"type": "string"}, size={"type": "integer"}),
                "required": ["url", "size"],
            },
            {
                **properties(file={"type": "string"}, size={"type": "string"}),
                "required": ["file", "size"],
            },
        ]
    }

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {
            "url": {"type": "string"},
            "size": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            "file": {"type": "string"},
        },
        "required": ["size"],
    }
    assert changes_of(exported)["/definition/parameters/oneOf"] == "rewritten"


@pytest.mark.parametrize("key", ["openai", "anthropic"])
def test_which_members_belong_together_cannot_be_expressed_at_the_top(key):
    schema = {
        **properties(a={"type": "string"}),
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    exported = export(spec_with(schema), key)

    assert "anyOf" not in parameters_in(exported)
    assert changes_of(exported) == {"/definition/parameters/anyOf": "dropped"}


def test_mcp_accepts_alternatives_at_the_top():
    schema = {
        **properties(a={"type": "string"}),
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }

    assert parameters_in(export(spec_with(schema), "mcp")) == schema


def test_a_reference_at_the_top_is_followed():
    schema = {"$ref": "#/$defs/all", "$defs": {"all": properties(next={"$ref": "#/$defs/all"})}}

    exported = export(spec_with(schema), "mcp")

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {"next": {"$ref": "#/$defs/all"}},
        "$defs": {"all": {"type": "object", "properties": {"next": {"$ref": "#/$defs/all"}}}},
    }


def test_empty_parameters_are_omitted_for_gemini():
    assert "parameters" not in export(spec_with(properties()), "gemini").document
