"""The first page of the site, and the addresses that used to be the list of tools."""

import pytest
from selectolax.lexbor import LexborHTMLParser

pytestmark = pytest.mark.django_db


def page(client, address, **headers):
    response = client.get(address, headers=headers)
    assert response.status_code == 200
    return LexborHTMLParser(response.content.decode())


def test_the_first_page_explains_the_site_and_searches_the_catalog(client):
    tree = page(client, "/")

    assert tree.css_first("h1").text() == "Find an LLM tool, read what it takes, try it."
    form = tree.css_first("main form.home-search")
    assert (form.attributes["action"], form.attributes["method"]) == ("/tools/", "get")
    assert form.css_first("input[type=search]").attributes["name"] == "q"


@pytest.mark.parametrize("query", ["q=weather", "q=a%26b&tag=x&tag=y", "cursor=abc", "anything"])
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("method", ["get", "head"])
def test_an_address_of_the_former_list_leads_to_the_list(client, query, headers, method):
    response = getattr(client, method)(f"/?{query}", headers=headers)

    assert (response.status_code, response["Location"]) == (301, f"/tools/?{query}")


def test_the_first_page_cannot_be_posted_to(client):
    assert client.post("/").status_code == 405
