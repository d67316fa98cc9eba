"""A configuration's secret where the sweep of `tests/playground/configurations/test_secrets_sweep.py` does not look.

Error pages with their local variables, reports by mail, the search index, what a browser keeps, and core files.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.utils.log import AdminEmailHandler

from config import log_filters
from playground.form.control_names import member_path
from tests.attacks.cases import cases
from tests.attacks.watching import servers_of
from tests.factories import make_token, make_tool, make_user
from tests.playground.configurations.test_secrets_sweep import (
    CONFIGURATION,
    MARKER,
    SCHEMA,
    secrets_in,
)
from tests.playground.runners import APART, MarkedRunner

SWEEP = "tests/playground/configurations/test_secrets_sweep.py::test_a_secret_appears_nowhere"
PLACES = {
    "url": SWEEP,
    "run-history": SWEEP,
    "error-validation": SWEEP,
    "error-500-debug": "test_an_error_page_does_not_show_the_secret",
    "traceback-mail": "test_an_error_report_by_mail_does_not_show_the_secret",
    "tool-traceback": SWEEP,
    "tool-result": SWEEP,
    "browser-storage": "test_a_browser_is_given_nothing_to_keep",
    "search": "test_the_search_index_does_not_hold_it",
    "core-dump": "test_a_tool_that_crashes_writes_no_core_file, test_a_server_that_crashes_writes_no_core_file",
}

pytestmark = pytest.mark.django_db


def test_every_place_has_its_test():
    assert {case.expect["outcome"] for case in cases("secret")} == {
        "marker secret absent or masked"
    }
    assert len(PLACES) == len(cases("secret"))


@pytest.fixture
def broken(monkeypatch):
    """The site has a fault where runs are started."""

    def start(*_, **__):
        raise RuntimeError("a fault of the site")

    monkeypatch.setattr("playground.runs.api.start", start)
    monkeypatch.setattr("playground.runs.running.start", start)
    return make_tool("keeper", configuration=SCHEMA)


def interfaces(user):
    """Ways to send a secret to a site that then breaks."""
    program = Client(
        headers={"Authorization": f"Bearer {make_token(user=user)}"}, raise_request_exception=False
    )
    browser = Client(raise_request_exception=False)
    browser.force_login(user)
    body = json.dumps({"parameters": {}, "configuration": CONFIGURATION})
    form = {
        "configuration:o:": "",
        f"configuration:t:{member_path('', 'apiKey')}": MARKER,
        "parameters:o:": "",
    }
    yield lambda: program.post("/api/v1/tools/keeper/runs", body, content_type="application/json")
    yield lambda: browser.post("/tools/keeper/try/", {**form, "mode": "live", "run": "1"})


@pytest.mark.parametrize("debug", [False, True])
def test_an_error_page_does_not_show_the_secret(broken, settings, debug):
    settings.DEBUG = debug

    for send in interfaces(make_user()):
        answer = send()

        assert answer.status_code == 500
        assert secrets_in(answer.content) == []


def test_an_error_report_by_mail_does_not_show_the_secret(broken, settings, caplog, monkeypatch):
    monkeypatch.setattr(
        log_filters, "TRACEBACK_EVERY_S", 0
    )  # another test may have logged this fault
    settings.ADMINS = [("Ada", "ada@toolshelf.example")]
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    for send in interfaces(make_user()):
        send()
    reports = [record for record in caplog.records if record.exc_info]
    handler = AdminEmailHandler(include_html=True)
    for record in reports:
        handler.emit(record)

    assert len(mail.outbox) == 2
    for sent in mail.outbox:
        assert "a fault of the site" in sent.body
        assert secrets_in(sent.body + sent.alternatives[0][0]) == []


def test_the_search_index_does_not_hold_it(ada, client):
    make_tool("keeper", configuration=SCHEMA)
    program = Client(headers={"Authorization": f"Bearer {make_token(user=ada)}"})
    body = json.dumps({"name": "work", "configuration": CONFIGURATION})
    saved = program.post(
        "/api/v1/tools/keeper/configurations", body, content_type="application/json"
    )

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM tool_search")
        rows = cursor.fetchall()

    assert saved.status_code == 201
    assert secrets_in(str(rows)) == []
    assert secrets_in(client.get("/tools/", {"q": "7f3a"}).content.replace(b"7f3a", b"")) == []


def test_a_browser_is_given_nothing_to_keep(ada):
    """No cookie, no address, no value of a field, nothing for its history, and no guess at what to fill in."""
    make_tool("keeper", configuration=SCHEMA)
    browser = Client()
    browser.force_login(ada)
    form = {
        "configuration:o:": "",
        f"configuration:t:{member_path('', 'apiKey')}": MARKER,
        "parameters:o:": "",
    }

    answers = [
        browser.post("/tools/keeper/try/", {**form, **more})
        for more in ({"use": "refresh"}, {"run": "1"})
    ]

    for answer in answers:
        assert secrets_in(str(answer.headers) + str(answer.cookies)) == []
        assert secrets_in(answer.content) == []
        assert "no-store" in answer["Cache-Control"]
    assert b'autocomplete="off"' in browser.get("/tools/keeper/try/").content


@pytest.mark.parametrize("modes", [APART, ()], ids=["apart", "plain"])
def test_a_tool_that_crashes_writes_no_core_file(modes):
    with closing(MarkedRunner(modes=modes)) as runner:
        code = "import resource\nreturn list(resource.getrlimit(resource.RLIMIT_CORE))"
        assert runner.call(code).response == [0, 0]


def test_a_server_that_crashes_writes_no_core_file(site):
    for pid in servers_of(site.process.pid):
        [limit] = [
            line
            for line in Path(f"/proc/{pid}/limits").read_text().splitlines()
            if "core file size" in line
        ]
        assert limit.split()[4:6] == ["0", "0"]
