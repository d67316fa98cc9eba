"""Suggestions for a query while it is typed."""

import pytest
from django.contrib.auth.models import Group

from catalog.access.models import Audience
from catalog.index.filter_corrections import find_filter
from catalog.index.filters import FILTERS, WrongValue
from catalog.index.parser import Query
from catalog.organise.access import Access, change_tool_access
from catalog.organise.metadata import Organisation, organise
from catalog.search.suggestions import suggest
from tests.factories import make_tool, make_user, properties
from tests.site import ROOT
from toolspec.exports import FORMATS

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog(db):
    place = {"type": "string"}
    make_tool("mail.send", parameters=properties(to=place, subject=place))
    make_tool(
        "mail.move",
        parameters=properties(to=place, folderName=place),
        configuration=properties(apiKey=place),
    )
    make_tool(
        "map.find",
        parameters=properties(**{"folder name": place}),
        returnType=properties(town=place),
    )
    organise(
        make_tool("odd"),
        Organisation(toolkit="my own tools", add_tags=["mail"], remove_tags=[]),
        by=None,
    )


def texts(query, person=None):
    return [one.text for one in suggest(query, Audience.objects.visibility_for(person))[1]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("tak", ["takes:"]),
        ("issue tool", ["toolkit:"]),
        ("-sco", ["-score:"]),
        ("is", ["is:"]),
        ("to", []),
        ("create issue", []),
        ("takes ", []),
        ("", []),
    ],
)
def test_the_beginning_of_a_filter_is_completed(query, expected):
    assert texts(query) == expected


def test_fixed_values_are_those_of_the_parser():
    assert texts("is:") == [f"is:{value}" for value in FILTERS["is"].values]
    assert texts("-is:dep") == ["-is:deprecated"]
    assert texts("usable:open") == [f"usable:{key}" for key in FORMATS if key.startswith("open")]


@pytest.mark.parametrize("name", FILTERS)
def test_every_value_that_is_offered_is_valid(name, catalog):
    for text in (f"{name}:{value}" for value in FILTERS[name].values):
        assert Query.from_text(text).problems == ()


def test_the_fixed_values_are_all_that_their_filters_take():
    for name in ("has", "is", "usable", "runnable", "deprecated", "examples"):
        with pytest.raises(WrongValue) as refusal:
            FILTERS[name].read("?")
        assert all(value in str(refusal.value) for value in FILTERS[name].values)


def test_toolkits_and_tags_are_those_of_the_catalog_the_largest_first(catalog):
    assert texts("toolkit:") == ["toolkit:mail", "toolkit:map", 'toolkit:"my own tools"']
    assert texts("toolkit:ma") == ["toolkit:mail", "toolkit:map"]
    assert texts('toolkit:"my o') == ['toolkit:"my own tools"']
    assert texts("tag:M") == ["tag:mail"]


def test_names_of_parameters_are_those_of_the_catalog_the_most_frequent_first(catalog):
    assert set(texts("takes:")[:2]) == {"takes:to", "takes:folderName"}
    assert texts("takes:")[2:] == ["takes:subject"]
    assert texts("takes:folderN") == ["takes:folderName"]
    assert texts("takes:sub") == ["takes:subject"]
    assert texts("returns:t") == ["returns:town"]
    assert texts("needs:") == ["needs:configuration", "needs:nothing", "needs:apiKey"]
    assert texts("takes:zzz") == []


def test_a_name_is_followed_by_a_type():
    assert texts("takes:town:n") == ["takes:town:number", "takes:town:null"]


def test_another_word_for_a_filter_is_replaced(catalog):
    assert find_filter("param") == "takes"
    assert texts("mail param:sub") == ["takes:subject"]
    assert suggest("mail param:sub", Audience.objects.visibility_for(None))[0] == len("mail ")


def test_what_is_typed_already_is_not_offered(catalog):
    assert texts("tag:mail") == []


def test_suggestions_name_only_what_the_person_may_see():
    make_user("olga")
    tool = make_tool("secret.send", parameters=properties(secretSauce={}))
    organise(tool, Organisation(add_tags=["hush"], remove_tags=[], owner="olga"), by=None)
    queries = ("toolkit:s", "tag:h", "takes:secret", "takes:", "owner:ol")
    stranger, member = make_user("eve"), make_user("mia")
    assert all(texts(query, stranger) for query in queries)

    team = Group.objects.create(name="team")
    change_tool_access(tool, Access(visibility="groups", groups=["team"]), by=None)
    member.groups.add(team)

    assert [texts(query, stranger) for query in queries] == [[]] * len(queries)
    assert all(texts(query, member) for query in queries)


def test_suggestions_are_few(client):
    for number in range(30):
        make_tool(
            f"kit{number}.tool", parameters=properties(**{f"name{one}": {} for one in range(20)})
        )

    for query in ("toolkit:", "takes:", "takes:name"):
        answer = client.get("/suggestions/", {"q": query})
        assert answer.status_code == 200
        assert len(answer.json()["suggestions"]) == 8


@pytest.mark.parametrize(
    "query", ["takes:" + "x" * 3_000, 'tag:"', "is:" * 1_000, "takes::", "score:>=>"]
)
def test_any_text_gets_an_answer(client, query):
    assert client.get("/suggestions/", {"q": query}).json()["suggestions"] == []


def test_the_help_page_describes_every_filter():
    text = (ROOT / "docs" / "search.md").read_text()

    assert [name for name in FILTERS if f"`{name}:" not in text] == [
        "deprecated"
    ]  # it is written is:deprecated
