"""Runs beyond the slots wait their turn, and report when they have ended."""

import threading

import pytest

from tests.playground.runners import soon

pytestmark = pytest.mark.alone


def test_runs_beyond_the_slots_wait_and_know_their_position(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(0.4); return 1") for _ in range(3)]

    assert soon(lambda: [run.position() for run in runs] == [0, 1, 2])
    assert [run.state for run in runs] == ["running", "queued", "queued"]
    ends = [run.wait(60) for run in runs]
    assert [end.outcome for end in ends] == ["returned"] * 3
    assert ends[2].queue_ms > 700
    assert [run.position() for run in runs] == [0, 0, 0]


def test_a_run_that_waits_can_be_cancelled(own_runner):
    runner = own_runner(slots=1)
    first = runner.start("import time; time.sleep(0.5); return 1")
    second = runner.start("return 2")

    second.cancel()

    assert second.wait(60).outcome == "cancelled"
    assert first.wait(60).outcome == "returned"


@pytest.mark.deep
def test_the_time_in_the_queue_does_not_count(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(2); return 1", timeout_s=5) for _ in range(3)]

    assert [run.wait(60).outcome for run in runs] == ["returned"] * 3


def test_many_threads_may_submit_concurrently(own_runner):
    runner = own_runner(slots=4)
    responses = []

    def submit(start):
        responses.extend(
            runner.call(f"return {number}").response for number in range(start, start + 5)
        )

    threads = [threading.Thread(target=submit, args=(start,)) for start in range(0, 60, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(responses) == list(range(60))


def test_callbacks_are_called_when_a_run_has_ended(runner):
    called = threading.Event()
    ends = []
    run = runner.start("return 5")

    run.when_done(lambda end: (ends.append(end), called.set()))

    assert called.wait(60)
    assert ends[0].response == 5
    again = threading.Event()
    run.when_done(lambda end: again.set())
    assert again.wait(60)


def test_a_failing_callback_does_not_affect_others(runner, caplog):
    run = runner.start("return 5")
    run.when_done(lambda end: 1 / 0)

    assert soon(lambda: "ZeroDivisionError" in caplog.text)
    assert runner.call("return 6").response == 6
