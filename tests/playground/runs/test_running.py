import os
import subprocess
import sys
import threading
import time
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from catalog.tools.publishing import publish
from playground.configurations.compiled_spec import NO_RETURN_TYPE
from playground.configurations.secret_members import Configuration
from playground.runner.engine.run_queue import RunQueue
from playground.runs import running
from playground.runs.models import Run
from playground.runs.orphans import recover_runs
from playground.runs.process_id import this_host
from tests.factories import make_user
from tests.playground.runners import soon
from toolshelf_core.errors import Busy
from toolshelf_core.fairness import reserve_of
from toolspec.spec import read_spec
from toolspec.text import reader

pytestmark = pytest.mark.usefixtures("runs")


def run(tool, parameters, *, by=None, wait_s=30, **more):
    started = running.start(tool, tool.current, parameters, by=by, **more)
    return Run.objects.get(pk=running.wait(started, wait_s).pk)


# -- a run ------------------------------------------------------------------------------------------------------------


def test_a_run_stores_parameters_response_and_verdict(builtin, ada):
    done = run(
        builtin("convert_units"),
        reader.loads('{"value": 1.0, "from_unit": "km", "to_unit": "m"}'),
        by=ada,
    )

    assert (done.outcome, done.verdict, done.problems) == ("returned", "conforms", [])
    assert done.response["value"] == 1000
    assert done.parameters_json == '{"value": 1.0, "from_unit": "km", "to_unit": "m"}'
    assert done.by == ada
    assert done.factory
    assert done.duration_ms > 0
    assert done.created_at <= done.started_at <= done.finished_at


def test_without_a_return_type_the_verdict_is_unchecked_with_a_reason(builtin):
    tool = builtin("convert_units")
    document = reader.loads(tool.current.source)
    del document["definition"]["returnType"]
    revised = publish(read_spec(reader.dumps(document)), by=None).tool

    done = run(revised, {"value": 1, "from_unit": "km", "to_unit": "m"})

    assert (done.verdict, done.verdict_reason) == ("unchecked", NO_RETURN_TYPE)
    assert done.has_response


def test_a_run_that_returned_while_the_database_was_unreachable_is_stored_later(
    builtin, monkeypatch
):
    conclude, failures = running.conclude, [OperationalError("gone"), OperationalError("gone")]

    def out_of_reach_at_first(active, end):
        if failures:
            raise failures.pop()
        return conclude(active, end)

    monkeypatch.setattr(running, "conclude", out_of_reach_at_first)

    done = run(builtin("convert_units"), {"value": 1, "from_unit": "km", "to_unit": "m"})

    assert not failures
    assert (done.outcome, done.verdict) == ("returned", "conforms")


def test_logs_are_stored(builtin):
    done = run(builtin("count_slowly"), {"steps": 2, "seconds": 0})

    assert "step 2 of 2" in done.stdout + done.stderr


def test_no_limit_is_longer_than_the_longest(builtin, settings):
    settings.RUN_TIMEOUT_MAX_S = 5

    done = run(builtin("count_slowly"), {"steps": 1, "seconds": 0}, timeout_s=100)

    assert done.timeout_s == 5


# -- refused ----------------------------------------------------------------------------------------------------------


def test_a_configuration_that_breaks_its_schema_is_refused(builtin):
    done = run(
        builtin("sign_text"), {"text": "a"}, configuration=Configuration({"algorithm": "md5"})
    )

    assert [problem.pointer for problem in done.problems] == ["/configuration/algorithm"]


def test_without_a_configuration_an_empty_one_is_meant(builtin):
    assert run(builtin("sign_text"), {"text": "a"}).outcome == "returned"


def test_a_configuration_for_a_tool_without_one_is_refused(builtin):
    done = run(
        builtin("convert_units"),
        {"value": 1, "from_unit": "km", "to_unit": "m"},
        configuration=Configuration({"a": 1}),
    )

    assert [problem.rule for problem in done.problems] == ["run.not-configurable"]


def test_without_a_factory_a_live_run_is_refused_and_a_mock_is_not():
    tool = publish(
        read_spec('{"definition": {"name": "nobody makes this", "description": ""}}'), by=None
    ).tool

    live, mock = run(tool, {}), run(tool, {}, mode="mock")

    assert (live.outcome, [problem.rule for problem in live.problems]) == (
        "refused",
        ["run.no-factory"],
    )
    assert (mock.outcome, mock.mode) == ("returned", "mock")


