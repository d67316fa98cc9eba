"""Rows of a list of tools, messages with code, and changed words: text of users stays text."""

import pytest
from django.template import Context, Template
from selectolax.lexbor import LexborHTMLParser

from catalog.listing.catalog_search import CatalogSearch
from catalog.listing.results import page_of
from catalog.metadata import Organisation, organise
from catalog.rendering.markdown import as_text
from catalog.rendering.text_diff import Row
from catalog.search.explain import Marked
from catalog.search.highlight import Mark
from catalog.templatetags.catalog import with_code
from catalog.templatetags.differences import with_words
from tests.factories import make_tool, properties

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
    organise(tool, Organisation(add_tags=[f"tag {text}"], remove_tags=[]), by=None)

    tree = rows(words)

    assert_only_text(tree)
    assert tree.css_first(".result-name").text() == name
    assert tree.css_first(".result-id").text() == tool_id
    assert tree.css_first(".result-text").text() == as_text(f"About {text}")
    assert f"tag {text}" in tree.css_first(".result-chips").text()
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
def test_the_toolkit_in_an_id_is_a_link_wherever_the_words_are_marked():
    make_tool("git-hub.close_git_hub", name="close")

    row = rows("git hub close")

    assert row.css_first(".result-id").html == (
        '<code class="id result-id">'
        '<a class="result-toolkit" href="?toolkit=git-hub"><mark>git</mark>-<mark>hub</mark></a>'
        ".<mark>close</mark>_<mark>git</mark>_<mark>hub</mark></code>"
    )
    assert len(row.css(".result-toolkit")) == 1


@pytest.mark.parametrize(
    ("at", "parts"), [(3, ("abc", "def")), (0, ("", "abcdef")), (6, ("abcdef", ""))]
)
def test_a_mark_around_the_place_of_a_split_is_in_both_parts(at, parts):
    before, after = Marked("abcdef", (Mark(1, 5),)).split(at)

    assert (
        "".join(text for text, _ in before.pieces),
        "".join(text for text, _ in after.pieces),
    ) == parts
    assert [text for part in (before, after) for text, is_marked in part.pieces if is_marked] == {
        3: ["bc", "de"], 0: ["bcde"], 6: ["bcde"],
    }[at]  # fmt: skip


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
