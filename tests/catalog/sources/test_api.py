"""The API's operations for sources."""

import json

import pytest

from catalog.proposals.models import Proposal
from catalog.sources.models import Source, SourceSync
from catalog.sources.sync import begin, sync
from catalog.tools.models import Tool
from tests.catalog.sources.documents import (
    ALERTS,
    BREAKING,
    FORECAST,
    add_document,
    document,
    replace_document,
    store_source,
)
from tests.conftest import Program
from tests.factories import make_token, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db):
    """A program with all scopes of a staff user."""
    return Program(make_token(user=make_user("grace", is_staff=True)))


def post(program, path, **body):
    return program.send("POST", path, json.dumps(body))


def held(*, owner=None):
    """The change of a source whose document changed."""
    source = add_document(document(FORECAST), by=owner)
    sync(source)
    sync(replace_document(source, document(BREAKING)))
    return Proposal.objects.get()


def test_a_source_is_added_read_changed_and_removed(staff):
    added = post(
        staff,
        "/sources",
        name="weather",
        kind="openapi",
        document=document(FORECAST),
        headers={"X-Key": "abc"},
    )
    assert (added.status_code, added["Location"]) == (201, "/api/v1/sources/weather")
    assert added.json()["headers"] == ["X-Key"]
    assert "abc" not in added.text

    changed = staff.send(
        "PATCH", "/sources/weather", json.dumps({"policy": "review", "every_minutes": 60})
    )
    assert (changed.json()["policy"], changed.json()["every_minutes"]) == ("review", 60)
    assert Source.objects.get().headers == {"X-Key": "abc"}
    stopped = staff.send(
        "PATCH", "/sources/weather", json.dumps({"every_minutes": None, "headers": {}})
    )
    assert (stopped.json()["every_minutes"], stopped.json()["headers"]) == (None, [])

    assert [one["name"] for one in staff.ask("/sources").json()["items"]] == ["weather"]
    assert staff.ask("/sources/weather").json()["address"] is None
    assert staff.send("DELETE", "/sources/weather").status_code == 204
    assert staff.ask("/sources/weather").status_code == 404


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("query", "body"), [("", {"wait_s": 30}), ("?wait_s=30", {}), ("?wait_s=30", None)]
)
def test_a_sync_is_started_and_waited_for(staff, query, body):
    add_document(document(FORECAST, ALERTS))

    report = staff.send(
        "POST", f"/sources/weather/sync{query}", "" if body is None else json.dumps(body)
    )

    assert report.status_code == 200
    assert report.json() | {"started_at": 0, "ended_at": 0, "id": 0} == {
        "id": 0,
        "state": "succeeded",
        "error": None,
        "started_at": 0,
        "ended_at": 0,
        "by": "grace",
        "listed": 2,
        "created": 2,
        "revised": 0,
        "unchanged": 0,
        "held": 0,
        "refused": 0,
        "gone": 0,
        "returned": 0,
        "changes": [
            {
                "tool_id": f"weather.{name}",
                "outcome": "created",
                "slug": f"weather.{name}",
                "revision": 1,
                "verdict": None,
                "change": None,
                "message": None,
            }
            for name in ("forecast", "alerts")
        ],
    }
    assert staff.get(report["Location"]).json() == report.json()
    summary = {name: value for name, value in report.json().items() if name != "changes"}
    assert staff.ask("/sources/weather/syncs").json()["items"] == [summary]
    assert staff.ask("/sources/weather").json()["last_sync"] == summary


def test_a_running_sync_is_a_conflict(staff):
    begin(add_document(document(FORECAST)))

    answer = post(staff, "/sources/weather/sync")

    assert (answer.status_code, answer.json()["detail"]) == (
        409,
        "The source weather is being synced already.",
    )
    assert staff.ask("/sources/weather").json()["last_sync"]["state"] == "running"
    assert staff.send("DELETE", "/sources/weather").status_code == 409


def test_a_failed_sync_is_a_report(staff):
    sync(add_document("not: openapi"))

    report = staff.ask("/sources/weather").json()["last_sync"]

    assert (report["state"], report["error"][:31]) == ("failed", "This is not an OpenAPI document")


def test_the_tools_of_a_source_are_listed_in_pages(staff):
    source = add_document(document(FORECAST, ALERTS))
    sync(source)
    sync(replace_document(source, document(FORECAST)))

    first = staff.ask("/sources/weather/tools", limit=1).json()
    second = staff.ask("/sources/weather/tools", limit=1, cursor=first["next"]).json()

    assert [first["items"][0]["remote_name"], second["items"][0]["remote_name"]] == [
        "alerts",
        "forecast",
    ]
    assert second["next"] is None
    gone = staff.ask("/sources/weather/tools", gone=1).json()["items"]
    assert [one["tool_id"] for one in gone] == ["weather.alerts"]
    assert gone[0]["gone_at"] is not None


def test_a_held_change_is_shown_with_its_proof_and_approved(staff):
    change = held()
    url = f"/sources/weather/changes/{change.pk}"

    [listed] = staff.ask("/sources/weather/changes", state="held").json()["items"]
    details = staff.ask(url).json()

    assert (listed["verdict"], listed["reason"]) == ("breaking", "The change is breaking.")
    assert details["current"] == 1
    assert details["changes"][0]["verdict"] == "breaking"
    assert details["changes"][0]["proof"]["value"] is not None
    assert details["diff"].startswith("--- revision 1\n")
    assert json.loads(details["spec"])["definition"]["id"] == "weather.forecast"

    approved = post(staff, f"{url}/approve", seen=1)

    assert (approved.status_code, approved.json()["tool"]["revision"]) == (201, 2)
    again = post(staff, f"{url}/approve")
    assert (again.status_code, again.json()["detail"]) == (
        409,
        "This change is no longer in review: approved.",
    )


