"""T7 of the forms: defaults never become values by themselves; only who adds something gets them."""

import json

import pytest

from catalog.json_schema.validation import compile_schema
from catalog.jsontext import reader
from playground import schema_form
from playground.templatetags.forms import draw_form
from tests.corpora import lines, share
from tests.playground.schema_form.driver import Page
from tests.playground.schema_form.pairs import REAL_CASES, in_deep_tests, pairs_of, same

SPECS = ("specs_mcp", "specs_bfcl", "specs_taubench")


def untouched(schema, value):
    compiled = compile_schema(schema)
    page = Page(draw_form(schema_form.begin(compiled, value, name="parameters").form))
    return schema_form.submitted(compiled, page.submit(), name="parameters")


def without_optional_defaults(schema, value):
    """`value` without the optional members whose value is their default."""
    if not isinstance(schema, dict) or not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    return {
        name: without_optional_defaults(properties.get(name), member)
        for name, member in value.items()
        if name in required
        or not isinstance(properties.get(name), dict)
        or properties[name].get("default") != member
    }


def schemas_of(name):
    for line in share(lines(name)):
        definition = reader.loads(line)["definition"]
        for part in ("parameters", "configuration"):
            if part in definition:
                yield definition["name"], definition[part]


@pytest.mark.parametrize("name", [*REAL_CASES, in_deep_tests("draft2020-12")])
def test_an_omitted_member_with_a_default_stays_omitted(name):
    for pair in pairs_of(name):
        value = without_optional_defaults(pair.schema, pair.value)

        assert same(untouched(pair.schema, value).value, value), str(pair)


@pytest.mark.corpora
@pytest.mark.parametrize("name", SPECS)
def test_an_empty_object_stays_empty_under_every_real_schema(name):
    for tool, schema in schemas_of(name):
        assert untouched(schema, {}).value == {}, tool


@pytest.mark.corpora
@pytest.mark.parametrize("name", SPECS)
def test_a_new_value_has_only_the_required_members(name):
    for tool, schema in schemas_of(name):
        value = schema_form.begin(compile_schema(schema), name="parameters").value

        if schema.keys().isdisjoint({"allOf", "anyOf", "oneOf", "if"}):  # which may need more
            assert value.keys() <= set(schema.get("required", [])), tool


def test_a_required_member_begins_with_its_default():
    schema = {"properties": {"unit": {"type": "string", "default": "C"}}, "required": ["unit"]}

    assert schema_form.begin(compile_schema(schema), name="parameters").value == {"unit": "C"}


def test_an_optional_default_is_shown_but_not_filled_in():
    schema = {"properties": {"unit": {"type": "string", "default": "C"}}}
    begun = schema_form.begin(compile_schema(schema), name="parameters")

    assert begun.value == {}
    assert begun.form.root.members[0].head.default == json.dumps("C")


def test_a_default_does_not_come_back_after_it_was_cleared():
    schema = {"type": "object", "properties": {"unit": {"type": "string", "default": "C"}}}
    compiled = compile_schema(schema)
    page = Page(draw_form(schema_form.begin(compiled, {"unit": "C"}, name="parameters").form))

    cleared = schema_form.submitted(
        compiled, page.submit(typed={"parameters:t:/.unit": [""]}), name="parameters"
    )

    assert cleared.value == {}


def test_the_only_value_that_a_required_member_may_have_is_there_at_once():
    schema = {
        "properties": {"kind": {"const": "circle"}, "shade": {"const": "red"}},
        "required": ["kind"],
    }

    assert schema_form.begin(compile_schema(schema), name="parameters").value == {"kind": "circle"}


def test_a_default_of_the_wrong_type_is_ignored():
    schema = {"properties": {"limit": {"type": "integer", "default": None}}, "required": ["limit"]}

    assert schema_form.begin(compile_schema(schema), name="parameters").value == {}
