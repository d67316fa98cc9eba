"""The page of the audit log, its export, and the API's list."""

import json

import pytest
from django.test import Client

from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user
from toolshelf_core.audit import record

pytestmark = pytest.mark.django_db


@pytest.fixture
def grace(db):
    return make_user("grace", is_staff=True)


@pytest.fixture
def administrator(grace):
    client = Client()
    client.force_login(grace)
    return client


def lines(response):
    return [json.loads(line) for line in b"".join(response.streaming_content).decode().splitlines()]


def test_only_administrators_see_the_log(browser):
    assert Client().get("/audit/").status_code == 302
    assert Client().get("/audit/export/").status_code == 302
    assert browser.get("/audit/").status_code == 403
    assert browser.get("/audit/export/").status_code == 403


def test_the_page_shows_events(administrator, ada):
    record("tool.archive", "tool", "<b>x</b>", before={"archived": False}, by=ada)

    page = administrator.get("/audit/").content.decode()

    assert "Tool archived" in page
    assert "before: </span>false" in page
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert "ada" in page


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("person=ada", ["one"]),
        ("action=tool.restore", ["two"]),
        ("object=one", ["one"]),
        ("interface=command&object=two", ["two"]),
        ("since=2000-01-01&until=2000-01-02", []),
        ("since=2000-01-01&object=two", ["two"]),
    ],
)
def test_filters_apply_to_page_export_and_api(administrator, grace, ada, query, shown):
    record("tool.archive", "tool", "one", by=ada)
    record("tool.restore", "tool", "two")
    api = Program(make_token("admin", user=grace))

    page = administrator.get(f"/audit/?{query}").content.decode()
    exported = lines(administrator.get(f"/audit/export/?{query}"))
    listed = api.get(f"/api/v1/audit-events?{query}").json()["items"]

    ids = [event["object"]["id"] for event in exported if event["object"]["type"] == "tool"]
    assert ids == shown
    assert [event["object"]["id"] for event in listed if event["object"]["type"] == "tool"] == shown
    assert [name for name in ("one", "two") if f'object={name}">' in page] == shown


def test_a_filter_that_cannot_be_used_is_explained(administrator):
    page = administrator.get("/audit/?since=yesterday&action=explode")

    assert page.status_code == 422
    assert "Enter a day such as 2026-11-22." in page.content.decode()
    assert "Choose one of: tool.create" in page.content.decode()
    assert administrator.get("/audit/export/?since=yesterday").status_code == 422


@pytest.mark.parametrize("query", ["since=yesterday", "since=0", "action=explode", "interface=x"])
def test_the_api_refuses_the_filters_that_the_page_refuses(administrator, grace, query):
    api = Program(make_token("admin", user=grace))

    assert administrator.get(f"/audit/?{query}").status_code == 422
    assert api.get(f"/api/v1/audit-events?{query}").status_code == 422


def test_the_page_continues_where_it_ended(administrator):
    for number in range(120):
        record("tool.archive", "tool", f"tool-{number}")

    first = administrator.get("/audit/?action=tool.archive")
    events = first.context["events"]
    second = administrator.get(f"/audit/{first.context['next_url']}")

    assert [len(events), len(second.context["events"])] == [100, 20]
    assert second.context["next_url"] is None


def test_the_export_is_ndjson_oldest_first_and_recorded(administrator):
    record("tool.archive", "tool", "one")
    record("tool.archive", "tool", "two")

    response = administrator.get("/audit/export/?action=tool.archive")

    assert response["Content-Type"] == "application/x-ndjson"
    assert "attachment" in response["Content-Disposition"]
    assert [event["object"]["id"] for event in lines(response)] == ["one", "two"]
    exports = lines(administrator.get("/audit/export/?action=audit.export"))
    assert exports[0]["person"]["name"] == "grace"
    assert exports[0]["after"] == {"filters": {"action": "tool.archive"}}


def test_the_api_pages_by_cursor_and_is_for_administrators(grace, ada):
    for number in range(5):
        record("tool.archive", "tool", f"tool-{number}")
    api = Program(make_token("admin", user=grace))

    first = api.ask("/audit-events", limit=3, action="tool.archive").json()
    second = api.ask("/audit-events", limit=3, action="tool.archive", cursor=first["next"]).json()

    names = [event["object"]["id"] for event in first["items"] + second["items"]]
    assert names == [f"tool-{number}" for number in (4, 3, 2, 1, 0)]
    assert second["next"] is None
    assert Program(make_token("admin", user=ada)).ask("/audit-events").status_code == 403
    assert Program().ask("/audit-events").status_code == 401
    assert (
        Program(make_token("read", "publish", "run", user=grace)).ask("/audit-events").status_code
        == 403
    )


def test_revisions_link_to_the_log_for_administrators(administrator, browser):
    make_tool("x")

    assert "/audit/?object=x" in administrator.get("/tools/x/changes/").content.decode()
    assert "/audit/" not in browser.get("/tools/x/changes/").content.decode()
