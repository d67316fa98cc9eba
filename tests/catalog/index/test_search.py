import pytest
from django.http import QueryDict
from django.test import override_settings

from catalog.index import search_index
from catalog.index.parser import MAX_WORDS_READ
from catalog.index.plan import MAX_WORDS
from catalog.search.catalog_search import CatalogSearch
from catalog.search.facets import facets_of
from catalog.search.pagination import BadCursor, Cursor
from catalog.search.results import numbered_pages, page_of, results_of
from catalog.search.similar import find_similar_tools
from catalog.tools.hooks import hooks
from catalog.tools.models import Tool
from catalog.tools.publishing import publish_many
from tests.factories import make_spec, make_tool, properties, real_specs
from toolshelf_core.caching import LRUCache
from toolspec.spec import read_spec

pytestmark = pytest.mark.django_db

NAUGHTY = [
    "'", '"', "''", '""', "*", "^", "\\", "(", ")", "()", "a OR", "AND", "NOT a", "a NEAR b", "NEAR(", "a:b", "name:x",
    "{name}:x", "-a", "+", "a*b", '"a', 'a"', "%", "_", "%%%", "; DROP TABLE catalog_tool; --", "' OR 1=1--", "\x00",
    "a\x00b", "\ufffd", "\u202e", "\ufdfa", "\U0001f3f3\ufe0f\u200d\U0001f308", "a" * 5000, "a " * 5000, "\u0301" * 300,
    "<script>", "..", "/", "?", "#", "\n", "\t", "\uff10\uff11", "\u00df", "\u0130", "\u0131", "\u200f", "\U000e0001",
]  # fmt: skip


def matching_all(words):
    return CatalogSearch(words=words).matching_all()


def found(query: str, **options) -> list[str]:
    return [
        result.tool.tool_id for result in page_of(CatalogSearch(words=query, **options)).results
    ]


# -- results ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["weather", "Weather", "forecast", "wea", "get_weather", "getWeather", "getweather", "get-weather", "city",
     "cities", "boulevard", "Get Weather", "weathers", "departure"],
)  # fmt: skip
def test_a_tool_is_found_by_its_id_name_description_and_parameters(query):
    make_tool(
        "acme.get_weather",
        name="get_weather",
        description="The forecast for some place.",
        parameters=properties(
            city={"type": "string", "description": "A city, not a boulevard."},
            trip={"type": "array", "items": properties(departureDate={"type": "string"})},
        ),
    )
    make_tool("other", description="Something else.")

    assert found(query) == ["acme.get_weather"]


def test_tools_with_all_words_come_first_and_less_exact_ones_fill_them_up():
    make_tool("money", name="sends", description="Sends money.")
    make_tool("mail", description="Sends mail to people.")
    make_tool("other", description="Something else.")

    page = page_of(CatalogSearch(words="sends mail"))

    assert [(one.tool.tool_id, one.exact) for one in page.results] == [
        ("mail", True),
        ("money", False),
    ]
    assert (page.filled_up, page.loosely, page.holding_all, page.count) == (True, True, 1, 2)


def test_ten_tools_with_all_words_are_not_filled_up():
    publish_many([make_spec(f"mail{n}", description="Sends mail.") for n in range(10)], by=None)
    make_tool("money", description="Sends money.")

    page = page_of(CatalogSearch(words="sends mail "))

    assert (page.count, page.filled_up, page.loosely) == (10, False, False)


def test_less_exact_tools_fill_up_to_ten():
    publish_many([make_spec(f"mail{n}", description="Sends mail.") for n in range(3)], by=None)
    publish_many([make_spec(f"money{n}", description="Sends money.") for n in range(30)], by=None)

    page = page_of(CatalogSearch(words="sends mail "))

    assert [one.exact for one in page.results] == [True] * 3 + [False] * 7


