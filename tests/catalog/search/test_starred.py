"""Filters that depend on the person who searches: `is:starred`, `owner:me`."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from catalog.management.queries import tools_of_query
from catalog.organise.metadata import Organisation, organise
from catalog.tools.stars import star, unstar
from tests.factories import make_token, make_tool, make_user

pytestmark = pytest.mark.django_db

STARRED_QUERIES = ["q=is:starred", "starred=1", "q=weather+is:starred", "q=weather&starred=1"]


@pytest.fixture
def tools():
    return {
        name: make_tool(name, description="About weather.")
        for name in ("forecast", "radar", "mail")
    }


@pytest.fixture
def stella():
    return make_user("stella")


def page(client, query):
    response = client.get(f"/tools/?{query}")
    assert response.status_code == 200
    return LexborHTMLParser(response.content)


def names(client, query):
    return sorted(link.text(strip=True) for link in page(client, query).css(".result-name"))


@pytest.mark.parametrize("query", STARRED_QUERIES)
def test_a_person_finds_the_tools_that_they_starred(client, tools, stella, query):
    star(tools["radar"], stella)
    star(tools["mail"], make_user("other"))
    client.force_login(stella)

    assert names(client, query) == ["radar"]
    star(tools["forecast"], stella)
    assert names(client, query) == ["forecast", "radar"]
    unstar(tools["radar"], stella)
    assert names(client, query) == ["forecast"]


def test_a_minus_finds_the_tools_without_a_star(client, tools, stella):
    star(tools["radar"], stella)
    client.force_login(stella)

    assert names(client, "q=-is:starred") == names(client, "starred=0") == ["forecast", "mail"]


@pytest.mark.parametrize("query", [*STARRED_QUERIES, "q=owner:me"])
def test_a_visitor_finds_nothing_and_is_asked_to_sign_in(client, tools, stella, query):
    star(tools["radar"], stella)
    client.force_login(stella)
    client.get(f"/tools/?{query}")  # nothing of this answer may be shown to others
    client.logout()

    shown = page(client, query)

    assert shown.css("li.result") == []
    note = shown.css_first(".results-note")
    assert "Sign in to use is:starred and owner:me." in note.text()
    assert note.css_first("a").attributes["href"].startswith("/sign-in/?next=/tools/%3F")


def test_the_api_has_the_same_filter(client, tools, stella):
    star(tools["radar"], stella)
    headers = {"Authorization": f"Bearer {make_token(user=stella)}"}

    def found(query, **options):
        answer = client.get(f"/api/v1/tools?{query}", **options).json()
        return [tool["id"] for tool in answer["items"]], [
            one["message"] for one in answer["problems"]
        ]

    for query in STARRED_QUERIES:
        assert found(query, headers=headers) == (["radar"], [])
        assert found(query) == ([], ["Sign in to use `is:starred` and `owner:me`."])


def test_an_owner_is_a_condition(client, tools, stella):
    organise(tools["mail"], Organisation(add_tags=[], remove_tags=[], owner="stella"), by=None)
    client.force_login(stella)

    assert names(client, "q=owner:me") == names(client, "q=owner:stella") == ["mail"]
    assert names(client, "q=-owner:me") == ["forecast", "radar"]
    assert names(client, "q=owner:nobody") == []
    assert [tool.name for tool in tools_of_query("owner:stella")] == ["mail"]


def test_the_filter_is_offered_to_people_with_stars(client, tools, stella):
    star(tools["radar"], stella)
    assert "Starred" not in page(client, "").css_first("#facets").text()
    client.force_login(stella)

    option = next(one for one in page(client, "").css(".facet-link") if "Starred" in one.text())

    assert option.attributes["href"] == "?q=is%3Astarred"
    assert option.css_first(".facet-count").text(strip=True) == "1"
