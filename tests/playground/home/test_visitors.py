"""The first page of the site, and the addresses that used to be the list of tools."""

import pytest
from django.http import QueryDict

from catalog.search.catalog_search import LIST_PARAMETERS, CatalogSearch
from tests.pages import page

pytestmark = pytest.mark.django_db


def test_the_first_page_explains_the_site_and_searches_the_catalog(client):
    tree = page(client, "/")

    assert tree.css_first("h1").text() == "Know what your agent's tools really do."
    form = tree.css_first("main form.home-search")
    assert (form.attributes["action"], form.attributes["method"]) == ("/tools/", "get")
    assert form.css_first("input[type=search]").attributes["name"] == "q"


@pytest.mark.parametrize("query", ["q=weather", "q=a%26b&tag=x&tag=y", "sort=name"])
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}])
@pytest.mark.parametrize("method", ["get", "head"])
def test_an_address_of_the_former_list_leads_to_the_list(client, query, headers, method):
    response = getattr(client, method)(f"/?{query}", headers=headers)

    assert (response.status_code, response["Location"]) == (301, f"/tools/?{query}")


def test_parameters_of_other_pages_lead_nowhere(client):
    assert client.get("/?next=//elsewhere.example&page=1").status_code == 200
    assert client.get("/?next=//elsewhere.example&q=a")["Location"] == "/tools/?q=a"


def test_every_parameter_of_the_list_is_known(client):
    class Noted(QueryDict):
        names = set()

        def get(self, key, default=None):
            self.names.add(key)
            return super().get(key, default)

        def getlist(self, key, default=None):
            self.names.add(key)
            return super().getlist(key, default)

    CatalogSearch.from_query(Noted(""), None)

    assert Noted.names == LIST_PARAMETERS


def test_the_first_page_cannot_be_posted_to(client):
    assert client.post("/").status_code == 405