# -- mocks ------------------------------------------------------------------------------------------------------------


def test_a_mock_from_an_invalid_example_violates():
    spec = {
        "definition": {
            "name": "t",
            "description": "",
            "returnType": {"type": "object", "required": ["n"]},
            "examples": [{"parameters": {}, "returnValue": {}}],
        }
    }
    tool = publish(read_spec(reader.dumps(spec)), by=None).tool

    assert run(tool, {}, mode="mock").verdict == "violates"


def test_a_mock_that_cannot_be_made_is_refused_with_the_reason():
    spec = {"definition": {"name": "t", "description": "", "returnType": {"enum": []}}}
    tool = publish(read_spec(reader.dumps(spec)), by=None).tool

    done = run(tool, {}, mode="mock")

    assert (done.outcome, [problem.rule for problem in done.problems]) == (
        "refused",
        ["mock.no-value"],
    )


# -- secrets ----------------------------------------------------------------------------------------------------------


# -- while it lasts ---------------------------------------------------------------------------------------------------


def test_a_long_run_reports_its_progress(builtin):
    tool = builtin("count_slowly")
    started = running.start(tool, tool.current, {"steps": 20, "seconds": 6}, by=None)

    assert soon(lambda: (Run.objects.get(pk=started.pk).progress_done or 0) >= 2)

    seen = Run.objects.get(pk=started.pk)
    assert seen.outcome == "running"
    assert seen.progress_total == 20
    assert "step 1 of 20" in seen.stdout + seen.stderr
    running.cancel(seen)


def test_a_cancel_that_another_process_asked_for_is_carried_out(builtin):
    tool = builtin("count_slowly")
    started = running.start(tool, tool.current, {"steps": 100, "seconds": 60}, by=None)

    Run.objects.filter(pk=started.pk).update(cancel_requested_at=timezone.now())

    assert soon(lambda: Run.objects.get(pk=started.pk).outcome == "cancelled")


def test_cancelling_an_ended_run_changes_nothing(builtin):
    done = run(builtin("count_slowly"), {"steps": 1, "seconds": 0})

    again = running.cancel(done)

    assert (again.outcome, again.cancel_requested_at) == ("returned", None)


@pytest.mark.alone
def test_only_a_part_of_the_threads_waits_for_the_runs_of_one_user(builtin, settings):
    tool = builtin("count_slowly")
    room = settings.WEB_THREADS // 2
    share = room - reserve_of(room)
    started = [
        running.start(tool, tool.current, {"steps": 10, "seconds": 30}, by=None)
        for _ in range(share + 1)
    ]
    waiting = [threading.Thread(target=running.wait, args=(one, 60)) for one in started[:-1]]
    for thread in waiting:
        thread.start()
    time.sleep(0.3)

    running.wait(started[-1], 60)

    assert all(thread.is_alive() for thread in waiting)  # it came back before those who wait
    for one in started:
        running.cancel(one)
    for thread in waiting:
        thread.join()


