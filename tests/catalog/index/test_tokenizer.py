import tracemalloc

import pytest

from catalog.index.highlight import Mark, SearchedWords, cut_excerpt, mark_words
from catalog.index.schema_fields import MAX_NAME_CHARS, find_fields
from catalog.index.tokenizer import joined_tokens_of, key_of, parts_of, runs_of, token_of, tokens_of
from tests.work import at_most
from toolspec.catalog_names import fold, group_key


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
def test_text_is_split_into_the_words_that_people_see(text, parts):
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


def test_tokens_contain_only_letters_and_digits():
    for code in range(0x30000):
        assert all(token.isalnum() for token in tokens_of(f"a{chr(code)}b"))


def test_an_identifier_can_also_be_found_as_one_word():
    assert joined_tokens_of("get_weather") == ["getweath"]
    assert joined_tokens_of("github-mcp.actions_get") == ["githubmcp", "actionsget"]
    assert joined_tokens_of("weather") == []


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("temperatureUnit", "temperatureunit"),
        ("Temperature-Unit", "temperatureunit"),
        ("$filter", "filter"),
        ("_", ""),
    ],
)
def test_a_key_is_a_name_without_case_and_punctuation(name, key):
    assert key_of(name) == key


def test_a_very_long_word_is_split_and_each_part_is_found_and_marked():
    text = f"{'a' * 100}needle rest"

    assert runs_of(text) == ["a" * 100, "needle", "rest"]
    assert mark_words(text, SearchedWords(frozenset({token_of("needle")}))) == (Mark(100, 106),)


def test_long_names_and_words_are_not_cached():
    def read(number):
        name = f"{number} {'x' * 16_000}"
        group_key(name)
        tokens_of(name)
        fields = find_fields({"properties": {name: {}}})
        assert len(next(fields).name) == MAX_NAME_CHARS

    read(0)
    tracemalloc.start()
    for number in range(1, 201):
        read(number)
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert used < 200 * 5_000


def test_a_very_long_word_is_split_in_linear_time():
    text = "aB" * 100_000

    with at_most(1_000_000):
        tokens_of(text)
        joined_tokens_of(text)
        mark_words(text, SearchedWords(frozenset(["ab"])))


def test_folding_removes_case_and_accents():
    assert fold("ÉTÉ") == fold("été") == "ete"
    assert fold("straße") == "strasse"


# -- marks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "text", "marked"),
    [
        (SearchedWords(frozenset(["weather"])), "Get weather now", ["weather"]),
        (SearchedWords(beginnings=("wea",)), "getWeather", ["Weather"]),
        (SearchedWords(frozenset(["getweath"])), "getWeather", ["getWeather"]),
        (SearchedWords(frozenset(["issu"])), "GitHub issues", ["issues"]),
        (SearchedWords(frozenset(["天", "气"])), "查询天气预报", ["天气"]),
        (SearchedWords(frozenset(["git", "hub"])), "GitHub", ["GitHub"]),
        (SearchedWords(frozenset(["creat"])), "creates, Created", ["creates", "Created"]),
        (SearchedWords(frozenset(["other"])), "Get weather", []),
        (SearchedWords(), "Get weather", []),
    ],
)
def test_matches_are_marked_in_the_original_text(words, text, marked):
    assert [text[mark.start : mark.end] for mark in mark_words(text, words)] == marked


def test_an_excerpt_is_one_line_around_the_first_match():
    text = "First words.\n" + "filler " * 100 + "the needle is here " + "filler " * 100

    line = cut_excerpt(text, SearchedWords(frozenset(["needl"])), 80)

    assert "needle" in line
    assert line.startswith("…")
    assert line.endswith("…")
    assert len(line) <= 80


def test_an_excerpt_without_a_match_is_the_beginning():
    assert cut_excerpt("one two three four", SearchedWords(), 10) == "one two t…"


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("Café weather — été", ["Café", "été"]),
        ("CAFÉS", ["CAFÉS"]),
        ("no coffee here", []),
        ("a cafe — in ete", ["cafe", "ete"]),
    ],
)
def test_words_with_accents_are_marked_like_those_without(text, marked):
    words = SearchedWords(frozenset(map(token_of, ["cafe", "ete"])))

    assert [text[mark.start : mark.end] for mark in mark_words(text, words)] == marked
