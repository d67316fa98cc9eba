"""T10 of the forms: text from schemas and values is text; the page has the same elements as with harmless text."""

import pytest

from playground import form as schema_form
from playground.templatetags.forms import draw_form
from tests.corpora import lines
from tests.playground.form.driver import Page
from toolspec.schema.validation import compile_schema
from toolspec.text import reader

PAYLOADS = (
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    "</textarea><svg onload=alert(1)>",
    "</select></fieldset></form><form>",
    "<!-- --!><b>",
    "{{ 7|add:7 }}{% load x %}",
    "javascript:alert(1)//",
    "&lt;b&gt;&#60;i&#62;&amp;",
    '` onfocus=alert(1) autofocus x="',
    "]]><![CDATA[<x>",
)

ANNOTATIONS = {"title", "description", "$comment", "default", "examples", "enum", "const"}


def skeleton(html):
    """The elements of a page with the names of their attributes, in order."""
    return [(element.tag, sorted(element.attributes)) for element in Page(html).select("*")]


def marked(value, mark):
    """`value` with `mark` after every text and every name in it."""
    if isinstance(value, str):
        return value + mark
    if isinstance(value, list):
        return [marked(item, mark) for item in value]
    if isinstance(value, dict):
        return {name + mark: marked(member, mark) for name, member in value.items()}
    return value


def marked_schema(schema, mark):
    """`schema` with `mark` after every text of it that people read, and after the names of members."""
    if not isinstance(schema, dict):
        return schema
    new = {}
    for keyword, value in schema.items():
        if keyword in ANNOTATIONS:
            new[keyword] = marked(value, mark)
        elif keyword == "properties" and isinstance(value, dict):
            new[keyword] = {
                name + mark: marked_schema(member, mark) for name, member in value.items()
            }
        elif keyword == "required" and isinstance(value, list):
            new[keyword] = marked(value, mark)
        elif isinstance(value, list):
            new[keyword] = [marked_schema(item, mark) for item in value]
        else:
            new[keyword] = marked_schema(value, mark)
    return new


def draw(schema, value, mark):
    begun = schema_form.begin(
        compile_schema(marked_schema(schema, mark)), marked(value, mark), name="parameters"
    )
    return draw_form(begun.form)


def harmless(payload):
    """Text as long as `payload`, and taken as text in the same way."""
    return "~" + "x" * (len(payload) - 1)


EVERYTHING = {
    "title": "T",
    "description": "D" * 600,
    "type": "object",
    "properties": {
        "text": {
            "type": "string",
            "title": "A",
            "description": "B",
            "examples": ["C", "D"],
            "default": "E",
        },
        "long": {"type": "string", "maxLength": 5000, "deprecated": True},
        "number": {"type": "number", "examples": [1], "description": "B"},
        "choice": {"enum": ["a", "b", {"c": ["d"]}], "title": "F"},
        "titled": {
            "oneOf": [
                {"const": "a", "title": "G", "description": "H"},
                {"const": "b", "title": "I"},
            ]
        },
        "boxes": {"type": "array", "uniqueItems": True, "items": {"enum": ["a", "b"]}},
        "union": {
            "oneOf": [
                {"title": "J", "properties": {"kind": {"const": "j"}}, "required": ["kind"]},
                {"title": "K", "properties": {"kind": {"const": "k"}}, "required": ["kind"]},
            ]
        },
        "nullable": {"anyOf": [{"type": "string", "title": "L"}, {"type": "null", "title": "M"}]},
        "file": {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
        "secret": {"type": "string", "writeOnly": True},
        "list": {
            "type": "array",
            "items": {"type": "object", "title": "N", "properties": {"o": {"title": "P"}}},
        },
        "map": {"type": "object", "additionalProperties": {"type": "string", "title": "Q"}},
        "absent": {"type": "object", "title": "R", "description": "S"},
    },
    "required": ["text", "lacking"],
}
VALUE = {
    "text": "v",
    "long": "a\nb",
    "number": 1,
    "choice": {"c": ["d"]},
    "titled": "none of them",
    "boxes": ["b"],
    "union": {"kind": "k"},
    "nullable": None,
    "file": "AAAA",
    "secret": "s",
    "list": [{"o": "p"}],
    "map": {"key": "value"},
    "extra": {"deep": ["x", None, True]},
}


@pytest.mark.parametrize("payload", PAYLOADS)
def test_markup_in_the_texts_of_a_schema_a_value_errors_and_typed_text_changes_no_element(payload):
    def answer(mark):
        compiled = compile_schema(marked_schema(EVERYTHING, mark))
        page = Page(
            draw_form(schema_form.begin(compiled, marked(VALUE, mark), name="parameters").form)
        )
        typed = {f"parameters:n:{path}": [mark] for path in page.paths("n")}
        typed |= {f"parameters:k:{path}": [mark] for path in page.paths("k")}
        pairs = page.submit(typed=typed)
        return draw_form(schema_form.read_submission(compiled, pairs, name="parameters").form)

    assert skeleton(answer(payload)) == skeleton(answer(harmless(payload)))


@pytest.mark.corpora
def test_markup_in_the_texts_of_real_specs_changes_no_element():
    payload = PAYLOADS[0]
    for line in lines("specs_mcp")[::10]:
        schema = reader.loads(line)["definition"].get("parameters")

        assert skeleton(draw(schema, {}, payload)) == skeleton(draw(schema, {}, harmless(payload)))
