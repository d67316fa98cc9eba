"""The words of forms: constraints, types, choices and branches; names of controls."""

import pytest

from playground.form.choices import label_of
from playground.form.control_names import control_name, member_path, split_path
from playground.form.draft import draft_of
from playground.form.parse import decode
from playground.form.serialize import list_controls
from playground.form.to_value import read
from playground.form.values import literal, read_literal
from tests.playground.form.use import FormInUse
from toolspec.text.reader import Number


@pytest.mark.parametrize(
    ("schema", "hints"),
    [
        ({"type": "string", "minLength": 1, "maxLength": 20}, ["1 to 20 characters"]),
        ({"type": "string", "minLength": 0}, []),
        ({"type": "string", "pattern": "a" * 200}, ["matches the pattern " + "a" * 119 + "…"]),
        (
            {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
            ["media type: image/png", "encoded as base64"],
        ),
        ({"type": "number", "allOf": [{"minimum": 3}, {"minimum": 5, "maximum": 9}]}, ["5 to 9"]),
        ({"type": "array", "contains": {}, "minContains": 0}, []),
        ({"type": "number", "minLength": 1}, []),
    ],
)
def test_hints_put_constraints_into_words(schema, hints):
    assert FormInUse(schema).node().head.hints == tuple(hints)


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
def test_the_label_of_a_choice_is_unambiguous(value, label):
    assert label_of(value) == label


@pytest.mark.parametrize(
    ("branch", "label"),
    [
        ({"title": "By name"}, "By name"),
        ({"properties": {"kind": {"const": "circle"}}}, "kind: circle"),
        ({"required": ["a", "b"]}, "with a, b"),
        ({"$ref": "#/$defs/Point"}, "Point"),
        ({"type": "string"}, "1: string"),
        ({"minProperties": 1}, "option 1"),
    ],
)
def test_a_branch_is_labelled_by_its_title_constant_or_required_members(branch, label):
    other = {"required": ["zz"], "type": ["object", "string"]}
    schema = {"oneOf": [branch, other], "$defs": {"Point": {"type": "object"}}}
    value = "x" if branch.get("type") == "string" else {}

    assert FormInUse(schema, value).node().head.unions[0].options[0].label == label


@pytest.mark.parametrize(("words", "is_long"), [(10, False), (300, True)])
def test_only_the_beginning_of_a_long_description_is_shown_at_first(words, is_long):
    head = FormInUse({"type": "string", "description": "word " * words}, "x").node().head

    assert head.has_long_description == is_long


@pytest.mark.parametrize("name", ["a", "", "a/b", "~", "%", "é", "@1", ".", "a:b", "\ud800"])
def test_a_member_of_any_name_has_a_path_that_leads_back_to_it(name):
    assert split_path(member_path(member_path("", "x"), name)) == [".x", f".{name}"]


@pytest.mark.parametrize(
    "path", ["x", "/x", "/@", "/@a", "/@1.5", "//", "/@12345678901", "/" + "/.a" * 300]
)
def test_an_invalid_path_is_ignored(path):
    assert split_path(path) is None


@pytest.mark.parametrize(
    "text", ["\x00", "\ud800", "\ufeff", "\uffff", "\U0001ffff", "a\r\nb", "\x85", "é", "😀"]
)
def test_any_text_has_a_literal_that_a_page_can_carry(text):
    assert read_literal(literal(text)) == text
    assert read_literal(literal({text: [text, Number("1.0")]})) == {text: [text, 1]}


def test_a_draft_and_its_controls_say_the_same():
    value = {"a": [1, {"b": None}, ["x\r", ""]], "c": {"": True}, "d": Number("1.50")}
    draft = draft_of(value)

    pairs = [(control_name("f", tag, path), text) for tag, path, text in list_controls(draft)]

    assert decode(pairs, name="f").draft == draft
    assert read(decode(pairs, name="f").draft).value == value


def test_controls_that_no_page_has_drawn_are_left_alone():
    pairs = [
        ("f:o:", ""),
        ("f:t:/.a", "x"),
        ("f:r:/.b", "@"),
        ("f:a:/.b", ""),
        ("f:u:/.a", "nonsense"),
        ("f:y:/.a", "nonsense"),
        ("f:v:/.a", "oneOf=99999999999"),
        ("f:??:/.z", "1"),
        ("f", ""),
        ("f:", ""),
        ("f:t:../x", ""),
        ("op", "f"),
    ]

    assert read(decode(pairs, name="f").draft).value == {"a": "x", "b": []}
