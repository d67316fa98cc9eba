"""The main navigation marks the section of the present page."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.factories import make_tool

pytestmark = pytest.mark.django_db


def marked(client, path):
    tree = LexborHTMLParser(client.get(path).content.decode())
    return [node.text() for node in tree.css(".bar-nav a[aria-current]")]


@pytest.mark.parametrize(
    ("path", "section"),
    [
        ("/tools/", "Catalog"),
        ("/facets/", "Catalog"),
        ("/tools/greet/", "Catalog"),
        ("/tools/greet/try/", "Catalog"),
        ("/tools/greet/tests/", "Catalog"),
        ("/tools/greet/formats/python/", "Catalog"),
        ("/lint/", "Catalog"),
        ("/toolkits/kit/settings/", "Catalog"),
        ("/add/", "Add"),
        ("/connect/", "Connect"),
    ],
)
def test_a_page_marks_its_section(client, path, section):
    make_tool("greet")

    assert marked(client, path) == [section]


def test_the_runs_of_a_tool_are_marked_as_its_other_pages_are(admin_client):
    make_tool("greet")

    assert marked(admin_client, "/runs/") == ["Runs"]
    assert marked(admin_client, "/runs/?tool=greet") == ["Catalog"]
    assert marked(admin_client, "/runs/?tool=nothing") == ["Runs"]


@pytest.mark.parametrize(
    "path", ["/", "/help/", "/api/v1/docs", "/factories/", "/sign-in/", "/nothing/"]
)
def test_a_page_outside_the_sections_marks_none(client, path):
    assert marked(client, path) == []
