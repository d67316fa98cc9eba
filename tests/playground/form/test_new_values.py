"""A new value makes a bounded number of fields, whatever its schema requires."""

import pytest

from catalog.tools.publishing import publish
from playground import form as schema_form
from playground.form.form import MAX_FIELDS
from playground.templatetags.forms import draw_form
from tests.factories import spec_text
from tests.playground.form.driver import Page
from tests.work import at_most
from toolspec.schema.validation import compile_schema
from toolspec.spec import stored_spec

MOST_LINES = 6_000_000


def requiring(names, schema, **more):
    """An object that requires a member for each of `names`, each valid under `schema`."""
    properties = dict.fromkeys(names, schema)
    return {"type": "object", "required": list(names), "properties": properties, **more}


def names(count):
    return [f"m{number}" for number in range(count)]


ROOT = {"$ref": "#"}
TO_EACH_OTHER = {name: requiring(names(10), {}) for name in names(10)}
for one in TO_EACH_OTHER.values():
    one["properties"] = {name: {"$ref": f"#/$defs/{name}"} for name in names(10)}
LEVELS = {f"d{level}": requiring(names(8), {"$ref": f"#/$defs/d{level + 1}"}) for level in range(8)}
ITEMS = {"type": "string", "default": "x"}
for _ in range(5):
    ITEMS = {"type": "array", "minItems": 10, "items": ITEMS}

MULTIPLYING = {
    "members that are the whole again": requiring(names(60), ROOT),
    "members that may be the whole again": requiring(
        names(12), {"anyOf": [ROOT, {"type": "null"}]}
    ),
    "members that are the whole and more": requiring(
        names(12), {"allOf": [ROOT, {"description": "more"}]}
    ),
    "members without a declaration": {
        "type": "object",
        "required": names(60),
        "additionalProperties": ROOT,
    },
    "definitions that require each other": {"$ref": "#/$defs/m0", "$defs": TO_EACH_OTHER},
    "levels that each require eight of the next": {
        "$ref": "#/$defs/d0",
        "$defs": {**LEVELS, "d8": {"type": "string"}},
    },
    "arrays of ten arrays of ten": requiring(["rows"], ITEMS),
}


@pytest.mark.parametrize("what", MULTIPLYING)
def test_a_form_of_members_that_multiply_opens_with_bounded_work(what):
    compiled = compile_schema(MULTIPLYING[what])

    with at_most(MOST_LINES):
        opened = schema_form.begin(compiled, name="parameters")

    assert len(Page(draw_form(opened.form)).submit()) <= MAX_FIELDS


def test_a_value_of_empty_members_of_a_large_schema_opens_with_bounded_work():
    compiled = compile_schema(requiring(names(600), ROOT))
    value = {name: {} for name in names(60)}

    with at_most(MOST_LINES):
        opened = schema_form.begin(compiled, value, name="parameters")

    assert opened.value == value


def test_a_member_that_is_the_whole_again_begins_empty():
    compiled = compile_schema(requiring(["left", "right"], ROOT))

    opened = schema_form.begin(compiled, name="parameters")

    assert opened.value == {"left": {}, "right": {}}


def test_a_required_member_that_has_no_room_is_offered_by_its_name():
    compiled = compile_schema(requiring(names(3_000), {"type": "string"}))

    opened = schema_form.begin(compiled, name="parameters")

    assert len(Page(draw_form(opened.form)).submit()) <= MAX_FIELDS
    assert "m700" in opened.form.root.adder.suggestions


CHAINED = {
    "members of parts": lambda inner: {
        "type": "object",
        "allOf": [{"properties": {"next": inner}}],
    },
    "several members": lambda inner: {
        "type": "object",
        "properties": dict.fromkeys(names(8), inner),
    },
}


@pytest.mark.django_db
@pytest.mark.parametrize("link", CHAINED)
def test_the_page_opens_for_a_branch_that_starts_a_chain_of_600_definitions(client, link):
    definitions = {
        f"d{number}": CHAINED[link]({"$ref": f"#/$defs/d{number + 1}"}) for number in range(600)
    }
    definitions["d600"] = {"type": "object", "properties": {"kind": {"const": "last"}}}
    other = {"type": "object", "properties": {"kind": {"const": "other"}}}
    union = {"oneOf": [{"$ref": "#/$defs/d0"}, other]}
    parameters = {"type": "object", "properties": {"start": union}, "$defs": definitions}
    # Specs that were uploaded earlier may be deeper than new ones.
    tool = publish(stored_spec(spec_text("chain", parameters=parameters)), by=None).tool

    opened = client.get(f"/tools/{tool.slug}/try/")
    filled = client.get(
        f"/tools/{tool.slug}/try/", {"parameters": '{"start": {"next": {"next": {}}}}'}
    )

    assert (opened.status_code, filled.status_code) == (200, 200)


def test_members_within_members_still_distinguish_branches():
    def branch(kind):
        return {
            "title": kind,
            "type": "object",
            "allOf": [
                {
                    "properties": {
                        "a": {"properties": {"b": {"properties": {"kind": {"const": kind}}}}}
                    }
                }
            ],
        }

    schema = compile_schema(
        {"properties": {"start": {"oneOf": [branch("first"), branch("second")]}}}
    )
    value = {"start": {"a": {"b": {"kind": "second", "more": 1}}}}

    html = draw_form(schema_form.begin(schema, value, name="parameters").form)

    [chosen] = Page(html).select("select[aria-label='One of'] option[selected]")
    assert chosen.text() == "second"
