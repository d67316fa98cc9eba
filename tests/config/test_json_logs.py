"""The JSON log, and the ids of requests."""

import io
import json
import logging

import httpx
import pytest
from django.test import Client

from config.log_filters import JsonLine, WithoutSecrets
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_token, make_tool
from tests.site import Site
from toolshelf_core import log_context

SECRET = "tsk_" + "a" * 43


def logged(message, *values, **more):
    record = logging.LogRecord(
        "x.y", logging.WARNING, "f", 1, message, values, more.pop("exc_info", None)
    )
    vars(record).update(more)
    WithoutSecrets().filter(record)
    return JsonLine().format(record)


@pytest.fixture
def lines():
    """The messages that are logged as JSON while the test runs."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonLine())
    loggers = [logging.getLogger(name) for name in ("toolshelf.requests", "django.request", "test")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    for logger, level in zip(loggers, levels, strict=True):
        logger.removeHandler(handler)
        logger.setLevel(level)


def test_a_line_is_one_object():
    line = logged("It %s\nand more", "broke")

    found = json.loads(line)
    assert "\n" not in line
    assert (found["level"], found["logger"], found["message"]) == (
        "WARNING",
        "x.y",
        "It broke\nand more",
    )
    assert found["time"].endswith("+00:00")


def test_facts_of_the_context_and_of_the_line_are_members():
    with log_context.bind(run_id="r1", request_id=""):
        found = json.loads(logged("x", facts={"status": 200}))

    assert (found["run_id"], found["status"]) == ("r1", 200)
    assert "request_id" not in found
    assert "run_id" not in json.loads(logged("x"))


def test_secrets_are_removed_from_message_facts_and_traceback():
    with pytest.raises(ValueError, match="invalid literal") as caught:
        int(SECRET)
    exc_info = (caught.type, caught.value, caught.tb)

    line = logged("token %s", SECRET, facts={"path": f"/sign-in/{'b' * 43}/"}, exc_info=exc_info)

    assert SECRET not in line
    assert "b" * 43 not in line
    assert "tsk_…" in json.loads(line)["message"]
    assert "with base 10: 'tsk_…'" in json.loads(line)["exception"]


def test_a_message_that_does_not_fit_its_values_is_logged_anyway():
    assert json.loads(logged("%d", "x"))["message"] == "%d"


@pytest.mark.django_db
def test_each_request_is_one_line_with_its_facts(lines, ada):
    answer = Program(make_token("read", user=ada)).ask("/tools")

    [line] = lines()
    assert line["logger"] == "toolshelf.requests"
    assert (line["method"], line["path"], line["status"]) == ("GET", "/api/v1/tools", 200)
    assert line["request_id"] == answer["X-Request-ID"]
    assert line["person_id"] == ada.pk
    assert line["duration_ms"] > 0


@pytest.mark.django_db
def test_a_run_is_named_in_the_line_of_its_request(lines, ada):
    make_tool("x", returnType={"type": "object"})

    Program(make_token(user=ada)).send("POST", "/tools/x/runs", '{"mode": "mock"}')

    assert lines()[-1]["run_id"] == Run.objects.get().pk


@pytest.mark.django_db
def test_the_secret_of_a_sign_in_link_is_in_no_line(lines):
    Client().get(f"/sign-in/{'c' * 43}/")

    assert lines()
    assert "c" * 43 not in json.dumps(lines())


@pytest.mark.django_db
def test_health_checks_are_not_logged(lines, client):
    client.get("/healthz")

    assert lines() == []


@pytest.mark.django_db
def test_a_request_keeps_the_id_that_it_came_with(client):
    assert (
        client.get("/", headers={"X-Request-ID": "edge-0123456789"})["X-Request-ID"]
        == "edge-0123456789"
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    "sent", ["", "short", "x" * 65, 'quote"in-it', "line\\nbreak-01", "ümlaut-012345"]
)
def test_an_id_that_could_confuse_a_log_is_replaced(client, sent):
    found = client.get("/", headers={"X-Request-ID": sent})["X-Request-ID"]

    assert found != sent
    assert len(found) == 32


@pytest.mark.django_db
def test_refused_requests_have_ids_too(client):
    assert len(client.get("/nothing-here/")["X-Request-ID"]) == 32
    assert len(client.get("/static/nothing.css")["X-Request-ID"]) == 32


@pytest.mark.deep
def test_a_server_logs_json_only(tmp_path):
    site = Site(tmp_path, TOOLSHELF_LOG_FORMAT="json", LOG_LEVEL="INFO")
    try:
        answer = httpx.get(
            f"{site.url}/api/v1/tools", headers={"X-Request-ID": "edge-0123456789"}, timeout=60
        )
    finally:
        site.stop()

    assert answer.headers["X-Request-ID"] == "edge-0123456789"
    started = site.log().partition("{")  # the messages of `serve` to its user come first
    lines = [json.loads(line) for line in (started[1] + started[2]).splitlines()]
    assert [line["status"] for line in lines if line.get("request_id") == "edge-0123456789"] == [
        200
    ]
