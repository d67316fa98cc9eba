"""Limits on requests, uploads and run starts: what is refused, with which answer, and what is not affected."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from selectolax.lexbor import LexborHTMLParser

from accounts.cell_rate import MemoryRates, Rate
from catalog.tools.models import Tool
from playground.runs import running
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user, spec_text
from tests.playground.form.driver import Page

pytestmark = pytest.mark.django_db
FEW = Rate(3, 60)


def assert_too_many(answer, complaint):
    assert answer.status_code == 429
    assert answer["Content-Type"] == "application/problem+json"
    assert 1 <= int(answer["Retry-After"]) <= 20
    assert complaint in answer.json()["detail"]


def statuses(send, times):
    return [send().status_code for _ in range(times)]


# -- the API ----------------------------------------------------------------------------------------------------------


def test_a_person_is_limited_with_all_tokens_and_browsers_together(settings, ada, browser):
    settings.API_RATE = FEW
    first, second = (Program(make_token("read", user=ada)) for _ in range(2))

    assert statuses(lambda: first.ask("/tools"), 2) == [200] * 2
    assert browser.get("/api/v1/tools").status_code == 200

    assert_too_many(
        second.ask("/tools"), "You have sent too many requests: at most 3 per minute are allowed."
    )
    assert Program(make_token(user=make_user("bob"))).ask("/tools").status_code == 200
    assert Program().ask("/tools").status_code == 200


def test_a_visitor_is_limited_by_address(settings, stranger):
    settings.API_RATE = FEW

    assert statuses(lambda: stranger.ask("/tools"), 3) == [200, 200, 200]
    refused = stranger.ask("/tools")

    assert refused.status_code == 429
    assert refused["RateLimit-Policy"] == '"visitor";q=3;w=60'
    assert refused["RateLimit"].startswith('"visitor";r=0;t=')
    assert not refused.cookies


@pytest.mark.parametrize(
    ("addresses", "another"),
    [
        ([f"2001:db8::{number}" for number in range(1, 5)], "2001:db8:0:1::1"),
        (["::ffff:192.0.2.1"] * 4, "::ffff:192.0.2.2"),
    ],
)
def test_all_addresses_of_an_ipv6_network_count_as_one(settings, stranger, addresses, another):
    settings.API_RATE = FEW

    found = [stranger.get("/api/v1/tools", REMOTE_ADDR=each).status_code for each in addresses]

    assert found == [200, 200, 200, 429]
    assert stranger.get("/api/v1/tools", REMOTE_ADDR=another).status_code == 200


def test_guessing_tokens_is_limited_by_address(settings):
    settings.API_RATE = FEW
    guesser = Program("tsk_wrong")

    assert statuses(lambda: guesser.ask("/tools"), 3) == [401] * 3
    assert_too_many(guesser.ask("/tools"), "too many requests")


def test_pages_are_not_limited_by_the_rate_of_the_api(settings, stranger):
    settings.API_RATE = FEW

    assert statuses(lambda: stranger.get("/"), 5) == [200] * 5
    assert "RateLimit" not in stranger.get("/")


def test_a_limit_can_be_switched_off(settings, stranger):
    settings.API_RATE = None

    assert statuses(lambda: stranger.ask("/tags"), 20) == [200] * 20


@pytest.mark.parametrize("name", ["API_RATE", "UPLOAD_RATE"])
def test_a_program_that_uploads_2000_specs_one_by_one_reaches_no_default(settings, name):
    rates, rate = MemoryRates(), getattr(settings, name)

    assert {rates.take("ada", rate).wait_s for _ in range(2000)} == {0}


# -- uploads ----------------------------------------------------------------------------------------------------------


def test_uploads_through_all_operations_share_a_limit(settings, program):
    settings.UPLOAD_RATE = FEW
    program.send("POST", "/tools", spec_text("one"))
    program.send("POST", "/uploads", spec_text("two"))
    program.send("POST", "/specs/check", spec_text("three"))

    for method, path in (
        ("POST", "/tools"),
        ("POST", "/uploads"),
        ("POST", "/specs/check"),
        ("PUT", "/tools/one"),
    ):
        refused = program.send(method, path, spec_text("four"), **{"If-Match": "*"})
        assert_too_many(refused, "You have uploaded too often: at most 3 per minute are allowed.")
    assert program.ask("/tools").json()["count"] == 2


def test_a_page_refuses_too_many_uploads_and_keeps_the_text(settings, ada, browser):
    settings.UPLOAD_RATE = FEW
    program = Program(make_token(user=ada))
    for number in range(3):
        program.send("POST", "/tools", spec_text(f"tool-{number}"))

    refused = browser.post("/add/", {"text": spec_text("typed-in")})

    page = refused.content.decode()
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 20
    assert "You have uploaded too often: at most 3 per minute are allowed. Try again in" in page
    assert "typed-in" in page
    assert "<title>Error: " in page
    assert Tool.objects.count() == 3


# -- run starts -------------------------------------------------------------------------------------------------------


def test_run_starts_through_pages_and_the_api_share_a_limit(settings, ada, browser):
    settings.RUN_RATE = FEW
    tool = make_tool("thermometer", returnType={"type": "object"}, examples=[{"parameters": {}}])
    program = Program(make_token(user=ada))
    mock = json.dumps({"mode": "mock"})
    made = [program.send("POST", "/tools/thermometer/runs", mock).json() for _ in range(3)]

    by_api = program.send("POST", "/tools/thermometer/runs", mock)
    again = program.send("POST", f"/runs/{made[0]['id']}/again")
    check = program.send("POST", "/tools/thermometer/example-checks")
    form = Page(
        LexborHTMLParser(browser.get("/tools/thermometer/try/").content.decode())
        .css_first("form#trial")
        .html
    )
    by_page = browser.post(
        "/tools/thermometer/try/", dict(form.submit()) | {"mode": "mock", "run": "1"}
    )

    for refused in (by_api, again, check):
        assert_too_many(
            refused, "You have started too many runs: at most 3 per minute are allowed."
        )
    assert by_page.status_code == 429
    assert int(by_page["Retry-After"]) <= 20
    assert "You have started too many runs" in by_page.content.decode()
    assert Run.objects.count() == 3
    assert not tool.example_checks.exists()


def test_commands_are_not_limited(settings):
    settings.RUN_RATE = FEW
    tool = make_tool("thermometer", returnType={"type": "object"})

    runs = [running.start(tool, tool.current, {}, by=None, mode="mock") for _ in range(5)]

    assert {run.outcome for run in runs} == {"returned"}


def test_the_runs_of_one_person_do_not_limit_another(settings, ada):
    settings.RUN_RATE = FEW
    make_tool("thermometer", returnType={"type": "object"})
    mock = json.dumps({"mode": "mock"})
    mine, others = Program(make_token(user=ada)), Program(make_token(user=make_user("bob")))

    assert statuses(lambda: mine.send("POST", "/tools/thermometer/runs", mock), 4) == [
        201,
        201,
        201,
        429,
    ]
    assert statuses(lambda: others.send("POST", "/tools/thermometer/runs", mock), 1) == [201]


# -- headers ---------------------------------------------------------------------------------------


def test_every_answer_of_the_api_has_the_limits_and_what_is_left(settings, ada):
    settings.API_RATE = Rate(10, 60)
    program = Program(make_token("read", user=ada))

    program.ask("/tools")
    answer = program.ask("/tools")

    assert answer["RateLimit-Policy"] == '"person";q=10;w=60'
    assert answer["RateLimit"] == '"person";r=8;t=12'


def test_uploads_and_runs_add_their_own_limits(settings, ada):
    settings.API_RATE = None
    settings.UPLOAD_RATE, settings.RUN_RATE = Rate(7, 60), Rate(9, 60)
    program = Program(make_token(user=ada))

    uploaded = program.send(
        "POST", "/tools", spec_text("thermometer", returnType={"type": "object"})
    )
    run = program.send("POST", "/tools/thermometer/runs", json.dumps({"mode": "mock"}))

    assert uploaded["RateLimit"] == '"uploads";r=6;t=9'
    assert run["RateLimit"] == '"runs";r=8;t=7'


def test_mcp_counts_with_the_api(settings, ada):
    settings.API_RATE = FEW
    token = make_token(user=ada)
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    ask = {"content_type": "application/json", "headers": {"Authorization": f"Bearer {token}"}}

    first = Client().post("/mcp", message, **ask)
    statuses(lambda: Program(token).ask("/tools"), 2)
    refused = Client().post("/mcp", message, **ask)

    assert '"person";r=2' in first["RateLimit"]
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 20