def test_a_change_on_top_of_another_revision_is_a_conflict(staff):
    change = held()

    assert post(staff, f"/sources/weather/changes/{change.pk}/approve", seen=7).status_code == 409


def test_a_held_change_is_rejected(staff):
    change = held()

    rejected = post(staff, f"/sources/weather/changes/{change.pk}/reject")

    assert (rejected.status_code, rejected.json()["state"], rejected.json()["decided_by"]) == (
        200,
        "rejected",
        "grace",
    )
    assert Tool.objects.get().current.number == 1
    assert staff.ask("/sources/weather/changes", state="held").json()["items"] == []


def test_the_owner_of_a_tool_may_decide_and_others_may_not(program):
    other = Program(make_token(user=make_user("mallory")))
    change = held(owner=None)
    Tool.objects.update(owner=make_user("owner"))
    owner = Program(make_token(user=Tool.objects.get().owner))

    for decision in ("approve", "reject"):
        refused = post(other, f"/sources/weather/changes/{change.pk}/{decision}")
        assert refused.status_code == 403
        assert (
            "Only the owner (owner), the maintainers and administrators" in refused.json()["detail"]
        )
    assert post(owner, f"/sources/weather/changes/{change.pk}/approve").status_code == 201


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/sources"),
        ("PATCH", "/sources/weather"),
        ("DELETE", "/sources/weather"),
        ("POST", "/sources/weather/sync"),
    ],
)
def test_only_staff_manage_sources(program, method, path):
    add_document(document(FORECAST))
    body = {"name": "a", "kind": "openapi", "document": "{}"} if path == "/sources" else {}

    refused = program.send(method, path, json.dumps(body))

    assert (refused.status_code, refused.json()["detail"]) == (
        403,
        "Only administrators can do this.",
    )
    assert Source.objects.count() == 1
    assert not SourceSync.objects.exists()


def test_sources_are_not_public(stranger):
    add_document(document(FORECAST))

    for path in ("", "/weather", "/weather/syncs", "/weather/tools", "/weather/changes"):
        assert stranger.ask(f"/sources{path}").status_code == 401


def test_a_token_needs_the_scope(db):
    reader = Program(make_token("read", user=make_user("grace", is_staff=True)))
    add_document(document(FORECAST))

    assert reader.ask("/sources/weather").status_code == 200
    assert post(reader, "/sources/weather/sync").status_code == 403


def test_invalid_settings_are_problems_with_pointers(staff):
    refused = post(
        staff, "/sources", name="Weather", kind="mcp-http", address="ftp://tools.example"
    )

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/name", "/address"]


def test_a_command_is_refused(staff):
    refused = post(staff, "/sources", name="local", kind="mcp-stdio", address="sh -c id")

    assert (refused.status_code, Source.objects.count()) == (422, 0)


def test_the_address_of_a_command_is_not_changed_by_the_api(staff):
    store_source("local", "mcp-stdio", "npx server")

    refused = staff.send("PATCH", "/sources/local", json.dumps({"address": "sh -c id"}))

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/address"]
    assert Source.objects.get().address == "npx server"


def test_a_change_of_another_source_is_not_found(staff):
    change = held()
    add_document(document(ALERTS), name="other")

    assert staff.ask(f"/sources/other/changes/{change.pk}").status_code == 404


def test_the_environment_of_a_command_is_not_changed_by_the_api(staff):
    store_source("local", "mcp-stdio", "npx server")

    refused = staff.send(
        "PATCH", "/sources/local", json.dumps({"headers": {"BASH_ENV": "/tmp/evil"}})
    )

    assert refused.status_code == 422
    assert [error["pointer"] for error in refused.json()["errors"]] == ["/headers"]


def test_only_staff_see_the_query_of_an_address_and_the_arguments_of_a_command(staff, program):
    url = "https://tools.example/mcp"
    store_source("remote", "mcp-http", f"{url}?apiKey=mrk-abc")
    store_source("local", "mcp-stdio", "npx server --key mrk-abc")

    seen = {one["name"]: one["address"] for one in program.ask("/sources").json()["items"]}

    assert seen == {"local": "npx", "remote": url}
    assert program.ask("/sources/remote").json()["address"] == url
    assert staff.ask("/sources/remote").json()["address"] == f"{url}?apiKey=mrk-abc"
    assert staff.ask("/sources/local").json()["address"] == "npx server --key mrk-abc"


@pytest.mark.parametrize(
    "path",
    ["/sources", "/sources/weather", "/sources/weather/syncs", "/sources/weather/tools", "/sources/weather/changes",
     "/changes", "/webhooks", "/audit-events"],
)  # fmt: skip
def test_a_token_with_the_scope_admin_alone_reads_what_it_manages(path):
    program = Program(make_token("admin", user=make_user("grace", is_staff=True)))
    add_document(document(FORECAST))

    assert program.ask(path).status_code == 200


def test_a_token_with_the_scope_publish_alone_reads_the_changes_that_it_decides_about():
    ada = make_user()
    program = Program(make_token("publish", user=ada))
    change = held(owner=ada)

    assert program.ask("/sources/weather/changes").json()["items"][0]["id"] == change.pk
    assert program.ask(f"/sources/weather/changes/{change.pk}").status_code == 200
