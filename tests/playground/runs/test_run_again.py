"""Runs through the API: run again, compare two, save one as an example; and the statistics of a tool's runs."""

from __future__ import annotations

import json

import pytest

from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from playground.history.statistics import statistics_of
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_tool, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def person():
    return make_user("person")


@pytest.fixture
def own(person):
    return Program(make_token(user=person))


def make_run(tool, by, **fields):
    values = {
        "parameters_json": '{"place": "garden"}',
        "response_json": '{"celsius": 21.50}',
        "verdict": "conforms",
        "outcome": "returned",
        "start_ms": 1.0,
        "call_ms": 2.0,
    }
    return Run.objects.create(tool=tool, revision=tool.current, by=by, **values | fields)


# -- again ------------------------------------------------------------------------------------------------------------


def test_a_run_is_repeated_with_its_parameters_and_mode(own, runs, person):
    tool = make_tool("thermometer", returnType={"type": "object"})
    run = make_run(tool, person, mode="mock", timeout_s=7.0)

    answer = own.send("POST", f"/runs/{run.pk}/again")

    assert answer.status_code == 201, answer.content
    again = answer.json()
    assert again["id"] != run.pk
    assert answer["Location"] == f"/api/v1/runs/{again['id']}"
    assert (again["parameters"], again["mode"], again["timeout_s"]) == (
        {"place": "garden"},
        "mock",
        7,
    )


@pytest.mark.parametrize(("which", "number"), [("current", 2), ("same", 1)])
def test_a_run_is_repeated_on_the_current_revision_or_on_its_own(own, runs, person, which, number):
    run = make_run(make_tool("thermometer"), person, mode="mock")
    publish(make_spec("thermometer", description="Revised."), by=None)

    again = own.send("POST", f"/runs/{run.pk}/again", json.dumps({"revision": which})).json()

    assert again["tool"]["revision"] == number


def test_a_run_that_lasts_answers_202(own, runs, person, builtin):
    run = make_run(builtin("count_slowly"), person, parameters_json='{"steps": 1, "seconds": 30}')

    answer = own.send("POST", f"/runs/{run.pk}/again", json.dumps({"wait_s": 0}))

    assert answer.status_code == 202
    assert own.get(answer["Location"]).json()["outcome"] in {"queued", "running"}
    own.send("POST", f"/runs/{answer.json()['id']}/cancel")


def test_a_run_whose_configuration_is_not_saved_needs_one(own, runs, person):
    tool = make_tool("thermometer", configuration={"type": "object"}, returnType={"type": "object"})
    run = make_run(tool, person, mode="mock", configuration_fingerprint="f" * 64)

    refused = own.send("POST", f"/runs/{run.pk}/again")
    repeated = own.send(
        "POST", f"/runs/{run.pk}/again", json.dumps({"configuration": {"unit": "C"}})
    )

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["rule"] == "run.cannot-repeat"
    assert "no longer available" in refused.json()["detail"]
    assert repeated.status_code == 201
    assert repeated.json()["configuration"]["saved_configuration"] is None


def test_a_run_with_secret_parameters_is_not_repeated(own, person):
    tool = make_tool(
        "thermometer", parameters={"properties": {"key": {"type": "string", "x-secret": True}}}
    )
    run = make_run(tool, person, parameters_json='{"key": "[secret]"}')

    refused = own.send("POST", f"/runs/{run.pk}/again")

    assert refused.status_code == 422
    assert "contain secrets" in refused.json()["detail"]
    assert Run.objects.count() == 1


@pytest.mark.parametrize(
    "body", [{"revision": "first"}, {"revision": 1}, {"timeout_s": 5}, {"wait_s": 100}]
)
def test_a_wrong_request_to_repeat_is_refused(own, person, body):
    run = make_run(make_tool(), person)

    assert own.send("POST", f"/runs/{run.pk}/again", json.dumps(body)).status_code == 422


# -- save as an example -----------------------------------------------------------------------------------------------


