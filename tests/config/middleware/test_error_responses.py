"""One format for every error: a page for browsers, problem+json under /api/."""

from __future__ import annotations

import pytest
from django.db import OperationalError, connection
from django.test import Client

from accounts.tokens import create_token

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/tools/none", "/api/"])
def test_the_api_reports_not_found_in_its_own_format(client, path):
    answer = client.get(path)

    assert answer.status_code == 404
    assert answer["Content-Type"] == "application/problem+json"
    assert set(answer.json()) == {"type", "title", "status", "detail"}


def test_the_api_lists_the_methods_of_a_url(client):
    answer = client.put("/api/v1/tools")

    assert answer.status_code == 405
    assert "GET" in answer["Allow"]
    assert answer["Content-Type"] == "application/problem+json"


def test_a_missing_page_has_the_frame_of_the_site(client):
    answer = client.get("/nothing/")

    assert answer.status_code == 404
    assert b"Not found, or no access" in answer.content


def test_too_many_fields_are_refused_as_too_much(browser, ada):
    _, secret = create_token(ada, scopes=["publish"])

    answer = browser.post(
        "/api/v1/uploads",
        {f"f{n}": "" for n in range(4001)},
        headers={"authorization": f"Bearer {secret}"},
    )

    assert answer.status_code == 413
    assert "4,000 fields" in answer.json()["detail"]


def test_a_refused_page_shows_its_status(client: Client):
    answer = client.put("/", data=b"", content_type="text/plain")

    page = answer.content.decode()
    assert answer.status_code == 405
    assert "405" in page
    assert "Method not allowed" in page


def test_a_page_reports_an_unreachable_database(client: Client):
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE catalog_tool RENAME TO out_of_reach")

    answer = client.get("/tools/")

    page = answer.content.decode()
    assert answer.status_code == 503
    assert "Temporarily unavailable" in page
    assert "cannot be read" in page


def test_an_error_page_asks_nothing_of_a_database_that_fails(browser, monkeypatch):
    def fail(person):
        raise OperationalError("disk I/O error")

    monkeypatch.setattr("catalog.context_processors.changes_to_review", fail)

    answer = browser.get("/nothing/")

    assert answer.status_code == 404
    assert b"Not found, or no access" in answer.content
