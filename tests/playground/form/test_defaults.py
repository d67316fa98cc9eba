"""T7 of the forms: defaults never become values by themselves; only who adds something gets them."""

import json

import pytest

from playground import form as schema_form
from playground.templatetags.forms import draw_form
from tests.corpora import lines, share
from tests.playground.form.driver import Page
from toolspec.schema.validation import compile_schema
from toolspec.text import reader

SPECS = ("specs_mcp", "specs_bfcl", "specs_taubench")


def untouched(schema, value):
    compiled = compile_schema(schema)
    page = Page(draw_form(schema_form.begin(compiled, value, name="parameters").form))
    return schema_form.read_submission(compiled, page.submit(), name="parameters")


def schemas_of(name):
    for line in share(lines(name)):
        definition = reader.loads(line)["definition"]
        for part in ("parameters", "configuration"):
            if part in definition:
                yield definition["name"], definition[part]


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
    assert untouched({"properties": {"deep": schema}}, {"deep": {}}).value == {"deep": {}}
    assert begun.form.root.members[0].head.default == json.dumps("C")


def test_a_default_of_the_wrong_type_is_ignored():
    schema = {"properties": {"limit": {"type": "integer", "default": None}}, "required": ["limit"]}

    assert schema_form.begin(compile_schema(schema), name="parameters").value == {}