def test_a_cursor_walks_over_exact_and_less_exact_tools_without_repeats():
    publish_many([make_spec(f"mail{n}", description="Sends mail.") for n in range(3)], by=None)
    publish_many([make_spec(f"money{n}", description="Sends money.") for n in range(30)], by=None)
    search = CatalogSearch(words="sends mail ", limit=2)

    pages = walk(search)

    every = [tool_id for page in pages for tool_id in page]
    assert [len(page) for page in pages] == [2, 2, 2, 2, 2]
    assert len(set(every)) == 10 == page_of(search).count
    assert every[:3] == ["mail0", "mail1", "mail2"]


def test_what_fills_up_fulfils_filters_exclusions_and_quoted_phrases():
    make_tool("a", description="Sends mail to many people.")
    make_tool("b", description="Sends money to many people.", deprecated=True)
    make_tool("c", description="Sends coins to many people.")
    make_tool("d", description="Sends notes to people.")

    assert found('sends mail "many people" -is:deprecated') == ["a", "c"]
    assert found('sends mail "many people" -coins') == ["a", "b"]


@pytest.mark.parametrize(
    "query",
    ['Send SMS message with custom tracking tag "campaign1"', 'send sms "hello world"', 'sms "people know"',
     'Could you please send an SMS that says "people know" to my friend?'],
)  # fmt: skip
def test_a_phrase_that_no_tool_with_the_words_contains_excludes_nothing(query):
    make_tool("send_sms", description="Send an SMS message, with a tag.")
    make_tool("other", description="Something that people know.")

    assert "send_sms" in found(query)[:2]


def test_a_quoted_phrase_adds_to_the_score_in_a_sentence():
    make_tool("a", description="Requests to pull, and a list of them.")
    make_tool("b", description="A list of pull requests, and of them.")

    assert found('Can you show me the list of "pull requests" that we have?')[0] == "b"


def test_a_phrase_always_counts_where_tools_are_chosen_by_a_query():
    make_tool("a", description="Send an SMS message.")

    assert not matching_all('send "some campaign"').exists()


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("cosmosdb", "Lists accounts of Cosmos DB."),
        ("list cosmosdb accounts", "Lists accounts of Cosmos DB."),
        ("bestpractices", "The best practices of Azure."),
        ("cosmos db", "Lists cosmosdb accounts."),
        ("best practices", "Gets bestpractices."),
        ("best-practices", "Gets bestpractices."),
    ],
)
def test_a_compound_is_found_as_two_words_and_two_words_as_a_compound(query, text):
    make_tool("a", description=text)
    make_tool("b", description="The db of the cosmos, at best for practices and accounts.")

    page = page_of(CatalogSearch(words=f"{query} "))

    assert "a" in [one.tool.tool_id for one in page.results if one.exact]
    assert page.corrections == ()


@pytest.mark.parametrize(
    "query",
    ["function app", "function apps", "function app get", "get function apps", "function-app", "functionApp",
     "Show me the function apps in my subscription", "What does my function app need?"],
)  # fmt: skip
def test_the_name_of_a_tool_with_a_compound_comes_before_tools_with_one_of_its_words(query):
    subscription = properties(
        subscription={"type": "string", "description": "The subscription to use."}
    )
    make_tool(
        "get_app",
        description="Gets an app of a subscription, with each function.",
        parameters=subscription,
    )
    make_tool(
        "list_functions",
        description="Lists the function of each app in a file.",
        parameters=subscription,
    )
    make_tool(
        "functionapp_get", description="Gets details in a subscription.", parameters=subscription
    )

    assert found(query)[0] == "functionapp_get"


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("functionapp", "function_app_get"),
        ("webhook", "web_hook_create"),
        ("keyvault", "key-vault"),
    ],
)
def test_a_compound_that_other_tools_contain_as_one_word_is_also_found_as_two(query, name):
    others = [make_spec(f"other{number}", description=f"Uses the {query}.") for number in range(20)]
    publish_many(others, by=None)
    make_tool(name, description="Does it.")

    assert name in found(f"{query} ", limit=100)


