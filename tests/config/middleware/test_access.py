"""Who may send a request: no page of another site changes anything."""

from __future__ import annotations

import pytest
from django.test import Client

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
    answer = browser.post("/api/v1/tools", data="{}", content_type="application/json", headers=headers)

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded"])
def test_the_api_takes_no_body_that_a_foreign_form_can_send(browser, kind):
    assert browser.post("/api/v1/tools", data="{}", content_type=kind).status_code == 415


def test_a_session_changes_nothing_through_the_api_without_its_csrf_token(browser):
    answer = browser.post("/api/v1/tools", data="{}", content_type="application/json")

    assert answer.status_code == 403
    assert answer["Content-Type"] == "application/problem+json"
