import time

import pytest

from catalog.search.marking import Cut, Wanted, excerpt, marks
from catalog.search.words import fold, joined_tokens_of, key_of, parts_of, tokens_of


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getWeather", ["get", "Weather"]),
        ("get_weather-now", ["get", "weather", "now"]),
        ("getHTTPUrl_v2", ["get", "HTTP", "Url", "v2"]),
        ("URLs of APIs", ["URLs", "of", "APIs"]),
        ("__init__", ["init"]),
        ("sha256", ["sha256"]),
        ("été", ["été"]),
        ("", []),
    ],
)
def test_text_is_cut_where_people_see_words(text, parts):
    assert parts_of(text) == parts


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Creates cities", ["creat", "citi"]),
        ("getWeather", ["get", "weather", "getweath"]),
        ("GitHub issues", ["git", "hub", "github", "issu"]),
        ("Café CAFÉ", ["cafe", "cafe"]),
        ("天气ok", ["天", "气", "ok"]),
        ("a.b/c", ["a", "b", "c"]),
        ("'\"*():^-+{}\x00", []),
    ],
)
def test_a_token_is_a_word_without_case_accents_and_ending(text, tokens):
    assert tokens_of(text) == tokens


def test_tokens_hold_letters_and_digits_alone():
    for code in range(0x30000):
        assert all(token.isalnum() for token in tokens_of(f"a{chr(code)}b"))


def test_an_identifier_can_be_found_as_one_word_too():
    assert joined_tokens_of("get_weather") == ["getweath"]
    assert joined_tokens_of("github-mcp.actions_get") == ["githubmcp", "actionsget"]
    assert joined_tokens_of("weather") == []


@pytest.mark.parametrize(
    ("name", "key"),
    [("temperatureUnit", "temperatureunit"), ("Temperature-Unit", "temperatureunit"), ("$filter", "filter"), ("_", "")],
)
def test_a_key_is_a_name_without_case_and_signs(name, key):
    assert key_of(name) == key


def test_a_very_long_word_is_read_in_linear_time():
    text = "aB" * 100_000

    started = time.thread_time()
    tokens_of(text)
    joined_tokens_of(text)
    marks(Cut(text), Wanted(frozenset(["ab"])))

    assert time.thread_time() - started < 2


def test_folding_knows_neither_case_nor_accents():
    assert fold("ÉTÉ") == fold("été") == "ete"
    assert fold("straße") == "strasse"


# -- marks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wanted", "text", "marked"),
    [
        (Wanted(frozenset(["weather"])), "Get weather now", ["weather"]),
        (Wanted(beginnings=("wea",)), "getWeather", ["Weather"]),
        (Wanted(frozenset(["getweath"])), "getWeather", ["getWeather"]),
        (Wanted(frozenset(["issu"])), "GitHub issues", ["issues"]),
        (Wanted(frozenset(["天", "气"])), "查询天气预报", ["天气"]),
        (Wanted(frozenset(["git", "hub"])), "GitHub", ["GitHub"]),
        (Wanted(frozenset(["creat"])), "creates, Created", ["creates", "Created"]),
        (Wanted(frozenset(["other"])), "Get weather", []),
        (Wanted(), "Get weather", []),
    ],
)
def test_hits_are_marked_in_the_text_as_it_is(wanted, text, marked):
    assert [text[mark.start : mark.end] for mark in marks(Cut(text), wanted)] == marked


def test_an_excerpt_is_one_line_around_the_first_hit():
    text = "First words.\n" + "filler " * 100 + "the needle is here " + "filler " * 100

    line = excerpt(text, Wanted(frozenset(["needl"])), 80)

    assert "needle" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) <= 80


def test_an_excerpt_without_a_hit_is_the_beginning():
    assert excerpt("one two three four", Wanted(), 10) == "one two t…"
