"""Untrusted text, times, counts and sizes on a page."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone
from selectolax.lexbor import LexborHTMLParser

from toolshelf_core.rendering.markdown import MAX_MARKDOWN_CHARACTERS, as_text
from toolshelf_core.templatetags.icons import icon
from toolshelf_core.templatetags.text_display import (
    breakable,
    bytes_text,
    count,
    duration,
    markdown,
    markdown_line,
    relative_time,
    sentence_with_code,
)

HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt&colon;alert(1))",
    "[x](data:text/html;base64,PHNjcmlwdD4=)",
    "<javascript:alert(1)>",
    '[x](https://e.example "\\" onmouseover=alert(1)")',
    "![x](https://tracker.example/pixel.png)",
    "```html onload=alert(1)\n<script>alert(1)</script>\n```",
    "| a | b |\n|:--|--:|\n| <b>x</b> | <script> |",
    '<a href="x" onclick="alert(1)" hx-get="/x" style="color:red">y</a>',
    "&#60;script&#62;",
    "{{ settings.SECRET_KEY }}",
]
ALLOWED = "a blockquote br code div em hr li ol p pre s strong ul table tbody td th thead tr"


def parsed(html):
    return LexborHTMLParser(f"<main>{html}</main>").css_first("main")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_markdown_becomes_plain_markup(text):
    prose = parsed(markdown(text))

    elements = [node for node in prose.css("*") if node != prose]
    assert {node.tag for node in elements} <= set(ALLOWED.split())
    attributes = {name for node in elements for name in node.attributes}
    assert attributes <= {"href", "title", "rel", "class"}
    for link in prose.css("a[href]"):
        assert link.attributes["href"].startswith(("https://", "http://"))


def test_a_link_has_nofollow_and_sends_no_referrer():
    link = parsed(markdown("See [the docs](https://docs.example/a).")).css_first("a")

    assert link.attributes["href"] == "https://docs.example/a"
    assert set(link.attributes["rel"].split()) == {"nofollow", "noopener", "noreferrer"}


def test_a_link_to_this_site_is_not_a_link():
    assert parsed(markdown("[Sign out](/sign-out/)")).css("a[href^='/']") == []


def test_markdown_is_rendered():
    prose = parsed(markdown("A **bold** `word`:\n\n- one\n- two"))

    assert prose.css_first("strong").text() == "bold"
    assert prose.css_first("code").text() == "word"
    assert [item.text().strip() for item in prose.css("li")] == ["one", "two"]


def test_line_breaks_of_a_docstring_are_preserved():
    prose = parsed(markdown("Args:\n    city: where\n    days: how many"))

    assert len(prose.css("br")) == 2
    assert prose.css("pre") == []


def test_the_lines_of_a_paragraph_are_joined_on_request():
    prose = parsed(markdown("Line one\nand two.\n\n- a\n- b", breaks=False))

    assert len(prose.css("br")) == 0
    assert prose.css_first("p").text().split() == ["Line", "one", "and", "two."]
    assert len(prose.css("li")) == 2


def test_a_heading_in_a_description_is_not_a_heading_of_the_page():
    prose = parsed(markdown("# Usage\n\nCall it.\n\nTitle\n==="))

    assert prose.css("h1, h2, h3") == []
    assert [bold.text() for bold in prose.css("p > strong")] == ["Usage", "Title"]


@pytest.mark.parametrize("text", [None, "", "  \n "])
def test_empty_text_renders_nothing(text):
    assert markdown(text) == ""


def test_a_very_long_text_is_shown_as_plain_text():
    prose = parsed(markdown("**a** " * MAX_MARKDOWN_CHARACTERS))

    assert prose.css("strong") == []


def test_the_line_of_a_description_is_its_first_paragraph_without_markdown():
    text = "## Gets **the** [weather](https://e.example)\nof a `city`.\n\nMore."

    assert markdown_line(text) == "Gets the weather of a city."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("In `kWh/m**2` or `m/s**2`.", "In kWh/m**2 or m/s**2."),
        ("Raises 2**3 to __x__ and `__init__`.", "Raises 2**3 to x and __init__."),
        ("Like `[text](url)` or ``a`b``.", "Like [text](url) or a`b."),
        ("A backtick ` alone, a star * alone.", "A backtick ` alone, a star * alone."),
        ("```sh\nls *.py **\n```", "ls *.py **"),
        ("- one\n- *two*", "one two"),
        ("Calls search_all_repos(a*b).", "Calls search_all_repos(a*b)."),
        ("| a | b |\n|---|---|\n| `c**` | d |", "a b c** d"),
        ("1 &lt; 2 \\* 3 <https://e.example>", "1 < 2 * 3 https://e.example"),
        ("Args:\n    city: where\n    days: how many", "Args: city: where days: how many"),
    ],
)
def test_a_line_is_the_text_that_a_reader_of_the_html_sees(text, line):
    assert markdown_line(text) == line
    assert " ".join(parsed(str(markdown(text)).replace("<br>", " ")).text().split()) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The amount in `from_unit`.", "The amount in <code>from_unit</code>."),
        (
            "The **amount** of `a < b`\nand [c](https://e.example).",
            "The amount of <code>a &lt; b</code> and c.",
        ),
        ("Up to 5 < 6.", "Up to 5 &lt; 6."),
        ("```\n<script>\n```", "<code>&lt;script&gt;</code>"),
    ],
)
def test_a_sentence_has_its_code_spans_as_code(text, line):
    assert " ".join(sentence_with_code(text).replace("\n<", "<").split()) == line


def test_a_name_breaks_after_an_underscore_and_is_escaped():
    assert breakable("cell_style_<b>") == "cell_<wbr>style_<wbr>&lt;b&gt;"
    assert breakable("/a/b.c:DateFactory_") == "/<wbr>a/<wbr>b.<wbr>c:<wbr>Date<wbr>Factory_"


def test_of_a_very_long_text_only_the_beginning_is_parsed():
    text = "*a* " * 5_000

    line = as_text(text)

    assert line.startswith("a a a")
    assert line.endswith("*a* *a*")
    assert len(line.split()) == 5_000


def test_a_long_line_is_truncated():
    assert markdown_line("word " * 500).endswith("word…")


@pytest.mark.parametrize(
    ("age", "words"),
    [
        (timedelta(seconds=5), "just now"),
        (timedelta(minutes=1, seconds=5), "1 minute ago"),
        (timedelta(hours=5, seconds=5), "5 hours ago"),
        (timedelta(days=2, seconds=5), "2 days ago"),
        (timedelta(days=400), "1 year ago"),
        (timedelta(hours=-3, seconds=-5), "in 3 hours"),
        (timedelta(days=-90, seconds=5), "in 3 months"),
        (timedelta(days=-80), "in 2 months"),
        (timedelta(hours=-1, seconds=5), "in 1 hour"),
        (timedelta(days=90, seconds=-5), "2 months ago"),
    ],
)
def test_a_time_is_shown_relative_to_now(age, words):
    assert parsed(relative_time(timezone.now() - age)).text() == words


def test_a_relative_time_has_the_exact_time():
    time = parsed(relative_time(datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC))).css_first("time")

    assert time.attributes["datetime"] == "2026-03-04T05:06:07+00:00"
    assert time.attributes["title"] == "2026-03-04 05:06 UTC"


def test_no_time_renders_nothing():
    assert relative_time(None) == ""


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (count(1, "tool"), "1 tool"),
        (count(1394, "tool"), "1,394 tools"),
        (count(0, "entry,entries"), "0 entries"),
        (duration(0.0), "0 ms"),
        (duration(0.04), "< 0.1 ms"),
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
def test_counts_durations_and_sizes_are_readable(shown, expected):
    assert shown == expected


def test_an_icon_is_inline_and_hidden_from_screen_readers():
    svg = parsed(icon("search")).css_first("svg")

    assert svg.attributes["aria-hidden"] == "true"
    assert "style" not in svg.attributes


def test_an_icon_that_is_not_vendored_is_an_error():
    with pytest.raises(KeyError):
        icon("no-such-icon")
