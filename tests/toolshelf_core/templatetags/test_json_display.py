"""JSON on a page: verbatim, escaped, bounded, with problems beside their lines."""

import json

import pytest
from django.template import Context, Template
from selectolax.lexbor import LexborHTMLParser

from toolshelf_core.rendering.json_highlighting import (
    MAX_CHARACTERS,
    MAX_LINES,
    MAX_TOKENS,
    Note,
    highlight,
)
from toolspec.errors import Problem
from toolspec.text.reader import loads

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "&lt;i&gt;",
    "{{ settings.SECRET_KEY }}{% now %}",
]


def drawn(template, /, **context):
    page = Template("{% load json_display %}" + template).render(Context(context))
    return LexborHTMLParser(page)


def lines_of(page):
    return [line.text() for line in page.css(".json-line")]


def test_json_text_is_shown_verbatim():
    text = '{"a" :  1.0,\n\n\t"b": [ 1e5 , -0 ] }'

    page = drawn("{% json_block text %}", text=text)

    assert "".join(lines_of(page)).rstrip("\n") == text


def test_keys_strings_numbers_and_literals_have_their_own_classes():
    page = drawn("{% json_block text %}", text='{"key": ["text", -1.50, true, null]}')

    assert [node.text() for node in page.css(".jk")] == ['"key"']
    assert [node.text() for node in page.css(".jt")] == ['"text"']
    assert [node.text() for node in page.css(".jn")] == ["-1.50"]
    assert [node.text() for node in page.css(".jl")] == ["true", "null"]


def test_a_string_that_looks_like_json_is_one_string():
    page = drawn("{% json_block text %}", text=r'["a \" : [1, true]: ", "\\"]')

    assert [node.text() for node in page.css(".jt")] == [r'"a \" : [1, true]: "', r'"\\"']


def test_a_value_is_shown_with_its_numbers_as_written():
    page = drawn(
        "{% json_block value=value %}", value=loads('{"price": 19.90, "big": 9007199254740993}')
    )

    assert lines_of(page) == ["{\n", '  "price": 19.90,\n', '  "big": 9007199254740993\n', "}\n"]


@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_an_empty_value_is_a_value(value):
    page = drawn("{% json_block value=value %}", value=value)

    assert "".join(lines_of(page)).strip() == json.dumps(value)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_escaped_everywhere(text):
    value = {text: [text, {"in": text}]}
    problem = {"pointer": "", "message": text, "schema_href": "#" + text}

    page = drawn(
        "{% json_block value=value annotations=notes title=text id='x' %}",
        value=value,
        notes=[problem],
        text=text,
    )

    assert page.css("script, img, b, i") == []
    assert json.loads("".join(lines_of(page))) == value
    assert "".join(lines_of(drawn("{% json_block text %}", text=text))).rstrip("\n") == text
    inline = drawn("{% json_inline value %}", value={text: text})
    assert json.loads(inline.css_first("code").text()) == {text: text}
    assert page.css_first(".json-note").text().strip().startswith(text)
    assert not any(name.startswith("on") for node in page.css("*") for name in node.attributes)


def test_each_line_has_an_id_and_a_link():
    page = drawn("{% json_block text id='spec' %}", text="[\n1\n]")

    assert [line.id for line in page.css(".json-line")] == ["spec-L1", "spec-L2", "spec-L3"]
    assert [link.attributes["href"] for link in page.css(".line-number")] == [
        "#spec-L1",
        "#spec-L2",
        "#spec-L3",
    ]


def test_a_problem_is_shown_after_the_line_of_its_pointer():
    problem = Problem("/unit", 'must be "C" or "F"', "schema.enum", keyword="enum")

    page = drawn(
        "{% json_block value=value annotations=problems %}",
        value={"a": 1, "unit": "K"},
        problems=[problem],
    )

    marked = page.css(".has-note")
    assert [line.text() for line in marked] == ['  "unit": "K"\n']
    assert marked[0].next.text().strip() == 'must be "C" or "F"'


