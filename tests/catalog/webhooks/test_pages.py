"""The pages and the API of webhooks."""

import json

import pytest
from django.test import Client

from catalog.webhooks.models import Webhook, WebhookDelivery
from catalog.webhooks.registration import WebhookForm, add_webhook
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user
from tests.http_server import local_server, respond

pytestmark = pytest.mark.django_db
URL = "https://hooks.example.com/toolshelf?key=hunter2"


@pytest.fixture
def grace(db):
    return make_user("grace", is_staff=True)


@pytest.fixture
def administrator(grace):
    client = Client()
    client.force_login(grace)
    return client


@pytest.fixture
def api(grace):
    return Program(make_token(user=grace))


@pytest.fixture
def webhook():
    return add_webhook(WebhookForm({"url": URL, "events": ["tool.created"]}), by=None)[0]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/webhooks/"),
        ("post", "/webhooks/"),
        ("get", "/webhooks/1/"),
        ("post", "/webhooks/1/"),
        ("get", "/webhooks/1/deliveries/1/"),
        ("post", "/webhooks/1/deliveries/1/"),
    ],
)
def test_pages_are_for_administrators(browser, method, path):
    assert getattr(Client(), method)(path)["Location"].startswith("/sign-in/")
    assert getattr(browser, method)(path).status_code == 403


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/webhooks", ""),
        ("POST", "/webhooks", '{"url": "https://example.com/", "events": ["tool.created"]}'),
        ("GET", "/webhooks/1", ""),
        ("PATCH", "/webhooks/1", "{}"),
        ("DELETE", "/webhooks/1", ""),
        ("POST", "/webhooks/1/secret", ""),
        ("POST", "/webhooks/1/test", ""),
        ("GET", "/webhooks/1/deliveries", ""),
        ("POST", "/webhooks/1/deliveries/1/send", ""),
    ],
)
def test_operations_are_for_administrators(program, stranger, method, path, body):
    assert stranger.send(method, path, body).status_code == 401
    assert program.send(method, path, body).status_code == 403
    publisher = Program(
        make_token("read", "publish", "run", user=make_user("grace", is_staff=True))
    )
    refused = publisher.send(method, path, body)
    assert (refused.status_code, "lacks the scope 'admin'" in refused.json()["detail"]) == (
        403,
        True,
    )


def test_a_webhook_is_added_and_its_secret_shown_once(administrator):
    added = administrator.post(
        "/webhooks/", {"url": URL, "events": ["tool.revised"], "toolkits": "weather, News"}
    )

    webhook = Webhook.objects.get()
    [secret] = webhook.secrets()
    page = added.content.decode()
    assert secret in page
    assert added["Cache-Control"].startswith("no-store") or "no-store" in added["Cache-Control"]
    assert webhook.toolkits == ["weather", "News"]
    assert webhook.created_by.username == "grace"
    assert secret not in administrator.get(f"/webhooks/{webhook.pk}/").content.decode()


def test_a_refused_address_keeps_what_was_typed(administrator, settings):
    settings.LOOPBACK_ONLY = False

    page = administrator.post(
        "/webhooks/", {"url": "http://127.0.0.1/", "events": ["tool.revised"]}
    )

    assert page.status_code == 422
    assert 'value="http://127.0.0.1/"' in page.content.decode()
    assert not Webhook.objects.exists()


def test_the_list_hides_the_query_of_the_address(administrator, webhook):
    page = administrator.get("/webhooks/").content.decode()

    assert "https://hooks.example.com/toolshelf" in page
    assert "hunter2" not in page


def test_settings_are_changed_and_the_webhook_is_removed(administrator, webhook):
    path = webhook.get_absolute_url()

    administrator.post(path, {"url": "https://example.org/", "events": ["change.held"]})
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events, webhook.is_active) == (
        "https://example.org/",
        ["change.held"],
        False,
    )

    assert administrator.post(path, {"do": "remove"})["Location"] == "/webhooks/"
    assert not Webhook.objects.exists()


def test_a_new_secret_is_shown_once(administrator, webhook):
    page = administrator.post(webhook.get_absolute_url(), {"do": "secret"}).content.decode()

    webhook.refresh_from_db()
    new, _ = webhook.secrets()
    assert new in page


def test_deliveries_are_shown_filtered_and_sent_again(administrator):
    with local_server(lambda handler: respond(handler, status=418)) as server:
        settings = {"url": f"{server.url}/", "events": ["tool.created"]}
        webhook, _ = add_webhook(WebhookForm(settings), by=None)
        path = webhook.get_absolute_url()
        make_tool("thermometer")
        delivery = WebhookDelivery.objects.get()
        report = administrator.post(
            f"{path}deliveries/{delivery.pk}/", follow=True
        ).content.decode()
        administrator.post(path, {"do": "test"})

    assert "The message was not accepted. The server responded with status 418." in report
    assert "thermometer" in report
    assert "Waiting to retry" in report
    failed = administrator.get(f"{path}?state=failed").content.decode()
    assert "webhook.test" in failed
    assert "thermometer" not in failed
    detail = administrator.get(f"{path}deliveries/{delivery.pk}/").content.decode()
    assert "&quot;type&quot;: &quot;tool.created&quot;" in detail


def test_the_api_does_what_the_pages_do(api, settings):
    with local_server(lambda handler: respond(handler, status=200)) as server:
        body = {"url": f"{server.url}/", "events": ["tool.created"], "toolkits": ["weather"]}
        added = api.send("POST", "/webhooks", json.dumps(body))
        path = f"/webhooks/{added.json()['id']}"
        tested = api.send("POST", f"{path}/test").json()
        again = api.send("POST", f"{path}/deliveries/{tested['id']}/send").json()

    assert added.status_code == 201
    assert added["Location"] == f"/api/v1{path}"
    assert added.json()["secret"].startswith("whsec_")
    assert "secret" not in api.ask(path).json()
    assert (tested["state"], tested["status"], again["state"]) == ("delivered", 200, "delivered")
    assert [
        one["id"] for one in api.ask(f"{path}/deliveries", state="delivered").json()["items"]
    ] == [tested["id"]]
    assert api.send("PATCH", path, '{"is_active": false}').json()["is_active"] is False
    assert api.send("POST", f"{path}/secret").json()["secret"] != added.json()["secret"]
    assert len(api.ask("/webhooks").json()["items"]) == 1
    assert api.send("DELETE", path).status_code == 204
    assert api.ask(path).status_code == 404


def test_the_api_says_what_is_wrong(api):
    refused = api.send(
        "POST", "/webhooks", '{"url": "ftp://example.com/", "events": ["tool.created"]}'
    )

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/url"
    assert (
        api.send(
            "POST", "/webhooks", '{"url": "https://example.com/", "events": ["x"]}'
        ).status_code
        == 422
    )
