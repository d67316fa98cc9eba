"""The chart and the numbers above a list of runs."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from accounts.models import User
from playground.history.charts import draw_chart
from playground.history.overview import PERIODS, overview_of
from playground.runs.filters import RunFilter, id_at
from playground.runs.models import Run
from tests.factories import make_tool

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 11, 23, 4, 30, tzinfo=UTC)


def run_at(tool, day, hour=1, **columns):
    """A run of November 2026."""
    started = datetime(2026, 11, day, hour, tzinfo=UTC)
    made = Run.objects.count()
    columns = {"outcome": "returned", "verdict": "conforms", "call_ms": 10, **columns}
    return Run.objects.create(
        id=id_at(int(started.timestamp() * 1000) + made), tool=tool, revision=tool.current, parameters_json="{}",
        created_at=started, **columns,
    )  # fmt: skip


def overview(key="7d", runs=None):
    return overview_of(Run.objects.all() if runs is None else runs, PERIODS[key], NOW)


def figures(found):
    return {figure.name: figure.text or figure.milliseconds for figure in found.figures}


def test_runs_are_counted_by_day_and_by_how_they_ended():
    tool = make_tool()
    run_at(tool, 17)
    run_at(tool, 23)
    run_at(tool, 23, verdict="violates")
    run_at(tool, 23, verdict="unchecked")
    run_at(tool, 23, outcome="timed_out", verdict="", call_ms=None)
    run_at(tool, 23, outcome="cancelled", verdict="", call_ms=None)
    run_at(tool, 16)  # the period before

    buckets = overview().buckets

    assert [bucket.runs for bucket in buckets] == [1, 0, 0, 0, 0, 0, 5]
    last = buckets[-1]
    assert (last.conforms, last.violates, last.unchecked, last.failed, last.other) == (
        1,
        1,
        1,
        1,
        1,
    )


def test_the_last_day_is_counted_by_hour():
    tool = make_tool()
    run_at(tool, 22, 5)
    run_at(tool, 22, 4)  # more than 24 hours ago
    run_at(tool, 23, 4)

    assert [bucket.runs for bucket in overview("24h").buckets] == [1, *[0] * 22, 1]


def test_the_numbers_are_those_of_the_period():
    tool = make_tool()
    for call_ms in (10, 20, 60):
        run_at(tool, 20, call_ms=call_ms)
    run_at(tool, 20, verdict="violates", call_ms=20)
    run_at(tool, 14, call_ms=10)
    run_at(tool, 14, outcome="raised", verdict="", call_ms=None)

    assert figures(overview()) == {
        "Runs": "4",
        "Matching": "75%",
        "Median call": 20,
        "Failed": "0",
    }


def test_the_numbers_are_those_of_chosen_times():
    tool = make_tool()
    run_at(tool, 14)  # the period before
    run_at(tool, 19)
    run_at(tool, 20, call_ms=30)
    run_at(tool, 21, outcome="raised", verdict="", call_ms=None)
    run_at(tool, 22)
    chosen = RunFilter(since=date(2026, 11, 20), until=date(2026, 11, 21))

    found = overview_of(Run.objects.all(), PERIODS["7d"], NOW, chosen.bounds_ms)

    assert [bucket.runs for bucket in found.buckets] == [0, 0, 1, 1, 1, 1, 0]
    assert [figure.text or figure.milliseconds for figure in found.figures] == [
        "2",
        "100%",
        30,
        "1",
    ]


def test_chosen_times_may_have_no_end():
    run_at(make_tool(), 20)

    for chosen in (RunFilter(since=date(2026, 11, 20)), RunFilter(until=date(2026, 11, 20))):
        found = overview_of(Run.objects.all(), PERIODS["24h"], NOW, chosen.bounds_ms)

        assert found.figures[0].text == "1"


@pytest.mark.parametrize(
    ("since", "until", "name"),
    [
        ((1, 20), (1, 22), "20 to 22 Jan"),
        ((1, 20), (1, 20), "20 Jan"),
        ((1, 30), (2, 2), "30 Jan to 2 Feb"),
        ((1, 20), None, "From 20 Jan"),
        (None, (1, 22), "Until 22 Jan"),
        (None, None, ""),
    ],
)
def test_days_are_named_in_words(since, until, name):
    year = datetime.now(UTC).year

    chosen = RunFilter(
        since=date(year, *since) if since else None, until=date(year, *until) if until else None
    )

    assert chosen.times_name == name


def test_days_of_another_year_are_named_with_it():
    assert (
        RunFilter(since=date(2019, 1, 20), until=date(2019, 1, 22)).times_name
        == "20 to 22 Jan 2019"
    )
    assert (
        RunFilter(since=date(2018, 1, 20), until=date(2019, 1, 22)).times_name
        == "20 Jan 2018 to 22 Jan 2019"
    )


def test_without_runs_the_numbers_are_zero_or_missing():
    assert figures(overview()) == {
        "Runs": "0",
        "Matching": "—",
        "Median call": None,
        "Failed": "0",
    }


def test_only_the_runs_that_a_person_may_see_are_counted():
    tool, ada, eve = make_tool(), *(User.objects.create_user(name) for name in ("ada", "eve"))
    run_at(tool, 23, by=ada)
    run_at(tool, 23, by=eve)
    run_at(make_tool(), 23, by=ada)

    visible = RunFilter(tool=tool.slug).apply(Run.objects.visible_to(ada))

    assert sum(bucket.runs for bucket in overview(runs=visible).buckets) == 1


def test_the_counts_read_only_an_index(django_assert_num_queries):
    make_tool()
    visible = Run.objects.visible_to(User.objects.create_superuser("root"))

    with django_assert_num_queries(2):
        overview("30d", visible)

    plan = (
        Run.objects.filter(id__gte=id_at(1), id__lt=id_at(2))
        .order_by()
        .values("outcome", "verdict")
        .explain()
    )
    if "SCAN" in plan or "SEARCH" in plan:  # SQLite
        assert "COVERING INDEX run_by_time" in plan


def test_a_bar_leads_to_the_runs_of_its_day_with_the_other_filters():
    run_at(make_tool(), 23)

    chart = draw_chart(overview(), RunFilter(outcome="returned", period="7d"))

    assert "?outcome=returned&amp;since=2026-11-23&amp;until=2026-11-23&amp;period=7d" in chart


def test_a_bar_of_an_hour_leads_to_that_hour():
    run_at(make_tool(), 23, 4)

    wanted = RunFilter(since=date(2026, 11, 1), period="24h")
    chart = draw_chart(overview("24h"), wanted)

    assert "?hour=2026-11-23T04&amp;period=24h" in chart
    assert "since" not in chart


def test_an_hour_is_a_filter():
    tool = make_tool()
    run_at(tool, 23, 3)
    wanted = run_at(tool, 23, 4)
    run_at(tool, 23, 5)

    narrowed = RunFilter.from_query({"hour": "2026-11-23T04"})

    assert [run.pk for run in narrowed.page(Run.objects.all()).runs] == [wanted.pk]
    assert narrowed.hour_name == "23 Nov, 04:00 to 05:00 UTC"
    assert narrowed.is_narrowed


@pytest.mark.parametrize(
    ("hour", "name"),
    [
        ("2026-12-31T23", "31 Dec, 23:00 to 1 Jan, 00:00 UTC"),
        ("9999-12-30T23", "30 Dec, 23:00 to 31 Dec, 00:00 UTC"),
    ],
)
def test_an_hour_that_ends_on_another_day_names_it(hour, name):
    assert RunFilter.from_query({"hour": hour}).hour_name == name


def test_days_replace_an_hour():
    days = {"since": "2026-11-20", "until": "2026-11-22"}

    assert RunFilter.from_query({"hour": "2026-11-23T04", **days}) == RunFilter.from_query(days)


@pytest.mark.parametrize(
    "query",
    [
        {"hour": "never"},
        {"hour": "1969-12-31T23"},
        {"hour": "9999-12-31T23"},
        {"period": "9d"},
        {"hour": ""},
    ],
)
def test_times_that_mean_nothing_are_ignored(query):
    assert RunFilter.from_query(query) == RunFilter()


def test_a_period_alone_narrows_nothing():
    assert not RunFilter(period="30d").is_narrowed


def test_another_page_narrows():
    assert RunFilter(before="0" * 32).is_narrowed


def test_an_invalid_condition_is_ignored_and_the_others_apply():
    query = {"outcome": "no such outcome", "since": "0", "mode": "mock"}

    assert RunFilter.from_query(query) == RunFilter(mode="mock")
