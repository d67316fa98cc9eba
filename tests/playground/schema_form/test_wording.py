"""What forms say: constraints, kinds, choices and branches in plain words; names of controls."""

import pytest

from catalog.jsontext.reader import Number
from playground.schema_form.choices import canonical, label_of
from playground.schema_form.control_names import control_name, member_path, split_path
from playground.schema_form.draft import draft_of
from playground.schema_form.parse import decode
from playground.schema_form.serialize import posted
from playground.schema_form.to_value import read
from playground.schema_form.values import literal, read_literal
from playground.schema_form.wording import constraints, kinds_in_words
from tests.playground.schema_form.use import FormInUse


@pytest.mark.parametrize(
    ("keywords", "kind", "words"),
    [
        ({"minLength": 1, "maxLength": 20}, "text", ["1 to 20 characters"]),
        ({"minLength": 3, "maxLength": 3}, "text", ["3 characters"]),
        ({"maxLength": 1}, "text", ["at most 1 character"]),
        ({"minLength": 0}, "text", []),
        ({"pattern": "^a+$"}, "text", ["matches ^a+$"]),
        ({"format": "date"}, "text", ["a date, like 2024-05-31"]),
        ({"format": "made-up"}, "text", []),
        ({"contentEncoding": "base64", "contentMediaType": "image/png"}, "text", ["image/png as base64"]),
        ({"not": {"enum": ["root", "admin"]}}, "text", ['not "root" or "admin"']),
        ({"minimum": 1, "maximum": 10}, "number", ["1 to 10"]),
        ({"minimum": Number("0.50")}, "number", ["at least 0.50"]),
        ({"exclusiveMinimum": 0, "multipleOf": Number("0.01")}, "number", ["more than 0", "a multiple of 0.01"]),
        ({"minimum": 0, "exclusiveMinimum": True}, "number", ["more than 0"]),
        ({"minItems": 1}, "array", ["at least 1 item"]),
        ({"minItems": 2, "maxItems": 5, "uniqueItems": True}, "array", ["2 to 5 items", "each item once"]),
        ({"contains": {"const": "x"}}, "array", ['at least 1 item "x"']),
        ({"contains": {}, "minContains": 0}, "array", []),
        ({"minProperties": 1}, "object", ["at least 1 entry"]),
        ({"propertyNames": {"pattern": "^[a-z]+$"}}, "object", ["names: matches ^[a-z]+$"]),
        ({"minLength": "nonsense", "maximum": None}, "text", []),
        ({"minLength": 1}, "number", []),
    ],
)
def test_constraints_are_said_in_words(keywords, kind, words):
    assert constraints(keywords, kind) == words


@pytest.mark.parametrize(
    ("kinds", "keywords", "words"),
    [
        ({"text"}, {}, "text"),
        ({"number"}, {"type": "integer"}, "whole number"),
        ({"number"}, {"type": ["integer", "number"]}, "number"),
        ({"text", "null"}, {}, "text or null"),
        ({"text", "number", "boolean", "null", "object", "array"}, {}, ""),
    ],
)
def test_kinds_are_said_in_words(kinds, keywords, words):
    assert kinds_in_words(kinds, keywords) == words


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("a b", "a b"),
        ("", '""'),
        ("null", '"null"'),
        ("1", '"1"'),
        (" a", '" a"'),
        (1, "1"),
        (None, "null"),
        ({"a": [1]}, '{"a": [1]}'),
    ],
)
def test_a_choice_is_labelled_so_that_it_cannot_be_mistaken(value, label):
    assert label_of(value) == label


def test_values_that_json_schema_calls_equal_share_a_text():
    assert canonical({"a": 1, "b": [Number("1.0")]}) == canonical({"b": [1], "a": Number("1e0")})
    assert canonical(1) != canonical(True)
    assert canonical("1") != canonical(1)


@pytest.mark.parametrize(
    ("branch", "label"),
    [
        ({"title": "By name"}, "By name"),
        ({"properties": {"kind": {"const": "circle"}}}, "kind: circle"),
        ({"required": ["a", "b"]}, "with a, b"),
        ({"$ref": "#/$defs/Point"}, "Point"),
        ({"type": "string"}, "1: text"),
        ({"minProperties": 1}, "option 1"),
    ],
)
def test_a_branch_is_called_by_its_title_what_fixes_it_or_what_it_needs(branch, label):
    other = {"required": ["zz"], "type": ["object", "string"]}
    schema = {"oneOf": [branch, other], "$defs": {"Point": {"type": "object"}}}
    value = "x" if branch.get("type") == "string" else {}

    assert FormInUse(schema, value).node().head.unions[0].options[0].label == label


def test_a_long_description_is_cut_at_a_word_and_goes_on_behind_more():
    text = "word " * 300
    head = FormInUse({"type": "string", "description": text.strip()}, "x").node().head

    assert head.lead.endswith("word")
    assert f"{head.lead} {head.rest}" == text.strip()


@pytest.mark.parametrize("name", ["a", "", "a/b", "~", "%", "é", "@1", ".", "a:b", "\ud800"])
def test_a_member_of_any_name_has_a_path_that_leads_back_to_it(name):
    assert split_path(member_path(member_path("", "x"), name)) == [".x", f".{name}"]


@pytest.mark.parametrize("path", ["x", "/x", "/@", "/@a", "/@1.5", "//", "/@12345678901", "/" + "/.a" * 300])
def test_what_is_no_path_is_left_alone(path):
    assert split_path(path) is None


@pytest.mark.parametrize("text", ["\x00", "\ud800", "\ufeff", "\uffff", "\U0001ffff", "a\r\nb", "\x85", "é", "😀"])
def test_any_text_has_a_literal_that_a_page_can_carry(text):
    assert read_literal(literal(text)) == text
    assert read_literal(literal({text: [text, Number("1.0")]})) == {text: [text, 1]}


def test_a_draft_and_its_controls_say_the_same():
    value = {"a": [1, {"b": None}, ["x\r", ""]], "c": {"": True}, "d": Number("1.50")}
    draft = draft_of(value)

    pairs = [(control_name("f", tag, path), text) for tag, path, text in posted(draft)]

    assert decode(pairs, name="f").draft == draft
    assert read(decode(pairs, name="f").draft).value == value


def test_controls_that_no_page_has_drawn_are_left_alone():
    pairs = [
        ("f:o:", ""),
        ("f:s:/.a", "x"),
        ("f:r:/.b", "@"),
        ("f:a:/.b", ""),
        ("f:u:/.a", "nonsense"),
        ("f:y:/.a", "nonsense"),
        ("f:v:/.a", "oneOf=99999999999"),
        ("f:??:/.z", "1"),
        ("f", ""),
        ("f:", ""),
        ("f:s:../x", ""),
        ("op", "f"),
    ]

    assert read(decode(pairs, name="f").draft).value == {"a": "x", "b": []}
