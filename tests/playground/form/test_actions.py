"""The buttons of a form: each changes the draft, keeps everything that was typed, and checks nothing."""

from playground.form import read_submission
from playground.form.values import ABSENT
from tests.playground.form.use import FormInUse

LIST = {"type": "array", "items": {"type": "string"}}


def test_a_button_preserves_typed_text_without_errors():
    form = FormInUse({"type": "object", "properties": {"a": {"type": "number"}, "b": LIST}}, {})

    form.type("n", "/.a", "nonsense").press("item", "/.b")

    assert form.node("/.a").text == "nonsense"
    assert form.messages == []


def test_an_item_is_added_at_the_end_and_gets_the_focus():
    form = FormInUse(LIST, ["a"]).press("item")

    assert form.value == ["a"]
    assert [row.row.value for row in form.node().rows] == ["0", "1"]
    assert "autofocus" in form.page.by_id("parameters:/@1").attributes


def test_adding_an_item_creates_a_missing_list():
    assert FormInUse({"type": "object", "properties": {"a": LIST}}, {}).press(
        "item", "/.a"
    ).value == {"a": []}


def test_a_new_list_has_as_many_items_as_it_must():
    schema = {"type": "object", "properties": {"a": {**LIST, "minItems": 2}}}

    form = FormInUse(schema, {}).press("add", "/.a")

    assert [row.row.value for row in form.node("/.a").rows] == ["0", "1"]
    assert form.value == {"a": []}


def test_rows_move_up_and_down_and_the_first_and_last_stay():
    form = FormInUse(LIST, ["a", "b", "c"])

    assert form.press("up", "/@2").value == ["a", "c", "b"]
    assert form.press("down", "/@0").value == ["c", "a", "b"]
    assert "parameters:up:/@2" not in form.page.buttons
    assert "parameters:down:/@1" not in form.page.buttons


def test_the_row_of_a_removed_item_is_not_used_again_for_the_next():
    form = FormInUse(LIST, ["a", "b"]).press("item").press("remove", "/@0").press("item")

    assert [row.row.value for row in form.node().rows] == ["1", "2", "3"]


def test_an_entry_is_added_under_the_name_that_was_typed():
    form = FormInUse({"type": "object", "additionalProperties": {"type": "string"}}, {})

    form.type("nk", "", "a/b").press("entry")

    assert form.type("t", "/@0", "x").send().value == {"a/b": "x"}


def test_an_entry_under_a_declared_name_becomes_that_member():
    schema = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(200)}}

    assert FormInUse(schema, {}).type("nk", "", "p199").press("entry").kinds()["/.p199"] == "text"


def test_an_object_that_takes_no_more_members_offers_no_entry():
    assert FormInUse({"type": "object", "additionalProperties": False}, {}).node().adder is None


def test_a_list_that_takes_no_more_items_offers_none():
    schema = {"type": "array", "prefixItems": [{"type": "string"}], "items": False}

    assert FormInUse(schema, ["a"]).node().add == ()


def test_the_names_that_propertynames_lists_are_suggested():
    schema = {
        "type": "object",
        "propertyNames": {"enum": ["red", "blue"]},
        "additionalProperties": {"type": "number"},
    }

    assert FormInUse(schema, {}).node().adder.suggestions == ("red", "blue")


def test_a_kind_that_was_picked_and_not_applied_is_applied_when_the_form_is_sent():
    form = FormInUse(
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, {"a": "x"}
    )

    assert form.type("y", "/.a", "null").send().value == {"a": None}


def test_text_that_is_a_number_stays_when_the_kind_changes():
    form = FormInUse({"type": ["string", "number"]}, "12")

    assert form.pick_kind("", "number").value == 12


def test_one_text_becomes_the_first_of_a_list():
    schema = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}

    assert FormInUse(schema, "a").pick_kind("", "array").value == ["a"]


def test_returning_to_an_earlier_type_restores_its_value():
    form = FormInUse({"type": ["string", "object"]}, "some text")

    assert form.pick_kind("", "object").value == {}
    assert form.pick_kind("", "text").value == "some text"


