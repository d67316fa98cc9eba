"""Writing runs down: when the disk is waited for, many ends at once, and a database that takes nothing for a while."""

import threading
import time

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from playground.examples import results
from playground.examples.models import ExampleCheck
from playground.runs import running
from playground.runs import writer as run_writer
from playground.runs.models import Run
from playground.runs.writer import Recorder, insert, write_ends
from tests.playground.runners import soon


@pytest.fixture
def tool(transactional_db, builtin):
    return builtin("count_slowly")


def queued(tool, **more):
    run = Run(
        tool=tool, revision=tool.current, parameters_json='{"steps": 1}', host="here/1/1", **more
    )
    insert(run)
    return run


def ended(run, **more):
    run.outcome, run.response_json, run.verdict = "returned", '{"n": 1.50}', "conforms"
    for name, value in more.items():
        setattr(run, name, value)
    return run


def test_a_run_is_written_down_as_django_would(tool):
    run = queued(tool, timeout_s=2.5)

    found = Run.objects.get(pk=run.pk)

    assert [getattr(found, field.attname) for field in Run._meta.concrete_fields] == [
        getattr(run, field.attname) for field in Run._meta.concrete_fields
    ]


def test_a_run_and_its_audit_event_are_one_transaction(tool):
    with CaptureQueriesContext(connection) as queries:
        queued(tool)

    statements = [query["sql"].split(" (")[0] for query in queries.captured_queries]
    assert [sql for sql in statements if sql.startswith("INSERT")] == [
        'INSERT INTO "playground_run"',
        'INSERT INTO "catalog_auditevent"',
    ]
    assert sum(sql.startswith("BEGIN") for sql in statements) == 1


def test_many_ends_are_one_transaction(tool):
    runs = [ended(queued(tool)) for _ in range(5)]

    with CaptureQueriesContext(connection) as queries:
        write_ends(runs)

    assert sum(query["sql"].startswith("BEGIN") for query in queries.captured_queries) == 1
    assert set(Run.objects.values_list("outcome", "response_json")) == {("returned", '{"n": 1.50}')}


def test_a_run_that_another_process_has_ended_stays_as_it_is(tool):
    run = queued(tool)
    Run.objects.filter(pk=run.pk).update(outcome="crashed", error="first")

    write_ends([ended(run, error="second")])

    assert Run.objects.get(pk=run.pk).error == "first"


@pytest.fixture
def recorder():
    written = []
    recorder = Recorder(written.append)
    yield recorder, written
    recorder.close(5)


def test_ends_wait_for_a_database_that_takes_nothing_for_a_while(tool, recorder, monkeypatch):
    recorder, written = recorder
    full = threading.Event()
    full.set()
    write = run_writer.write_ends

    def on_a_full_disk(runs):
        if full.is_set():
            raise OperationalError("database or disk is full")
        write(runs)

    monkeypatch.setattr(run_writer, "write_ends", on_a_full_disk)
    run = ended(queued(tool))
    recorder.put(run)
    time.sleep(0.3)
    assert not written

    full.clear()

    assert soon(lambda: written == [run])
    assert Run.objects.get(pk=run.pk).outcome == "returned"


def test_an_end_that_cannot_be_stored_does_not_block_the_others(tool, recorder):
    recorder, written = recorder
    runs = [ended(queued(tool)) for _ in range(3)]
    runs[1].stdout_dropped = "many"

    for run in runs:
        recorder.put(run)

    assert soon(lambda: len(written) == 3)
    assert [Run.objects.get(pk=run.pk).outcome for run in runs] == [
        "returned",
        "crashed",
        "returned",
    ]
    assert Run.objects.get(pk=runs[1].pk).error == "The response could not be stored."


@pytest.mark.usefixtures("runs")
def test_the_end_of_a_run_is_reported_only_once_it_is_stored(tool, monkeypatch):
    write, slow = run_writer.write_ends, threading.Event()

    def slowly(runs):
        slow.wait(5)
        write(runs)

    monkeypatch.setattr(run_writer, "write_ends", slowly)
    started = running.start(tool, tool.current, {"steps": 1, "seconds": 0}, by=None)

    assert running.wait(started, 1.5).is_active
    slow.set()
    assert running.wait(started, 10).outcome == "returned"


@pytest.mark.usefixtures("runs")
def test_a_short_run_writes_twice_and_no_more(tool):
    with CaptureQueriesContext(connection) as queries:
        started = running.start(tool, tool.current, {"steps": 1, "seconds": 0}, by=None)
        done = running.wait(started, 10)

    assert done.outcome == "returned"
    writes = [
        query["sql"]
        for query in queries.captured_queries
        if query["sql"].startswith(("INSERT", "UPDATE"))
    ]
    assert (
        len(writes) == 2
    )  # here, in one transaction: the run and its audit event; its end is the recorder's


def test_a_check_that_cannot_be_settled_spoils_no_run_of_it(tool, recorder, monkeypatch):
    recorder, written = recorder

    def unsettled(check):
        raise ValueError("not to be made out")

    monkeypatch.setattr(results, "settle", unsettled)
    check = ExampleCheck.objects.create(tool=tool, revision=tool.current)
    run = ended(queued(tool, example_check=check, example_number=1))
    recorder.put(run)

    assert soon(lambda: written == [run])
    assert (Run.objects.get(pk=run.pk).outcome, run.error) == ("returned", "")


def test_a_failure_after_a_run_is_stored_does_not_block_the_next(tool):
    recorded = []

    def fail_at_first(run):
        recorded.append(run)
        if len(recorded) == 1:
            raise OSError("disk is full")

    recorder = Recorder(fail_at_first)
    runs = [ended(queued(tool)) for _ in range(2)]

    for run in runs:
        recorder.put(run)

    assert soon(lambda: recorded == runs)
    recorder.close(5)
