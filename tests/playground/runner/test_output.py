"""The output, log messages and progress of a run, and the pipe of its result."""

import os
import time
from pathlib import Path

import pytest

from playground.runner.engine import Progress
from tests.playground.runners import soon

pytestmark = pytest.mark.alone


def test_stdout_and_stderr_are_stored_separately(runner):
    end = runner.call("import sys\nprint('out')\nprint('err', file=sys.stderr)\nreturn 1")

    assert (end.stdout, end.stderr) == ("out\n", "err\n")


def test_output_of_programs_and_c_code_is_stored(runner):
    code = (
        "import ctypes, os\nos.system('echo program')\nctypes.CDLL(None).puts(b'c code')\nreturn 1"
    )

    end = runner.call(code)

    assert sorted(end.stdout.splitlines()) == ["c code", "program"]


def test_the_last_output_is_not_lost(runner):
    end = runner.call("import sys\nsys.stdout.write('no line end')\nraise SystemExit")

    assert end.stdout == "no line end"


def test_output_beyond_the_limit_is_counted(runner):
    end = runner.call("print('x' * 99_999)\nreturn 1", output_bytes=1000)

    assert end.stdout == "x" * 1000
    assert end.stdout_dropped == 99_000
    assert end.response == 1


def test_log_messages_are_in_the_output_from_level_info(runner):
    code = "import logging\nlog = logging.getLogger('moon')\nlog.debug('a')\nlog.info('b')\nlog.warning('c')\nreturn 1"

    assert runner.call(code).stderr == "INFO moon: b\nWARNING moon: c\n"


def test_a_tool_may_configure_its_log_messages_itself(runner):
    code = "import logging\nlogging.basicConfig(format='%(message)s', level='DEBUG')\nlogging.debug('a')\nreturn 1"

    assert runner.call(code).stderr == "a\n"


def test_output_that_is_not_text_is_shown_with_replacements(runner):
    end = runner.call("import os\nos.write(1, b'\\xff\\x00caf\\xc3')\nreturn 1")

    assert end.stdout == "\ufffd\ufffdcaf\ufffd"


def test_surrogates_can_be_printed(runner):
    assert runner.call("print('\\ud800')\nreturn 1").stdout == "\\ud800\n"


def test_output_is_available_during_the_run(runner):
    run = runner.start("import time\nprint('started')\ntime.sleep(30)")

    assert soon(lambda: run.output().stdout == "started\n")
    run.cancel()


def test_progress_is_available_during_the_run(runner):
    code = (
        "from toolshelf_tools import progress\nimport time\nprogress(1, 4, 'first')\ntime.sleep(30)"
    )

    run = runner.start(code)

    assert soon(lambda: run.events == (Progress(1, 4, "first"),))
    run.cancel()


def test_many_reports_of_progress_become_a_few_including_the_last(runner):
    code = "from toolshelf_tools import progress\nfor n in range(100_000): progress(n, 100_000)\nreturn 1"

    run = runner.start(code)
    end = run.wait(30)

    assert end.progress == Progress(99_999, 100_000, "")
    assert len(run.events) < 200


def test_progress_never_fails(runner):
    code = "from toolshelf_tools import progress\nprogress('a', object(), float)\nprogress(float('nan'))\nreturn 1"

    assert runner.call(code).response == 1


def test_writing_into_the_pipe_of_the_result_ends_the_run(runner):
    end = runner.call("import os\nos.write(3, b'Z' * 100)\nreturn 1")

    assert (end.outcome, end.error) == (
        "crashed",
        "The tool wrote to the pipe that is reserved for its result.",
    )


def test_a_tool_that_closes_every_descriptor_ends_without_a_response(runner):
    end = runner.call("import os\nos.closerange(0, 100)\nreturn 1")

    assert (end.outcome, end.has_response) == ("crashed", False)


def test_watching_a_run_that_closed_its_pipe_takes_no_cpu(runner):
    run = runner.start("import os, time\nos.close(3)\ntime.sleep(60)")
    assert soon(lambda: run.job_read)
    before = cpu_ticks(runner)

    time.sleep(0.5)

    assert cpu_ticks(runner) - before < 0.2 * os.sysconf("SC_CLK_TCK")
    run.cancel()


def cpu_ticks(runner):
    """Processor time of all processes of the runner so far."""
    stats = [
        Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        for pid in runner.processes()
    ]
    return sum(int(fields[11]) + int(fields[12]) for fields in stats)


@pytest.mark.parametrize("clock", ["float('nan')", "0.0", "1e300"])
def test_a_forged_result_is_read_as_strictly_as_any(runner, clock):
    end = runner.call(
        f"import os, struct\nos.write(3, struct.pack('>cId', b'R', 13, {clock}) + b'[NaN]')\nimport time\ntime.sleep(9)"
    )

    assert end.outcome == "raised"
    assert "not valid JSON" in end.error
    assert 0 <= end.call_ms <= 9000


def test_a_forged_result_that_is_too_short_is_not_json(runner):
    end = runner.call(
        "import os, struct\nos.write(3, struct.pack('>cI', b'R', 2) + b'[]')\nimport time\ntime.sleep(9)"
    )

    assert end.outcome == "raised"
    assert "not valid JSON" in end.error
