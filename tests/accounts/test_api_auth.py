"""The rights of a token by its scopes: never less than nobody, and what `run` and `publish` include."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import SCOPES, ApiToken, User
from config.api_docs import api_document
from playground.examples.models import ExampleCheck
from playground.runs.models import Run
from playground.runs.running import start
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user, spec_text

pytestmark = pytest.mark.django_db
with_runs = pytest.mark.django_db(transaction=True)  # threads of their own write runs down

DOCUMENT = json.loads(api_document().text)
PATHS = {path.removeprefix("/api/v1"): operations for path, operations in DOCUMENT["paths"].items()}
OPERATIONS = [
    (method, path, operation)
    for path, operations in PATHS.items()
    for method, operation in operations.items()
]
PUBLIC = [operation for operation in OPERATIONS if {} in operation[2].get("security", [{}])]
VALUES = {
    "slug": "weather",
    "number": "1",
    "format": "mcp",
    "from": "1",
    "to": "2",
    "rule": "description-empty",
    "check": "1",
    "language": "python",
    "key": "playground.builtin.hash_text:hash_text",
}
BODIES = {"/specs/check": spec_text("checked")}


def send_to(program: Program, method: str, path: str, operation: dict):
    """The answer to a request with a value for each parameter that is required."""
    query = {}
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", VALUES[parameter["name"]])
        elif parameter.get("required"):
            query[parameter["name"]] = VALUES[parameter["name"]]
    words = "&".join(f"{name}={value}" for name, value in query.items())
    return program.send(method.upper(), f"{path}?{words}", BODIES.get(path, ""))


@pytest.fixture
def weather(db):
    """A tool with two revisions, and a check of its examples."""
    make_tool("weather", description="Says how it is.")
    tool = make_tool("weather", description="Says how it will be.", parameters={"type": "object"})
    ExampleCheck.objects.create(pk=int(VALUES["check"]), tool=tool, revision=tool.current)
    return tool


@pytest.mark.parametrize("scope", SCOPES)
def test_public_operations_give_the_same_response_with_any_token(weather, stranger, scope):
    program = Program(make_token(scope))

    for method, path, operation in PUBLIC:
        without = send_to(stranger, method, path, operation)
        answer = send_to(program, method, path, operation)

        assert (without.status_code, answer.status_code) == (200, 200), path
        assert b"".join(answer) == b"".join(without), path


def test_the_operations_that_need_no_token_are_known():
    assert len(PUBLIC) >= 14
    assert {method for method, _, _ in PUBLIC} == {"get", "post"}


@pytest.mark.parametrize("spoiled", ["expired", "revoked", "unknown", "of a disabled account"])
def test_an_unusable_token_is_refused_even_if_no_token_is_needed(weather, spoiled):
    secret = make_token("read")
    if spoiled == "expired":
        ApiToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    elif spoiled == "revoked":
        ApiToken.objects.update(revoked_at=timezone.now())
    elif spoiled == "unknown":
        ApiToken.objects.all().delete()
    else:
        User.objects.update(is_active=False)

    for method, path, operation in PUBLIC:
        answer = send_to(Program(secret), method, path, operation)

        assert answer.status_code == 401, path
        assert answer["WWW-Authenticate"] == 'Bearer realm="Toolshelf"'


@pytest.mark.parametrize("token", ["publish", "run", "unknown"])
def test_a_page_that_everyone_may_see_takes_no_notice_of_a_token(weather, client, token):
    secret = "tsk_unknown" if token == "unknown" else make_token(token)
    headers = {"authorization": f"Bearer {secret}"}

    for path in ("/tools/", "/tools/weather/", "/add/", "/sign-in/"):
        assert client.get(path, headers=headers).status_code == 200, path


@with_runs
def test_a_token_reads_and_lists_the_runs_that_it_started(weather):
    program = Program(make_token("publish", "run"))

    started = program.send("POST", "/tools/weather/runs", '{"parameters": {}, "mode": "mock"}')
    run = program.get(started["Location"])
    listed = program.ask("/runs")

    assert started.status_code == 201
    assert run.json()["id"] == started.json()["id"]
    assert [item["id"] for item in listed.json()["items"]] == [started.json()["id"]]


@pytest.fixture
def run_of_ada(weather, ada) -> Run:
    return start(weather, weather.current, {}, by=ada, mode="mock")


@with_runs
def test_of_staff_a_token_for_runs_reads_its_own_alone(run_of_ada):
    staff = make_user("staff", is_staff=True)
    running, reading = (Program(make_token(scope, user=staff)) for scope in ("run", "read"))

    assert Program(make_token("run", user=make_user("bob"))).ask("/runs").json()["items"] == []
    assert running.ask(f"/runs/{run_of_ada.pk}").status_code == 404
    assert running.ask("/runs").json()["items"] == []
    assert reading.ask(f"/runs/{run_of_ada.pk}").status_code == 200
    assert len(reading.ask("/runs").json()["items"]) == 1


@with_runs
def test_a_token_that_may_neither_read_nor_run_sees_no_runs(run_of_ada, ada):
    program = Program(make_token("publish", user=ada))

    answer = program.ask(f"/runs/{run_of_ada.pk}")

    assert answer.status_code == 403
    assert answer.json()["detail"] == "This token lacks the scope 'read' or 'run'; it has: publish."
    assert program.ask("/runs").status_code == 403


@with_runs
def test_a_browser_that_is_signed_in_reads_runs_as_before(run_of_ada, browser):
    assert browser.get(f"/api/v1/runs/{run_of_ada.pk}").status_code == 200
    assert len(browser.get("/api/v1/runs").json()["items"]) == 1


def test_the_location_of_an_upload_is_open_to_the_token_that_sent_it(db):
    program = Program(make_token("publish"))

    created = program.send("POST", "/tools", spec_text("fresh"))
    found = program.get(created["Location"])

    assert created.status_code == 201
    assert found.status_code == 200
    assert found.json()["id"] == "fresh"


def test_the_openapi_document_names_the_scopes():
    security = {(method, path): operation["security"] for method, path, operation in OPERATIONS}

    assert security["get", "/tools"] == [{"Token": []}, {}]
    assert security["post", "/tools"] == [{"Token": ["publish"]}, {"Session": []}]
    assert security["post", "/tools/{slug}/runs"] == [{"Token": ["run"]}, {"Session": []}]
    assert security["get", "/runs/{run_id}"] == [
        {"Token": ["read"]},
        {"Token": ["run"]},
        {"Session": []},
    ]


def test_each_operation_that_needs_a_token_documents_its_scope():
    for _, path, operation in OPERATIONS:
        needed = [scope for way in operation["security"] for scope in way.get("Token", ())]
        sentence = f"A token needs the scope {' or '.join(f'`{scope}`' for scope in needed)}."
        assert (sentence in operation["description"]) == bool(needed), path
