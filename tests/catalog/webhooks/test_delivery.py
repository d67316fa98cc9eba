"""Deliveries to a real HTTP server: what is sent, what counts as accepted, retries, and addresses that are refused."""

import base64
import hashlib
import hmac
import json
import socket
import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from catalog.organise.lifecycle import archive
from catalog.sources.sync import sync
from catalog.tools.publishing import publish
from catalog.webhooks import delivery as delivery_module
from catalog.webhooks.delivery import (
    GONE,
    PAUSES,
    deliver_due,
    prune_deliveries,
    send_again,
    send_test,
)
from catalog.webhooks.models import Webhook, WebhookDelivery
from catalog.webhooks.queue import WebhookEvent, queue_events
from catalog.webhooks.registration import (
    WebhookForm,
    add_webhook,
    change_webhook,
    remove_webhook,
    replace_secret,
    rotate_secrets,
)
from playground.examples import checks as example_checks
from playground.examples.models import ExampleCheck
from playground.examples.results import settle
from playground.runs import running
from playground.runs.models import Run
from playground.runs.writer import queue_drift
from tests.catalog.sources.documents import (
    BREAKING,
    COMPATIBLE,
    FORECAST,
    add_document,
    document,
    replace_document,
)
from tests.factories import make_spec, make_tool, properties
from tests.http_server import local_server, respond
from toolshelf_core.audit import AuditEvent
from toolspec.errors import DocumentError

pytestmark = pytest.mark.django_db
ALL = (
    "tool.created",
    "tool.revised",
    "change.held",
    "examples.failed",
    "source.drifted",
    "response.drifted",
)


class Receiver:
    """A server that answers each request with the next of `statuses`, the last one again and again."""

    def __init__(self, *statuses, headers=None):
        self.statuses, self.headers, self.bodies, self.requests = (
            list(statuses),
            headers or {},
            [],
            [],
        )

    def __call__(self, handler):
        self.bodies.append(handler.rfile.read(int(handler.headers["Content-Length"])))
        self.requests.append({name.lower(): value for name, value in handler.headers.items()})
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        respond(handler, status=status, headers=self.headers)

    @property
    def messages(self):
        return [json.loads(body) for body in self.bodies]


@pytest.fixture
def receiver():
    return Receiver(204)


@pytest.fixture
def url(receiver):
    with local_server(receiver) as server:
        yield f"{server.url}/hook?key=hunter2"


def make_webhook(url, *events, **more):
    settings = {"url": url, "events": events or ALL, **more}
    return add_webhook(WebhookForm(settings), by=None)


def change(webhook, **settings):
    stored = {"url": webhook.url, "events": webhook.events, "is_active": webhook.is_active}
    change_webhook(WebhookForm({**stored, **settings}, webhook=webhook))


def due_again(delivery):
    """Make a waiting delivery due now, as if its pause had passed."""
    WebhookDelivery.objects.filter(pk=delivery.pk).update(next_at=timezone.now())


def verified(secret, request, body):
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{request['webhook-id']}.{request['webhook-timestamp']}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
    return expected in request["webhook-signature"].split(" ")


# -- what is sent -----------------------------------------------------------------------------------------------------


def test_a_revision_is_sent_with_its_verdict_and_a_signature(url, receiver):
    tool = make_tool("weather.forecast", parameters=properties(city={"type": "string"}))
    _, secret = make_webhook(url, "tool.revised")
    publish(make_spec("weather.forecast", parameters=properties(city={"type": "integer"})), by=None)

    [delivery] = deliver_due()

    [message], [request] = receiver.messages, receiver.requests
    assert message["type"] == "tool.revised"
    assert message["data"]["tool"] == {"id": tool.tool_id, "slug": tool.slug, "toolkit": "weather"}
    assert (message["data"]["previous"], message["data"]["revision"]) == (1, 2)
    assert message["data"]["verdict"] == "breaking"
    assert message["data"]["changes"][0]["message"]
    assert request["content-type"] == "application/json"
    assert request["webhook-id"] == delivery.message_id
    assert verified(secret, request, receiver.bodies[0])
    assert not verified(secret, request, receiver.bodies[0] + b" ")
    assert (delivery.state, delivery.status, delivery.attempts) == ("delivered", 204, 1)
    assert delivery.duration_ms > 0


def test_an_event_that_is_rolled_back_is_not_sent(url):
    make_webhook(url)
    publish(make_spec("x"), by=None, dry_run=True)

    assert not WebhookDelivery.objects.exists()


