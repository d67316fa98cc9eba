"""Checks of a tool's examples through the API: everyone sees results, only readers of the runs see what differs."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from playground.examples.models import ExampleCheck
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user

PRIVATE = ("/iban", "shoe_size", "mother_name")


def callers(ada):
    """The callers by their roles, and whether they may read the runs of Ada's check."""
    staff = make_user("grace", is_staff=True)
    bob = make_user("bob")
    session = Client()
    session.force_login(ada)
    return {
        "a visitor": (Program(), False),
        "another person": (Program(make_token(user=bob)), False),
        "Ada, to publish": (Program(make_token("publish", user=ada)), False),
        "Ada, to run": (Program(make_token("run", user=ada)), True),
        "Ada, to read": (Program(make_token("read", user=ada)), True),
        "Ada, in a browser": (session, True),
        "staff, to run": (Program(make_token("run", user=staff)), False),
        "staff, to read": (Program(make_token("read", user=staff)), True),
    }


WHO = ["a visitor", "another person", "Ada, to publish", "Ada, to run", "Ada, to read", "Ada, in a browser",
       "staff, to run", "staff, to read"]  # fmt: skip


@pytest.mark.parametrize("who", WHO)
def test_only_those_who_may_read_the_runs_see_what_differs(failed_check, ada, who):
    client, is_reader = callers(ada)[who]

    answer = client.get(f"/api/v1/tools/balance/example-checks/{failed_check.pk}")
    listed = client.get("/api/v1/tools/balance/example-checks").json()["items"]

    text = answer.content.decode() + json.dumps(listed)
    [result] = answer.json()["examples"]
    assert (answer.json()["state"], answer.json()["failed"], result["passed"]) == (
        "failed",
        1,
        False,
    )
    assert [part in text for part in (*PRIVATE, failed_check.runs.get().pk)] == [is_reader] * 4
    assert (listed[0]["ignored"] == ["/mother_name"]) is is_reader
    if is_reader:
        assert result["details"]["run"] == failed_check.runs.get().pk
        assert {"pointer": "/shoe_size", "kind": "added"} in result["details"]["differences"]
    else:
        assert (result["message"], result["details"]) == ("The response differs.", None)


def test_checks_are_listed_from_the_latest_on_in_pages(stranger):
    tool = make_tool("paged", examples=[{}])
    made = [ExampleCheck.objects.create(tool=tool, revision=tool.current).pk for _ in range(3)]

    first = stranger.ask("/tools/paged/example-checks", limit=2).json()
    second = stranger.ask("/tools/paged/example-checks", limit=2, cursor=first["next"]).json()

    assert [one["id"] for one in first["items"] + second["items"]] == made[::-1]
    assert second["next"] is None
    assert {one["state"] for one in first["items"]} == {"running"}


def test_a_check_is_started_and_its_result_is_returned(program, runs, builtin):
    builtin("convert_units")

    answer = program.send("POST", "/tools/convert_units/example-checks", json.dumps({"wait_s": 30}))

    assert answer.status_code == 201, answer.content
    body = answer.json()
    assert (body["state"], body["passed"], body["failed"], body["by"]) == (
        "passed",
        4,
        0,
        "program",
    )
    assert body["tool"] == {"id": "convert_units", "slug": "convert_units", "revision": 1}
    assert program.get(answer["Location"]).json() == body
    assert {one["details"]["run"] for one in body["examples"]} == set(
        Run.objects.values_list("pk", flat=True)
    )


def test_a_check_that_still_runs_is_returned_with_its_address(program, runs, builtin):
    builtin("count_slowly")

    answer = program.send("POST", "/tools/count_slowly/example-checks")

    assert answer.status_code == 202
    assert (answer.json()["state"], answer.json()["finished_at"]) == ("running", None)
    assert program.get(answer["Location"]).status_code == 200


def test_a_saved_configuration_is_used_and_an_unknown_one_refused(program):
    make_tool("balance", examples=[{"parameters": {}}])

    body = json.dumps({"saved_configuration": "nothing"})
    refused = program.send("POST", "/tools/balance/example-checks", body)

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["rule"] == "configuration.unknown"
    assert not ExampleCheck.objects.exists()


def test_a_spec_without_examples_is_refused(program):
    make_tool("plain")

    answer = program.send("POST", "/tools/plain/example-checks")

    assert answer.status_code == 422
    assert answer.json()["detail"] == "The spec has no examples, so there is nothing to check."


@pytest.mark.parametrize(
    "body",
    [
        {"ignored": ["name"]},
        {"ignored": ["/a"] * 51},
        {"exactly": "maybe"},
        {"how": "exact"},
        {"wait_s": -1},
        {"wait_s": False},
    ],
)
def test_a_wrong_body_is_refused(program, body):
    make_tool("balance", examples=[{"parameters": {}}])

    assert (
        program.send("POST", "/tools/balance/example-checks", json.dumps(body)).status_code == 422
    )
    assert not ExampleCheck.objects.exists()


@pytest.mark.parametrize(
    "path",
    ["nobody/example-checks", "balance/example-checks/0", f"balance/example-checks/{9**30}"],
)
def test_an_unknown_tool_or_check_is_not_found(failed_check, stranger, path):
    assert stranger.ask(f"/tools/{path}").status_code == 404


def test_a_check_of_another_tool_is_not_found(failed_check, stranger):
    make_tool("other")

    assert stranger.ask(f"/tools/other/example-checks/{failed_check.pk}").status_code == 404
