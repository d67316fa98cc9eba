"""The OpenAPI document and the documentation page: built once, with entity tags, and right for every host name."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from config.api_docs import views
from config.openapi import DocumentedAPI
from playground.snippets.curl import TOKEN_VARIABLE

pytestmark = pytest.mark.django_db
PATHS = ["/api/v1/openapi.json", "/api/v1/docs"]


def test_the_document_is_built_once(monkeypatch, client):
    built = []
    build = DocumentedAPI.get_openapi_schema
    monkeypatch.setattr(
        DocumentedAPI,
        "get_openapi_schema",
        lambda *some, **more: built.append(1) or build(*some, **more),
    )
    monkeypatch.setattr(views, "_documents", type(views._documents)())

    for path in PATHS * 3:
        assert client.get(path).status_code == 200

    assert len(built) == 1


@pytest.mark.parametrize("path", PATHS)
def test_what_the_client_has_already_is_not_sent_again(client, path):
    first = client.get(path)

    again = client.get(path, headers={"If-None-Match": first["ETag"]})
    other = client.get(path, headers={"If-None-Match": '"another"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"] == other["ETag"]
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8123", "[::1]:9000"])
def test_the_commands_on_the_page_name_the_site_as_it_was_called(host):
    page = Client(headers={"host": host}).get("/api/v1/docs").content.decode()

    assert f"http://{host}/api/v1/tools" in page
    assert "site.invalid" not in page


def test_the_page_shows_the_person_who_is_signed_in_and_nobody_else(client, browser):
    assert "Your tokens" in browser.get("/api/v1/docs").content.decode()
    assert "Your tokens" not in client.get("/api/v1/docs").content.decode()


@pytest.mark.parametrize("path", PATHS)
def test_only_reading_is_possible(client, path):
    assert client.post(path).status_code == 405
    assert client.head(path).status_code == 200


def test_every_operation_is_on_the_page(client):
    document = client.get("/api/v1/openapi.json").json()
    page = client.get("/api/v1/docs").content.decode()

    operations = [operation for item in document["paths"].values() for operation in item.values()]
    assert [
        one["operationId"] for one in operations if f'id="{one["operationId"]}"' not in page
    ] == []
    assert len(operations) > 40


def test_each_group_begins_with_what_is_needed_first():
    groups = dict(views.api_document().groups)

    assert [operation.summary for operation in groups["tools"][:2]] == [
        "Search tools",
        "Publish a spec",
    ]
    assert groups["runs"][0].summary == "Run a tool"


def test_the_contents_of_the_page_lead_to_every_group(client):
    page = LexborHTMLParser(client.get("/api/v1/docs").content.decode())

    linked = [link.attributes["href"] for link in page.css(".toc a")]
    assert linked[:2] == ["#get-started", "#group-tools"]
    assert len(linked) == len(views.api_document().groups) + 1
    assert [anchor for anchor in linked if not page.css(anchor)] == []


def test_a_command_that_reads_can_be_pasted(client):
    page = client.get("/api/v1/docs").content.decode()

    assert (
        "curl &#x27;http://testserver/api/v1/tools/convert_units/diff?from=1&amp;to=2&#x27;" in page
    )
    assert "curl &#x27;http://testserver/api/v1/tools?q=units&#x27;</code>" in page


def test_a_command_has_the_headers_that_its_operation_requires(client):
    page = client.get("/api/v1/docs").content.decode()

    assert page.count("-H &#x27;If-Match: {If-Match}&#x27;") == 2


def test_the_page_is_small_and_begins_with_the_first_steps(client):
    page = client.get("/api/v1/docs").content.decode()

    assert len(page.encode()) < 300_000
    assert page.index('id="get-started"') < page.index('class="fold operation-fold"')


def test_every_command_reads_the_token_from_the_variable_that_the_page_names(client):
    page = LexborHTMLParser(client.get("/api/v1/docs").content.decode())

    commands = [node.text() for node in page.css("pre[id^=curl-]")]
    assert {name for command in commands for name in re.findall(r"\$(\w+)", command)} == {
        TOKEN_VARIABLE
    }
    assert f"export {TOKEN_VARIABLE}=" in page.css_first("#get-started").text()