def test_only_chosen_events_of_chosen_toolkits_are_sent(url, receiver):
    make_webhook(url, "tool.created", toolkits=["Weather"])
    for tool_id in ("weather.forecast", "news.latest", "alone"):
        archive(make_tool(tool_id))
    publish(make_spec("weather.forecast", description="Other."), by=None)

    list(deliver_due())

    assert [message["data"]["tool"]["id"] for message in receiver.messages] == ["weather.forecast"]


def test_an_inactive_webhook_gets_nothing(url):
    webhook, _ = make_webhook(url)
    change(webhook, is_active=False)
    make_tool("x")

    assert list(deliver_due()) == []
    assert not WebhookDelivery.objects.exists()


def test_a_held_change_and_drift_of_a_source_are_sent(url, receiver):
    source = add_document(document(FORECAST))
    sync(source)
    make_webhook(url, "change.held", "source.drifted", toolkits=["weather"])
    sync(replace_document(source, document(BREAKING)))
    sync(replace_document(source, document()))

    list(deliver_due())

    held, drifted, gone = receiver.messages
    assert held["type"] == "change.held"
    assert held["data"]["tool"]["id"] == "weather.forecast"
    assert held["data"]["change"]["verdict"] == "breaking"
    assert held["data"]["change"]["path"].startswith("/review/")
    assert drifted["type"] == "source.drifted"
    assert drifted["data"]["counts"] == {
        "revised": 0,
        "held": 1,
        "refused": 0,
        "gone": 0,
        "returned": 0,
    }
    assert gone["data"]["tools"] == [{"tool_id": "weather.forecast", "outcome": "gone"}]


def test_the_first_and_an_unchanged_sync_are_no_drift(url):
    make_webhook(url, "source.drifted")
    source = add_document(document(FORECAST))
    sync(source)
    sync(source)

    assert not WebhookDelivery.objects.exists()


def test_a_compatible_change_of_a_source_is_drift_and_a_revision(url, receiver):
    source = add_document(document(FORECAST))
    sync(source)
    make_webhook(url)
    sync(replace_document(source, document(COMPATIBLE)))

    list(deliver_due())

    assert sorted(message["type"] for message in receiver.messages) == [
        "source.drifted",
        "tool.revised",
    ]
    [revised] = [message for message in receiver.messages if message["type"] == "tool.revised"]
    assert revised["data"]["verdict"] == "compatible"
    assert revised["data"]["origin"] == {"kind": "source", "name": "weather"}


def test_failed_examples_are_sent_once_and_passed_ones_not(url, receiver):
    make_webhook(url, "examples.failed")
    bad = make_tool(
        "bad", parameters=properties(a={"type": "string"}), examples=[{"parameters": {"a": 1}}]
    )
    good = make_tool(
        "good", parameters=properties(a={"type": "string"}), examples=[{"description": "no call"}]
    )
    for tool in (bad, good):
        check = example_checks.begin_check(tool, tool.current, by=None)
        settle(check)

    list(deliver_due())

    [message] = receiver.messages
    assert (message["data"]["tool"]["id"], message["data"]["failed"]) == ("bad", 1)
    assert message["data"]["examples"][0]["number"] == 1
    assert ExampleCheck.objects.count() == 2


def make_run(tool, verdict, **more):
    run = running.start(tool, tool.current, {}, by=None, mode="mock")
    Run.objects.filter(pk=run.pk).update(mode="live", verdict=verdict, **more)
    return Run.objects.with_names().get(pk=run.pk)


def test_a_response_that_violates_after_one_that_conformed_is_drift(url, receiver):
    make_webhook(url, "response.drifted")
    tool = make_tool("x", returnType=properties(a={"type": "string"}))
    problem = {
        "pointer": "/secret-member",
        "message": "no",
        "rule": "type",
        "schema_pointer": "/properties/a/type",
    }
    make_run(tool, "conforms")
    first = make_run(tool, "violates", problems_json=json.dumps([problem]))
    second = make_run(tool, "violates")

    queue_drift(first)
    queue_drift(second)  # the one before it violated as well
    queue_drift(make_run(tool, "conforms"))
    list(deliver_due())

    [message] = receiver.messages
    assert message["data"]["run"] == first.pk
    assert message["data"]["schema_pointers"] == ["/properties/a/type"]
    assert b"secret-member" not in receiver.bodies[0]


def test_a_test_is_sent_at_once_and_never_repeated(url, receiver):
    webhook, _ = make_webhook(url)
    receiver.statuses = [500]

    delivery = send_test(webhook)

    assert receiver.messages[0]["type"] == "webhook.test"
    assert (delivery.state, delivery.status, delivery.attempts, delivery.next_at) == (
        "failed",
        500,
        1,
        None,
    )


# -- secrets ----------------------------------------------------------------------------------------------------------


