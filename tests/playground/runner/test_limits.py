"""Deadlines, cancelled runs, and limits of processes, memory and files."""

import time

import pytest

from tests.playground.runners import APART, soon

pytestmark = pytest.mark.alone


def test_a_run_ends_at_its_deadline(runner):
    began_at = time.monotonic()

    end = runner.call("import time; time.sleep(60)", timeout_s=0.5)

    assert end.outcome == "timed_out"
    assert (
        end.error
        == "The tool did not finish within 0.5 s. It was stopped, with its child processes."
    )
    assert 0.5 <= time.monotonic() - began_at < 30  # the tool sleeps for 60 s


def test_output_before_the_deadline_is_stored(runner):
    end = runner.call("import time; print('before'); time.sleep(60)", timeout_s=0.5)

    assert end.stdout == "before\n"


def test_a_run_can_be_cancelled(runner):
    run = runner.start("import time; print(1); time.sleep(60)")
    assert soon(lambda: run.output().stdout)

    run.cancel()

    end = run.wait(60)
    assert end.outcome == "cancelled"
    assert runner.nothing_is_left()


def test_cancelling_an_ended_run_changes_nothing(runner):
    run = runner.start("return 1")
    end = run.wait(60)

    run.cancel()

    assert run.wait(60) == end
    assert run.state == "ended"


def test_a_run_reports_how_its_time_was_spent(runner):
    runner.call("return 1")

    end = runner.call("import time; time.sleep(0.3); return 1")

    assert 300 <= end.call_ms < 600
    assert 0 < end.start_ms < 300
    assert 0 <= end.queue_ms < 300


def test_the_time_of_a_call_does_not_include_the_creation_of_the_tool_or_its_response(runner):
    end = runner.run("slow_around_tool:Factory")

    assert end.response == {"slow": "response"}
    assert end.start_ms > 300
    assert end.call_ms < end.start_ms / 3


def test_a_run_that_ends_before_the_call_has_no_time_of_a_call(runner):
    end = runner.run("slow_around_tool:Broken")

    assert (end.outcome, end.call_ms) == ("raised", None)


def test_too_many_processes_are_refused_to_the_tool(apart):
    code = "import subprocess\nkept = [subprocess.Popen(['sleep', '60']) for n in range(60)]"

    end = apart.call(code, processes=20)

    assert end.outcome == "raised"
    assert "Resource temporarily unavailable" in end.error


@pytest.mark.parametrize(
    "modes", [APART, ("namespaces", "own users"), ()], ids=["control groups", "namespaces", "plain"]
)
def test_all_processes_of_a_run_share_its_memory(own_runner, modes):
    runner = own_runner(modes=modes)
    code = """
import os, time
for n in range(8):
    if not os.fork():
        kept = bytearray(40 * 2**20)
        time.sleep(60)
time.sleep(60)
"""

    end = runner.call(code, timeout_s=10, memory_bytes=200 * 2**20)

    assert end.outcome == "crashed"
    assert (
        end.error
        == "The tool and its child processes used more memory than the 200 MiB that a run may use."
    )
    assert runner.call("return 1").response == 1
    assert runner.nothing_is_left()


def test_processes_that_share_their_memory_are_not_counted_twice(own_runner):
    runner = own_runner(modes=("namespaces", "own users"))
    code = """
import os, time
kept = bytearray(60 * 2**20)
children = [os.fork() for n in range(3)]
time.sleep(0.5)
return 1
"""

    assert runner.call(code, memory_bytes=200 * 2**20).outcome == "returned"


def test_too_many_open_files_are_refused_to_the_tool(runner):
    end = runner.call("kept = [open('/dev/null') for n in range(100)]", open_files=50)

    assert "Too many open files" in end.error
