"""Formats that accept all of JSON Schema: what changes in their schemas."""

import pytest

from tests.factories import properties
from tests.toolspec.exports.exported import (
    DRAFT_07,
    MIXED_DRAFTS,
    changes_of,
    parameters_in,
    spec_with,
)
from toolspec.exports import FORMATS, export, located_losses
from toolspec.exports.aliases import alias
from toolspec.exports.format_rules import ANTHROPIC
from toolspec.text.reader import dumps


@pytest.mark.parametrize("key", FORMATS)
def test_a_schema_with_a_keyword_of_a_later_draft_can_be_exported(key):
    exported = export(spec_with(MIXED_DRAFTS), key)

    located_losses(spec_with(MIXED_DRAFTS), exported, dumps(exported.document))
    assert exported.verdict != "not usable"


@pytest.mark.parametrize("key", ["mcp", "openai", "anthropic"])
def test_plain_parameters_are_unchanged(key):
    schema = properties(city={"type": "string", "minLength": 2}, days={"$ref": "#/$defs/days"})
    schema["$defs"] = {"days": {"type": "integer"}}

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


def test_openai_requires_items_in_every_array():
    exported = export(
        spec_with(properties(tags={"type": "array"}, ok={"type": "array", "items": {}})), "openai"
    )

    assert parameters_in(exported)["properties"]["tags"] == {"type": "array", "items": {}}
    assert list(changes_of(exported)) == ["/definition/parameters/properties/tags"]


def test_members_get_names_that_are_legal_for_anthropic():
    schema = {**properties(**{"filter[id]": {"type": "string"}}), "required": ["filter[id]"]}

    exported = export(spec_with(schema), "anthropic")
    new = alias("filter[id]", ANTHROPIC.members)

    assert parameters_in(exported) == {
        "type": "object",
        "properties": {new: {"type": "string"}},
        "required": [new],
    }
    assert exported.renamed == {"/definition/parameters/properties/filter[id]": new}


def test_the_schemas_of_members_become_objects_for_mcp():
    exported = export(spec_with(properties(any=True, none=False)), "mcp")

    assert parameters_in(exported)["properties"] == {"any": {}, "none": {"not": {}}}


def test_dependent_members_are_renamed_too():
    schema = properties(é={"type": "string"}, b={"type": "string"}) | {
        "dependentRequired": {"é": ["b"], "b": ["é"]}
    }

    document = export(spec_with(schema), "anthropic").document

    new = alias("é", ANTHROPIC.members)
    assert document["input_schema"]["dependentRequired"] == {new: ["b"], "b": [new]}


@pytest.mark.parametrize(
    "keyword", ["if", "not", "dependentSchemas", "patternProperties", "propertyNames"]
)
def test_keywords_that_refer_to_renamed_members_are_dropped_and_reported(keyword):
    schema = properties(é={"type": "string"}) | {keyword: {}}

    exported = export(spec_with(schema), "anthropic")

    assert keyword not in exported.document["input_schema"]
    assert f"/definition/parameters/{keyword}" in {loss.pointer for loss in exported.changes}


@pytest.mark.parametrize("key", ["mcp", "openai", "openai-strict", "anthropic"])
def test_a_draft_that_makes_no_difference_stays(key):
    schema = {
        "$schema": DRAFT_07,
        **properties(a={"type": "string"}),
        "required": ["a"],
        "additionalProperties": False,
    }

    exported = export(spec_with(schema), key)

    assert parameters_in(exported) == schema
    assert exported.verdict == "as it is"


def test_keywords_beside_a_reference_of_draft_07_are_dropped_except_annotations():
    schema = {
        "$schema": DRAFT_07,
        **properties(a={"$ref": "#/definitions/text", "maxLength": 1, "description": "A text."}),
        "definitions": {"text": {"type": "string"}},
    }

    exported = export(spec_with(schema), "anthropic")

    assert parameters_in(exported)["properties"]["a"] == {
        "description": "A text.",
        "$ref": "#/$defs/text",
    }
    assert changes_of(exported)["/definition/parameters/properties/a/maxLength"] == "dropped"