def test_what_a_request_is_about_weighs_more_than_its_verb():
    publish_many(
        [make_spec(f"create_thing{n}", description="Creates a thing.") for n in range(3)], by=None
    )
    publish_many(
        [make_spec(f"invoice_thing{n}", description="Pays the invoice.") for n in range(3)], by=None
    )

    for query in (
        "create invoice",
        "create an invoice",
        "invoice create",
        "Can you please create an invoice for me?",
    ):
        assert all(name.startswith("invoice") for name in found(query)[:3]), query


def test_a_verb_alone_still_finds_its_tools():
    make_tool("create_invoice", description="Creates it.")
    make_tool("read_invoice", description="Reads it.")

    assert found("create ")[0] == "create_invoice"
    assert found("create invoice")[0] == "create_invoice"


@pytest.mark.parametrize(
    "query",
    ["Wie kann ich eine PDF Datei zusammenfügen", "comment puis-je fusionner une page PDF aux autres",
     "hvordan kan jeg flette en PDF sammen"],
)  # fmt: skip
def test_a_word_of_another_language_that_one_tool_contains_pulls_it_not_up(query):
    publish_many(
        [make_spec(f"pdf{n}", description="Joins the pages of a PDF.") for n in range(6)], by=None
    )
    publish_many(
        [make_spec(f"other{n}", description="Does another thing.") for n in range(20)], by=None
    )
    make_tool("lesson", description="Teaches eine, une and en, with kan and puis, as in: ich, aux.")

    assert found(query)[0].startswith("pdf")


def test_a_rare_word_of_a_query_in_the_language_of_the_catalog_still_decides():
    publish_many(
        [make_spec(f"pdf{n}", description="Joins the pages of a PDF.") for n in range(6)], by=None
    )
    make_tool("wetter", description="Gibt das Wetter für eine Stadt.")

    assert found("Jira PDF")[0].startswith("pdf")
    assert found("Wie ist das Wetter in der Stadt")[0] == "wetter"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("C++", ["cpp"]),
        ("c++ ", ["cpp"]),
        ("cpp", ["cpp"]),
        ("compile C++17", ["cpp"]),
        ("C#", ["csharp"]),
        ("csharp", ["csharp"]),
        ("F#", ["fsharp"]),
        (".NET", ["dotnet"]),
        ("dotnet", ["dotnet"]),
        ("asp.net", ["asp"]),
        ("node.js", ["node"]),
        ("nodejs", ["node"]),
        ('"C#"', ["csharp"]),
        ("code -C++ -C# -F# -.NET -node -asp", ["plain"]),
    ],
)
def test_a_language_is_found_by_its_name_with_a_sign(query, expected):
    make_tool("cpp", description="Compiles the code of C++ (also C++17).")
    make_tool("csharp", description="Compiles the code of C#.")
    make_tool("fsharp", description="Compiles the code of F#.")
    make_tool("dotnet", description="Compiles the code of .NET for Windows.")
    make_tool("asp", description="Compiles the code of ASP.NET.")
    make_tool("node", description="Compiles the code of Node.js.")
    make_tool("plain", description="Compiles the code of C, on the net.")

    page = page_of(CatalogSearch(words=query))

    assert [one.tool.tool_id for one in page.results if one.exact] == expected


def test_a_name_with_a_sign_is_marked_in_the_text():
    make_tool("cpp", description="Compiles the code of C++ and .NET.")

    [result] = page_of(CatalogSearch(words="C++ .net")).results

    assert [piece for piece, is_hit in result.shown.excerpt.pieces if is_hit] == ["C++", ".NET"]


def test_two_words_apart_are_no_compound():
    make_tool("b", description="The db of the cosmos.")

    assert found("cosmosdb ") == []


def test_a_compound_is_marked_in_the_text():
    make_tool("a", description="Lists accounts of Cosmos DB.")

    [result] = page_of(CatalogSearch(words="cosmosdb ")).results

    assert [piece for piece, is_hit in result.shown.excerpt.pieces if is_hit] == ["Cosmos", "DB"]


