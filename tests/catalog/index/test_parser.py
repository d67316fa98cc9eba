import pytest

from catalog.index.filters import FILTERS, ME, OWNER, PASSING, RUNNABLE, STARRED, Condition
from catalog.index.parser import MAX_FILTERS, MAX_WORDS_READ, Query


def words(text: str) -> list[str]:
    return [word.token for word in Query.from_text(text).words]


def test_words_are_searched_by_their_stems_without_duplicates():
    assert words("creating Weather forecasts weather ") == ["creat", "weather", "forecast"]


def test_an_identifier_matches_as_words_or_as_one_word():
    [first, second] = Query.from_text("getWeather ").words

    assert (first.token, second.token) == ("get", "weather")
    assert first.compound == second.compound == "getweath"


@pytest.mark.parametrize(
    ("text", "open_ended"),
    [("get wea", "wea"), ("get wea ", None), ("get wea*", "wea"), ("wea* get ", "wea")],
)
def test_the_last_word_is_open_ended_while_it_is_typed(text, open_ended):
    found = [word.text for word in Query.from_text(text).words if word.open_ended]

    assert found == ([open_ended] if open_ended else [])


def test_grammatical_words_are_ignored_beside_other_words():
    assert words("the weather in Paris ") == ["weather", "pari"]
    assert words("what is it ") == ["what", "is", "it"]


def test_words_of_requests_are_ignored_only_in_sentences():
    assert words("get weather ") == ["get", "weather"]
    assert words("Can you get me the weather in Paris?") == ["weather", "pari"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("weather", False),
        ("create pull request", False),
        ("list of users", False),
        ("Who discovered radium?", True),
        ("I need some help with my taxes", True),
        (
            "Convert 20 dollars to euros and send the result to the accounting department of the company",
            True,
        ),
    ],
)
def test_a_question_or_request_is_a_sentence(text, sentence):
    assert Query.from_text(text).sentence is sentence


def test_quoted_words_must_be_adjacent():
    query = Query.from_text('"pull requests" github')

    assert query.phrases == (("pull", "request"),)
    assert [word.token for word in query.words] == ["pull", "request", "github"]


def test_a_number_or_an_option_of_a_command_is_not_excluded_in_a_sentence():
    assert (
        Query.from_text(
            "Can you tell me the time it takes from 5 to -10 degrees with the option -m ?"
        ).excluded
        == ()
    )
    assert Query.from_text("time -10 ").excluded == (("10",),)


def test_a_quoted_word_has_no_alternatives():
    [word] = Query.from_text('"fetch"').words

    assert word.exact


def test_a_minus_excludes_a_word_or_phrase():
    query = Query.from_text('issue -archived -"pull request" co-author -')

    assert query.excluded == (("archiv",), ("pull", "request"))
    assert [word.token for word in query.words] == ["issu", "co", "author"]


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("takes:location", [Condition("t_location")]),
        ("takes:location:string", [Condition("t_location_string")]),
        ("Takes:Temperature-Unit", [Condition("t_temperatureunit")]),
        ("returns:temperature", [Condition("r_temperature")]),
        ("needs:apiKey", [Condition("c_apikey")]),
        ("needs:configuration", [Condition("f_configurable")]),
        ("needs:nothing", [Condition("f_configurable", holds=False)]),
        ("has:examples", [Condition("f_examples")]),
        ("-has:examples", [Condition("f_examples", holds=False)]),
        ("has:returns", [Condition("f_returns")]),
        ("toolkit:github-mcp-server", [Condition("kx_githubmcpserver")]),
        ('tag:"to do"', [Condition("gx_todo")]),
        ("takes:string", [Condition("t_string")]),
        ("is:deprecated", [Condition("f_deprecated")]),
    ],
)
def test_conditions_are_parsed(text, conditions):
    query = Query.from_text(text)

    assert list(query.conditions) == conditions
    assert query.words == ()
    assert query