def test_a_run_becomes_an_example_of_the_next_revision(own, person):
    run = make_run(make_tool("thermometer"), person)

    answer = own.send(
        "POST", f"/runs/{run.pk}/example", json.dumps({"description": "In the\n garden"})
    )

    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert (body["outcome"], body["revision"], body["example"], body["dry_run"]) == (
        "revised",
        2,
        1,
        False,
    )
    assert "+" in body["difference"]
    tool = Tool.objects.get(tool_id="thermometer")
    assert answer["ETag"] == tool.etag
    [example] = tool.current.spec.examples
    assert (example.description, example.parameters) == ("In the garden", {"place": "garden"})
    assert '"celsius": 21.50' in tool.current.source


def test_a_dry_run_reports_the_change_and_stores_nothing(own, person):
    run = make_run(make_tool("thermometer"), person)

    answer = own.send("POST", f"/runs/{run.pk}/example", json.dumps({"dry_run": True}))

    assert answer.status_code == 200
    assert (answer.json()["revision"], answer.json()["example"]) == (1, 1)
    assert "celsius" in answer.json()["difference"]
    assert Tool.objects.get(tool_id="thermometer").current.number == 1


def test_an_example_is_not_saved_over_a_revision_that_was_not_seen(own, person):
    run = make_run(make_tool("thermometer"), person)
    publish(make_spec("thermometer", description="Revised."), by=None)

    refused = own.send("POST", f"/runs/{run.pk}/example", json.dumps({"revision": 1}))

    assert refused.status_code == 409
    assert Tool.objects.get(tool_id="thermometer").current.number == 2


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"mode": "mock"}, "Only a live run"),
        ({"response_json": None, "verdict": ""}, "Only a live run"),
        ({"parameters_json": "[1]"}, "must be an object"),
    ],
)
def test_a_run_that_cannot_be_an_example_is_refused(own, person, fields, reason):
    run = make_run(make_tool("thermometer"), person, **fields)

    refused = own.send("POST", f"/runs/{run.pk}/example", "{}")

    assert refused.status_code == 422
    assert reason in refused.json()["detail"]
    assert Tool.objects.get(tool_id="thermometer").current.number == 1


# -- who may ----------------------------------------------------------------------------------------------------------

OPERATIONS = {
    "again": ("POST", "/runs/{0}/again", "run"),
    "example": ("POST", "/runs/{0}/example", "publish"),
}


def ask(program, operation, run_id):
    method, path, _ = OPERATIONS[operation]
    return program.send(method, path.format(run_id), b"" if method == "GET" else "{}").status_code


@pytest.mark.parametrize("operation", OPERATIONS)
def test_staff_reach_the_runs_of_others_with_the_scope_read_alone(ada, operation):
    run = make_run(make_tool("thermometer"), ada, mode="mock" if operation == "again" else "live")
    staff = make_user("grace", is_staff=True)
    scope = OPERATIONS[operation][2]

    assert ask(Program(make_token(*({"run", "publish"}), user=staff)), operation, run.pk) == 404
    assert ask(Program(make_token(*({scope, "read"}), user=staff)), operation, run.pk) < 300


# -- statistics -------------------------------------------------------------------------------------------------------


def test_everyone_reads_the_statistics_that_the_page_of_the_tool_shows(stranger, ada):
    tool = make_tool("thermometer")
    for verdict in ("conforms", "violates"):
        make_run(tool, ada, verdict=verdict)
    make_run(tool, ada, outcome="raised", verdict="", response_json=None)

    body = stranger.ask("/tools/thermometer/run-statistics").json()

    shown = statistics_of(tool)
    assert (body["runs"], body["there_are_more"], body["conformed"]) == (3, False, 0.5)
    assert body["returned"] == pytest.approx(2 / 3)
    assert (body["median_ms"], body["p95_ms"]) == (shown.median_ms, shown.p95_ms)
    assert body["latest_at"].endswith("Z")
    assert "bars" not in body


def test_a_tool_that_never_ran_has_no_shares(stranger):
    make_tool("thermometer")

    body = stranger.ask("/tools/thermometer/run-statistics").json()

    assert (body["runs"], body["returned"], body["conformed"], body["median_ms"]) == (
        0,
        None,
        None,
        None,
    )
    assert stranger.ask("/tools/nobody/run-statistics").status_code == 404