def test_a_long_request_is_read_to_its_end():
    publish_many(
        [make_spec(f"tool{n}", description=f"Does thing{n} and stuff{n}.") for n in range(150)],
        by=None,
    )
    make_tool("paint", name="calculate_paint", description="Calculates the paint for a wall.")
    talk = " ".join(f"We spoke about thing{n} for a while." for n in range(50))

    search = CatalogSearch(
        words=f"{talk} Calculate the paint for my wall, please: the paint of a wall."
    )

    assert page_of(search).results[0].tool.tool_id == "paint"
    assert not search.query.cut


def test_the_work_for_a_request_is_bounded(django_assert_max_num_queries):
    publish_many(
        [make_spec(f"tool{n}", description=f"Does word{n} and term{n}.") for n in range(150)],
        by=None,
    )
    search = CatalogSearch(words=" ".join(f"word{n} else{n}" for n in range(5000)))

    with django_assert_max_num_queries(40):
        page_of(search)

    assert search.query.cut
    assert len(search.query.words) == MAX_WORDS_READ
    assert len(search.plan.terms) == MAX_WORDS


def test_a_wrong_filter_finds_nothing():
    make_tool("a", description="apples")
    search = CatalogSearch(words="apples has:runnable")

    page = page_of(search)

    assert (page.results, page.count, page.next) == ((), 0, None)
    assert [(one.instead, address) for one, address in search.repairs] == [
        ("is:runnable", "?q=apples+is%3Arunnable")
    ]
    assert not matching_all("apples has:runnable").exists()
    assert {option.count for facet in facets_of(search) for option in facet.options} <= {0}


def test_the_page_offers_the_right_filter(client):
    make_tool("a", description="apples")

    body = client.get("/tools/", {"q": "has:runnable"}).content.decode()

    assert "takes examples, returns, configuration, parameters, toolkit." in body
    assert 'href="?q=is%3Arunnable"' in body
    assert "<code>is:runnable</code>" in body


def test_the_page_marks_less_exact_matches(client):
    make_tool("mail", description="Sends mail.")
    make_tool("money", description="Sends money.")

    body = client.get("/tools/", {"q": "sends mail"}).content.decode()

    assert (
        body.index("/tools/mail/") < body.index("Less exact matches") < body.index("/tools/money/")
    )
    assert "Less exact matches" not in client.get("/tools/", {"q": "sends"}).content.decode()


def test_the_api_marks_less_exact_matches_and_wrong_filters(stranger):
    make_tool("mail", description="Sends mail.")
    make_tool("money", description="Sends money.")

    first = stranger.ask("/tools", q="sends mail", limit=1).json()
    second = stranger.ask("/tools", q="sends mail", limit=1, cursor=first["next"]).json()
    wrong = stranger.ask("/tools", q="has:runnable")

    assert [(one["id"], one["exact"]) for one in first["items"] + second["items"]] == [
        ("mail", True),
        ("money", False),
    ]
    assert (first["match"], second["match"], second["next"], first["problems"]) == (
        "any",
        "any",
        None,
        [],
    )
    assert (wrong.status_code, wrong.json()["items"], wrong.json()["count"]) == (200, [], 0)
    [problem] = wrong.json()["problems"]
    assert (problem["written"], problem["instead"]) == ("has:runnable", "is:runnable")


def test_if_no_tool_contains_all_words_those_with_some_are_found():
    make_tool("mail", description="Sends mail.")
    make_tool("money", description="Counts coins.")

    page = page_of(CatalogSearch(words="mail to the moon"))

    assert page.loosely
    assert [result.tool.tool_id for result in page.results] == ["mail"]


def test_a_match_in_the_name_ranks_above_one_in_a_parameter():
    make_tool("a", parameters=properties(zebra={"type": "string"}))
    make_tool("zebra")
    make_tool("c", description="About a zebra.")

    assert found("zebra") == ["zebra", "c", "a"]


