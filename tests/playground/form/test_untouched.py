"""A field that nobody touched sends nothing, whatever it is; an empty value is sent where a person chose it."""

import pytest

from tests.playground.form.use import FormInUse

TEXTS = {
    "text": {"type": "string"},
    "any length": {"type": "string", "minLength": 0},
    "at least one character": {"type": "string", "minLength": 1},
    "long": {"type": "string", "maxLength": 5000},
    "document": {"type": "string", "contentMediaType": "text/markdown"},
    "pattern": {"type": "string", "pattern": "^a*$"},
    "date": {"type": "string", "format": "date"},
    "date and time": {"type": "string", "format": "date-time"},
    "e-mail": {"type": "string", "format": "email"},
    "examples": {"type": "string", "examples": ["", "a"]},
    "secret": {"type": "string", "writeOnly": True},
    "password": {"type": "string", "format": "password"},
    "nullable": {"type": ["string", "null"]},
    "nullable by a union": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    "referred to": {"$ref": "#/$defs/text"},
    "in allOf": {"allOf": [{"type": "string"}, {"maxLength": 9}]},
}


def required(member, **others):
    return {
        "type": "object",
        "properties": {"owner": member, **others},
        "required": ["owner"],
        "$defs": {"text": {"type": "string"}},
    }


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_untouched_required_text_is_absent_and_asked_for(text):
    form = FormInUse(required(text)).send()

    assert form.value == {}
    assert form.submission.preview.text == "{}"
    assert not form.is_valid
    assert form.node("/.owner").head.errors == ("Enter owner",)
    assert form.messages == ["Enter owner"]


@pytest.mark.parametrize(
    "text", [TEXTS["text"], TEXTS["long"], TEXTS["any length"], TEXTS["nullable"]]
)
def test_an_empty_required_text_is_sent_when_its_box_is_ticked(text):
    form = FormInUse(required(text)).type("t", "/.owner", "").type("x", "/.owner", "1").send()

    assert form.value == {"owner": ""}
    assert form.is_valid
    assert "checked" in form.page.by_name["parameters:x:/.owner"].attributes


def test_the_box_of_an_empty_text_counts_only_while_the_text_is_empty():
    form = (
        FormInUse(required({"type": "string"}))
        .type("t", "/.owner", "ada")
        .type("x", "/.owner", "1")
        .send()
    )

    assert form.value == {"owner": "ada"}
    assert "checked" not in form.page.by_name["parameters:x:/.owner"].attributes


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_empty_text_that_was_loaded_comes_back(text):
    assert FormInUse(required(text), {"owner": ""}).press("all").send().value == {"owner": ""}


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ({"type": "integer"}, "Enter owner"),
        ({"type": "number"}, "Enter owner"),
        ({"type": "boolean"}, "Choose owner"),
        ({"enum": ["a", "b"]}, "Choose owner"),
        ({"enum": ["", "b"]}, "Choose owner"),
        ({"oneOf": [{"const": "a", "title": "A"}, {"const": ""}]}, "Choose owner"),
        ({"type": "string", "contentEncoding": "base64"}, "Choose a file for owner"),
        ({"type": "array", "items": {"type": "string"}}, "Add owner"),
        ({"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b"]}}, "Choose owner"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "Add owner"),
        ({"type": ["array", "null"], "items": {}}, "Add owner"),
        ({}, "Add owner"),
        ({"type": "string", "title": "Repository owner"}, "Enter Repository owner"),
    ],
)
def test_every_kind_of_required_field_is_absent_and_asked_for_once(member, message):
    form = FormInUse(required(member)).send()

    assert form.value == {}
    assert form.node("/.owner").head.errors == (message,)
    assert len(form.messages) == 1


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ({"const": ""}, ""),
        ({"enum": [""]}, ""),
        ({"type": "string", "default": ""}, ""),
        ({"type": "string", "default": "main"}, "main"),
        ({"type": "array", "default": []}, []),
    ],
)
def test_values_fixed_by_the_schema_are_sent(member, value):
    form = FormInUse(required(member)).send()

    assert form.value == {"owner": value}
    assert form.is_valid


@pytest.mark.parametrize(
    ("member", "verb", "value"),
    [
        ({"type": "array", "items": {"type": "string"}}, "add", []),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "add", {}),
        ({"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b"]}}, "add", []),
    ],
)
def test_an_empty_list_or_map_is_sent_when_it_was_made(member, verb, value):
    form = FormInUse(required(member)).press(verb, "/.owner").send()

    assert form.value == {"owner": value}
    assert form.is_valid


def test_a_list_that_needs_items_begins_with_them_and_asks_for_each_alone():
    form = FormInUse(required({"type": "array", "items": {"type": "string"}, "minItems": 2})).send()

    assert form.messages == [
        "owner · Item 1: Enter a value for this item, or remove it",
        "owner · Item 2: Enter a value for this item, or remove it",
    ]


def test_an_added_empty_row_is_asked_for():
    form = FormInUse({"type": "array", "items": {"type": "string"}}, ["a"]).press("item").send()

    assert form.value == ["a"]
    assert form.node("/@1").head.errors == ("Enter a value for this item, or remove it",)
    assert form.type("x", "/@1", "1").send().value == ["a", ""]


