"""A secret of a configuration is only in memory: a marker is sent through every interface and searched everywhere."""

import base64
import io
import json
import logging
import time
from pathlib import Path
from urllib.parse import quote

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.test import Client

from playground.configurations.secret_members import Configuration
from playground.factories.registry import FactoryRegistry
from playground.runner.engine import LocalRunner
from playground.runs import running, supervisor
from playground.runs.models import Run
from playground.runs.supervisor import close_supervisor
from tests.factories import make_token, make_tool

TOOLS = Path(__file__).parents[1] / "tools"
MARKER = "mrk/7f3a+9c=e1 &ü"
PARTS = ("mrk/7f3a", "7f3a+9c", "9c=e1 &")  # of it; none of them stands anywhere by chance
CONFIGURATION = {"apiKey": MARKER, "unit": "celsius"}
SCHEMA = {
    "type": "object",
    "properties": {"apiKey": {"type": "string", "maxLength": 40}, "unit": {"enum": ["celsius"]}},
    "required": ["apiKey"],
}


def spellings():
    raw = MARKER.encode()
    return {
        MARKER,
        *PARTS,
        quote(MARKER),
        quote(MARKER, safe=""),
        json.dumps(MARKER)[1:-1],
        raw.hex(),
        base64.b64encode(raw).decode(),
        base64.b64encode(b"user:" + raw).decode()[8:24],
        MARKER.replace("&", "&amp;"),
    }


def secrets_in(text):
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    return sorted(spelling for spelling in spellings() if spelling in text)


@pytest.fixture
def leaking(transactional_db, monkeypatch):
    """The tool that leaks its secrets, with its factory installed."""
    registry = FactoryRegistry(["leaking_tool:Factory"], search_path=[str(TOOLS)])
    monkeypatch.setattr("playground.factories.connections.registry", lambda: registry)
    monkeypatch.setattr(
        supervisor,
        "make_runner",
        lambda slots: LocalRunner(slots=slots, search_path=[str(TOOLS)]),
    )
    return_type = {
        "type": "object",
        "properties": {"unit": {"enum": ["celsius"]}, "list": {"maxItems": 0}},
    }
    yield make_tool("leaking_tool", configuration=SCHEMA, returnType=return_type)
    close_supervisor()


@pytest.fixture
def page(ada):
    client = Client()
    client.force_login(ada)
    return client


class Api(Client):
    def __init__(self, user):
        super().__init__(headers={"Authorization": f"Bearer {make_token(user=user)}"})

    def send(self, path, body):
        return self.post(f"/api/v1{path}", json.dumps(body), content_type="application/json")


def database_bytes():
    """The content of the database files, and of all rows."""
    name = str(connections["default"].settings_dict["NAME"])
    files = [Path(name), Path(f"{name}-wal")]
    stored = b"".join(file.read_bytes() for file in files if file.exists())
    return stored + "\n".join(str(row) for row in Run.objects.values()).encode()


