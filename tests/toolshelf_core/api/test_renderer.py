"""The size of lists: a page is cut at its limit, and a client that follows `next` gets everything."""

from __future__ import annotations

import pytest

from catalog.search import api as search
from tests.factories import make_tool
from toolshelf_core.api import renderer
from toolshelf_core.api.renderer import MAX_PAGE_BYTES, count_that_fit

pytestmark = pytest.mark.django_db
LIMIT = 20_000
COUNT = 25


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    """Pages of 20 KB instead of 1 MiB."""
    for module in (renderer, search):
        monkeypatch.setattr(module, "MAX_PAGE_BYTES", LIMIT)


@pytest.fixture
def long_tools():
    """Tools whose descriptions have 2 KB each, all of which match "weather"."""
    return [
        make_tool(f"weather.{number:02}", description="weather " * 250).tool_id
        for number in range(COUNT)
    ]


def pages(program, **query):
    cursor, found = None, []
    while cursor is not None or not found:
        answer = program.ask("/tools", **query, **({"cursor": cursor} if cursor else {}))
        found.append(answer)
        cursor = answer.json()["next"]
        assert len(found) < 100
    return found


@pytest.mark.parametrize(
    "query",
    [{}, {"q": "weather"}, {"q": "weather forecast"}, {"limit": 20}],
    ids=["list", "search", "relaxed", "limited"],
)
def test_pages_are_cut_at_their_limit_and_their_cursors_lead_to_all_tools(
    stranger, long_tools, query
):
    found = pages(stranger, **{"limit": 100, **query})

    ids = [item["id"] for answer in found for item in answer.json()["items"]]
    assert sorted(ids) == long_tools
    assert {answer.json()["count"] for answer in found} == {COUNT}
    assert all(len(answer.content) < LIMIT + 1_000 for answer in found)
    assert all(len(answer.content) > LIMIT / 2 for answer in found[:-1])


def test_a_page_that_fits_has_as_many_tools_as_asked_for(stranger, long_tools):
    assert [len(answer.json()["items"]) for answer in pages(stranger, limit=5)] == [5] * 5


def test_the_size_is_that_of_the_bytes_sent(stranger):
    for number in range(12):
        make_tool(f"tool.{number:02}", description="\u4e2d" * 700)  # 2.1 KB each

    sizes = [len(answer.content) for answer in pages(stranger, limit=100)]

    assert len(sizes) == 2
    assert max(sizes) < LIMIT + 1_000


def test_a_list_of_similar_tools_is_cut_after_the_most_similar(stranger):
    text = "barometer humidity thermometer " * 70
    for number in range(14):
        make_tool(f"station_{number:02}", description=f"Reads the instruments of a station. {text}")
    for number in range(20):
        make_tool(f"other_{number}", description=f"Sends letter number {number} by mail.")

    answer = stranger.ask("/tools/station_00/similar", limit=20)

    items = answer.json()["items"]
    assert 5 <= len(items) <= 10
    assert len(answer.content) < LIMIT + 1_000
    short = stranger.ask("/tools/station_00/similar", limit=3).json()["items"]
    assert [one["id"] for one in items[:3]] == [one["id"] for one in short]


def test_at_least_one_item_fits_and_a_page_has_at_most_a_mebibyte():
    assert MAX_PAGE_BYTES == 1024 * 1024
    for sizes, fitting in (
        ([], 1),
        ([LIMIT * 2], 1),
        ([10, 10], 2),
        ([LIMIT - 12, 6, 1], 2),
        ([10, LIMIT], 1),
    ):
        assert count_that_fit("x" * size for size in sizes) == fitting
