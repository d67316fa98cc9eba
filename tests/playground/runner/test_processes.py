"""Factories are imported once for many runs, and processes end with their runner, their work or their code."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from playground.runner.engine import local_runner
from tests.playground.runners import APART, TOOLS, MarkedRunner, make_job, soon

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[3]


def test_readiness_waits_for_a_worker_that_was_started(own_runner):
    runner = own_runner(slots=1)
    assert runner.wait_until_ready(0)  # nothing was started

    runner.start_worker()

    assert runner.wait_until_ready(60)


def test_readiness_gives_up_on_a_worker_that_cannot_start(own_runner, monkeypatch):
    def fail(**_):
        raise OSError("no more processes")

    monkeypatch.setattr(local_runner, "WorkerProcess", fail)
    runner = own_runner(slots=1)

    runner.start_worker()

    assert not runner.wait_until_ready(0.1)


EDITED = """
class Edited:
    def call(self, request): return {!r}
class Factory:
    def tool_id(self): return "edited"
    def create(self): return Edited()
"""


@pytest.mark.deep
def test_a_started_worker_stays_while_nothing_runs(own_runner):
    runner = own_runner(idle_s=0.4)
    runner.start_worker()
    assert runner.wait_until_ready(60)
    worker = runner._scheduler._worker

    runner.run("create_none:Factory")
    assert soon(lambda: not runner._scheduler._zygotes)
    time.sleep(1)

    assert runner._scheduler._worker is worker
    assert runner.call("return 1").response == 1


def test_a_factory_that_starts_threads_is_imported_again_by_each_run(own_runner):
    runner = own_runner()

    for forks_safely in (True, False):  # without the flag the parent detects the threads
        end = runner.run("starts_threads:Factory", forks_safely=forks_safely)

        assert end.response == {"answered": True, "imported_here": True}, end.error


def test_a_factory_is_imported_once_for_many_runs(own_runner):
    runner = own_runner(slots=1)

    times = {
        runner.call("import attack_tool\nreturn attack_tool.IMPORTED_AT").response for _ in range(5)
    }

    assert len(times) == 1


@pytest.mark.deep
def test_a_factory_that_could_not_be_imported_is_tried_again(own_runner, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    module = tmp_path / "put_right_later.py"
    module.write_text("raise OSError('not yet')")
    runner = own_runner(search_path=[tmp_path])
    assert runner.run("put_right_later:Factory").error.startswith("OSError: not yet")

    module.write_text((TOOLS / "attack_tool.py").read_text())

    assert soon(
        lambda: runner.run("put_right_later:Factory", {"code": "return 1"}).outcome == "returned"
    )


@pytest.mark.deep
def test_a_slow_import_counts_and_the_next_run_finds_it_done(own_runner, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    (tmp_path / "slow.py").write_text(
        "import time\ntime.sleep(6)\n" + (TOOLS / "attack_tool.py").read_text()
    )
    runner = own_runner(search_path=[tmp_path])

    first = runner.run("slow:Factory", {"code": "return 1"}, timeout_s=3)

    assert first.outcome == "timed_out"
    assert "its factory was being imported" in first.error
    time.sleep(4)
    assert runner.run("slow:Factory", {"code": "return 1"}).response == 1


def test_idle_processes_end_when_nothing_runs(own_runner):
    runner = own_runner(idle_s=0.5)
    runner.call("return 1")
    assert runner.processes()

    assert soon(lambda: not runner.processes())
    assert runner.call("return 2").response == 2


def test_a_run_survives_the_loss_of_a_ready_process(own_runner):
    runner = own_runner()
    runner.call("return 1")
    for pid in runner.processes():
        os.kill(pid, signal.SIGKILL)

    ends = [runner.call("return 2") for _ in range(3)]

    assert ends[-1].response == 2


def test_closing_ends_every_process_and_every_run(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(60)") for _ in range(2)]
    assert soon(lambda: runs[0].output() is not None and runs[0].state == "running")

    runner.close()

    assert [run.wait(60).outcome for run in runs] == ["crashed", "crashed"]
    assert runs[0].wait(0).error == "The server was stopped."
    assert soon(lambda: not runner.processes())


@pytest.mark.parametrize("modes", [APART, ()], ids=["apart", "plain"])
@pytest.mark.parametrize(
    "how", [signal.SIGKILL, signal.SIGTERM, None], ids=["SIGKILL", "SIGTERM", "exit"]
)
def test_nothing_outlives_the_server_process(modes, how):
    code = (
        "import sys, time\n"
        "from tests.playground.runners import MarkedRunner\n"
        f"runner = MarkedRunner(modes={modes!r})\n"
        "runner.call('return 1')\n"
        "run = runner.start('import os, time\\nos.fork()\\nos.setsid()\\nos.fork()\\ntime.sleep(600)')\n"
        "time.sleep(0.3)\n"
        "print(runner.mark, flush=True)\n"
        f"{'pass' if how is None else 'time.sleep(600)'}\n"
    )
    server = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    watcher = MarkedRunner()
    watcher.mark = server.stdout.readline().strip()
    if how is not None:
        assert watcher.processes()
        server.send_signal(how)

    server.wait(60)
    server.stdout.close()

    assert soon(lambda: not watcher.processes())


def test_too_many_slots_are_refused():
    with pytest.raises(ValueError, match="from 1 to 400"):
        MarkedRunner(slots=0)


def test_a_closed_runner_accepts_no_more_runs():
    runner = MarkedRunner()
    runner.close()

    with pytest.raises(RuntimeError, match="closed"):
        runner.start("return 1")


def test_jobs_do_not_show_secrets():
    job = make_job("a:B", {"password": "s3cret"}, configuration={"key": "s3cret"})

    assert "s3cret" not in repr(job)


def test_renewed_processes_import_changed_code(own_runner, open_folder):
    (open_folder / "edited.py").write_text(EDITED.format("before"))
    runner = own_runner(search_path=[open_folder])
    assert runner.run("edited:Factory").response == "before"
    (open_folder / "edited.py").write_text(EDITED.format("afterwards"))

    assert runner.run("edited:Factory").response == "before"
    assert runner.renew() is True
    assert runner.run("edited:Factory").response == "afterwards"


def test_an_active_run_ends_with_the_code_that_it_began_with_and_its_processes_then_end(own_runner):
    runner = own_runner()
    active = runner.start("import time\nprint('begun')\ntime.sleep(1.5)\nreturn 'done'")
    assert soon(lambda: "begun" in active.output().stdout)
    before = set(runner.processes())

    runner.renew()

    assert runner.call("return 'new'").response == "new"
    assert active.wait(20).response == "done"
    assert soon(lambda: not before & set(runner.processes()))
    assert not runner._scheduler._replaced


@pytest.mark.deep
def test_a_run_of_replaced_processes_can_be_cancelled_and_has_its_deadline(own_runner):
    runner = own_runner()
    cancelled = runner.start("import time\nprint('begun')\ntime.sleep(60)")
    late = runner.start("import time\nprint('begun')\ntime.sleep(60)", timeout_s=2)
    assert soon(lambda: "begun" in cancelled.output().stdout and "begun" in late.output().stdout)

    runner.renew()
    assert runner.call("return 1").response == 1
    cancelled.cancel()

    assert cancelled.wait(10).outcome == "cancelled"
    assert late.wait(10).outcome == "timed_out"
    assert soon(lambda: not runner._scheduler._replaced)


def test_a_runner_that_has_imported_nothing_need_not_be_renewed(own_runner):
    assert own_runner().renew() is False


def test_closing_ends_replaced_processes_too(own_runner):
    runner = own_runner()
    active = runner.start("import time\nprint('begun')\ntime.sleep(60)")
    assert soon(lambda: "begun" in active.output().stdout)
    runner.renew()
    assert runner.call("return 1").response == 1

    runner.close()

    assert active.wait(5).outcome == "crashed"
    assert soon(lambda: not runner.processes())