def test_the_secret_is_stored_encrypted_and_both_sign_for_a_day(url, receiver):
    webhook, old = make_webhook(url)
    new = replace_secret(webhook)
    send_test(webhook)

    assert old not in Webhook.objects.get().secret + Webhook.objects.get().old_secret
    assert verified(old, receiver.requests[0], receiver.bodies[0])
    assert verified(new, receiver.requests[0], receiver.bodies[0])

    Webhook.objects.update(old_secret_until=timezone.now())
    send_test(webhook)

    assert not verified(old, receiver.requests[1], receiver.bodies[1])
    assert verified(new, receiver.requests[1], receiver.bodies[1])


def test_secrets_are_rotated_with_the_keys(settings, url, receiver):
    settings.CONFIGURATION_KEYS = ["old"]
    webhook, secret = make_webhook(url)
    settings.CONFIGURATION_KEYS = ["new", "old"]
    assert rotate_secrets() == (1, 0)
    settings.CONFIGURATION_KEYS = ["new"]

    send_test(webhook)

    assert verified(secret, receiver.requests[0], receiver.bodies[0])


def test_a_secret_that_cannot_be_decrypted_is_explained(settings, url, receiver):
    settings.CONFIGURATION_KEYS = ["old"]
    webhook, _ = make_webhook(url)
    settings.CONFIGURATION_KEYS = ["new"]

    delivery = send_test(webhook)

    assert "TOOLSHELF_CONFIGURATION_KEYS" in delivery.error
    assert receiver.bodies == []


def test_nothing_secret_is_in_the_audit_log(url):
    webhook, secret = make_webhook(url)
    change(webhook, events=["tool.created"])
    replaced = replace_secret(webhook)
    remove_webhook(webhook)

    found = AuditEvent.objects.filter(object_type="webhook").order_by("pk")
    assert [event.action for event in found] == [
        "webhook.add",
        "webhook.change",
        "webhook.secret",
        "webhook.remove",
    ]
    text = "".join(event.before + event.after for event in found)
    assert not any(each in text for each in (secret, replaced, "hunter2"))


# -- retries ----------------------------------------------------------------------------------------------------------


def test_a_message_is_repeated_with_the_same_id_and_body_until_it_is_accepted(url, receiver):
    receiver.statuses = [500, 429, 204]
    make_webhook(url)
    make_tool("x")
    pauses = []
    for _ in range(3):
        [delivery] = deliver_due()
        if delivery.next_at:
            pauses.append(delivery.next_at - delivery.last_at)
            due_again(delivery)

    assert pauses == [timedelta(seconds=5), timedelta(minutes=5)]
    assert (delivery.state, delivery.attempts, delivery.error) == ("delivered", 3, "")
    assert len({request["webhook-id"] for request in receiver.requests}) == 1
    assert len(set(receiver.bodies)) == 1
    assert list(deliver_due()) == []


def test_a_message_fails_after_the_last_pause(url, receiver):
    receiver.statuses = [503]
    make_webhook(url)
    make_tool("x")
    for _ in range(len(PAUSES)):
        [delivery] = deliver_due()
        assert delivery.state == "waiting"
        due_again(delivery)

    [delivery] = deliver_due()

    assert (delivery.state, delivery.attempts, delivery.next_at) == (
        "failed",
        len(PAUSES) + 1,
        None,
    )
    assert delivery.error == "The server responded with status 503."


def test_a_message_that_is_not_due_waits(url, receiver):
    receiver.statuses = [500]
    make_webhook(url)
    make_tool("x")

    assert len(list(deliver_due())) == 1
    assert list(deliver_due()) == []


def test_a_claimed_message_is_not_sent_by_another_process(url, receiver):
    make_webhook(url)
    make_tool("x")

    first, second = deliver_due(), deliver_due()
    due = [next(first, None), next(second, None)]

    assert [one is not None for one in due] == [True, False]
    assert len(receiver.bodies) == 1


def test_status_410_switches_the_webhook_off(url, receiver):
    receiver.statuses = [410]
    make_webhook(url)
    make_tool("x")

    [delivery] = deliver_due()

    assert delivery.state == "failed"
    assert (Webhook.objects.get().is_active, Webhook.objects.get().inactive_reason) == (False, GONE)


def test_a_failed_message_can_be_sent_again(url, receiver):
    receiver.statuses = [410, 204]
    make_webhook(url)
    make_tool("x")
    [failed] = deliver_due()

    again = send_again(failed)

    assert (again.state, again.attempts, again.message_id) == ("delivered", 1, failed.message_id)
    assert receiver.bodies[0] == receiver.bodies[1]


def test_a_webhook_that_does_not_respond_delays_no_other(url, receiver):
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        make_webhook(f"http://127.0.0.1:{closed.getsockname()[1]}/")
        make_webhook(url)
        for number in range(5):
            make_tool(f"tool-{number}")

        sent = list(deliver_due())

    assert [one.status for one in sent] == [None, 204, 204, 204, 204, 204]
    assert "The connection to the server failed" in sent[0].error


