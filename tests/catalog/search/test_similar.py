"""Similar tools and the reasons, on the page and in the API."""

import pytest

from catalog.search.similar import find_similar_tools
from tests.factories import make_tool, properties
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def weather():
    """A tool, some similar ones, and many others."""
    for number in range(30):
        make_tool(
            f"mail.{number}",
            name=f"send_mail_{number}",
            description=f"Send a letter of kind {number}.",
        )
    city, days = {"type": "string"}, {"type": "integer"}
    make_tool("forecast", name="get_forecast", description="Forecast of a city's weather.",
              parameters=properties(city=city, days=days))  # fmt: skip
    make_tool("climate", name="get_climate", description="Weather of a year in a region.")
    make_tool("old", name="old_weather", description="Weather of a city, long ago.", archived=True)
    return make_tool("weather", name="get_weather", description="Present weather of a city.",
                     parameters=properties(city=city))  # fmt: skip


def test_the_most_similar_tools_come_first_with_reasons(weather):
    [first, *others] = find_similar_tools(weather, None)

    assert first.tool.tool_id == "forecast"
    assert first.parameters == ("city",)
    assert set(first.words) >= {"weather", "city"}
    assert "climate" in [one.tool.tool_id for one in others]


def test_neither_the_tool_itself_nor_an_archived_one_is_similar(weather):
    found = {one.tool.tool_id for one in find_similar_tools(weather, None)}

    assert not {"weather", "old"} & found


def test_tools_that_share_only_common_words_are_left_out(weather):
    assert all(one.parameters or one.words for one in find_similar_tools(weather, None, limit=20))
    assert "mail.3" not in {one.tool.tool_id for one in find_similar_tools(weather, None, limit=20)}


def test_a_word_that_two_tools_share_by_chance_makes_them_not_similar(client):
    paint = make_tool(
        "paint",
        name="calculate_paint",
        description="The amount of paint for a wall, with two coats.",
    )
    make_tool(
        "loan", name="estimate_loan", description="Interest of a loan between two dates, per month."
    )

    assert find_similar_tools(paint, None) == []
    assert "No similar tools." in page(client, "/tools/paint/similar/").body.text()


def test_words_that_a_whole_toolkit_repeats_are_no_reasons_within_it(weather):
    boilerplate = "Error responses: 400 Bad request"
    for number, subject in enumerate(["archive", "block", "comment", "database", "emoji"]):
        make_tool(
            f"pages.{number}",
            name=f"get-{subject}",
            description=f"Notion | Read one. {boilerplate}",
        )
    page_tool = make_tool(
        "pages.get", name="get-page", description=f"Notion | Page content. {boilerplate}"
    )
    make_tool("pages.move", name="move-page", description=f"Notion | Page moved. {boilerplate}")
    make_tool("else.page", name="page-text", description="Notion page content.")

    found = {one.tool.tool_id: one for one in find_similar_tools(page_tool, None, limit=20)}

    assert found["pages.move"].words == ("page",)
    assert "Notion" in found["else.page"].words


def test_words_of_scripts_without_spaces_are_compared():
    tool = make_tool("a", name="天気", description="都市の天気を調べる")
    make_tool("b", name="天気予報", description="都市の天気予報")

    assert [one.tool.tool_id for one in find_similar_tools(tool, None)] == ["b"]


def test_a_tool_may_have_no_similar_tools(client):
    make_tool("a")

    body = page(client, "/tools/a/similar/").body

    assert "No similar tools" in body.text()
    assert body.css_first("#similar-list a").attributes["href"] == "/tools/"


def test_the_page_shows_reasons_and_its_fragment_is_loaded_by_the_tools_page(weather, client):
    tree = page(client, "/tools/weather/similar/")
    part = page(client, "/tools/weather/similar/", headers={"HX-Request": "true"})
    place = page(client, "/tools/weather/").css_first("#similar [hx-get]")

    assert text_of(tree, ".similar-name a") == "get_forecast"
    assert "Shared parameters: city" in text_of(tree, ".similar-why")
    assert texts_of(part, ".similar-name a") == texts_of(tree, ".similar-name a")
    assert part.css_first("h1") is None
    assert (
        place.attributes["hx-get"]
        == place.css_first("a").attributes["href"]
        == "/tools/weather/similar/"
    )


def test_the_api_returns_similar_tools_with_reasons(weather, stranger):
    [first] = stranger.ask("/tools/weather/similar", limit=1).json()["items"]

    assert (first["id"], first["parameters"]) == ("forecast", ["city"])
    assert "weather" in first["words"]
    assert stranger.ask("/tools/weather/similar", limit=21).status_code == 422
    assert stranger.ask("/tools/nothing/similar").status_code == 404


def test_hostile_text_of_similar_tools_is_escaped(client):
    evil = "<img src=x onerror=alert(1)> zebra"
    make_tool(
        "a", name="zebra one", description=evil, parameters=properties(**{evil: {"type": "string"}})
    )
    make_tool(
        "b", name="zebra two", description=evil, parameters=properties(**{evil: {"type": "string"}})
    )

    assert "<img src=x" not in client.get("/tools/a/similar/").content.decode()
