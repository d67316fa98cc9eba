import time

import pytest

from catalog.search.reasons import explain, reasons_for, words_out_of_sight
from catalog.search.words import (
    MAX_QUERY_WORDS,
    Query,
    excerpt,
    identifier_kin_of,
    kin_of,
    marks,
    parts_of,
    singular,
)


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


def test_an_identifier_can_be_found_as_one_word_too():
    assert identifier_kin_of("get_weather") == "getweather"
    assert identifier_kin_of("github-mcp.actions_get") == "action githubmcp actionsget"


def test_words_within_words_and_singulars_can_be_found():
    assert kin_of("GitHub issues") == "Git Hub issue"
    assert kin_of("get the weather") == ""


def test_each_character_of_a_script_without_spaces_is_a_word():
    assert kin_of("天气ok") == "天 气"


@pytest.mark.parametrize(
    ("plural", "one"),
    [("cities", "city"), ("boxes", "box"), ("issues", "issue"), ("status", "status"), ("class", "class"), ("is", "is")],
)
def test_plurals_are_known_by_their_ending(plural, one):
    assert singular(plural) == one


def test_a_very_long_word_is_read_in_linear_time():
    text = "aB" * 100_000

    started = time.perf_counter()
    kin_of(text)
    identifier_kin_of(text)
    marks(text, Query.from_text("ab"))

    assert time.perf_counter() - started < 2


def hits(query, word):
    return Query.from_text(query).hits(word)


def test_the_last_word_of_a_query_may_go_on():
    assert hits("get wea", "Weather")
    assert not hits("get wea ", "Weather")
    assert not hits("ge weather", "Get")


def test_case_accents_and_plurals_do_not_matter():
    assert hits("CAFES ", "café")
    assert hits("café ", "CAFES")


def test_words_that_say_little_are_left_out_where_others_say_more():
    assert [word.parts[0].text for word in Query.from_text("what's the weather in Paris ").words] == [
        "weather",
        "paris",
    ]
    assert [word.parts[0].text for word in Query.from_text("what is it ").words] == ["what", "is", "it"]


def test_an_identifier_in_a_query_is_its_words_or_one_word():
    [word] = Query.from_text("getWeather").words

    assert [part.text for part in word.parts] == ["get", "weather"]
    assert word.joined.text == "getweather"


@pytest.mark.parametrize("text", ["", "   ", "'\"*():^-+{}", "%%%", "\x00\x01", "\ud800", "🎉"])
def test_a_query_without_words_is_empty(text):
    assert not Query.from_text(text)


def test_a_long_query_is_cut_at_sixteen_words_and_says_so():
    query = Query.from_text("w " * 90)

    assert len(query.words) == MAX_QUERY_WORDS
    assert query.cut


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("weather", "Get weather now", ["weather"]),
        ("wea", "getWeather", ["Weather"]),
        ("getweather", "getWeather", ["getWeather"]),
        ("issue", "GitHub issues", ["issues"]),
        ("天气", "查询天气预报", ["天气"]),
        ("git hub ", "GitHub", ["GitHub"]),
        ("other", "Get weather", []),
    ],
)
def test_hits_are_marked_in_the_text_as_it_is(query, text, marked):
    assert [text[mark.start : mark.end] for mark in marks(text, Query.from_text(query))] == marked


def test_an_excerpt_is_one_line_around_the_first_hit():
    text = "First words.\n" + "filler " * 100 + "the needle is here " + "filler " * 100

    line = excerpt(text, Query.from_text("needle"), 80)

    assert "needle" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) <= 80


def test_an_excerpt_without_a_hit_is_the_beginning():
    assert excerpt("one two three four", Query(), 10) == "one two t…"


def reasons(query, parameters, description="Does something."):
    asked = Query.from_text(query)
    shown = explain(asked, name="tool", tool_id="tool", description=description)
    return reasons_for(words_out_of_sight(asked, shown), parameters)


def test_a_word_that_stands_in_a_parameters_name_is_the_reason():
    [reason] = reasons("city ", [("days", "How many."), ("cityName", "Where.")])

    assert reason.parameter.text == "cityName"
    assert [reason.parameter.text[mark.start : mark.end] for mark in reason.parameter.marks] == ["city"]
    assert reason.text is None


def test_a_word_that_stands_in_a_parameters_description_is_the_reason():
    [reason] = reasons("celsius ", [("unit", "Celsius or Fahrenheit.")])

    assert reason.parameter.text == "unit"
    assert reason.text.text == "Celsius or Fahrenheit."
    assert list(reason.text.pieces) == [("Celsius", True), (" or Fahrenheit.", False)]


def test_what_is_in_sight_needs_no_reason():
    assert reasons("something ", [("something", "")]) == ()
