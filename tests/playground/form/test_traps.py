"""The thirty traps that other forms for JSON Schema fell into, in the order of the design; what ours does."""

from playground.form.values import ABSENT
from tests.playground.form.use import FormInUse
from toolspec.text.reader import Number

SHAPES = {
    "oneOf": [
        {
            "title": "Circle",
            "type": "object",
            "properties": {
                "kind": {"const": "circle"},
                "radius": {"type": "number"},
                "name": {"type": "string"},
            },
            "required": ["kind", "radius"],
        },
        {
            "title": "Square",
            "type": "object",
            "properties": {
                "kind": {"const": "square"},
                "side": {"type": "number"},
                "name": {"type": "string"},
            },
            "required": ["kind", "side"],
        },
    ]
}


def test_1_another_branch_takes_only_what_it_declares():
    form = FormInUse(SHAPES, {"kind": "circle", "radius": 2, "name": "a"})

    form.pick_branch("", "/oneOf=1")

    assert form.value == {"kind": "square", "name": "a"}


def test_2_returning_to_a_branch_after_an_edit_preserves_the_edit_and_its_members():
    form = FormInUse(SHAPES, {"kind": "circle", "radius": 2, "name": "a"})

    form.pick_branch("", "/oneOf=1").type("t", "/.name", "b").pick_branch("", "/oneOf=0")

    assert form.value == {"kind": "circle", "radius": 2, "name": "b"}


def test_3_typed_text_never_changes_the_branch():
    schema = {
        "anyOf": [
            {"type": "string", "maxLength": 3, "title": "Code"},
            {"type": "string", "title": "Name"},
        ]
    }
    form = FormInUse(schema, "abc")

    form.type("t", "", "abcdef").send()

    assert form.page.rows("parameters:u:") == ["/anyOf=0"]


def test_4_a_loaded_value_picks_the_branch_whose_fixed_member_it_has():
    form = FormInUse(SHAPES, {"kind": "square", "radius": 2})

    assert form.page.rows("parameters:u:") == ["/oneOf=1"]


def test_4_a_member_that_no_branch_declares_stays_a_row():
    form = FormInUse(SHAPES, {"kind": "circle", "radius": 2, "colour": "red"})

    assert form.node().entries[0].key.value == "colour"


def test_5_a_branch_that_is_not_chosen_adds_nothing():
    schema = {
        "anyOf": [
            {"properties": {"a": {"default": 1}}},
            {"properties": {"b": {"default": 2}}, "required": ["b"]},
        ]
    }

    assert FormInUse({"type": "object", **schema}).value == {}


def test_6_an_empty_optional_text_is_absent_unless_it_is_ticked():
    form = FormInUse({"properties": {"a": {"type": "string"}}}, {"a": "x"})

    assert form.type("t", "/.a", "").send().value == {}
    assert form.type("x", "/.a", "1").send().value == {"a": ""}


def test_6_a_required_text_that_was_cleared_is_absent_unless_it_is_ticked():
    form = FormInUse({"properties": {"a": {"type": "string"}}, "required": ["a"]}, {"a": "x"})

    assert form.type("t", "/.a", "").send().value == {}
    assert form.node("/.a").head.errors == ("Enter a",)
    assert form.type("x", "/.a", "1").send().value == {"a": ""}
    assert form.is_valid


def test_6_a_text_of_a_list_that_was_cleared_is_asked_for_unless_it_is_ticked():
    form = FormInUse({"type": "array", "items": {"type": "string"}}, ["x"])

    assert form.type("t", "/@0", "").send().value == []
    assert form.node("/@0").head.errors == ("Enter a value for this item, or remove it",)
    assert form.type("x", "/@0", "1").send().value == [""]


def test_7_untouched_optional_members_are_absent_at_every_depth():
    inner = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "array"}, "c": {"type": "object"}},
    }
    form = FormInUse({"type": "object", "properties": {"deep": inner}, "required": ["deep"]})

    assert form.send().value == {"deep": {}}


def test_9_the_two_ways_to_write_nullable_look_the_same():
    either = FormInUse(
        {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}, {"a": None}
    )
    both = FormInUse({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None})

    assert either.html == both.html


def test_9_null_an_empty_text_and_absence_are_different():
    form = FormInUse({"properties": {"a": {"type": ["string", "null"]}}}, {"a": None})

    assert form.pick_kind("/.a", "text").type("t", "/.a", "").type(
        "x", "/.a", "1"
    ).send().value == {"a": ""}
    assert form.type("x", "/.a").send().value == {}
    assert form.pick_kind("/.a", "null").send().value == {"a": None}


def test_10_a_default_does_not_come_back_after_it_was_cleared():
    form = FormInUse(
        {"properties": {"a": {"type": "string", "default": "x"}}, "required": ["a"]}, {"a": "x"}
    )

    assert form.type("t", "/.a", "").send().value == {}


def test_11_an_optional_object_is_absent_until_it_is_added_and_can_be_removed():
    address = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    form = FormInUse({"type": "object", "properties": {"address": address}})

    assert form.send().is_valid
    assert form.press("add", "/.address").value == {"address": {}}
    assert form.press("remove", "/.address").value == {}


def test_12_false_is_sent_and_so_is_nothing():
    form = FormInUse({"properties": {"a": {"type": "boolean"}}, "required": ["a"]}, {"a": True})

    assert form.type("b", "/.a", "false").send().value == {"a": False}
    assert 'required="' not in form.html


def test_13_a_number_preserves_its_spelling():
    form = FormInUse({"type": "number"}, 3)

    form.type("n", "", "3.070").send()

    assert form.value == Number("3.07")
    assert form.node().text == "3.070"


