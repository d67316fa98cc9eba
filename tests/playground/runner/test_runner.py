"""The local runner, with real processes."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.errors import Busy
from catalog.jsontext.reader import Number, loads
from playground.runner import Progress
from tests.playground.runners import APART, TOOLS, MarkedRunner, make_job, soon

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def runner():
    runner = MarkedRunner(slots=4)
    yield runner
    runner.close()


@pytest.fixture
def own_runner():
    """Makes runners that are closed with the test."""
    made = []

    def make(**options):
        made.append(MarkedRunner(**options))
        return made[-1]

    yield make
    for runner in made:
        runner.close()


# What comes back


def test_a_response_comes_back_as_it_was_given(runner):
    end = runner.call("return {'text': 'Grüße 🌤', 'list': [1, 2.5, None, True], 'empty': {}}")

    assert end.outcome == "returned"
    assert end.error is None
    assert end.response == {"text": "Grüße 🌤", "list": [1, 2.5, None, True], "empty": {}}


def test_null_is_a_response(runner):
    end = runner.call("return None")

    assert end.has_response
    assert end.response is None


def test_a_run_that_failed_has_no_response(runner):
    end = runner.call("raise LookupError('no such city')")

    assert not end.has_response
    assert end.outcome == "raised"


def test_an_error_is_a_sentence_and_then_where_it_happened(runner):
    end = runner.call("def deeper():\n    raise LookupError('no such city')\ndeeper()")

    first, *others = end.error.splitlines()
    assert first == "LookupError: no such city"
    assert others[1] == "Traceback (most recent call last):"
    assert others[-1].endswith("in deeper")
    assert "playground/worker" not in end.error


def test_an_error_names_its_causes(runner):
    end = runner.call("try:\n    1 / 0\nexcept Exception as error:\n    raise ValueError('bad') from error")

    assert "Caused by ZeroDivisionError: division by zero" in end.error


def test_numbers_keep_every_digit_on_their_way_back(runner):
    end = runner.call("return [0.1 + 0.2, 1e300, -0.0, 2**70, 1.0]")

    assert [number.lexeme if isinstance(number, Number) else number for number in end.response] == [
        "0.30000000000000004",
        "1e+300",
        "-0.0",
        2**70,
        "1.0",
    ]


def test_inside_the_tool_numbers_are_plain(runner):
    parameters = loads('{"a": 19.90, "b": 1e2, "c": 12345678901234567890, "d": 1.0}')

    end = runner.run("typed_tools:plain", parameters)

    assert end.response == {"type": "dict", "repr": "{'a': 19.9, 'b': 100.0, 'c': 12345678901234567890, 'd': 1.0}"}


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("return {'a': [1, float('nan')]}", "The response is not JSON at /a/1: nan is not a JSON number."),
        ("return float('-inf')", "The response is not JSON at its root: -inf is not a JSON number."),
        (
            "return {'a/b': b'x'}",
            "The response is not JSON at /a~1b: a bytes has no place in JSON; decode it, or give it as Base64 text.",
        ),
        ("return [{1, 2}]", "The response is not JSON at /0: a set has no place in JSON; give a sorted list."),
        ("return {None: 1}", "The response is not JSON at its root: the key None is a NoneType, not a string."),
        ("x = {}\nx['x'] = [x]\nreturn x", "The response is not JSON at /x/0: the value holds itself."),
        ("return ['\\ud800']", "The response is not JSON at /0: a text holds half of a surrogate pair."),
        ("return object()", "The response is not JSON at its root: an object has no place in JSON."),
        (
            "return (n for n in [1])",
            "The response is not JSON at its root: a generator has no place in JSON; give a list.",
        ),
        (
            "x = 0\nfor n in range(65): x = [x]\nreturn x",
            f"The response is not JSON at {'/0' * 64}: it is nested more than 64 deep.",
        ),
    ],
)
def test_what_json_cannot_hold_is_refused_with_its_place(runner, code, sentence):
    end = runner.call(code)

    assert end.outcome == "raised"
    assert end.error == sentence


def test_the_same_list_twice_is_no_circle(runner):
    end = runner.call("x = [1]\nreturn [x, x, {'a': x}]")

    assert end.response == [[1], [1], {"a": [1]}]


def test_a_response_of_exactly_its_bound_comes_back(runner):
    end = runner.call("return 'x' * 998", response_bytes=1000)

    assert end.response == "x" * 998


def test_a_response_beyond_its_bound_is_refused(runner):
    end = runner.call("return 'x' * 999", response_bytes=1000)

    assert (end.outcome, end.error) == ("raised", "The response takes more than 1,000 bytes as JSON.")


def test_a_response_of_a_mebibyte_comes_back(runner):
    end = runner.call("return ['é' * 1000] * 520")

    assert end.response == ["é" * 1000] * 520


def test_parameters_of_a_mebibyte_arrive(runner):
    end = runner.run("attack_tool:Factory", {"code": "return len(request)", "more": "x" * 2**20})

    assert end.outcome == "raised"  # the tool runs, and has no `request`
    assert "NameError" in end.error


# What it prints


def test_what_is_printed_is_kept_apart(runner):
    end = runner.call("import sys\nprint('out')\nprint('err', file=sys.stderr)\nreturn 1")

    assert (end.stdout, end.stderr) == ("out\n", "err\n")


def test_what_programs_and_c_code_print_is_kept(runner):
    code = "import ctypes, os\nos.system('echo program')\nctypes.CDLL(None).puts(b'c code')\nreturn 1"

    end = runner.call(code)

    assert sorted(end.stdout.splitlines()) == ["c code", "program"]


def test_what_is_printed_last_is_not_lost(runner):
    end = runner.call("import sys\nsys.stdout.write('no line end')\nraise SystemExit")

    assert end.stdout == "no line end"


def test_output_beyond_its_bound_is_counted(runner):
    end = runner.call("print('x' * 99_999)\nreturn 1", output_bytes=1000)

    assert end.stdout == "x" * 1000
    assert end.stdout_dropped == 99_000
    assert end.response == 1


def test_output_that_is_no_text_is_shown_as_far_as_it_goes(runner):
    end = runner.call("import os\nos.write(1, b'\\xff\\x00caf\\xc3')\nreturn 1")

    assert end.stdout == "\ufffd\ufffdcaf\ufffd"


def test_surrogates_can_be_printed(runner):
    assert runner.call("print('\\ud800')\nreturn 1").stdout == "\\ud800\n"


def test_output_is_there_while_the_run_lasts(runner):
    run = runner.start("import time\nprint('started')\ntime.sleep(30)")

    assert soon(lambda: run.output().stdout == "started\n")
    run.cancel()


def test_progress_is_there_while_the_run_lasts(runner):
    code = "from playground.tool import progress\nimport time\nprogress(1, 4, 'first')\ntime.sleep(30)"

    run = runner.start(code)

    assert soon(lambda: run.events == (Progress(1, 4, "first"),))
    run.cancel()


def test_many_reports_of_progress_become_a_few_and_the_last_is_kept(runner):
    code = "from playground.tool import progress\nfor n in range(100_000): progress(n, 100_000)\nreturn 1"

    run = runner.start(code)
    end = run.wait(30)

    assert end.progress == Progress(99_999, 100_000, "")
    assert len(run.events) < 200


def test_progress_never_fails(runner):
    code = "from playground.tool import progress\nprogress('a', object(), float)\nprogress(float('nan'))\nreturn 1"

    assert runner.call(code).response == 1


def test_writing_into_the_pipe_of_the_result_ends_the_run(runner):
    end = runner.call("import os\nos.write(3, b'Z' * 100)\nreturn 1")

    assert (end.outcome, end.error) == ("crashed", "The tool wrote into the pipe on which its result is sent.")


def test_a_tool_that_closes_every_descriptor_ends_without_a_response(runner):
    end = runner.call("import os\nos.closerange(0, 100)\nreturn 1")

    assert (end.outcome, end.has_response) == ("crashed", False)


def test_a_run_that_closed_its_pipe_and_goes_on_costs_nothing_to_watch(runner):
    run = runner.start("import os, time\nos.close(3)\ntime.sleep(60)")
    assert soon(lambda: run.job_read)
    before = cpu_ticks(runner)

    time.sleep(0.5)

    assert cpu_ticks(runner) - before < 0.2 * os.sysconf("SC_CLK_TCK")
    run.cancel()


def cpu_ticks(runner):
    """Processor time of all processes of the runner so far."""
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in runner.processes()]
    return sum(int(fields[11]) + int(fields[12]) for fields in stats)


def test_a_forged_result_is_read_as_strictly_as_any(runner):
    end = runner.call(
        "import os, struct\nos.write(3, struct.pack('>cI', b'R', 5) + b'[NaN]')\nimport time\ntime.sleep(9)"
    )

    assert end.outcome == "raised"
    assert "not JSON" in end.error


# Types


def test_a_request_becomes_the_dataclass_that_the_tool_names(runner):
    end = runner.run("typed_tools:order", loads('{"item": "a", "price": 19.90, "count": 2}'))

    assert end.response == {"type": "Order", "repr": "Order(item='a', price=Decimal('19.9'), count=2, note=None)"}


def test_a_decimal_gets_every_digit_that_was_written(runner):
    end = runner.run("typed_tools:numbers", loads("[0.1234567890123456789012345, 1e-20, 3]"))

    assert end.response["repr"] == "[Decimal('0.1234567890123456789012345'), Decimal('1E-20'), Decimal('3')]"


def test_the_types_that_tools_name_are_known_before_a_run_is_forked(runner):
    assert runner.run("knowing_tools:Factory").response == {"known": ["Neighbour", "Question"]}


@pytest.mark.parametrize(
    "module",
    [
        "Factory.__module__ = 'elsewhere'\n",
        (
            "class Odd:\n    @property\n    def __args__(self): raise OSError\n    __origin__ = {}\n"
            "class Never:\n    request_type = response_type = list[Odd()]\n    def call(self, request): pass\n"
        ),
        (
            "class Beside:\n    __annotations__ = {'request': 'nowhere'}\n    __hash__ = None\n"
            "    def __call__(self, request): pass\nclass Never:\n    call = Beside()\n"
        ),
        "class Never:\n    def call(self, request: '1 / 0'): pass\n",
    ],
    ids=["module that is gone", "odd type", "callable without a hash", "annotation that raises"],
)
def test_types_that_cannot_be_made_out_make_no_factory_unusable(own_runner, tmp_path, module):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    (tmp_path / "odd_types.py").write_text((TOOLS / "attack_tool.py").read_text() + "\n" + module)
    runner = own_runner(search_path=[tmp_path])

    end = runner.run("odd_types:Factory", {"code": "return 1"})

    assert (end.error, end.response) == (None, 1)


def test_a_run_finds_a_process_ready_right_after_another(own_runner):
    runner = own_runner()
    runner.call("return 1")

    for _ in range(20):
        before = len(runner.processes())
        assert runner.call("return 1").outcome == "returned"

    assert len(runner.processes()) <= before + 1  # two run supervisors alternate; no more are started


def test_a_request_becomes_the_typed_dict_that_the_tool_names(runner):
    end = runner.run("typed_tools:place", {"city": "Wien", "lines": ["U1"]})

    assert end.response == {"type": "dict", "repr": "{'city': 'Wien', 'lines': ['U1']}"}


def test_a_request_becomes_the_model_that_the_tool_names(runner):
    request = {"city": "Wien", "at": "2026-03-01T12:00:00Z", "unit": "C", "warmestDay": 7.5}

    assert runner.run("typed_tools:weather", request).response["type"] == "Weather"


def test_a_request_that_does_not_fit_is_refused_in_a_sentence(runner):
    end = runner.run("typed_tools:order", {"price": "cheap"})

    assert end.outcome == "raised"
    assert end.error == (
        "The parameters do not fit the tool's own type Order: /item: Field required; "
        "/price: Input should be a valid decimal."
    )


def test_a_response_of_a_named_type_is_written_as_pydantic_does_with_exact_decimals(runner):
    end = runner.run("typed_tools:returns")

    assert end.response == {
        "at": "2026-03-01T12:00:00Z",
        "lasts": "PT1H30M",
        "id": "00000000-0000-0000-0000-000000000005",
        "price": Decimal("19.90"),
        "unit": "F",
    }
    assert end.response["price"].lexeme == "19.90"


def test_a_model_is_written_under_its_members_aliases(runner):
    end = runner.run("typed_tools:returns_model")

    assert end.response == {"city": "Wien", "at": "2026-03-01T00:00:00Z", "unit": "C", "warmestDay": Decimal("7.50")}


def test_a_dataclass_names_its_own_type(runner):
    end = runner.run("typed_tools:returns_order")

    assert end.response == [{"item": "a", "price": Decimal("0.10"), "count": 1, "note": None}]


@pytest.mark.parametrize("factory", ["Configurable", "ConfigurableByAnnotation"])
def test_a_configuration_becomes_the_type_that_the_factory_names(runner, factory):
    end = runner.run(f"typed_tools:{factory}", configuration={"unit": "F"})

    assert end.response == {"type": "Settings", "repr": "Settings(unit=<Unit.FAHRENHEIT: 'F'>)"}


def test_a_configuration_is_plain_where_no_type_is_named(runner):
    end = runner.run("typed_tools:PlainConfigurable", configuration={"key": [1]})

    assert end.response == {"type": "dict", "repr": "{'key': [1]}"}


def test_a_configurable_factory_gets_an_empty_configuration_where_there_is_none(runner):
    assert runner.run("typed_tools:PlainConfigurable").response["repr"] == "{}"


# Each run for itself


def test_a_run_leaves_nothing_in_the_next(runner):
    runner.call(
        "import sys, os\nsys.modules['left'] = 1\nos.environ['LEFT'] = '1'\nopen('left', 'w').close()\nreturn 1"
    )

    end = runner.call("import sys, os\nreturn ['left' in sys.modules, 'LEFT' in os.environ, os.listdir('.')]")

    assert end.response == [False, False, []]


def test_a_run_finds_no_trace_of_an_earlier_one_in_its_memory(runner):
    secret = "k3y-0f-s0me0ne-e1se"
    runner.call(f"print('{secret}')\nreturn ['{secret}'] * 100")
    code = """
        found, needle = 0, bytes(byte - 1 for byte in b"l4z.1g.t1nf1of.f2tf")
        with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
            for line in maps:
                if " rw" not in line: continue
                start, end = (int(number, 16) for number in line.split()[0].split("-"))
                memory.seek(start)
                try: found += memory.read(end - start).count(needle)
                except OSError: pass
        return found
    """

    end = runner.call(textwrap.dedent(code).strip())

    assert end.outcome == "returned", end.error
    assert end.response <= 1  # what is being looked for is there itself


def test_a_run_has_no_descriptors_but_its_own(runner):
    end = runner.call("import os\nreturn sorted(int(name) for name in os.listdir('/proc/self/fd'))")

    assert end.response[:4] == [0, 1, 2, 3]
    assert len(end.response) == 5  # the last one lists the directory


def test_a_program_that_a_run_starts_inherits_the_standard_descriptors_alone(runner):
    code = "import subprocess\nreturn subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True).stdout"

    assert runner.call(code).response.split() == ["0", "1", "2", "3"]  # the last one lists the directory


def test_a_run_sees_a_short_list_of_variables(own_runner, monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "s3cret")
    monkeypatch.setenv("TZ", "Europe/Vienna")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")

    end = own_runner().call("import os\nreturn sorted(os.environ)")

    allowed = {"HOME", "LANG", "LC_CTYPE", "PATH", "TMPDIR", "TOOLSHELF_TEST_MARK", "TZ"}
    assert "TZ" in end.response
    assert {name for name in end.response if not name.lower().endswith("_proxy")} <= allowed


def test_each_run_has_a_private_directory_that_is_gone_afterwards(runner):
    code = (
        "import os, tempfile\nopen('a', 'w').close()\nreturn [os.getcwd(), tempfile.gettempdir(), os.environ['HOME']]"
    )

    directory, temporary, home = runner.call(code).response

    assert directory == temporary == home
    assert not Path(directory, "a").exists()
    assert runner.call("import os\nreturn os.listdir('.')").response == []


def test_random_numbers_differ_between_runs(runner):
    first, second = (runner.call("import random\nreturn random.random()").response for _ in range(2))

    assert first != second


def test_a_directory_of_any_depth_is_removed(own_runner):
    runner = own_runner(modes=())
    code = """
