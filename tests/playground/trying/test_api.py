"""Saved inputs through the API."""

from __future__ import annotations

import json

import pytest

from playground.trying.models import SavedInput
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool():
    secret = {
        "type": "object",
        "properties": {"pin": {"type": "string", "format": "password"}, "n": {}},
    }
    return make_tool("looker", parameters=secret)


@pytest.fixture
def own():
    return Program(make_token("run", user=make_user("person")))


def saved(program, name, parameters="{}"):
    return program.send(
        "POST",
        "/tools/looker/inputs",
        f'{{"name": {json.dumps(name)}, "parameters": {parameters}}}',
    )


def names(program):
    return [each["name"] for each in program.get("/api/v1/tools/looker/inputs").json()["items"]]


def test_an_input_is_saved_replaced_listed_and_deleted(own, tool):
    first = saved(own, "monday", '{"n": 1.50}')
    second = saved(own, " monday ", '{"n": 2}')
    listed = own.get("/api/v1/tools/looker/inputs")
    deleted = own.send("DELETE", "/tools/looker/inputs/monday")

    assert (first.status_code, second.status_code, deleted.status_code) == (201, 201, 204)
    assert b'"parameters": {"n": 1.50}' in first.content
    assert [
        (each["name"], each["parameters"], each["revision"]) for each in listed.json()["items"]
    ] == [("monday", {"n": 2}, 1)]
    assert names(own) == []
    assert own.send("DELETE", "/tools/looker/inputs/monday").status_code == 404


def test_secrets_are_not_saved(own, tool):
    answer = saved(own, "private", '{"pin": "hunter22-hunter22", "n": "hunter22-hunter22"}')

    assert answer.status_code == 201
    assert "hunter22" not in SavedInput.objects.get().parameters_json
    assert "pin" not in answer.json()["parameters"]


def test_nobody_else_sees_or_deletes_it_and_it_goes_with_its_owner(own, tool):
    saved(own, "mine")
    other = Program(make_token("run", user=make_user("other")))

    assert names(other) == []
    assert other.send("DELETE", "/tools/looker/inputs/mine").status_code == 404
    assert names(own) == ["mine"]
    SavedInput.objects.get().owner.delete()
    assert not SavedInput.objects.exists()


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\nlines", "a/b"])
def test_a_name_that_cannot_be_used_is_refused_with_its_place(own, tool, name):
    answer = saved(own, name)

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/name"
    assert not SavedInput.objects.exists()


def test_the_number_and_the_length_of_inputs_are_bounded(own, tool, settings, monkeypatch):
    monkeypatch.setattr("playground.trying.saved_inputs.MAX_PER_TOOL", 4)
    for number in range(4):
        assert saved(own, f"number {number}").status_code == 201
    settings.RUN_PARAMETERS_BYTES = 20

    too_many, replaced, too_long = (
        saved(own, "one more"),
        saved(own, "number 3"),
        saved(own, "number 3", '"' + "x" * 30 + '"'),
    )

    assert too_many.json()["errors"][0]["rule"] == "input.too-many"
    assert replaced.status_code == 201
    assert too_long.json()["errors"][0]["rule"] == "input.too-long"
