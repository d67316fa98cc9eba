"""The tools and filters that the palette offers."""

import pytest

from tests.factories import make_tool

pytestmark = pytest.mark.django_db


def found(client, query):
    answer = client.get("/palette/", {"q": query})
    assert answer.status_code == 200
    return answer.json()["tools"]


def test_the_palette_offers_tools_with_their_ids_and_the_plain_text_of_their_descriptions(client):
    make_tool(
        "acme.convert",
        name="convert",
        description="Converts `kWh/m**2`, see [units](https://e.example).",
    )

    assert found(client, "conv") == [
        {
            "name": "convert",
            "id": "acme.convert",
            "href": "/tools/acme.convert/",
            "text": "Converts kWh/m**2, see units.",
        }
    ]


def test_the_palette_offers_few_tools(client):
    for number in range(12):
        make_tool(f"weather-{number}")

    assert len(found(client, "weather")) == 8


@pytest.mark.parametrize("query", ["", "  ", "zzzz"])
def test_the_palette_offers_nothing_where_nothing_matches(client, query):
    make_tool("weather")

    assert found(client, query) == []


def test_the_palette_offers_no_archived_tool(client):
    make_tool("weather", archived=True)

    assert found(client, "weather") == []


def test_the_palette_suggests_filters_for_the_end_of_what_is_typed(client):
    answer = client.get("/palette/", {"q": "mail is:dep"}).json()

    assert answer["start"] == len("mail ")
    assert [one["text"] for one in answer["suggestions"]] == ["is:deprecated"]


@pytest.mark.parametrize("query", ["", "zzzz", "is:deprecated"])
def test_the_palette_suggests_nothing_where_no_filter_begins_like_that(client, query):
    assert client.get("/palette/", {"q": query}).json()["suggestions"] == []