import os
for n in range(3000):
    os.mkdir('d' * 10)
    open('f', 'w').close()
    os.chdir('d' * 10)
os.chmod('.', 0)
return 1
"""

    assert runner.call(code).response == 1
    assert runner.call("import os\nreturn os.listdir('.')").response == []


# Where namespaces and users keep it apart


@pytest.fixture
def apart(runner):
    if runner.isolation()["mode"] != "namespaces":
        pytest.skip("this machine allows no namespaces")
    return runner


def test_a_run_writes_nowhere_but_to_its_directory(apart):
    for directory in ("/tmp", "/var/tmp", "/home", str(ROOT)):
        end = apart.call(f"open('{directory}/left-by-a-run', 'w')")

        assert end.outcome == "raised"
        assert not Path(directory, "left-by-a-run").exists()


def test_a_run_may_write_where_it_is_allowed(own_runner, tmp_path):
    tmp_path.chmod(0o777)
    for directory in (tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    runner = own_runner(writable=[tmp_path])

    assert runner.call(f"open('{tmp_path}/note', 'w').write('x')\nreturn 1").response == 1
    assert (tmp_path / "note").read_text() == "x"


def test_a_run_does_not_see_hidden_directories(own_runner, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    (tmp_path / "secret").write_text("s3cret")
    runner = own_runner(hidden=[tmp_path])

    end = runner.call(f"open('{tmp_path}/secret').read()")

    assert end.outcome == "raised"
    assert runner.call(f"import os\nreturn os.listdir('{tmp_path}')").response in (None, [])


def test_a_run_has_no_rights(apart):
    status = apart.call("return open('/proc/self/status').read()").response

    fields = dict(line.split(":\t", 1) for line in status.splitlines())
    assert {int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")} == {0}
    assert fields["NoNewPrivs"] == "1"


def test_a_run_cannot_see_the_servers_environment(apart):
    end = apart.call(f"return open('/proc/{os.getpid()}/environ').read()")

    assert end.outcome == "raised"


def test_runs_share_no_memory_segments(apart):
    code = "import ctypes\nreturn ctypes.CDLL(None).shmget(0x7001, 4096, 0o1600 if {} else 0o600)"
    made = "import ctypes\nreturn ctypes.CDLL(None).shmget(0x7001, 4096, 0o1600)"

    assert apart.call(made).response >= 0
    assert apart.call(code.format(False)).response == -1


def test_the_private_directory_is_bounded(apart):
    code = "f = open('fill', 'wb')\nfor n in range(9): f.write(b'x' * 2**20)"

    end = apart.call(code, scratch_bytes=4 * 2**20)

    assert "No space left on device" in end.error


# Limits and ends


def test_a_run_ends_at_its_deadline(runner):
    began_at = time.monotonic()

    end = runner.call("import time; time.sleep(60)", timeout_s=0.5)

    assert end.outcome == "timed_out"
    assert end.error == "The tool did not end within 0.5 s. It was ended, with all that it had started."
    assert 0.5 <= time.monotonic() - began_at < 30  # the tool sleeps for 60 s


def test_what_was_printed_before_the_deadline_is_kept(runner):
    end = runner.call("import time; print('before'); time.sleep(60)", timeout_s=0.5)

    assert end.stdout == "before\n"


def test_a_run_can_be_cancelled(runner):
    run = runner.start("import time; print(1); time.sleep(60)")
    assert soon(lambda: run.output().stdout)

    run.cancel()

    end = run.wait(60)
    assert end.outcome == "cancelled"
    assert runner.nothing_is_left()


def test_cancelling_what_has_ended_changes_nothing(runner):
    run = runner.start("return 1")
    end = run.wait(60)

    run.cancel()

    assert run.wait(60) == end
    assert run.state == "ended"


def test_a_run_says_how_its_time_was_spent(runner):
    runner.call("return 1")

    end = runner.call("import time; time.sleep(0.3); return 1")

    assert 300 <= end.call_ms < 600
    assert 0 < end.start_ms < 300
    assert 0 <= end.queue_ms < 300


def test_too_many_processes_are_refused_to_the_tool(apart):
    code = "import subprocess\nkept = [subprocess.Popen(['sleep', '60']) for n in range(60)]"

    end = apart.call(code, processes=20)

    assert end.outcome == "raised"
    assert "Resource temporarily unavailable" in end.error


@pytest.mark.parametrize("modes", [APART, ("namespaces", "user"), ()], ids=["control groups", "namespaces", "plain"])
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
    assert end.error == "The tool and all that it had started needed more memory than the 200 MiB of a run."
    assert runner.call("return 1").response == 1
    assert runner.nothing_is_left()


def test_processes_that_share_their_memory_are_not_counted_twice(own_runner):
    runner = own_runner(modes=("namespaces", "user"))
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


# The queue


def test_runs_beyond_the_slots_wait_and_know_their_place(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(0.4); return 1") for _ in range(3)]

    assert soon(lambda: [run.position() for run in runs] == [0, 1, 2])
    assert [run.state for run in runs] == ["running", "queued", "queued"]
    ends = [run.wait(60) for run in runs]
    assert [end.outcome for end in ends] == ["returned"] * 3
    assert ends[2].queue_ms > 700
    assert [run.position() for run in runs] == [0, 0, 0]


def test_a_full_queue_says_when_to_come_again(own_runner):
    runner = own_runner(slots=1, queue_max=1)
    runs = [runner.start("import time; time.sleep(60)") for _ in range(2)]

    with pytest.raises(Busy) as caught:
        runner.start("return 1")

    assert 1 <= caught.value.retry_after_s <= 60
    for run in runs:
        run.cancel()
    assert [run.wait(60).outcome for run in runs] == ["cancelled", "cancelled"]


def test_a_run_that_waits_can_be_cancelled(own_runner):
    runner = own_runner(slots=1)
    first = runner.start("import time; time.sleep(0.5); return 1")
    second = runner.start("return 2")

    second.cancel()

    assert second.wait(60).outcome == "cancelled"
    assert first.wait(60).outcome == "returned"


def test_the_time_in_the_queue_does_not_count(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(2); return 1", timeout_s=5) for _ in range(3)]

    assert [run.wait(60).outcome for run in runs] == ["returned"] * 3


def test_many_threads_may_submit_at_once(own_runner):
    runner = own_runner(slots=4)
    responses = []

    def submit(start):
        responses.extend(runner.call(f"return {number}").response for number in range(start, start + 5))

    threads = [threading.Thread(target=submit, args=(start,)) for start in range(0, 60, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(responses) == list(range(60))


def test_whoever_asks_is_told_when_a_run_has_ended(runner):
    told = threading.Event()
    ends = []
    run = runner.start("return 5")

    run.when_done(lambda end: (ends.append(end), told.set()))

    assert told.wait(60)
    assert ends[0].response == 5
    again = threading.Event()
    run.when_done(lambda end: again.set())
    assert again.wait(60)


def test_a_callback_that_fails_disturbs_nobody(runner, caplog):
    run = runner.start("return 5")
    run.when_done(lambda end: 1 / 0)

    assert soon(lambda: "ZeroDivisionError" in caplog.text)
    assert runner.call("return 6").response == 6


# Parents and workers


def test_a_factory_that_starts_threads_is_imported_anew_by_each_run(own_runner):
    runner = own_runner()

    for forks_safely in (True, False):  # the parent finds out by itself when nobody has told it
        end = runner.run("starts_threads:Factory", forks_safely=forks_safely)

        assert end.response == {"answered": True, "imported_here": True}, end.error


def test_a_factory_is_imported_once_for_many_runs(own_runner):
    runner = own_runner(slots=1)

    times = {runner.call("import attack_tool\nreturn attack_tool.IMPORTED_AT").response for _ in range(5)}

    assert len(times) == 1


def test_a_factory_that_could_not_be_imported_is_tried_again(own_runner, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    module = tmp_path / "put_right_later.py"
    module.write_text("raise OSError('not yet')")
    runner = own_runner(search_path=[tmp_path])
    assert runner.run("put_right_later:Factory").error.startswith("OSError: not yet")

    module.write_text((TOOLS / "attack_tool.py").read_text())

    assert soon(lambda: runner.run("put_right_later:Factory", {"code": "return 1"}).outcome == "returned")


def test_a_slow_import_counts_and_the_next_run_finds_it_done(own_runner, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    (tmp_path / "slow.py").write_text("import time\ntime.sleep(6)\n" + (TOOLS / "attack_tool.py").read_text())
    runner = own_runner(search_path=[tmp_path])

    first = runner.run("slow:Factory", {"code": "return 1"}, timeout_s=3)

    assert first.outcome == "timed_out"
    assert "its factory was being imported" in first.error
    time.sleep(4)
    assert runner.run("slow:Factory", {"code": "return 1"}).response == 1


def test_what_is_kept_ready_ends_when_nothing_runs(own_runner):
    runner = own_runner(idle_s=0.5)
    runner.call("return 1")
    assert runner.processes()

    assert soon(lambda: not runner.processes())
    assert runner.call("return 2").response == 2


def test_a_run_survives_the_loss_of_what_was_kept_ready(own_runner):
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
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None], ids=["SIGKILL", "SIGTERM", "exit"])
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
    server = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    watcher = MarkedRunner()
    watcher.mark = server.stdout.readline().strip()
    if how is not None:
        assert watcher.processes()
        server.send_signal(how)

    server.wait(60)
    server.stdout.close()

    assert soon(lambda: not watcher.processes())


def test_slots_beyond_what_is_possible_are_refused():
    with pytest.raises(ValueError, match="from 1 to 400"):
        MarkedRunner(slots=0)


def test_a_closed_runner_takes_no_more_runs():
    runner = MarkedRunner()
    runner.close()

    with pytest.raises(RuntimeError, match="closed"):
        runner.start("return 1")


def test_jobs_show_nothing_secret():
    job = make_job("a:B", {"password": "s3cret"}, configuration={"key": "s3cret"})

    assert "s3cret" not in repr(job)
