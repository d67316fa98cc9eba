"""The API and `check_specs --against-runs`: recent live calls, checked against a spec."""

from __future__ import annotations

import httpx2
import pytest
from django.core.management import CommandError, call_command

from catalog.tools.publishing import publish
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_user
from tests.site import free_port

BEFORE = {
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    "returnType": {"type": "object", "properties": {"degrees": {"type": "number"}}},
}
CHANGED = {
    "parameters": {**BEFORE["parameters"], "required": ["day"]},
    "returnType": {"type": "object", "properties": {"degrees": {"type": "integer"}}},
}
SPEC = make_spec("weather", **CHANGED).source


@pytest.fixture
def called(db):
    """A live call of Ada's tool, which `SPEC` would refuse and whose response would not match."""
    tool = publish(make_spec("weather", **BEFORE), by=make_user("ada")).tool
    return Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=tool.owner,
        parameters_json='{"city": "Oslo"}',
        response_json='{"degrees": 20.5}',
        outcome="returned",
    )


def check(user, scope="read", spec=SPEC):
    return Program(make_token(scope, user=user)).send("POST", "/specs/check-calls", spec)


def test_a_program_learns_which_calls_a_spec_would_break(called):
    answer = check(called.by)

    report = answer.json()
    run = called.pk
    assert (report["tool"], report["revision"], report["days"]) == ("weather", 1, 30)
    assert report["calls"] == {
        "checked": 1,
        "failing": 1,
        "cut": False,
        "first": [{"run": run, "pointer": "", "message": report["calls"]["first"][0]["message"]}],
    }
    assert '"day" is missing' in report["calls"]["first"][0]["message"]
    assert report["responses"]["failing"] == 1
    assert report["responses"]["first"][0]["pointer"] == "/degrees"


def test_a_program_does_not_learn_about_calls_of_others(called):
    report = check(make_user("bob")).json()

    assert report["calls"]["checked"] == 0


def test_a_tool_that_is_not_in_the_catalog_has_no_calls(called):
    report = check(called.by, spec=make_spec("new").source).json()

    assert (report["revision"], report["calls"]["checked"], report["responses"]) == (None, 0, None)


def test_a_token_that_may_only_run_does_not_check_calls(called):
    assert check(called.by, scope="run").status_code == 403


def test_a_broken_spec_is_refused_with_its_line(called):
    answer = check(called.by, spec='{"definition": {"name": 5, "description": ""}}')

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/definition/name"


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of `SPEC`, and no token in the environment."""
    monkeypatch.delenv("TOOLSHELF_TOKEN", raising=False)
    path = tmp_path / "weather.json"
    path.write_text(SPEC)
    return path


def test_check_specs_fails_if_recent_calls_of_a_site_would_break(
    called, live_server, file, monkeypatch, capsys
):
    monkeypatch.setenv("TOOLSHELF_TOKEN", make_token("read", user=called.by))

    with pytest.raises(SystemExit, match="1"):
        call_command(
            "check_specs", str(file), "--advice", "none", "--against-runs", live_server.url
        )

    out, err = capsys.readouterr()
    refused, mismatched = out.splitlines()
    assert refused.startswith(f"{file}:6:19: ")
    assert "error: 1 of 1 call of the last 30 days would be refused. Run" in refused
    assert f"{called.pk}: " in refused
    assert "error: 1 of 1 response of the last 30 days would not match. Run" in mismatched
    assert f"{called.pk}: /degrees must be an integer" in mismatched
    assert err.endswith("1 would break recent calls\n")


def test_check_specs_passes_if_no_recent_call_would_break(
    called, live_server, file, monkeypatch, capsys
):
    monkeypatch.setenv("TOOLSHELF_TOKEN", make_token("read", user=called.by))
    file.write_text(make_spec("weather", **BEFORE).source)

    call_command("check_specs", str(file), "--advice", "none", "--against-runs", live_server.url)

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("path", "message"), [("", "401"), ("/elsewhere", "404")], ids=["wrong token", "wrong URL"]
)
def test_check_specs_says_that_a_site_refused(live_server, file, monkeypatch, path, message):
    monkeypatch.setenv("TOOLSHELF_TOKEN", "wrong")

    with pytest.raises(CommandError, match=message) as refusal:
        call_command("check_specs", str(file), "--against-runs", f"{live_server.url}{path}")

    assert refusal.value.returncode == 2


def test_check_specs_says_that_a_site_does_not_answer(file, monkeypatch):
    monkeypatch.setenv("TOOLSHELF_TOKEN", "any")

    with pytest.raises(CommandError, match="did not answer as a Toolshelf does") as refusal:
        call_command("check_specs", str(file), "--against-runs", f"http://127.0.0.1:{free_port()}")

    assert refusal.value.returncode == 2


def test_check_specs_needs_a_token_to_ask_a_site(file):
    with pytest.raises(CommandError, match="TOOLSHELF_TOKEN"):
        call_command("check_specs", str(file), "--against-runs", "http://127.0.0.1:8000")


def test_check_specs_waits_once_for_a_site_that_is_asked_too_often(file, monkeypatch, capsys):
    monkeypatch.setenv("TOOLSHELF_TOKEN", "any")
    calls = {"checked": 2, "failing": 1, "cut": True, "first": []}
    report = {"days": 30, "calls": calls, "responses": None}
    request = httpx2.Request("POST", "https://tools.example/")
    answers = [
        httpx2.Response(429, headers={"Retry-After": "7"}, request=request),
        httpx2.Response(200, json=report, request=request),
    ]
    monkeypatch.setattr(httpx2, "post", lambda *_args, **_options: answers.pop(0))
    waits = []
    monkeypatch.setattr("time.sleep", waits.append)

    with pytest.raises(SystemExit, match="1"):
        call_command(
            "check_specs", str(file), "--advice", "none", "--against-runs", "https://tools.example"
        )

    assert waits == [7]
    assert "1 of 2 calls of the last 30 days would be refused." in capsys.readouterr().out


def test_check_specs_ends_if_a_site_stays_busy(file, monkeypatch):
    monkeypatch.setenv("TOOLSHELF_TOKEN", "any")
    request = httpx2.Request("POST", "https://tools.example/")
    busy = httpx2.Response(429, headers={"Retry-After": "7"}, request=request)
    monkeypatch.setattr(httpx2, "post", lambda *_args, **_options: busy)
    monkeypatch.setattr("time.sleep", lambda _seconds: None)

    with pytest.raises(CommandError, match="429") as refusal:
        call_command("check_specs", str(file), "--against-runs", "https://tools.example")

    assert refusal.value.returncode == 2
