"""The toolkits on the first page, and the numbers of tools."""

import pytest
from django.contrib.auth.models import Group

from catalog.organise.access import Access, change_tool_access
from catalog.tools.hooks import hooks
from tests.factories import make_tool
from tests.pages import page, text_of, texts_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def _tools(monkeypatch):
    """Two toolkits, the smaller one with a tool that runs, and a tool without a toolkit."""
    for tool_id in ("big.one", "big.two", "big.three", "small.one", "small.two", "single"):
        make_tool(tool_id)
    runnable = frozenset({"small.two"})
    monkeypatch.setattr(hooks, "runnable_tool_ids", lambda: runnable)
    monkeypatch.setattr(hooks, "installed_tool_ids", lambda: runnable)


@pytest.mark.usefixtures("_tools")
def test_toolkits_with_tools_that_run_come_first_then_the_largest(client):
    tree = page(client, "/")

    assert text_of(tree, "#toolkits-title") == "1 of 6 tools runs here"
    rows = [
        (text_of(row, "a"), text_of(row, ".home-toolkit-facts"))
        for row in tree.css(".home-toolkits li")
    ]
    assert rows == [
        ("small", "1 of 2 run"),
        ("big", "3 tools · mock only"),
        ("Tools without a toolkit", "1 tool · mock only"),
    ]


@pytest.mark.usefixtures("_tools")
def test_the_link_of_a_toolkit_lists_its_tools(client):
    link = page(client, "/").css_first(".home-toolkits a").attributes["href"]

    text = page(client, link).body.text()
    assert ("small.one" in text, "small.two" in text, "big.one" in text) == (True, True, False)


def test_hidden_and_archived_tools_are_not_counted(client):
    Group.objects.create(name="others")
    hidden = make_tool("kit.hidden")
    change_tool_access(hidden, Access(visibility="groups", groups=["others"]), by=None)
    make_tool("kit.archived", archived=True)
    make_tool("kit.shown")

    tree = page(client, "/")

    assert text_of(tree, "#toolkits-title") == "0 of 1 tool run here"
    assert texts_of(tree, ".home-toolkit-tools") == ["kit.shown"]


def test_an_empty_catalog_has_no_toolkits(client):
    assert page(client, "/").css(".home-toolkits") == []
