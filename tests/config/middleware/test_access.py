"""Who may send a request: no page of another site changes anything."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.factories import make_token

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


@pytest.fixture
def browser(ada) -> Client:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ada)
    return client


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_pages_change_is_refused(browser, headers):
    answer = browser.post(
        "/api/v1/tools", data="{}", content_type="application/json", headers=headers
    )

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_the_api_takes_no_body_that_a_foreign_form_can_send(browser, kind):
    assert browser.post("/api/v1/tools", data="{}", content_type=kind).status_code == 415


def test_a_session_changes_nothing_through_the_api_without_its_csrf_token(browser):
    answer = browser.post("/api/v1/tools", data="{}", content_type="application/json")

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


# -- tokens over plain HTTP -------------------------------------------------------------------------------------------


@pytest.fixture
def https(settings):
    settings.HTTPS = settings.SECURE_SSL_REDIRECT = True


@pytest.mark.parametrize("path", ["/api/v1/tools", "/mcp", "/mcp/kit", "/tools/"])
@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "Basic"])
def test_a_token_over_plain_http_is_refused_and_not_redirected(db, https, path, scheme):
    headers = {"Authorization": f"{scheme} {make_token()}"}

    answers = [Client().get(path, headers=headers), Client().post(path, headers=headers)]

    for answer in answers:
        assert answer.status_code == 403
        assert "over plain HTTP" in answer.content.decode()
        assert "Location" not in answer


def test_a_token_over_https_and_a_visitor_over_http_are_served(db, https):
    headers = {"Authorization": f"Bearer {make_token()}"}

    assert Client().get("/api/v1/tools", headers=headers, secure=True).status_code == 200
    assert Client().get("/tools/").status_code == 301


def test_a_local_site_without_https_takes_tokens(db):
    headers = {"Authorization": f"Bearer {make_token()}"}

    assert Client().get("/api/v1/tools", headers=headers).status_code == 200


def test_metrics_may_be_read_over_plain_http_behind_the_proxy(db, https, settings):
    settings.METRICS_TOKEN = "t" * 32

    assert (
        Client().get("/metrics", headers={"Authorization": f"Bearer {'t' * 32}"}).status_code == 200
    )
