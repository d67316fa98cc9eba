from datetime import timedelta

import pytest
from django.utils import timezone

from playground.history.statistics import format_percent, quantile, statistics_of
from playground.runs.models import Run
from playground.runs.retention import prune_runs
from tests.factories import make_tool

pytestmark = [pytest.mark.django_db, pytest.mark.unit]


def make_run(tool, **columns):
    columns = {
        "outcome": "returned",
        "verdict": "conforms",
        "start_ms": 1000,
        "call_ms": 9,
        **columns,
    }
    return Run.objects.create(tool=tool, revision=tool.current, parameters_json="{}", **columns)


def test_the_figures_of_a_tool():
    tool = make_tool()
    for call_ms in (9, 19, 29, 39):
        make_run(tool, call_ms=call_ms)
    make_run(tool, verdict="violates", call_ms=99)
    make_run(tool, outcome="raised", verdict="")
    make_run(tool, outcome="refused", verdict="", start_ms=None, call_ms=None)
    make_run(tool, mode="mock")
    make_run(make_tool())

    figures = statistics_of(tool)

    assert (figures.runs, figures.there_are_more) == (6, False)
    assert (format_percent(figures.returned), format_percent(figures.conformed)) == ("83%", "80%")
    assert (figures.median_ms, figures.p95_ms) == (29, 99)


def test_a_tool_without_runs_has_no_figures():
    figures = statistics_of(make_tool())

    assert (figures.runs, figures.returned, figures.median_ms) == (0, None, None)


def test_durations_are_those_of_calls_and_not_of_process_starts():
    tool = make_tool()
    make_run(tool, start_ms=5000, call_ms=2)
    make_run(tool, start_ms=1, call_ms=8)
    make_run(tool, outcome="crashed", verdict="", start_ms=3000, call_ms=None)

    figures = statistics_of(tool)

    assert (figures.median_ms, figures.p95_ms) == (2, 8)
    assert [run.duration_ms for run in Run.objects.order_by("pk")] == [2, 8, None]


@pytest.mark.parametrize(
    ("share", "says"),
    [(None, "—"), (0, "0%"), (0.001, "1%"), (0.5, "50%"), (0.999, "99%"), (1, "100%")],
)
def test_only_all_is_a_hundred_percent(share, says):
    assert format_percent(share) == says


@pytest.mark.parametrize(
    ("values", "share", "found"),
    [([], 0.5, None), ([1], 0.95, 1), ([1, 2, 3], 0.5, 2), (list(range(1, 101)), 0.95, 95)],
)
def test_quantiles(values, share, found):
    assert quantile(values, share) == found


def test_runs_past_their_retention_are_removed():
    tool = make_tool()
    now = timezone.now()
    old = make_run(tool, finished_at=now - timedelta(days=31))
    young = make_run(tool, finished_at=now - timedelta(days=29))
    going_on = make_run(
        tool, outcome="running", finished_at=None, created_at=now - timedelta(days=99)
    )

    assert prune_runs(30) == 1

    assert set(Run.objects.values_list("pk", flat=True)) == {young.pk, going_on.pk}
    assert old.pk not in {young.pk, going_on.pk}


def test_many_runs_are_removed_batch_by_batch(django_assert_max_num_queries):
    tool = make_tool()
    old = timezone.now() - timedelta(days=2)
    Run.objects.bulk_create(
        Run(
            tool=tool,
            revision=tool.current,
            parameters_json="{}",
            outcome="returned",
            finished_at=old,
        )
        for _ in range(1201)
    )

    # Each of three batches also deletes the files of its runs, and the messages that are queued for them.
    with django_assert_max_num_queries(
        29
    ):  # in each of three batches, one for the groups that share the runs
        assert prune_runs(1) == 1201


def test_a_page_of_the_catalog_can_show_the_state_of_a_tools_examples():
    from django.template import Context, Template

    from playground.examples.models import ExampleCheck

    tool = make_tool(examples=[{"parameters": {}}])
    template = Template("{% load runs %}{% example_check tool %}")

    unchecked = template.render(Context({"tool": tool}))
    ExampleCheck.objects.create(
        tool=tool, revision=tool.current, passed=1, finished_at=timezone.now()
    )
    checked = template.render(Context({"tool": tool}))

    assert "not checked" in unchecked
    assert "1 example passed" in checked
