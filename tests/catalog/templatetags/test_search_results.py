"""Rows of a list of tools, messages with code, and changed words: text of users stays text."""

import pytest
from django.template import Context, Template
from selectolax.lexbor import LexborHTMLParser

from catalog.organise.lifecycle import deprecate
from catalog.organise.metadata import Organisation, organise
from catalog.search.catalog_search import CatalogSearch
from catalog.search.results import page_of
from catalog.tools.models import Tool
from tests.factories import make_tool, properties
from toolshelf_core.rendering.join import with_code
from toolshelf_core.rendering.markdown import as_text
from toolshelf_core.rendering.text_diff import Row
from toolshelf_core.templatetags.differences import with_words

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</a></h2></li><i>out</i>",
    "{{ settings.SECRET_KEY }}",
]


def rendered(template, **context):
    return LexborHTMLParser(Template(template).render(Context(context)))


def rows(words=""):
    results = page_of(CatalogSearch(words=words)).results
    return rendered("<ol>{% load search_results %}{% result_rows results %}</ol>", results=results)


def assert_only_text(tree):
    assert tree.css("script, img, b[onmouseover], i") == []
    assert not any(name.startswith("on") for node in tree.css("*") for name in node.attributes)


@pytest.mark.django_db
@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("words", ["", "weather"])
def test_the_hostile_texts_of_a_tool_are_escaped_in_its_row(text, words):
    name, tool_id = f"weather {text}", f"id {text}"
    parameters = properties(
        **{f"weather {text}": {"type": "string", "description": f"weather {text}"}}
    )
    tool = make_tool(tool_id, name=name, description=f"About {text}", parameters=parameters)
    organise(tool, Organisation(toolkit=f"kit {text}"), by=None)

    tree = rows(words)

    assert_only_text(tree)
    assert tree.css_first(".result-name").text() == name
    assert tree.css_first(".result-id").text() == tool_id
    assert tree.css_first(".result-text").text() == as_text(f"About {text}")
    assert tree.css_first(".result-toolkit").text() == f"kit {text}"
    assert len(tree.css("li.result")) == 1


@pytest.mark.django_db
def test_a_hostile_parameter_that_matches_is_escaped():
    hostile = "place <script>alert(1)</script>"
    make_tool(
        "a",
        name="weather",
        parameters=properties(**{hostile: {"type": "string", "description": hostile}}),
    )

    tree = rows("place")

    assert_only_text(tree)
    assert tree.css_first(".result-why code").text() == hostile
    assert tree.css_first(".result-why mark").text() == "place"


@pytest.mark.django_db
def test_a_row_shows_the_id_only_if_its_last_part_differs_from_the_name():
    make_tool("git-hub.close_issue", name="close")
    make_tool("git-hub.open", name="open")

    shown, hidden = rows("hub").css("li.result")

    assert shown.css_first(".result-id").text() == "git-hub.close_issue"
    assert hidden.css_first(".result-id") is None
    assert hidden.css_first(".result-toolkit").attributes["href"] == "?toolkit=git-hub"


@pytest.mark.django_db
def test_a_row_shows_the_required_parameters_the_effect_and_a_low_score():
    schema = {**properties(a={}, b={}, c={}), "required": ["a", "b"]}
    hints = {"x-mcp": {"annotations": {"readOnlyHint": True}}}
    low = make_tool("low", parameters=schema, siblings=hints)
    high = make_tool("other", parameters={"$ref": "#/$defs/a", "$defs": {"a": schema}})
    Tool.objects.filter(pk=low.pk).update(score=79)
    Tool.objects.filter(pk=high.pk).update(score=80)

    first, second = rows().css("li.result")

    columns = [".result-score", ".result-effect", ".result-required", ".result-runs"]
    assert [first.css_first(one).text() for one in columns] == [
        "score 79",
        "read-only",
        "2 of 3 required",
        "Mock only",
    ]
    assert [second.css_first(one).text() for one in columns] == ["", "", "", "Mock only"]
    assert first.css_first(".result-score a").attributes["href"] == "/tools/low/lint/"


@pytest.mark.django_db
def test_a_row_of_a_deprecated_tool_links_to_the_one_to_use_instead():
    make_tool("new")
    deprecate(make_tool("old"), superseded_by="new")

    row = rows("old").css_first("li.result")

    assert row.css_first(".result-qualifier").text() == "use instead: new"
    assert row.css_first(".result-qualifier a").attributes["href"] == "/tools/new/"


@pytest.mark.django_db
def test_reasons_are_separated_by_commas_and_semicolons():
    schema = properties(
        city={"type": "string", "description": "Of the forecast."},
        unit={"type": "string", "description": "A scale."},
    )
    make_tool("a", name="weather", parameters=schema)

    assert (
        rows("city scale").css_first(".result-why").text()
        == "matched in parameters city, unit: A scale."
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_message_is_escaped_inside_and_outside_of_code(text):
    tree = LexborHTMLParser(f"<p>{with_code(f'{text} `{text}` {text}')}</p>")

    assert_only_text(tree)
    assert tree.css_first("code").text() == text
    assert tree.css_first("p").text() == f"{text} {text} {text}"


def test_only_text_between_two_backticks_on_one_line_is_code():
    assert with_code("`a` and ``, b\nc") == "<code>a</code> and ``, b\nc"


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_of_a_difference_are_escaped(text):
    row = Row("added", None, 1, f"a {text}", ((2, 2 + len(text)),))

    tree = LexborHTMLParser(f"<p>{with_words(row)}</p>")

    assert_only_text(tree)
    assert tree.css_first("mark").text() == text