def test_the_whole_is_edited_as_json_and_as_fields():
    form = FormInUse({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": 1})

    form.press("view", detail="json")
    assert form.submission.view == "json"
    assert (
        form.type("e", "", '{"a": 2, "b": [1.50]}').press("view", detail="fields").kinds()["/@0"]
        == "array"
    )
    assert form.submission.view == "fields"


def test_invalid_json_stays_with_the_position_of_its_error():
    form = FormInUse({"type": "object"}, {"a": 1}).press("view", detail="json")

    form.type("e", "", '{"a": 1,\n "b" 2}').send()

    assert form.node().text == '{"a": 1,\n "b" 2}'
    assert "(line 2, column " in form.messages[0]


def test_json_with_a_mistake_is_not_turned_into_fields():
    form = FormInUse({"type": "object"}, {"a": 1}).press("view", detail="json")

    form.type("e", "", "{").press("view", detail="fields")

    assert form.submission.view == "json"
    assert form.node().text == "{"


def test_fields_with_a_mistake_are_as_they_were_after_a_look_at_the_json():
    form = FormInUse(
        {"type": "object", "properties": {"a": {"type": "number"}, "b": {"type": "string"}}},
        {"b": "x"},
    )

    form.type("n", "/.a", "1,5").press("view", detail="json").press("view", detail="fields")

    assert form.node("/.a").text == "1,5"
    assert form.value == {"b": "x"}


def test_the_button_of_another_form_only_draws_this_one_again():
    form = FormInUse({"type": "object", "properties": {"a": {"type": "number"}}}, {})
    pairs = [("parameters:o:", ""), ("parameters:n:/.a", "x"), ("op", "configuration:item:/.b")]

    submission = read_submission(form.schema, pairs, name="parameters", is_checked=False)

    assert submission.form.errors == ()


def test_two_forms_of_one_page_are_read_apart():
    pairs = [("a:o:", ""), ("a:t:/.x", "1"), ("b:o:", ""), ("b:t:/.x", "2"), ("other", "3")]

    assert read_submission(None, pairs, name="a").value == {"x": "1"}
    assert read_submission(None, pairs, name="b").value == {"x": "2"}


def test_a_form_that_was_not_sent_is_empty():
    assert read_submission(None, [("csrf", "x")], name="parameters").value is ABSENT


def test_every_option_can_be_shown_and_hidden_again():
    form = FormInUse({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": "x"})

    assert form.node("/.a").head.kinds is None
    assert form.press("all").node("/.a").head.kinds
    assert form.send().node("/.a").head.kinds
    assert form.press("fewer").node("/.a").head.kinds is None


def test_a_text_of_characters_that_cannot_be_typed_is_written_as_a_literal():
    form = FormInUse({"type": "string"}, "x").press("all").pick_kind("", "literal")

    assert form.type("q", "", '"a\\u0007b"').send().value == "a\x07b"
    assert (
        form.type("q", "", "a").send().messages
        == ['Parameters: Write the text as a JSON literal in double quotes, like "a\\nb"']
        or form.messages
    )


def test_actions_on_missing_paths_change_nothing():
    form = FormInUse({"type": "object"}, {"a": ["x"]})
    for operation in (
        "remove:/.zz",
        "up:/@9",
        "item:/.a/.b",
        "open:",
        "add:/@x",
        "kind:%%",
        "nonsense:/.a",
        ":",
        "",
    ):
        pairs = [*form.page.submit(), ("op", f"parameters:{operation}")]

        assert read_submission(form.schema, pairs, name="parameters").value == {"a": ["x"]}


GROUPS = {
    "type": "object",
    "properties": {
        "place": {
            "type": "object",
            "properties": {"at": {"type": "object", "properties": {"x": {"type": "number"}}}},
        },
        "names": LIST,
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
        "empty": {"type": "object", "additionalProperties": False},
    },
}


def focus(form):
    """The ids of what gets the focus: of the control, or of the button."""
    return [element.attributes["id"] for element in form.page.select("[autofocus]")]


def test_the_focus_moves_to_the_first_control_of_a_new_part():
    assert focus(FormInUse(GROUPS, {}).press("add", "/.empty")) == ["parameters:/.empty"]
    assert focus(FormInUse(GROUPS, {"place": {}}).press("add", "/.place/.at")) == [
        "parameters:/.place/.at/.x"
    ]
    assert focus(FormInUse({**LIST, "items": GROUPS}, []).press("item")) == [
        "parameters:/@0/.place-kind"
    ]
    assert focus(FormInUse(GROUPS, {}).pick_kind("/.names", "array")) == ["parameters:/.names"]


def test_the_focus_moves_to_the_neighbour_of_a_removed_part():
    form = FormInUse(GROUPS, {"names": ["a", "b", "c"], "counts": {"x": 1}})

    assert focus(form.press("remove", "/.names/@1")) == ["parameters:/.names/@2"]
    assert focus(form.press("remove", "/.names/@2")) == ["parameters:/.names/@0"]
    assert focus(form.press("remove", "/.names/@0")) == ["parameters:/.names"]
    assert focus(form.press("remove", "/.names")) == ["parameters:/.names-kind"]
    assert focus(form.press("remove", "/.counts/@0")) == ["parameters:/.counts"]


def test_a_row_is_moved_on_by_the_same_button_until_it_can_go_no_further():
    form = FormInUse(LIST, ["a", "b", "c"])

    assert focus(form.press("down", "/@0")) == ["parameters:down:/@0"]
    assert focus(form.press("down", "/@0")) == ["parameters:up:/@0"]
    assert focus(form.press("up", "/@0")) == ["parameters:up:/@0"]


def test_the_button_that_shows_every_option_is_the_one_that_shows_fewer():
    assert focus(FormInUse(LIST, ["a"]).press("all")) == ["parameters:fewer:"]


def test_no_two_things_of_a_page_have_one_id():
    form = FormInUse(
        {**GROUPS, "properties": {**GROUPS["properties"], ":": LIST, "add:/.x": {}}},
        {":": ["a", "b"]},
    )

    ids = [element.attributes["id"] for element in form.press("all").page.select("[id]")]

    assert len(ids) == len(set(ids))
