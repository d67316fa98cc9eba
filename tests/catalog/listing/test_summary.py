"""The summary of the catalog on the first page: tools by toolkit, format and grade."""

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from selectolax.lexbor import LexborHTMLParser

from catalog.access import Access, change_tool_access
from catalog.listing.summary import summary_for
from catalog.models import Audience
from catalog.search.visibility import ALL_TOOLS
from tests.catalog.test_assessments import GOOD, bulk
from tests.factories import make_tool

pytestmark = pytest.mark.django_db


@pytest.fixture
def catalog_tools():
    """A good tool, one that OpenAI renames, and one that is not assessed yet."""
    make_tool("kit.good", **GOOD)
    make_tool("kit.odd", **{**GOOD, "name": "Get weather"})
    bulk("new", **GOOD)


def numbers(shares):
    return {share.label: share.tools for share in shares}


@pytest.mark.usefixtures("catalog_tools")
def test_tools_are_counted_by_toolkit_format_and_grade():
    summary = summary_for(ALL_TOOLS)

    assert (summary.tools, summary.assessed) == (3, 2)
    assert numbers(summary.toolkits) == {"kit": 2}
    assert numbers(summary.grades) == {"90 and above": 2, "70 to 89": 0, "Below 70": 0}
    assert numbers(summary.formats) == {
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
def test_the_query_of_each_share_lists_as_many_tools(client):
    summary = summary_for(ALL_TOOLS)

    for share in (*summary.toolkits, *summary.formats, *summary.grades):
        found = client.get(f"/api/v1/tools{share.query}").json()["items"]
        assert (share.label, len(found)) == (share.label, share.tools)


def test_hidden_and_archived_tools_are_not_counted():
    Group.objects.create(name="others")
    hidden = make_tool("hidden", **GOOD)
    change_tool_access(hidden, Access(visibility="groups", groups=["others"]), by=None)
    make_tool("archived", archived=True, **GOOD)

    summary = summary_for(Audience.objects.visibility_for(AnonymousUser()))
    assert (summary.tools, numbers(summary.formats)["OpenAI"]) == (0, 0)


def test_an_empty_catalog_has_no_shares(client):
    tree = LexborHTMLParser(client.get("/").content.decode())

    assert summary_for(ALL_TOOLS).assessed == 0
    assert tree.css(".home-catalog .shares") == []


@pytest.mark.usefixtures("catalog_tools")
def test_the_first_page_links_each_format_to_its_tools(client):
    tree = LexborHTMLParser(client.get("/").content.decode())

    links = [node.attributes["href"] for node in tree.css('[aria-labelledby="formats-title"] a')]
    assert links[:3] == [
        "/tools/?usable=mcp",
        "/tools/?usable=mcp-2026-07-28",
        "/tools/?usable=openai",
    ]
    counts = [node.text() for node in tree.css('[aria-labelledby="formats-title"] .share-count')]
    assert counts == ["1", "1", "1", "0", "1", "1", "1", "1"]
