"""Pages are compressed, except those that show a secret."""

import gzip

import pytest
from django.http import HttpResponse
from django.test import Client

from catalog.webhooks.registration import WebhookForm, add_webhook
from tests.factories import make_tool, make_user, signed_in

pytestmark = pytest.mark.django_db

GZIP = {"Accept-Encoding": "gzip"}


def is_compressed(response: HttpResponse) -> bool:
    return response.headers.get("Content-Encoding") == "gzip"


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/tools/",
        "/tools/?q=greet",
        "/tools/greet/",
        "/tools/greet/formats/spec/",
        "/lint/",
        "/nothing/",
    ],
)
def test_a_page_for_a_visitor_without_a_session_is_compressed(client, path):
    make_tool("greet")

    response = client.get(path, headers=GZIP)

    assert is_compressed(response)
    assert "Accept-Encoding" in response.headers["Vary"]
    assert "</html>" in gzip.decompress(response.content).decode()


def test_a_browser_that_does_not_accept_gzip_gets_plain_text(client):
    assert not is_compressed(client.get("/lint/"))


@pytest.mark.parametrize(
    "path",
    [
        "/tools/?q=greet",
        "/runs/?tool=greet",
        "/account/tokens/",
        "/add/",
        "/tools/greet/",
        "/tools/greet/try/",
    ],
)
def test_a_page_for_a_signed_in_user_is_compressed_to_a_random_size(browser, path):
    make_tool("greet")

    responses = [browser.get(path, headers=GZIP) for _ in range(8)]

    assert all(is_compressed(response) for response in responses)
    assert len({len(response.content) for response in responses}) > 1


def test_the_page_that_shows_a_new_token_is_not_compressed():
    created = signed_in(make_user()).post(
        "/account/tokens/", {"name": "CI", "scopes": ["read"]}, headers=GZIP
    )

    assert b"tsk_" in created.content
    assert not is_compressed(created)
    assert "no-store" in created.headers["Cache-Control"]


def test_the_page_that_shows_the_secret_of_a_webhook_is_not_compressed():
    administrator = make_user("grace", is_staff=True)
    browser = Client()
    browser.force_login(administrator)
    settings = {"url": "https://hooks.example/", "events": ["tool.created"]}
    webhook, _ = add_webhook(WebhookForm(settings), by=administrator)
    path = webhook.get_absolute_url()

    with_secret = browser.post(path, {"do": "secret"}, headers=GZIP)

    assert b"whsec_" in with_secret.content
    assert not is_compressed(with_secret)
    assert is_compressed(browser.get(path, headers=GZIP))


def test_the_pages_of_second_factors_are_not_compressed(browser):
    assert not is_compressed(browser.get("/account/security/", headers=GZIP))


def test_a_response_of_the_api_keeps_its_strong_entity_tag(client):
    make_tool("greet")

    response = client.get("/api/v1/tools/greet", headers=GZIP)

    assert not is_compressed(response)
    assert response.headers["ETag"].startswith('"')
