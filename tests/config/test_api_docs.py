"""The OpenAPI document is built once, with an entity tag; its page is Swagger UI under our policy."""

from __future__ import annotations

import pytest

from config import api_docs
from config.openapi import DocumentedAPI

pytestmark = pytest.mark.django_db
DOCUMENT = "/api/v1/openapi.json"
PAGE = "/api/v1/docs"


@pytest.fixture
def described(client):
    return client.get(DOCUMENT).json()


def test_the_document_is_built_once(monkeypatch, client):
    built = []
    build = DocumentedAPI.get_openapi_schema
    monkeypatch.setattr(
        DocumentedAPI,
        "get_openapi_schema",
        lambda *some, **more: built.append(1) or build(*some, **more),
    )
    api_docs.api_document.cache_clear()

    for _ in range(3):
        assert client.get(DOCUMENT).status_code == 200

    assert len(built) == 1


def test_a_document_that_the_client_has_already_is_not_sent_again(client):
    first = client.get(DOCUMENT)

    again = client.get(DOCUMENT, headers={"If-None-Match": first["ETag"]})
    other = client.get(DOCUMENT, headers={"If-None-Match": '"another"'})

    assert (again.status_code, again.content) == (304, b"")
    assert again["ETag"] == first["ETag"] == other["ETag"]
    assert (other.status_code, other.content) == (200, first.content)


@pytest.mark.parametrize("path", [DOCUMENT, PAGE])
def test_only_reading_is_possible(client, path):
    assert client.post(path).status_code == 405
    assert client.head(path).status_code == 200


def test_the_document_is_openapi_3_1_and_describes_every_operation(described):
    assert described["openapi"].startswith("3.1")
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            assert operation.get("summary"), (method, path)
            assert operation.get("responses"), (method, path)


def test_the_document_begins_with_what_is_needed_first(described):
    summaries = [
        (operation["tags"][0], operation["summary"])
        for operations in described["paths"].values()
        for operation in operations.values()
    ]

    tools = [summary for tag, summary in summaries if tag == "tools"]
    runs = [summary for tag, summary in summaries if tag == "runs"]
    assert tools[:2] == ["Search tools", "Publish a spec"]
    assert runs[0] == "Run a tool"


def test_each_operation_on_tools_has_a_description(described):
    descriptions = [
        operation["description"]
        for operations in described["paths"].values()
        for operation in operations.values()
        if operation["tags"] == ["tools"]
    ]

    assert len(descriptions) >= 19
    assert all(descriptions)


@pytest.mark.parametrize("name", ["ToolOut", "RunIn", "RunOut", "ReportOut", "ErrorOut"])
def test_what_people_begin_with_has_an_example(described, name):
    assert described["components"]["schemas"][name]["example"]


def test_the_page_loads_only_files_of_the_site_and_allows_images_in_its_stylesheet(client):
    page = client.get(PAGE)

    policy = page["Content-Security-Policy"].split("; ")
    assert {"img-src 'self' data:", "script-src 'self'", "style-src 'self'"} <= set(policy)
    assert "/static/ninja/swagger-ui-bundle" in page.content.decode()


def test_no_other_page_allows_images_in_text(client):
    assert "data:" not in client.get("/")["Content-Security-Policy"]