def test_one_user_cannot_fill_the_queue(builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES, settings.RUN_QUEUE_MAX = 1, 1, 4
    tool, ada, bob = builtin("count_slowly"), make_user("ada"), make_user("bob")
    long = {"steps": 10, "seconds": 30}
    started = [
        running.start(tool, tool.current, long, by=ada) for _ in range(3)
    ]  # one is active, half of 4 wait

    with pytest.raises(Busy, match="Your share of the queue is full: 2 of your runs are waiting"):
        running.start(tool, tool.current, long, by=ada)

    started.append(running.start(tool, tool.current, long, by=bob))
    assert Run.objects.active().count() == 4
    for one in started[::-1]:
        running.cancel(one)


def test_a_users_only_run_gets_a_slot_while_another_user_has_many_runs(builtin, settings):
    settings.RUN_SLOTS, settings.WEB_PROCESSES = 4, 1
    tool, ada, bob = builtin("count_slowly"), make_user("ada"), make_user("bob")
    many = [
        running.start(tool, tool.current, {"steps": 10, "seconds": 30}, by=ada) for _ in range(12)
    ]

    done = running.wait(running.start(tool, tool.current, {"steps": 1, "seconds": 0}, by=bob), 20)

    assert done.outcome == "returned"
    assert Run.objects.active().filter(by=ada).count() == 12
    for one in many[::-1]:
        running.cancel(one)


def test_the_runs_of_two_users_start_alternately(builtin, settings, monkeypatch):
    started = []
    start_next = RunQueue.start_next

    def note_the_start(queue):
        if run := start_next(queue):
            started.append(run.job.run_id)
        return run

    monkeypatch.setattr(RunQueue, "start_next", note_the_start)
    settings.RUN_SLOTS, settings.WEB_PROCESSES = 1, 1
    tool, ada, bob = builtin("count_slowly"), make_user("ada"), make_user("bob")
    first = running.start(tool, tool.current, {"steps": 10, "seconds": 30}, by=ada)
    assert soon(lambda: not running.queue_position(first))
    brief = {"steps": 1, "seconds": 0.01}
    queued = [running.start(tool, tool.current, brief, by=by) for by in (ada, ada, ada, bob, bob)]
    positions = [running.queue_position(run) for run in queued]

    running.cancel(first)
    for run in queued:
        running.wait(run, 30)

    in_turn = sorted(queued, key=lambda run: positions[queued.index(run)])
    assert [run.by.username for run in in_turn] == ["bob", "ada", "bob", "ada", "ada"]
    assert started == [run.id for run in (first, *in_turn)]


# -- when a server dies -----------------------------------------------------------------------------------------------


def dead_host():
    """The host of a process that has ended."""
    code = "from playground.runs.process_id import this_host; print(this_host())"
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def left_behind(tool, **columns):
    columns = {"host": dead_host(), "outcome": "running", **columns}
    return Run.objects.create(tool=tool, revision=tool.current, parameters_json="{}", **columns)


def test_runs_of_a_dead_process_are_crashed_with_the_reason(builtin):
    tool = builtin("count_slowly")
    was_running, was_queued = left_behind(tool), left_behind(tool, outcome="queued")

    assert recover_runs() == 2

    was_running.refresh_from_db()
    was_queued.refresh_from_db()
    assert (was_running.outcome, was_queued.outcome) == ("crashed", "crashed")
    assert "may or may not" in was_running.error
    assert "may or may not have been called" in was_queued.error
    assert was_running.finished_at is not None


def test_runs_of_a_living_process_are_left_alone(builtin):
    mine = left_behind(builtin("count_slowly"), host=this_host())

    assert recover_runs() == 0
    mine.refresh_from_db()
    assert mine.outcome == "running"


def test_a_process_that_took_a_dead_ones_number_does_not_pass_for_it(builtin):
    where, pid, start = this_host().split("/")
    left_behind(builtin("count_slowly"), host=f"{where}/{pid}/{int(start) - 1}")

    assert recover_runs() == 1


def test_a_host_on_another_machine_is_gone_when_it_is_silent_for_long(builtin):
    tool = builtin("count_slowly")
    now = timezone.now()
    silent = left_behind(
        tool,
        host="elsewhere/1/1",
        created_at=now - timedelta(hours=1),
        seen_at=now - timedelta(minutes=5),
    )
    alive = left_behind(
        tool, host="elsewhere/1/1", created_at=now - timedelta(hours=1), seen_at=now
    )

    assert recover_runs() == 1

    silent.refresh_from_db()
    alive.refresh_from_db()
    assert (silent.outcome, alive.outcome) == ("crashed", "running")


def test_a_process_that_ends_marks_its_own_runs(builtin):
    from playground.runs.supervisor import close_supervisor

    tool = builtin("count_slowly")
    started = running.start(tool, tool.current, {"steps": 100, "seconds": 60}, by=None)

    close_supervisor()

    assert Run.objects.get(pk=started.pk).outcome in {"crashed", "cancelled"}


def test_an_ended_run_is_never_overwritten(builtin):
    tool = builtin("count_slowly")
    started = running.start(tool, tool.current, {"steps": 4, "seconds": 1}, by=None)
    Run.objects.filter(pk=started.pk).update(outcome="crashed", error="as another process saw it")

    running.wait(started, 10)

    assert Run.objects.get(pk=started.pk).error == "as another process saw it"


def test_the_host_names_this_process():
    assert f"/{os.getpid()}/" in this_host()


# -- ids --------------------------------------------------------------------------------------------------------------


def test_ids_sort_by_time_and_are_uuids(builtin):
    import uuid

    tool = builtin("count_slowly")
    ids = []
    for _ in range(3):
        ids.append(run(tool, {"steps": 1}, mode="mock").pk)
        time.sleep(0.002)

    assert ids == sorted(ids)
    assert uuid.UUID(ids[0]).version == 7
