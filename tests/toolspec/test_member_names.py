"""Members of a spec that are probably misspelt."""

import pytest

from tests.corpora import lines
from tests.factories import make_spec, spec_text
from toolspec.lint import lint_with_positions
from toolspec.lint.fixes import apply_fix
from toolspec.member_names import find_misnamed
from toolspec.spec import read_spec

SCHEMA = {"type": "object"}


def meant(**definition):
    return {
        one.name: one.meant
        for one in find_misnamed({"definition": {"name": "f", "description": "d", **definition}})
    }


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("paramters", "parameters"),
        ("parameter", "parameters"),
        ("Parameters", "parameters"),
        ("params", "parameters"),
        ("inputSchema", "parameters"),
        ("input_schema", "parameters"),
        ("return_type", "returnType"),
        ("returntype", "returnType"),
        ("returnTyp", "returnType"),
        ("outputSchema", "returnType"),
        ("output_schema", "returnType"),
    ],
)
def test_a_member_near_a_defined_one_is_found(name, expected):
    assert meant(**{name: SCHEMA}) == {name: expected}


@pytest.mark.parametrize(
    "name", ["title", "tags", "deprecated", "annotations", "x-parameters", "_meta", "category"]
)
def test_members_of_other_software_are_not_found(name):
    assert meant(**{name: {}}) == {}


def test_a_member_is_not_found_if_the_one_that_it_might_be_is_there():
    assert meant(parameters=SCHEMA, inputSchema=SCHEMA) == {}


def test_another_word_counts_only_with_a_value_that_fits():
    assert meant(returns="a text") == {}


def test_members_at_the_top_and_in_examples_are_found():
    document = {
        "definition": {"name": "f", "description": "d", "examples": [{"return_value": {}}]},
        "Configuration": SCHEMA,
    }

    assert [(one.pointer, one.meant) for one in find_misnamed(document)] == [
        ("/Configuration", "configuration"),
        ("/definition/examples/0/return_value", "returnValue"),
    ]


def test_a_misspelt_member_is_an_error_of_lint_whose_fix_renames_it():
    text = spec_text("f", paramters={"type": "object", "properties": {"a": {"type": "string"}}})

    [advice] = [
        one for one in lint_with_positions(read_spec(text)) if one.rule == "member-misspelt"
    ]

    assert advice.severity == "error"
    assert read_spec(apply_fix(text, advice.fix)).parameters == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
    }


def test_a_value_that_does_not_fit_has_no_fix():
    [advice] = [
        one
        for one in lint_with_positions(make_spec("f", paramters="none"))
        if one.rule == "member-misspelt"
    ]

    assert advice.fix is None


@pytest.mark.corpora
@pytest.mark.parametrize("name", ["specs_mcp", "specs_bfcl", "specs_metatool", "specs_taubench"])
def test_real_specs_have_no_misspelt_members(name):
    assert [
        list(find_misnamed(read_spec(text).document))
        for text in lines(name)
        if any(find_misnamed(read_spec(text).document))
    ] == []