def test_a_webhook_that_is_removed_loses_what_waits(url, receiver):
    webhook, _ = make_webhook(url)
    make_tool("x")
    sending = deliver_due()
    remove_webhook(webhook)

    assert list(sending) == []
    assert not WebhookDelivery.objects.exists()


def test_old_deliveries_are_deleted_but_not_waiting_ones(url):
    make_webhook(url)
    for number in range(2):
        make_tool(f"tool-{number}")
    long_ago = timezone.now() - timedelta(days=31)
    WebhookDelivery.objects.update(created_at=long_ago)
    WebhookDelivery.objects.filter(pk=WebhookDelivery.objects.first().pk).update(state="delivered")

    assert prune_deliveries() == 1
    assert WebhookDelivery.objects.get().state == "waiting"


# -- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("ftp://example.com/", "http:// or https://"),
        ("https://", "http:// or https://"),
        ("https://ada:pw@example.com/", "user name and password"),
        ("https://example.com/#a", "after `#`"),
        ("http://10.0.0.1/", "10.0.0.1"),
        ("http://169.254.169.254/latest/", "169.254.169.254"),
        ("http://[::1]/", "::1"),
        ("https://example.com/" + "a" * 2000, "at most 2,000"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused(settings, url, complaint):
    settings.LOOPBACK_ONLY = False

    with pytest.raises(DocumentError) as refused:
        make_webhook(url)

    assert refused.value.problems[0].pointer == "/url"
    assert complaint in refused.value.problems[0].message


def test_a_name_that_resolves_to_this_machine_is_refused_when_sending(settings, url, receiver):
    webhook, _ = make_webhook(url.replace("127.0.0.1", "localhost"))
    settings.LOOPBACK_ONLY = False

    delivery = send_test(webhook)

    assert delivery.status is None
    assert "localhost" in delivery.error
    assert receiver.bodies == []


def test_a_redirect_is_not_followed(receiver, url):
    target = Receiver(204)
    with local_server(target) as other:
        receiver.statuses, receiver.headers = [307], {"Location": f"{other.url}/"}
        webhook, _ = make_webhook(url)
        delivery = send_test(webhook)

    assert target.bodies == []
    assert delivery.state == "failed"
    assert delivery.error == "The server responded with status 307; redirects are not followed."


@pytest.mark.parametrize(
    ("settings_", "pointer"),
    [
        ({"events": ()}, "/events"),
        ({"events": ("tool.exploded",)}, "/events"),
        ({"events": ALL, "toolkits": ["…"]}, "/toolkits"),
        ({"events": ALL, "toolkits": ["a\x00"]}, "/toolkits"),
        ({"events": ALL, "toolkits": [" "]}, "/toolkits"),
        ({"events": ALL, "toolkits": ["a"] * 51}, "/toolkits"),
    ],
)
def test_wrong_settings_are_refused(settings_, pointer):
    with pytest.raises(DocumentError) as refused:
        add_webhook(WebhookForm({"url": "https://example.com/", **settings_}), by=None)

    assert [problem.pointer for problem in refused.value.problems] == [pointer]


def test_an_event_without_webhooks_costs_one_query(django_assert_num_queries):
    with django_assert_num_queries(1):
        queue_events([WebhookEvent("tool.created", "", {})])


def test_a_slow_webhook_delays_only_its_own_deliveries(receiver, url):
    ends = threading.Event()

    def slowly(handler):
        ends.wait(60)
        respond(handler, status=204)

    with local_server(slowly) as slow:
        slow_webhook, _ = make_webhook(slow.url)
        fast_webhook, _ = make_webhook(url)
        make_tool("a")
        rounds = deliver_due()
        first = next(rounds)
        make_tool("b")  # queued while the slow one still answers
        second = next(rounds)
        ends.set()
        rest = list(rounds)

    assert [first.webhook_id, second.webhook_id] == [fast_webhook.pk] * 2
    assert {delivery.webhook_id for delivery in rest} == {slow_webhook.pk}
    assert all(delivery.state == WebhookDelivery.DELIVERED for delivery in [first, second, *rest])


def test_many_slow_webhooks_leave_a_place_for_another(receiver, url, monkeypatch):
    monkeypatch.setattr(delivery_module, "MAX_AT_ONCE", 2)
    for _ in range(2):
        make_webhook(url)
    last, _ = make_webhook(url)
    for name in "abcde":
        make_tool(name)

    order = [delivery.webhook_id for delivery in deliver_due()]

    assert last.pk in order[:4]
    assert len(order) == 15