def test_a_new_revision_is_found_only_by_its_own_words():
    make_tool("a", description="apples")
    make_tool("a", description="pears")

    assert found("pears") == ["a"]
    assert found("apples") == []


def test_an_archived_tool_is_found_only_on_request():
    make_tool("a", description="apples", archived=True)

    assert found("apples") == []
    assert found("apples", archived=True) == ["a"]
    assert found("") == []
    assert found("", archived=True) == ["a"]


def test_results_explain_why_they_match():
    make_tool(
        "a",
        parameters=properties(
            city={"type": "string"}, unit={"description": "Celsius or Fahrenheit."}
        ),
    )

    [result] = page_of(CatalogSearch(words="city fahrenheit")).results

    assert [
        (reason.parameter.text, reason.text and reason.text.text) for reason in result.shown.reasons
    ] == [
        ("city", None),
        ("unit", "Celsius or Fahrenheit."),
    ]


@pytest.mark.parametrize("query", NAUGHTY)
def test_every_text_is_a_valid_query(query):
    make_tool("a")

    search = CatalogSearch(words=query)

    page_of(search)
    facets_of(search)
    assert matching_all(query).count() <= 1


def test_operators_of_other_query_languages_are_words():
    make_tool("a", description="apples OR pears NOT plums")

    assert found("OR NOT ") == ["a"]
    assert found('"name:apples"') == ["a"]


# -- the query language -----------------------------------------------------------------------------------------------


@pytest.fixture
def catalog_tools():
    make_tool(
        "mail.send_message",
        name="send_message",
        description="Sends a message to somebody. Pull requests are none of its business.",
        parameters=properties(
            to={"type": "string"},
            urgent={"type": "boolean"},
            attachments={"items": properties(fileName={"const": "a"})},
        ),
        returnType=properties(messageId={"type": ["string", "null"]}),
        tags=["Office work"],
    )
    make_tool(
        "code.list_requests",
        name="list_requests",
        description="Requests to pull, oldest first.",
        parameters=properties(size={"$ref": "#/$defs/size"})
        | {"$defs": {"size": {"enum": [10, 100]}}},
        configuration=properties(apiKey={"type": "string"}),
        examples=[{"description": "One"}],
        deprecated=True,
    )
    make_tool("idle", description="Does nothing.")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("takes:to", ["mail.send_message"]),
        ("takes:filename:string", ["mail.send_message"]),
        ("takes:file", ["mail.send_message"]),
        ("takes:to:number", []),
        ("takes:size:number", ["code.list_requests"]),
        ("-takes:to", ["code.list_requests", "idle"]),
        ("returns:message_id:null", ["mail.send_message"]),
        ("needs:configuration", ["code.list_requests"]),
        ("needs:nothing", ["idle", "mail.send_message"]),
        ("needs:apiKey:string", ["code.list_requests"]),
        ("has:examples", ["code.list_requests"]),
        ("-has:parameters", ["idle"]),
        ("has:returns", ["mail.send_message"]),
        ("toolkit:mail", ["mail.send_message"]),
        ('tag:"office work"', ["mail.send_message"]),
        ("tag:office", []),
        ("is:deprecated", ["code.list_requests"]),
        ("-is:deprecated pull", ["mail.send_message"]),
        ("pull requests", ["code.list_requests", "mail.send_message"]),
        ('"pull requests"', ["mail.send_message"]),
        ('requests -"pull requests"', ["code.list_requests"]),
        ("requests -oldest", ["mail.send_message"]),
        ("-requests", ["idle"]),
        ("mess* ", ["mail.send_message"]),
        ("mess ", []),
        ("runnable:yes", ["idle"]),
        ("requests runnable:yes", []),
        ("requests runnable:no", ["code.list_requests", "mail.send_message"]),
        ("takes:nothing-like-it", []),
        ("has:nonsense", []),
        ("is:runnable", ["idle"]),
        ("parameter:to", []),
    ],
)
def test_conditions_narrow_a_search(catalog_tools, monkeypatch, query, expected):
    for name in ("runnable_tool_ids", "installed_tool_ids"):
        monkeypatch.setattr(hooks, name, lambda: frozenset({"idle"}))

    assert sorted(found(query)) == expected
    assert sorted(tool.tool_id for tool in matching_all(query)) == expected