def test_a_note_has_the_class_and_the_icon_of_its_kind():
    notes = [
        Note("Gone.", kind="dropped", line=2),
        {"pointer": "/b", "message": "Wrong.", "schema_href": "#spec-L9"},
    ]

    page = drawn(
        "{% json_block value=value annotations=notes %}", value={"a": 1, "b": 2}, notes=notes
    )

    dropped, wrong = page.css(".json-note")
    assert "note-dropped" in page.css(".has-note")[0].attributes["class"]
    assert "note-dropped" in dropped.attributes["class"]
    assert dropped.css_first(".icon-minus") is not None
    assert "note-problem" in wrong.attributes["class"]
    assert wrong.css_first(".icon-triangle-alert") is not None
    assert wrong.css_first("a").attributes["href"] == "#spec-L9"


def test_a_problem_with_a_line_is_shown_there_even_in_invalid_json():
    problem = Problem("", "A comma is missing.", "json.syntax", line=2, column=1)

    page = drawn("{% json_block text annotations=problems %}", text="[1\n2]", problems=[problem])

    assert page.css_first(".has-note").id == "json-L2"


def test_a_problem_of_a_missing_member_is_shown_at_its_parent():
    problem = Problem("/a/b", '"b" is missing', "schema.required")

    page = drawn(
        "{% json_block value=value annotations=problems %}", value={"a": {}}, problems=[problem]
    )

    assert page.css_first(".has-note").text() == '  "a": {}\n'


def test_a_problem_without_a_line_is_shown_above_invalid_json():
    page = drawn(
        "{% json_block text annotations=notes %}",
        text="no json",
        notes=[{"pointer": "/a", "message": "Lost."}],
    )

    assert page.css_first(".json-note-loose").text().strip() == "Lost."


def test_text_with_many_lines_is_truncated_with_a_message():
    page = drawn(
        "{% json_block text download_url='/whole' %}", text="[\n" + "1,\n" * (MAX_LINES * 2) + "1]"
    )

    assert len(page.css(".json-line")) == MAX_LINES
    assert "2000 of 4002 lines" in page.css_first(".json-cut").text()
    assert page.css_first(".json-cut a").attributes["href"] == "/whole"
    assert page.css("[data-copy]") == []


def test_a_problem_beyond_the_truncated_text_is_listed_below_it():
    notes = [{"line": MAX_LINES + 5, "message": "Far away."}]

    page = drawn(
        "{% json_block text annotations=notes %}", text="1\n" * (MAX_LINES + 10), notes=notes
    )

    assert f"Line {MAX_LINES + 5}: Far away." in page.css_first(".json-cut").text()


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1," * 500_000 + "1]",
        '"' + "\\" * 1_000_000,
        '"a' * 300_000,
        "[" * 1_000_000,
        "1" * 1_000_000,
        "-" * 1_000_000,
    ],
    ids=["numbers", "backslashes", "strings", "brackets", "one number", "signs"],
)
def test_a_mebibyte_in_one_line_is_bounded(text):
    shown = highlight(text)

    assert shown.cut
    assert sum(len(line.html) for line in shown.lines) < 6 * MAX_CHARACTERS
    assert sum(line.html.count("<span") for line in shown.lines) <= MAX_TOKENS


def test_the_containers_of_a_value_fold():
    page = drawn(
        "{% json_block value=value tree=True %}", value={"a": [1, 2], "b": {}, "c": {"d": "text {"}}
    )

    assert [fold.css_first("summary").text() for fold in page.css("details")] == [
        "{",
        '  "a": [',
        '  "c": {',
    ]
    assert page.css("summary")[1].attributes["data-folded"] == " … 2 lines ],"
    assert json.loads("".join(lines_of(page))) == {"a": [1, 2], "b": {}, "c": {"d": "text {"}}


def test_truncated_text_has_only_complete_folds():
    page = drawn(
        "{% json_block value=value tree=True %}", value={"a": [1, 2], "b": list(range(MAX_LINES))}
    )

    assert [fold.css_first("summary").text().strip() for fold in page.css("details")] == ['"a": [']


def test_characters_that_reverse_the_text_are_named():
    page = drawn("{% json_block text %}", text='["a\u202eb"]')

    assert page.css_first(".unseen").attributes["data-name"] == "U+202E"
    assert page.css_first(".jt").text() == '"a\u202eb"'


def test_a_long_value_on_one_line_is_truncated():
    page = drawn("{% json_inline value %}", value=["x" * 500])

    assert len(page.css_first("code").text()) == 201
    assert page.css_first("code").text().endswith("…")
