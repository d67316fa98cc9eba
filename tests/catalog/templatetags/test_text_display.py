"""Text from strangers, times, counts and sizes, as a page shows them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser

from catalog.templatetags.icons import icon
from catalog.templatetags.text_display import (
    MAX_MARKDOWN_CHARACTERS,
    bytes_text,
    count,
    duration,
    markdown,
    markdown_line,
    relative_time,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](vbscript:msgbox)",
    "<javascript:alert(1)>",
    '[x](https://e.example "\\" onmouseover=alert(1)")',
    "![x](https://tracker.example/pixel.png)",
    "![x][1]\n\n[1]: https://tracker.example/pixel.png",
    "<iframe src=https://e.example></iframe>",
    "<style>*{display:none}</style>",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    "| a | b |\n|:--|--:|\n| <b>x</b> | <script> |",
    '<a href="x" onclick="alert(1)" hx-get="/x" style="color:red">y</a>',
    "&#60;script&#62;",
    "{{ settings.SECRET_KEY }}",
]
ALLOWED = {"a", "blockquote", "br", "code", "div", "em", "hr", "li", "ol", "p", "pre", "s", "strong", "ul"}
ALLOWED |= {"table", "tbody", "td", "th", "thead", "tr"}


def parsed(html):
    return LexborHTMLParser(f"<main>{html}</main>").css_first("main")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_becomes_plain_markup(text):
    prose = parsed(markdown(text))

    elements = [node for node in prose.css("*") if node != prose]
    assert {node.tag for node in elements} <= ALLOWED
    assert {name for node in elements for name in node.attributes} <= {"href", "title", "rel", "class"}
    assert all(link.attributes["href"].startswith(("https://", "http://")) for link in prose.css("a[href]"))


def test_a_link_promises_nothing_and_sends_no_referrer():
    link = parsed(markdown("See [the docs](https://docs.example/a).")).css_first("a")

    assert link.attributes["href"] == "https://docs.example/a"
    assert set(link.attributes["rel"].split()) == {"nofollow", "noopener", "noreferrer"}


def test_a_link_to_this_site_is_not_a_link():
    assert parsed(markdown("[Sign out](/sign-out/)")).css("a[href^='/']") == []


def test_markdown_is_drawn():
    prose = parsed(markdown("A **bold** `word`:\n\n- one\n- two"))

    assert prose.css_first("strong").text() == "bold"
    assert prose.css_first("code").text() == "word"
    assert [item.text().strip() for item in prose.css("li")] == ["one", "two"]


def test_plain_text_stays_as_it_is():
    assert markdown('Tom and Jerry\'s "weather"') == (
        '<div class="prose"><p>Tom and Jerry&#x27;s &quot;weather&quot;</p></div>'
    )


def test_line_ends_of_a_doc_string_are_kept():
    prose = parsed(markdown("Args:\n    city: where\n    days: how many"))

    assert len(prose.css("br")) == 2
    assert prose.css("pre") == []


def test_a_heading_in_a_description_is_no_heading_of_the_page():
    prose = parsed(markdown("# Usage\n\nCall it.\n\nTitle\n==="))

    assert prose.css("h1, h2, h3") == []
    assert [bold.text() for bold in prose.css("p > strong")] == ["Usage", "Title"]


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_no_text_is_nothing(text):
    assert markdown(text) == ""


def test_a_very_long_text_is_plain():
    prose = parsed(markdown("**a** " * MAX_MARKDOWN_CHARACTERS))

    assert prose.css("strong") == []


def test_the_line_of_a_description_is_its_first_paragraph_without_marks():
    text = "## Gets **the** [weather](https://e.example)\nof a `city`.\n\nMore."

    assert markdown_line(text) == "Gets the weather of a city."


def test_the_line_of_a_description_keeps_names_with_underscores():
    assert markdown_line("Calls search_all_repos(a*b).") == "Calls search_all_repos(a*b)."


def test_a_long_line_is_cut():
    assert markdown_line("word " * 500).endswith("word…")


def test_the_line_of_a_hostile_description_is_escaped_by_the_template():
    page = Template("{% load text_display %}{% markdown_line text %}").render(Context({"text": "<script>x</script>"}))

    assert page == "&lt;script&gt;x&lt;/script&gt;"


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1, seconds=5), "1 minute ago"),
        (timedelta(hours=5, seconds=5), "5 hours ago"),
        (timedelta(days=2, seconds=5), "2 days ago"),
        (timedelta(days=400), "1 year ago"),
        (timedelta(hours=-3, seconds=-5), "in 3 hours"),
    ],
)
def test_a_moment_is_told_relative_to_now(age, words):
    assert parsed(relative_time(timezone.now() - age)).text() == words


def test_a_moment_keeps_its_exact_time():
    time = parsed(relative_time(datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))).css_first("time")

    assert time.attributes["datetime"] == "2026-03-04T05:06:07+00:00"
    assert time.attributes["title"] == "2026-03-04 05:06 UTC"


def test_no_moment_is_nothing():
    assert relative_time(None) == ""


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (count(1, "tool"), "1 tool"),
        (count(1394, "tool"), "1,394 tools"),
        (count(0, "entry,entries"), "0 entries"),
        (duration(0.42), "0.4 ms"),
        (duration(12.4), "12 ms"),
        (duration(1_440), "1.4 s"),
        (duration(125_000), "2 min 5 s"),
        (duration(None), "—"),
        (bytes_text(312), "312 B"),
        (bytes_text(1_229), "1.2 KiB"),
        (bytes_text(3_565_158), "3.4 MiB"),
        (bytes_text(None), "—"),
    ],
)
def test_counts_durations_and_sizes_are_told_in_words(shown, expected):
    assert shown == expected


def test_an_icon_is_drawn_inline_and_hidden_from_screen_readers():
    svg = parsed(icon("search")).css_first("svg")

    assert svg.attributes["aria-hidden"] == "true"
    assert "style" not in svg.attributes


def test_an_icon_that_is_not_vendored_is_an_error():
    with pytest.raises(KeyError):
        icon("no-such-icon")