@pytest.mark.parametrize("query", ["fetch article ", "fetch articles", "retrieve post "])
def test_a_tool_is_found_by_a_synonym(query):
    make_tool("get_article", description="Gets one.")

    assert found(query) == ["get_article"]


def test_a_tool_is_found_by_a_word_of_the_same_subject():
    make_tool("forecast", description="The weather of tomorrow.")
    make_tool("other")

    page = page_of(CatalogSearch(words="Will I need an umbrella?"))

    assert [result.tool.tool_id for result in page.results] == ["forecast"]
    assert page.loosely


@pytest.mark.parametrize("typed", ["wether", "waether", "weatherr", "eather", "Weathet"])
def test_a_typo_is_corrected_and_reported(typed):
    make_tool("weather")
    make_tool("other")

    page = page_of(CatalogSearch(words=f"{typed} "))

    assert [result.tool.tool_id for result in page.results] == ["weather"]
    assert page.corrections == ((typed.lower(), "weather"),)


def test_a_word_that_a_tool_contains_is_not_corrected():
    make_tool("a", description="Tells whether it is so.")
    make_tool("weather")

    assert found("whether it is so ") == ["a"]


def test_an_abbreviation_matches_two_adjacent_words():
    make_tool("a", description="Creates a virtual machine.")
    make_tool("b", description="A virtual washing machine.")

    assert found("vm ") == ["a"]


def test_the_closest_name_comes_first_if_many_tools_contain_the_words():
    publish_many(
        [make_spec(f"get_user_{n}", description="Gets the mail of a user.") for n in range(300)],
        by=None,
    )
    make_tool("get_mail_of_user", description="Gets it.")
    make_tool("get_user", description="Gets it.")

    page = page_of(CatalogSearch(words="get user "))

    assert page.results[0].tool.tool_id == "get_user"
    assert page.count == 302


def test_deprecated_tools_come_after_others():
    make_tool("a", description="Sends mail.", deprecated=True)
    make_tool("b", description="Sends some mail.")

    assert found("mail ") == ["b", "a"]


def test_similar_tools_have_similar_texts():
    tool = make_tool("get_weather", description="The weather of a place.")
    make_tool("get_forecast", description="The weather of a place, tomorrow.")
    make_tool("get_mail", description="Reads mail.")
    make_tool("old_weather", description="The weather of a place.", archived=True)

    similar = [one.tool.tool_id for one in find_similar_tools(tool, None)]

    assert similar[:1] == ["get_forecast"]
    assert "old_weather" not in similar


# -- facets -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def four_tools():
    make_tool("a", description="fruit", configuration={"type": "object"})
    make_tool("b", description="fruit", examples=[{"description": "One"}])
    make_tool("c", description="fruit", returnType={"type": "string"})
    make_tool("d", description="stone")


@pytest.mark.parametrize("words", ["", "fruit"])
@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("configurable=1", ["a"]),
        ("configurable=0", ["b", "c"]),
        ("examples=yes", ["b"]),
        ("returns=true", ["c"]),
        ("runnable=1", ["b"]),
        ("runnable=no", ["a", "c"]),
        ("returns=1&runnable=1", []),
    ],
)
def test_parameters_of_the_url_filter_the_list_and_the_search_alike(
    four_tools, monkeypatch, words, parameters, expected
):
    for name in ("runnable_tool_ids", "installed_tool_ids"):
        monkeypatch.setattr(hooks, name, lambda: frozenset({"b", "not in the catalog"}))

    search = CatalogSearch.from_query(QueryDict(f"q={words}&{parameters}"), None)

    found = sorted(result.tool.tool_id for result in page_of(search).results)
    assert [tool_id for tool_id in found if tool_id != "d"] == expected


