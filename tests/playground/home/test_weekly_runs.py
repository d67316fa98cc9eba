"""The runs of the last 7 days beside the tools of a list."""

import time
from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth.models import AnonymousUser, Group
from selectolax.lexbor import LexborHTMLParser

from catalog.hooks import WeeklyRuns
from playground.home import weekly_runs
from playground.models import Run
from tests.factories import make_tool, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def bob():
    return make_user("bob")


@pytest.fixture
def tool():
    return make_tool("greet")


def add_run(tool, person, *, days_ago=0, mode="live"):
    day = datetime.now(UTC).date() - timedelta(days=days_ago)
    columns = {"outcome": "returned", "parameters_json": "{}", "response_json": "1"}
    began_ms = int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp() * 1000)
    run_id = f"{began_ms:012x}{time.time_ns():020x}"  # as unique as real ones, and in their order
    return Run.objects.create(
        id=run_id, tool=tool, revision=tool.current, by=person, mode=mode, **columns
    )


def counted(person, *tools):
    return dict(weekly_runs.weekly_runs(person, [tool.pk for tool in tools]))


def test_live_runs_are_counted_by_tool_and_day(ada, tool):
    other, quiet = make_tool("other"), make_tool("quiet")
    for days_ago in (7, 6, 0, 0):
        add_run(tool, ada, days_ago=days_ago)
    add_run(tool, ada, mode="mock")
    add_run(other, ada, days_ago=1)

    assert counted(ada, tool, other, quiet) == {
        tool.pk: WeeklyRuns((1, 0, 0, 0, 0, 0, 2)),
        other.pk: WeeklyRuns((0, 0, 0, 0, 0, 1, 0)),
    }


def test_each_new_run_is_counted(ada, tool):
    add_run(tool, ada)
    assert counted(ada, tool) == {tool.pk: WeeklyRuns((0, 0, 0, 0, 0, 0, 1))}

    add_run(tool, ada)

    assert counted(ada, tool) == {tool.pk: WeeklyRuns((0, 0, 0, 0, 0, 0, 2))}


def test_only_the_person_s_own_runs_are_counted(ada, bob, tool):
    team = Group.objects.create(name="team")
    ada.groups.add(team)
    add_run(tool, bob).groups.add(team)
    root = make_user("root", is_superuser=True)

    assert counted(bob, tool) == {tool.pk: WeeklyRuns((0, 0, 0, 0, 0, 0, 1))}
    assert counted(ada, tool) == counted(root, tool) == {}


def test_a_visitor_sees_no_runs_and_needs_no_query(tool, ada, django_assert_num_queries):
    add_run(tool, ada)

    with django_assert_num_queries(0):
        assert counted(AnonymousUser(), tool) == {}


def test_the_latest_runs_are_counted_by_one_query(
    ada, tool, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(weekly_runs, "RUNS_COUNTED", 2)
    for _ in range(3):
        add_run(tool, ada)
    counted(ada)

    with django_assert_num_queries(2):  # the latest run, the runs
        assert counted(ada, tool) == {tool.pk: WeeklyRuns((0, 0, 0, 0, 0, 0, 2), is_cut=True)}
    with django_assert_num_queries(1):
        counted(ada, tool)


def test_a_row_shows_the_number_of_runs_beside_their_line(ada, tool, client):
    for _ in range(3):
        add_run(tool, ada)
    client.force_login(ada)

    link = LexborHTMLParser(client.get("/tools/").content).css_first(".result-runs")

    assert link.css_first("svg + [aria-hidden]").text() == "3"


def test_a_row_shows_the_runs_of_its_tool_and_leads_to_them(ada, bob, tool, client):
    make_tool("quiet")
    add_run(tool, ada)
    client.force_login(ada)

    def links():
        answer = LexborHTMLParser(client.get("/tools/").content)
        return [
            (
                link.attributes["href"],
                link.css_first("svg").attributes["aria-label"]
                + link.css_first(".visually-hidden").text(),
            )
            for link in answer.css(".result-runs")
        ]

    assert links() == [("/runs/?tool=greet", "1 run in the last 7 days of greet")]
    add_run(tool, ada)
    assert links() == [("/runs/?tool=greet", "2 runs in the last 7 days of greet")]
    client.force_login(bob)
    assert links() == []
    client.logout()
    assert links() == []


def test_the_name_of_a_tool_stays_text_in_the_link_to_its_runs(ada, client):
    add_run(make_tool("<b> --> two  words"), ada)
    client.force_login(ada)

    [link] = LexborHTMLParser(client.get("/tools/").content).css(".result-runs")

    assert link.css_first(".visually-hidden").text() == " of <b> --> two  words"
