"""The figures of the catalog on the first page: tools by toolkit, format and grade."""

import pytest
from django.contrib.auth.models import Group

from catalog.access import Access, change_tool_access
from tests.catalog.test_assessments import GOOD, bulk
from tests.factories import make_tool
from tests.pages import page

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog_tools():
    """A good tool, one that OpenAI renames, and one that is not assessed yet."""
    make_tool("kit.good", **GOOD)
    make_tool("kit.odd", **{**GOOD, "name": "Get weather"})
    bulk("new", **GOOD)


def shares(client, title):
    """The labels, numbers and links of the parts of the catalog under a heading of the first page."""
    rows = page(client, "/").css(f'[aria-labelledby="{title}"] li')
    return [
        (
            row.css_first("a").text(),
            int(row.css_first(".share-count").text()),
            row.css_first("a").attributes["href"],
        )
        for row in rows
    ]


def numbers(client, title):
    return {label: tools for label, tools, _ in shares(client, title)}


@pytest.mark.usefixtures("catalog_tools")
def test_tools_are_counted_by_toolkit_format_and_grade(client):
    assert "3 tools" in page(client, "/").css_first(".home-catalog").text()
    assert numbers(client, "toolkits-title") == {"kit": 2}
    assert numbers(client, "scores-title") == {"90 and above": 2, "70 to 89": 0, "Below 70": 0}
    assert numbers(client, "formats-title") == {
        "MCP": 1,
        "MCP 2026-07-28": 1,
        "OpenAI": 1,
        "OpenAI strict": 0,
        "Anthropic": 1,
        "Gemini": 1,
        "LangChain": 1,
        "OpenAPI": 1,
    }


@pytest.mark.usefixtures("catalog_tools")
@pytest.mark.parametrize("title", ["toolkits-title", "formats-title", "scores-title"])
def test_the_link_of_each_share_lists_as_many_tools(client, title):
    for label, tools, link in shares(client, title):
        listed = page(client, link).css(".result-name")

        assert (label, len(listed)) == (label, tools)


def test_hidden_and_archived_tools_are_not_counted(client):
    Group.objects.create(name="others")
    hidden = make_tool("hidden", **GOOD)
    change_tool_access(hidden, Access(visibility="groups", groups=["others"]), by=None)
    make_tool("archived", archived=True, **GOOD)
    make_tool("shown", **GOOD)

    assert "1 tool" in page(client, "/").css_first(".home-catalog").text()
    assert numbers(client, "formats-title")["OpenAI"] == 1


def test_an_empty_catalog_has_no_shares(client):
    assert page(client, "/").css(".home-catalog .shares") == []