def test_15_rows_keep_their_names_when_others_move_or_go():
    form = FormInUse({"type": "array", "items": {"type": "string"}}, ["a", "b", "c"])

    form.press("down", "/@0").press("remove", "/@1").type("t", "/@0", "A").send()

    assert form.value == ["A", "c"]
    assert [row.row.value for row in form.node().rows] == ["0", "2"]


def test_15_an_error_goes_with_its_row():
    form = FormInUse(
        {"type": "array", "items": {"type": "string", "minLength": 1}}, ["", "b"]
    ).send()

    form.press("down", "/@0").send()

    assert form.node("/@0").head.errors
    assert not form.node("/@1").head.errors


def test_16_a_renamed_entry_has_the_same_value():
    form = FormInUse(
        {"type": "object", "additionalProperties": {"type": "number"}}, {"a": 1, "b": 2}
    )

    assert form.type("k", "/@0", "c").send().value == {"c": 1, "b": 2}


def test_16_a_name_used_twice_is_an_error_at_the_name_and_loses_nothing():
    form = FormInUse(
        {"type": "object", "additionalProperties": {"type": "number"}}, {"a": 1, "b": 2}
    )

    form.type("k", "/@1", "a").send()

    assert "used twice" in form.node().entries[1].key.errors[0]
    assert form.node("/@1").text == "2"


def test_16_the_empty_name_is_a_name():
    form = FormInUse({"type": "object"}, {"a": "x"})

    assert form.type("k", "/@0", "").send().value == {"": "x"}


def test_17_a_member_that_the_schema_forbids_is_shown_and_marked():
    form = FormInUse({"properties": {"a": {}}, "additionalProperties": False}, {"b": "x"}).send()

    assert form.node("/@0").text == "x"
    assert form.node("/@0").head.notes == ("the schema does not allow this",)
    assert form.node().entries[0].key.errors


CONDITION = {
    "type": "object",
    "properties": {"country": {"enum": ["US", "NL"]}},
    "if": {"properties": {"country": {"const": "US"}}, "required": ["country"]},
    "then": {"properties": {"zip": {"type": "string"}}, "required": ["zip"]},
    "else": {"properties": {"postcode": {"type": "string"}}},
}


def test_19_a_condition_depends_on_the_entries():
    form = FormInUse(CONDITION, {"country": "US"})

    assert "/.zip" in form.kinds()
    form.type("j", "/.country", '"NL"').press("refresh")
    assert "/.postcode" in form.kinds()
    assert "/.zip" not in form.kinds()


def test_19_a_member_of_an_inactive_condition_can_be_removed():
    form = FormInUse(CONDITION, {"country": "US", "zip": "12345"})

    form.type("j", "/.country", '"NL"').press("refresh")

    assert form.node().entries[0].key.value == "zip"
    assert form.press("remove", "/@0").value == {"country": "NL"}


def test_21_a_recursive_schema_is_expanded_only_where_data_is():
    tree = {
        "$ref": "#/$defs/t",
        "$defs": {"t": {"type": "object", "properties": {"child": {"$ref": "#/$defs/t"}}}},
    }

    assert FormInUse(tree, {"child": {}}).kinds() == {
        "": "object",
        "/.child": "object",
        "/.child/.child": "absent",
    }


def test_21_a_recursive_required_member_ends_with_a_button():
    cycle = {
        "$ref": "#/$defs/t",
        "$defs": {
            "t": {"type": "object", "required": ["t"], "properties": {"t": {"$ref": "#/$defs/t"}}}
        },
    }
    form = FormInUse(cycle)

    assert form.value == {"t": {}}
    assert form.press("add", "/.t/.t").value == {"t": {"t": {"t": {}}}}


def test_22_only_the_branch_in_force_is_drawn():
    branches = [{"title": f"B{n}", "properties": {f"p{n}": {"type": "string"}}} for n in range(100)]

    assert list(FormInUse({"type": "object", "oneOf": branches}, {"p7": "x"}).kinds()) == [
        "",
        "/.p7",
    ]


def test_24_a_schema_without_a_type_allows_every_type():
    form = FormInUse({"type": "object", "properties": {"a": {}}, "required": ["a"]}, {"a": 1})
    offered = [option.label for option in form.node("/.a").head.kinds.options]

    assert offered == [
        "(not set)",
        "string",
        "number",
        "boolean",
        "null",
        "object",
        "array",
        "JSON text",
    ]


def test_25_no_choice_differs_from_an_empty_and_a_null_one():
    form = FormInUse({"properties": {"a": {"enum": ["", None]}}}, {"a": ""})

    assert [option.value for option in form.node("/.a").options] == ["", '""', "null"]
    assert form.type("j", "/.a", "").send().value == {}


def test_29_only_the_chosen_branch_of_a_union_shows_errors():
    form = FormInUse(SHAPES, {"kind": "square", "side": "wide"}).send()

    assert form.node("/.side").head.errors == ("must be a number",)
    assert not any("radius" in message for message in form.messages)


def test_30_ids_stay_the_same_from_page_to_page():
    form = FormInUse({"type": "array", "items": {"type": "string"}}, ["a", "b"])
    before = {element.attributes["id"] for element in form.page.select("[id]")}

    form.press("item", "")

    assert before <= {element.attributes["id"] for element in form.page.select("[id]")}


def test_nothing_is_sent_for_a_value_that_is_not_there():
    assert FormInUse({"type": "number"}, ABSENT).send().value is ABSENT
