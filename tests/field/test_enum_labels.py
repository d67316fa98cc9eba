"""Labels of the values of an `enum` stand beside them on pages and in exports; the value that is sent is the same."""

import json

import pytest
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from tests.factories import make_spec, make_tool, properties
from tests.field import field_input
from tests.playground.form.use import FormInUse
from toolspec.exports import export

pytestmark = pytest.mark.django_db

NAMES = ["Female", "Male"]
SCHEMAS = {
    "x-enumNames": {"enum": [0, 1], "x-enumNames": NAMES},
    "x-enum-varnames": {"enum": [0, 1], "x-enum-varnames": NAMES},
    "enumNames": {"enum": [0, 1], "enumNames": NAMES},
    "by value": {"enum": [0, 1], "x-enumNames": {"0": "Female", "1": "Male"}},
    "x-ms-enum": {
        "enum": [0, 1],
        "x-ms-enum": {
            "name": "Gender",
            "values": [{"value": 1, "name": "Male"}, {"value": 0, "name": "Female"}],
        },
    },
}


def options(form, path="/.a"):
    return [
        (option.value, option.label, option.description)
        for option in form.node(path).options
        if option.value
    ]


def test_the_page_to_try_and_the_documentation_show_the_labels(client):
    tool = make_tool("labels", **field_input("enum-labels"))

    page = LexborHTMLParser(client.get(reverse("playground:try", args=[tool.slug])).content)
    documentation = (
        LexborHTMLParser(client.get(tool.get_absolute_url()).content).css_first("main").text()
    )

    gender, size = page.css("#trial select[id^='parameters']")
    assert [(each.attributes["value"], each.text()) for each in gender.css("option")][1:] == [
        ("0", "Female (0)"),
        ("1", "Male (1)"),
        ("2", "Other (2)"),
    ]
    assert [(each.text(), each.attributes["title"]) for each in size.css("option")[1:]] == [
        ("SMALL (1)", "up to 1 kg"),
        ("LARGE (2)", "above"),
    ]
    for words in (
        "Female (0)",
        "Male (1)",
        "Other (2)",
        "SMALL (1)",
        "up to 1 kg",
        "LARGE (2)",
        "above",
    ):
        assert words in documentation


@pytest.mark.parametrize("schema", SCHEMAS.values(), ids=SCHEMAS)
@pytest.mark.parametrize("wrap", ["plain", "$ref", "anyOf", "items"])
def test_the_select_shows_the_labels_and_sends_the_value(schema, wrap):
    outer = {
        "plain": schema,
        "$ref": {"$ref": "#/$defs/Gender"},
        "anyOf": {"anyOf": [{"$ref": "#/$defs/Gender"}, {"type": "null"}]},
        "items": {"type": "array", "items": schema},
    }[wrap]
    path = "/.a/@0" if wrap == "items" else "/.a"
    form = FormInUse(
        {**properties(a=outer), "$defs": {"Gender": schema}}, {"a": [0] if wrap == "items" else 0}
    )

    found = options(form, path)
    form.type("j", path, "1").send()

    assert [(value, label) for value, label, _ in found][:2] == [
        ("0", "Female (0)"),
        ("1", "Male (1)"),
    ]
    assert form.value == {"a": [1] if wrap == "items" else 1}


@pytest.mark.parametrize(
    "keyword", ["x-enum-descriptions", "x-enumDescriptions", "enumDescriptions"]
)
@pytest.mark.parametrize("as_object", [False, True], ids=["list", "object"])
def test_values_with_descriptions_alone_keep_their_own_label(keyword, as_object):
    texts = {"eu": "in Dublin", "us": "in Ohio"}
    schema = {"enum": list(texts), keyword: texts if as_object else list(texts.values())}

    found = options(FormInUse(properties(a=schema)))

    assert found == [('"eu"', "eu", "in Dublin"), ('"us"', "us", "in Ohio")]


def test_constants_with_titles_are_labelled_by_them():
    schema = {
        "oneOf": [
            {"const": 0, "title": "Female"},
            {"const": 1, "title": "Male", "description": "m"},
        ]
    }

    assert options(FormInUse(properties(a=schema))) == [("0", "Female", ""), ("1", "Male", "m")]


@pytest.mark.parametrize(
    "labels",
    [["one"], "Female", [1, 2], [None, {}], {}, [" ", ""], 3],
    ids=str,
)
def test_labels_that_do_not_fit_are_ignored(labels):
    form = FormInUse(properties(a={"enum": [0, 1], "x-enumNames": labels}))

    assert options(form) == [("0", "0", ""), ("1", "1", "")]


def test_labels_are_text_whatever_they_contain(client):
    hostile = "<script>alert(1)</script>"
    tool = make_tool(
        "hostile", parameters=properties(a={"enum": [0, 1], "x-enumNames": [hostile, "b" * 9_000]})
    )

    pages = [
        client.get(tool.get_absolute_url()),
        client.get(reverse("playground:try", args=[tool.slug])),
    ]

    for page in pages:
        assert hostile not in page.text
        assert "b" * 500 not in page.text


@pytest.mark.parametrize("key", ["gemini", "openai-strict"])
def test_exports_that_know_no_labels_explain_them_in_the_description(key):
    exported = export(make_spec("labels", **field_input("enum-labels")), key)

    text = json.dumps(exported.document)
    assert "0 is Female, 1 is Male, 2 is Other." in text
    assert "1 is SMALL (up to 1 kg), 2 is LARGE (above)." in text
    assert "x-enum" not in text
    assert {loss.what for loss in exported.losses if "x-enum" in loss.pointer} == {"rewritten"}


@pytest.mark.parametrize("key", ["gemini", "openai-strict"])
def test_labels_of_values_of_several_types_stay_with_their_values(key):
    schema = {
        "type": ["string", "integer", "null"],
        "enum": ["a", 1, None],
        "x-enumNames": ["A", "One", "Nothing"],
    }

    exported = export(make_spec("labels", parameters=properties(a=schema)), key)

    text = json.dumps(exported.document)
    assert "1 is One" in text
    assert 'a\\" is A' in text
