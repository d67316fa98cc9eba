"""A process that is about to end."""

import threading

import pytest

from playground.runs import running
from playground.runs.draining import draining, wait_for_end
from playground.runs.models import Run
from playground.runs.supervisor import supervisor

pytestmark = pytest.mark.usefixtures("runs")


@pytest.fixture
def drained():
    draining.set()
    yield
    draining.clear()


def test_a_draining_process_refuses_runs_with_503_and_retry_after(program, builtin, drained):
    builtin("hash_text")

    answer = program.send("POST", "/tools/hash_text/runs", '{"parameters": {"text": "a"}}')

    assert answer.status_code == 503
    assert int(answer["Retry-After"]) > 0
    assert "about to stop" in answer.json()["detail"]
    assert not Run.objects.exists()


def test_a_mock_needs_no_process_so_a_draining_process_returns_one(program, builtin, drained):
    builtin("hash_text")

    answer = program.send(
        "POST", "/tools/hash_text/runs", '{"parameters": {"text": "a"}, "mode": "mock"}'
    )

    assert answer.status_code == 201


def test_a_client_that_waits_is_answered_when_the_process_drains_and_the_run_goes_on(builtin):
    tool = builtin("count_slowly")
    run = running.start(tool, tool.current, {"steps": 3, "seconds": 3}, by=None)
    threading.Timer(0.3, draining.set).start()

    try:
        waited = running.wait(run, 60)
    finally:
        draining.wait(10)
        draining.clear()

    assert waited.is_active
    assert supervisor().is_busy
    assert running.wait(run, 30).outcome == "returned"
    assert not supervisor().is_busy


def test_a_wait_ends_with_what_it_waits_for():
    ended = threading.Event()
    threading.Timer(0.1, ended.set).start()

    wait_for_end(ended, 60)

    assert ended.is_set()
