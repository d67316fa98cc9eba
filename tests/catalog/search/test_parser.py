import pytest

from catalog.search.parser import MAX_CONDITIONS, MAX_WORDS_READ, Condition, Query


def words(text: str) -> list[str]:
    return [word.token for word in Query.from_text(text).words]


def test_words_are_looked_for_by_their_stems_each_once():
    assert words("creating Weather forecasts weather ") == ["creat", "weather", "forecast"]


def test_an_identifier_is_its_words_or_one_word():
    [first, second] = Query.from_text("getWeather ").words

    assert (first.token, second.token) == ("get", "weather")
    assert first.joined == second.joined == "getweath"


@pytest.mark.parametrize(
    ("text", "open_ended"), [("get wea", "wea"), ("get wea ", None), ("get wea*", "wea"), ("wea* get ", "wea")]
)
def test_the_last_word_may_go_on_while_it_is_typed(text, open_ended):
    found = [word.typed for word in Query.from_text(text).words if word.open_ended]

    assert found == ([open_ended] if open_ended else [])


def test_words_of_grammar_are_left_out_where_others_say_more():
    assert words("the weather in Paris ") == ["weather", "pari"]
    assert words("what is it ") == ["what", "is", "it"]


def test_words_that_ask_are_left_out_of_a_sentence_alone():
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
        ("Convert 20 dollars to euros and send the result to the accounting department of the company", True),
    ],
)
def test_what_is_said_to_somebody_is_a_sentence(text, sentence):
    assert Query.from_text(text).sentence is sentence


def test_words_in_quotation_marks_stand_side_by_side():
    query = Query.from_text('"pull requests" github')

    assert query.phrases == (("pull", "request"),)
    assert [word.token for word in query.words] == ["pull", "request", "github"]


def test_quotation_marks_in_a_sentence_bind_nothing():
    assert Query.from_text('Can you create a task named "echo task" for me?').phrases == ()


def test_a_quoted_word_is_meant_to_the_letter():
    [word] = Query.from_text('"fetch"').words

    assert word.exact


def test_what_follows_a_minus_is_unwanted():
    query = Query.from_text('issue -archived -"pull request" co-author -')

    assert query.unwanted == (("archiv",), ("pull", "request"))
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
        ("toolkit:github-mcp-server", [Condition("k_githubmcpserver")]),
        ('tag:"to do"', [Condition("g_todo")]),
        ("takes:string", [Condition("t_string")]),
        ("is:deprecated", [Condition("f_deprecated")]),
    ],
)
def test_conditions_are_read(text, conditions):
    query = Query.from_text(text)

    assert list(query.conditions) == conditions
    assert query.words == ()
    assert query


@pytest.mark.parametrize(
    ("text", "runnable"), [("runnable:yes", True), ("runnable:no", False), ("-runnable:yes", False), ("run", None)]
)
def test_it_may_matter_whether_a_tool_can_be_run(text, runnable):
    assert Query.from_text(text).runnable is runnable


@pytest.mark.parametrize("text", ["has:nonsense", "runnable:perhaps", "is:beautiful"])
def test_what_is_not_understood_is_said(text):
    query = Query.from_text(text)

    assert len(query.notes) == 1
    assert text.partition(":")[0] in query.notes[0]


def test_a_field_that_is_not_known_is_a_word():
    assert words("name:apples") == ["name", "appl"]


@pytest.mark.parametrize("text", ["", "   ", "'\"*():^-+{}", "%%%", "\x00\x01", "\ud800", "🎉", '""', "-", 'takes:""'])
def test_a_query_without_words_is_empty(text):
    assert not Query.from_text(text).words


def test_a_very_long_query_is_cut_and_says_so():
    query = Query.from_text(" ".join(f"word{number}" for number in range(1000)))

    assert len(query.words) == MAX_WORDS_READ
    assert query.cut
    assert len(Query.from_text("-a " * 1000).unwanted) == 1
    assert len(Query.from_text(" ".join(f"has:x takes:p{number}" for number in range(90))).conditions) == MAX_CONDITIONS
