"""Work that must not grow with the number of runs, tools, sources and people of a site."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from accounts.roles import set_role
from catalog.sources.models import Source, SourceTool
from catalog.tools.models import Tool
from playground.examples.models import ExampleCheck
from playground.factories.connections import connected_ids
from playground.home.attention import list_concerns
from playground.home.page import count_week
from playground.runs.models import Run
from playground.runs.orphans import recover_runs
from tests.factories import make_token, make_tool, make_user
from tests.work import database_steps

pytestmark = pytest.mark.django_db
sqlite_only = pytest.mark.skipif(
    "connection.vendor != 'sqlite'", reason="counts the steps of SQLite"
)


def add_tools(number: int) -> None:
    Tool.objects.bulk_create(
        Tool(tool_id=f"other-{i}", slug=f"other-{i}", name=f"other {i}", sort_name=f"other {i}")
        for i in range(number)
    )


def add_runs(tool: Tool, number: int) -> None:
    Run.objects.bulk_create(
        Run(tool=tool, revision=tool.current, outcome="returned", parameters_json="{}", host="gone")
        for _ in range(number)
    )


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


@sqlite_only
@pytest.mark.parametrize(
    "look",
    [
        recover_runs,
        lambda: Run.objects.active().filter(host="here").count(),
        Run.objects.active().count,
    ],
)
def test_runs_that_have_ended_cost_nothing_to_look_for_active_ones(look):
    add_runs(make_tool(), 2_000)

    with database_steps() as steps:
        look()

    assert steps.number < 2_000


@sqlite_only
def test_failing_examples_are_found_without_listing_all_tools():
    tool, ada = make_tool("failing"), make_user()
    ExampleCheck.objects.create(
        tool=tool, revision=tool.current, failed=1, finished_at=tool.created_at
    )
    add_tools(3_000)
    week = count_week(ada)

    with database_steps() as steps:
        concerns = list_concerns(ada, week, [])

    assert [concern.text for concern in concerns] == ["1 example fails"]
    assert steps.number < 3_000


@sqlite_only
def test_a_list_does_not_count_the_tools_of_sources_again():
    source = Source.objects.create(name="github", kind="openapi")
    add_tools(1_000)
    rows = [
        SourceTool(source=source, tool_id=tool.tool_id, catalog_tool=tool)
        for tool in Tool.objects.all()
    ]
    SourceTool.objects.bulk_create(rows)
    make_tool("changes the state of the index")
    first = connected_ids()

    with database_steps() as steps:
        second = connected_ids()

    assert len(first) == 1_000
    assert second is first
    assert steps.number < 500


def test_the_home_page_asks_for_held_changes_only_if_there_is_one():
    with CaptureQueriesContext(connection) as queries:
        signed_in(make_user()).get("/")

    asked = [query["sql"] for query in queries if "catalog_heldchange" in query["sql"]]
    assert len(asked) == 1
    assert "maintainers" not in asked[0]


@pytest.mark.parametrize("page", ["/tools/shared/", "/tools/shared/lint/", "/tools/shared/try/"])
def test_a_page_asks_once_whether_the_person_maintains_the_tool(page):
    publisher = make_user()
    set_role(publisher, "publisher")
    make_tool("shared")

    with CaptureQueriesContext(connection) as queries:
        response = signed_in(publisher).get(page)

    assert response.status_code == 200
    assert sum("catalog_tool_maintainers" in query["sql"] for query in queries) == 1


def queries_of(client: Client, path: str, **headers: str) -> int:
    client.get(path, **headers)
    with CaptureQueriesContext(connection) as queries:
        assert client.get(path, **headers).status_code == 200
    return len(queries)


@pytest.mark.parametrize("path", ["/sources/", "/api/v1/sources", "/people/"])
def test_a_list_needs_as_many_queries_for_many_rows_as_for_two(path):
    administrator = make_user("root")
    set_role(administrator, "administrator")
    client, token = signed_in(administrator), make_token("read", "admin", user=administrator)
    headers = {"HTTP_AUTHORIZATION": f"Bearer {token}"} if path.startswith("/api") else {}
    make_rows("few", 2)
    few = queries_of(client, path, **headers)
    make_rows("many", 12)

    many = queries_of(client, path, **headers)

    assert many == few


def make_rows(prefix: str, number: int) -> None:
    for i in range(number):
        source = Source.objects.create(
            name=f"{prefix}-{i}", kind="openapi", address="https://example.com/"
        )
        source.syncs.create(ended_at=source.created_at)
        set_role(make_user(f"{prefix}-{i}"), "runner")


def test_the_list_of_people_shows_the_roles_of_all():
    administrator = make_user("root")
    set_role(administrator, "administrator")
    for role in ("reader", "runner", "publisher"):
        set_role(make_user(f"a-{role}"), role)
    make_user("gone", is_active=False)

    page = signed_in(administrator).get("/people/").content.decode()

    for name, role in {
        "a-reader": "reader",
        "a-publisher": "publisher",
        "root": "administrator",
    }.items():
        row = page.split(f">{name}</a>")[1].split("</tr>")[0]
        assert f'data-label="Role">{role}</td>' in row