@pytest.mark.parametrize(
    ("text", "conditions"),
    [
        ("runnable:yes", [Condition(RUNNABLE)]),
        ("runnable:no", [Condition(RUNNABLE, holds=False)]),
        ("-runnable:yes", [Condition(RUNNABLE, holds=False)]),
        ("examples:pass", [Condition(PASSING)]),
        ("-is:starred", [Condition(STARRED, holds=False)]),
        ("owner:Me", [Condition(OWNER + ME)]),
        ("run", []),
    ],
)
def test_facts_outside_the_index_are_conditions(text, conditions):
    assert list(Query.from_text(text).conditions) == conditions


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("has:runnable", "is:runnable"),
        ("-has:runnable", "-is:runnable"),
        ("runnable:perhaps", "runnable:yes"),
        ("parameter:city", "takes:city"),
        ("param:city:string", "takes:city:string"),
        ('argument:"file name"', 'takes:"file name"'),
        ("output:temperature", "returns:temperature"),
        ("label:mail", "tag:mail"),
        ("tooklit:github", "toolkit:github"),
        ("server:github", "toolkit:github"),
        ("format:gemini", "usable:gemini"),
        ("is:openai", "usable:openai"),
        ("usable:opnai", "usable:openai"),
        ("has:nonsense", "has:examples"),
        ("has:exampels", "has:examples"),
        ("is:depricated", "is:deprecated"),
        ("is:depr", "is:deprecated"),
        ("is:beautiful", "is:deprecated"),
        ("score:high", "score:>=90"),
        ("score:101", "score:>=90"),
        ("lint:<70", "score:<70"),
        ("examples:fail", "examples:pass"),
        ("examples:passed", "examples:pass"),
        ("state:gemni", "usable:gemini"),
        ("name:apples", '"name:apples"'),
    ],
)
def test_a_filter_that_does_not_exist_is_a_problem_that_offers_another(text, instead):
    [problem] = Query.from_text(text).problems

    assert (problem.written, problem.instead) == (text, instead)
    assert f"`{instead}`" in problem.message
    assert Query.from_text(instead).problems == ()


@pytest.mark.parametrize("name", list(FILTERS))
def test_every_filter_offers_something_valid_for_a_wrong_value(name):
    [problem] = Query.from_text(f'{name}:"+"').problems

    assert Query.from_text(problem.instead).problems == ()


@pytest.mark.parametrize(
    "text",
    ["github:create_issue", "urn:isbn:123", "C:\\path",
     "localhost:8000", "http://example.org/a:b", "Note: this", "12:30", '{"key":"value"}',
     "Could you open the address host:port for me and tell me what it says?"],
)  # fmt: skip
def test_text_with_a_colon_is_no_filter(text):
    assert Query.from_text(text).problems == ()
    assert Query.from_text(text).words


@pytest.mark.parametrize("text", ["score:90", "score:>=90", "score:>89"])
def test_scores_are_compared(text):
    assert [(one.key, one.holds) for one in Query.from_text(text).conditions] == [
        ("f_scores_9", True)
    ]


@pytest.mark.parametrize("text", ["score:<90", "score:<=89"])
def test_low_scores_are_those_that_were_assessed_and_are_not_high(text):
    found = [(one.key, one.holds) for one in Query.from_text(text).conditions]

    assert found == [("f_judged", True), ("f_scores_9", False)]


@pytest.mark.parametrize("text", ["-score:<90", "-score:<=89"])
def test_a_score_that_is_not_low_is_high(text):
    assert [(one.key, one.holds) for one in Query.from_text(text).conditions] == [
        ("f_scores_9", True)
    ]


def test_no_score_is_above_100_or_below_0():
    assert [one.key for one in Query.from_text("score:>100 score:<0").conditions] == ["f_never"]


@pytest.mark.parametrize(
    "text", ["", "   ", "'\"*():^-+{}", "%%%", "\x00\x01", "\ud800", "🎉", '""', "-", 'takes:""']
)
def test_a_query_without_words_is_empty(text):
    assert not Query.from_text(text).words


def test_a_very_long_query_is_cut_with_a_note():
    query = Query.from_text(" ".join(f"word{number}" for number in range(1000)))

    assert len(query.words) == MAX_WORDS_READ
    assert query.cut
    assert len(Query.from_text("-a " * 1000).excluded) == 1
    assert (
        len(Query.from_text(" ".join(f"has:x takes:p{number}" for number in range(90))).conditions)
        == MAX_FILTERS
    )