def test_an_added_empty_entry_is_asked_for():
    schema = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}
    form = FormInUse(schema, {}).type("nk", "", "a").press("entry").send()

    assert form.value == {}
    assert form.messages == ['Value of a: Enter a value for "a", or remove it']
    assert form.type("x", "/@0", "1").send().value == {"a": ""}


def test_the_items_of_a_tuple_are_not_checked_as_one_another_while_one_is_empty():
    pair = {
        "type": "array",
        "prefixItems": [{"type": "string"}, {"type": "integer"}],
        "minItems": 2,
    }
    form = FormInUse(required(pair)).type("n", "/.owner/@1", "5").send()

    assert form.messages == ["owner · Item 1: Enter a value for this item, or remove it"]


def test_the_members_of_a_nested_object_are_asked_for_at_their_fields():
    city = {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "minProperties": 1,
    }
    form = FormInUse(required(city, home=city)).press("add", "/.home").send()

    assert form.value == {"owner": {}, "home": {}}
    assert form.messages == ["owner: Enter city", "home: Enter city"]


SHAPES = {
    "oneOf": [
        {
            "title": "By name",
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "required": ["name"],
        },
        {
            "title": "By number",
            "type": "object",
            "properties": {"no": {"type": "integer"}},
            "required": ["no"],
        },
    ]
}


def test_an_empty_field_of_the_chosen_branch_is_the_only_thing_asked_for():
    form = (
        FormInUse(required(SHAPES))
        .pick_branch("/.owner", "/oneOf=1")
        .pick_branch("/.owner", "/oneOf=0")
        .send()
    )

    assert form.value == {"owner": {}}
    assert form.messages == ["owner: Enter name"]


def test_a_wrong_field_of_the_chosen_branch_leaves_the_word_of_the_union():
    form = FormInUse(required(SHAPES), {"owner": {"name": 5}}).send()

    assert any(message.startswith("owner:") for message in form.messages)


def test_the_branch_that_was_chosen_for_an_empty_text_stays_chosen():
    schema = required(
        {
            "anyOf": [
                {"type": "string", "maxLength": 3, "title": "Code"},
                {"type": "string", "title": "Name"},
            ]
        }
    )
    form = FormInUse(schema).pick_branch("/.owner", "/anyOf=1").send()

    assert form.page.rows("parameters:u:/.owner") == ["/anyOf=1"]
    assert form.messages == ["Enter owner"]
    assert form.type("t", "/.owner", "ab").send().page.rows("parameters:u:/.owner") == ["/anyOf=1"]


def test_a_conditionally_required_field_is_asked_for_in_the_same_way():
    schema = {
        "type": "object",
        "properties": {"card": {"type": "string"}, "code": {"type": "string"}},
        "dependentRequired": {"card": ["code"]},
    }

    assert FormInUse(schema, {"card": "1"}).send().messages == ["Enter code"]


def test_a_field_that_a_required_one_requires_is_marked_as_required():
    schema = {
        "type": "object",
        "properties": {"card": {}, "code": {}, "owner": {}},
        "dependentRequired": {"card": ["code"], "code": ["owner"]},
    }

    form = FormInUse(schema, {"card": "1"})

    assert form.node("/.owner").head.is_required


def test_a_field_that_cannot_be_read_is_not_asked_for_as_well():
    form = FormInUse(required({"type": "integer"})).type("n", "/.owner", "12,5").send()

    assert form.messages == ["owner: “12,5” is not a number; write it like 12, -3.5 or 1e6"]


def test_choosing_the_kind_text_does_not_send_an_empty_one():
    form = FormInUse(required({})).pick_kind("/.owner", "text")

    assert form.value == {}
    assert form.send().messages == ["Enter owner"]
    assert form.type("t", "/.owner", "ada").send().value == {"owner": "ada"}


def test_the_json_view_shows_the_value_and_restores_empty_fields():
    form = FormInUse(required({"type": "string"}, note={"type": "string"}))

    form.press("view", "", "json")
    assert form.node().text == "{}"
    form.press("view", "", "fields").send()
    assert form.messages == ["Enter owner"]
    form.press("view", "", "json").type("e", "", '{"owner": "", "note": ""}').press(
        "view", "", "fields"
    ).send()
    assert form.value == {"owner": "", "note": ""}
    assert form.is_valid


def test_an_empty_text_survives_another_branch_and_the_way_back():
    form = FormInUse(required(SHAPES), {"owner": {"name": ""}})

    form.pick_branch("/.owner", "/oneOf=1").pick_branch("/.owner", "/oneOf=0")

    assert form.value == {"owner": {"name": ""}}


def test_an_empty_text_survives_another_kind_and_the_way_back():
    form = FormInUse(required({"type": ["string", "integer"]}), {"owner": ""})

    form.pick_kind("/.owner", "number").pick_kind("/.owner", "text")

    assert form.value == {"owner": ""}


def test_a_text_can_be_written_as_a_literal_before_it_was_typed():
    form = FormInUse(required({"type": "string"})).press("all").pick_kind("/.owner", "literal")

    assert form.send().messages == [
        "owner: The text is empty; a JSON document is expected. (line 1, column 1)"
    ]
    assert form.type("q", "/.owner", '"a\\r"').send().value == {"owner": "a\r"}
