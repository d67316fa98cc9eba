"""Details that a form hides until they are needed, and labels that distinguish similar controls."""

import pytest

from tests.playground.form.use import FormInUse

DAYS = {"type": "array", "uniqueItems": True, "items": {"enum": ["mon", "tue", "wed"]}}
WITH_DAYS = {"type": "object", "properties": {"days": DAYS}}
LEGS = {
    "type": "object",
    "properties": {
        "legs": {
            "type": "array",
            "items": {
                "title": "Leg",
                "type": "object",
                "properties": {"from": {"type": "string", "minLength": 3}},
            },
        }
    },
}


def test_boxes_of_a_list_that_is_not_there_make_it_as_soon_as_one_is_ticked():
    form = FormInUse(WITH_DAYS, {})

    assert form.node("/.days").template == "choices"
    assert form.send().value == {}
    assert form.type("i", "/.days", '"tue"').send().value == {"days": ["tue"]}
    assert form.type("i", "/.days").send().value == {"days": []}
    assert form.pick_kind("/.days", "none").value == {}


def test_a_list_of_boxes_that_is_not_there_may_be_made_row_by_row():
    form = FormInUse(WITH_DAYS, {}).pick_kind("/.days", "rows")

    assert form.value == {}
    assert (
        form.press("item", "/.days")
        .type("j", "/.days/@0", '"wed"')
        .press("item", "/.days")
        .send()
        .messages
    )
    assert form.type("j", "/.days/@1", '"mon"').send().value == {"days": ["wed", "mon"]}


def test_a_constant_is_shown_and_not_asked_for():
    schema = {
        "type": "object",
        "properties": {"kind": {"const": "car"}, "other": {"const": 1}},
        "required": ["kind"],
    }
    form = FormInUse(schema)
    control = form.page.by_id("parameters:/.kind")

    assert (control.tag, control.attributes["value"]) == ("input", '"car"')
    assert "readonly" in control.attributes
    assert form.page.by_id("parameters:/.other").tag == "select"  # it may be left out
    assert form.press("all").page.by_id("parameters:/.kind").tag == "select"
    assert form.send().value == {"kind": "car"}


@pytest.mark.parametrize("value", ["bus", None, 1, {"a": 1}])
def test_a_wrong_value_of_a_constant_can_be_corrected(value):
    form = FormInUse(
        {"properties": {"kind": {"const": "car"}}, "required": ["kind"]}, {"kind": value}
    )

    assert form.send().value == {"kind": value}
    assert form.type("j", "/.kind", '"car"').send().value == {"kind": "car"}


def test_entries_that_the_schema_does_not_speak_of_are_added_when_every_option_is_shown():
    form = FormInUse({"properties": {"a": {"type": "string"}}}, {})

    assert form.page.by_name.get("parameters:nk:") is None
    form.press("all").type("nk", "", "b").press("entry").pick_kind("/@0", "text")
    assert form.type("t", "/@0", "x").press("fewer").value == {"b": "x"}
    assert (
        form.page.by_name.get("parameters:nk:") is not None
    )  # where there is one there may be more


def test_entries_of_a_map_can_be_added_without_unfolding():
    for schema in (
        {"type": "object"},
        {"properties": {"a": {}}, "additionalProperties": {"type": "string"}},
    ):
        assert "parameters:entry:" in FormInUse(schema, {}).page.buttons


def test_the_whole_has_a_selector_of_kinds_where_there_is_a_choice_or_something_is_wrong():
    one = FormInUse({"type": "object", "minProperties": 1}, {})
    two = FormInUse({"type": ["object", "null"]}, {})

    assert one.node().head.kinds is None
    assert two.node().head.kinds is not None
    assert one.send().page.by_id("parameters:-kind").attributes["aria-invalid"] == "true"


def test_a_number_of_a_list_is_spelled_by_hand_when_every_option_is_shown():
    form = FormInUse({"enum": [1, 2]}, 1)

    assert form.node().head.kinds is None
    form.press("all").pick_kind("", "free").type("n", "", "2.0").send()
    assert form.submission.preview.text == "2.0"
    assert form.submission.problems == ()


def test_rows_with_the_same_title_are_numbered_in_the_error_summary():
    form = FormInUse(LEGS, {"legs": [{"from": "AMS"}, {"from": "X"}]}).send()

    assert form.node("/.legs/@1").head.label == "Leg 2"
    assert form.messages == ["legs · Leg 2 · from: must have at least 3 characters"]


def test_rows_of_a_tuple_have_their_own_titles():
    schema = {
        "prefixItems": [
            {"title": "Latitude", "type": "number"},
            {"title": "Longitude", "type": "number"},
        ]
    }

    assert [row.node.head.label for row in FormInUse(schema, [1, 2]).node().rows] == [
        "Latitude",
        "Longitude",
    ]


def test_an_empty_text_that_will_be_sent_is_marked():
    schema = {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}
    page = FormInUse(schema, {"a": ""}).page

    assert page.by_id("parameters:/.a").attributes["placeholder"] == "(empty text)"
    assert page.by_id("parameters:/.b").attributes["placeholder"] == "(not set)"


def test_a_required_text_that_is_not_filled_in_is_blank_like_a_number():
    schema = {
        "properties": {"a": {"type": "string"}, "b": {"type": "number"}},
        "required": ["a", "b"],
    }
    page = FormInUse(schema).page

    assert page.by_id("parameters:/.a").attributes["placeholder"] == " "
    assert page.by_id("parameters:/.b").attributes["placeholder"] == " "