@pytest.mark.parametrize("words", ["", "fruit"])
def test_a_facet_counts_the_tools_of_its_choice(four_tools, words):
    search = CatalogSearch(words=words)

    for facet in facets_of(search):
        for option in facet.options:
            if option.label != "Include archived":
                there = CatalogSearch.from_query(QueryDict(option.query.removeprefix("?")), None)
                assert page_of(there).count == option.count, option.label


def test_the_link_of_a_chosen_facet_removes_it(four_tools):
    search = CatalogSearch(words="fruit has:examples")

    [chosen] = [option for facet in facets_of(search) for option in facet.options if option.chosen]

    assert (chosen.label, chosen.query) == ("Examples", "?q=fruit")


# -- pages ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def catalog(django_db_setup, django_db_blocker):
    """All real specs of MCP servers, for the tests of pagination."""
    with django_db_blocker.unblock():
        publish_many([read_spec(text) for text in real_specs()], by=None)
        yield
        Tool.objects.update(current=None)
        Tool.objects.all().delete()
        search_index().clear()


def walk(search: CatalogSearch) -> list[list[str]]:
    pages = []
    cursor = None
    while True:
        page = page_of(CatalogSearch(**{**search.__dict__, "cursor": cursor}))
        pages.append([result.tool.tool_id for result in page.results])
        if page.next is None:
            return pages
        cursor = Cursor.decode(page.next)


@pytest.mark.corpora
@pytest.mark.parametrize("words", ["", "get", "create a new pull request please now"])
def test_cursors_and_page_numbers_lead_to_every_tool_once_in_the_same_order(catalog, words):
    search = CatalogSearch(words=words)

    every = [tool_id for page in walk(search) for tool_id in page]
    pages = [results_of(search, page).results for page in numbered_pages(search)]
    numbered = [result.tool.tool_id for page in pages for result in page]

    assert len(every) == len(set(every)) == page_of(search).count > 20
    assert numbered == every


@pytest.mark.corpora
def test_a_list_is_ordered_by_name_regardless_of_case(catalog):
    names = [
        tool_id.partition(".")[2].casefold()
        for page in walk(CatalogSearch())[:5]
        for tool_id in page
    ]

    assert names[:3] == sorted(names[:3])


@pytest.mark.corpora
def test_a_count_stops_at_its_limit(catalog, monkeypatch):
    monkeypatch.setattr("catalog.search.results.COUNT_AT_MOST", 100)
    monkeypatch.setattr("catalog.search.results._counts", LRUCache())

    page = page_of(CatalogSearch())
    found = page_of(CatalogSearch(words="get"))

    assert (page.count, page.counted) == (100, False)
    assert (found.count, found.counted) == (100, False)


@pytest.mark.parametrize(
    "text",
    ["", "x", "é", ":", "\ud800", "A" * 5000, "WyJsaXN0IiwiYSIsMF0", "WyJsaXN0IiwiYSIsMF0:"],
)
def test_a_cursor_of_another_site_is_refused(text):
    with pytest.raises(BadCursor):
        Cursor.decode(text)


@override_settings(SECRET_KEY="of another site")
def cursor_of_another_site():
    return Cursor("list", "a", 1).encode()


def test_a_changed_cursor_is_refused():
    cursor = Cursor("list", "a", 1).encode()

    for text in (cursor[:-1], f"x{cursor}", cursor_of_another_site()):
        with pytest.raises(BadCursor):
            Cursor.decode(text)


def test_an_encoded_cursor_is_decoded_again():
    for cursor in (Cursor("found", 40, 3), Cursor("list", "émile \u2028", 2**40)):
        assert Cursor.decode(cursor.encode()) == cursor


def test_facets_and_results_need_a_bounded_number_of_queries(django_assert_max_num_queries):
    publish_many(
        [make_spec(f"tool{number}", description="fruit of a tree") for number in range(50)], by=None
    )

    with django_assert_max_num_queries(40):
        search = CatalogSearch(words="fruit tree")
        page_of(search)
        facets_of(search)