def test_a_secret_appears_nowhere(leaking, ada, page, caplog, capfd, tmp_path, settings):
    caplog.set_level(logging.DEBUG)
    api = Api(ada)
    places = {}

    # through the API, as it is, saved, wrong, and too late
    body = {"parameters": {}, "configuration": CONFIGURATION, "wait_s": 20}
    answer = api.send("/tools/leaking_tool/runs", body)
    assert answer.json()["outcome"] == "returned", answer.json()
    assert answer.json()["verdict"] == "violates"
    places["API: the run"] = answer.content
    places["API: the address"] = answer["Location"]
    raised = api.send("/tools/leaking_tool/runs", {**body, "parameters": {"raise": True}})
    assert raised.json()["outcome"] == "raised"
    places["API: an error and its traceback"] = raised.content
    places["API: refused parameters"] = api.send(
        "/tools/leaking_tool/runs", {**body, "parameters": {"raise": []}}
    ).content
    wrong = {"apiKey": [MARKER], "unit": MARKER}
    refused = api.send("/tools/leaking_tool/runs", {**body, "configuration": wrong})
    assert refused.json()["outcome"] == "refused"
    places["API: a refused configuration"] = refused.content
    too_long = api.send(
        "/tools/leaking_tool/runs", {**body, "configuration": {"apiKey": MARKER * 5}}
    )
    assert too_long.json()["outcome"] == "refused"
    places["API: a configuration quoted short"] = too_long.content
    places["API: an unknown member"] = api.send(
        "/tools/leaking_tool/runs", {**body, "x": 1}
    ).content
    places["API: a body that breaks off"] = api.post(
        "/api/v1/tools/leaking_tool/runs", json.dumps(body)[:-1], content_type="application/json"
    ).content
    places["API: an unknown tool"] = api.send("/tools/nobody/runs", body).content
    saved = api.send(
        "/tools/leaking_tool/configurations", {"name": "work", "configuration": CONFIGURATION}
    )
    assert saved.status_code == 201
    places["API: saving"] = saved.content
    places["API: saving wrong"] = api.send(
        "/tools/leaking_tool/configurations", {"name": "", "configuration": CONFIGURATION}
    ).content
    places["API: saved ones"] = api.get("/api/v1/tools/leaking_tool/configurations").content
    by_name = api.send("/tools/leaking_tool/runs", {"saved_configuration": "work", "wait_s": 20})
    assert by_name.json()["outcome"] == "returned"
    places["API: a run with a saved one"] = by_name.content
    places["API: the list of runs"] = api.get("/api/v1/runs").content

    # while it lasts
    slow = api.send(
        "/tools/leaking_tool/runs", {**body, "parameters": {"wait_s": 4}, "wait_s": 0}
    ).json()["id"]
    deadline = time.monotonic() + 60
    while not Run.objects.get(pk=slow).progress_message and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "half way" in Run.objects.get(pk=slow).progress_message
    places["progress, by API"] = api.get(f"/api/v1/runs/{slow}").content
    places["progress, on its page"] = page.get(f"/runs/{slow}/", follow=True).content
    running.cancel(Run.objects.get(pk=slow))

    # the pages
    run = answer.json()["id"]
    for name, path in {
        "page: the raised run": f"/tools/leaking_tool/try/?run={raised.json()['id']}",
        "page: the refused run": f"/tools/leaking_tool/try/?run={refused.json()['id']}",
        "page: the runs": "/runs/",
        "page: the download": f"/runs/{run}/run.json",
        "page: the response": f"/runs/{run}/response.json",
        "page: two runs": f"/runs/{run}..{raised.json()['id']}/",
        "page: trying again": f"/tools/leaking_tool/try/?run={run}",
        "page: with the saved one": "/tools/leaking_tool/try/?configuration=work",
        "page: an example of it": f"/runs/{run}/example/",
        "page: the tool": "/tools/leaking_tool/",
        "page: the factories": "/factories/",
    }.items():
        answer = page.get(path)
        assert answer.status_code == 200, path
        places[name] = answer.content
    form = {"configuration:o:": "", "configuration:t:/.apiKey": MARKER, "parameters:o:": ""}
    for name, button in {
        "drawn again": {"use": "refresh"},
        "run": {"run": "1"},
        "as JSON": {"op": "configuration:view::json"},
    }.items():
        answer = page.post("/tools/leaking_tool/try/", {**form, **button})
        places[f"page: the form, {name}"] = answer.content + str(dict(answer.headers)).encode()
    assert (
        Run.objects.exclude(configuration_fingerprint="").filter(configuration_name="").count() == 7
    )
    places["session"] = str(dict(page.session.items()))

    # the command
    file = tmp_path / "configuration.json"
    file.write_text(json.dumps(CONFIGURATION))
    out = io.StringIO()
    with pytest.raises(SystemExit):
        call_command("run_tool", "leaking_tool", "--configuration", f"@{file}", stdout=out)
    places["command: stdout"] = out.getvalue()
    places["object: repr"] = repr(Configuration(CONFIGURATION))

    # what stays
    running.wait(
        Run.objects.filter(outcome__in=["queued", "running"]).first() or Run.objects.first(), 10
    )
    places["database"] = database_bytes()
    places["logs"] = caplog.text
    printed = capfd.readouterr()
    places["the server's stdout and stderr"] = printed.out + printed.err
    places["queries"] = str(connection.queries_log)
    places["files of the data directory"] = b"".join(
        path.read_bytes()
        for path in settings.DATA_DIR.glob("*")
        if path.is_file() and path.suffix in {".json", ".log", ""}
    )

    assert len(places) >= 25
    assert {name: secrets_in(text) for name, text in places.items() if secrets_in(text)} == {}


def test_the_tool_really_tried(leaking, ada):
    done = running.wait(
        running.start(
            leaking, leaking.current, {}, by=ada, configuration=Configuration(CONFIGURATION)
        ),
        20,
    )

    assert done.stdout.count("[secret]") >= 6
    assert done.stderr.count("[secret]") >= 5
    assert done.progress_message == "half way with [secret]"
    assert done.response["inside"] == "Authorization: Bearer [secret]; more"
    assert done.response["list"] == [{"deep": "[secret]"}]
    assert done.response["[secret]"] == "as a name"
