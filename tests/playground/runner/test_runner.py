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
from playground.runner import Progress, local_runner, scheduler
from tests.playground.runners import APART, TOOLS, MarkedRunner, make_job, soon
from toolshelf_tools.files import ResponseFile

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


@pytest.fixture
def open_folder(tmp_path):
    """A directory that other users may read."""
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    return tmp_path


def test_readiness_waits_for_a_worker_that_was_started(own_runner):
    runner = own_runner(slots=1)
    assert runner.wait_until_ready(0)  # nothing was started

    runner.warm([])

    assert runner.wait_until_ready(60)


def test_readiness_gives_up_on_a_worker_that_cannot_start(own_runner, monkeypatch):
    def fail(**_):
        raise OSError("no more processes")

    monkeypatch.setattr(local_runner, "WorkerProcess", fail)
    runner = own_runner(slots=1)

    runner.warm([])

    assert not runner.wait_until_ready(0.1)


EDITED = """
class Edited:
    def call(self, request): return {!r}
class Factory:
    def tool_id(self): return "edited"
    def create(self): return Edited()
"""


# Responses


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


def test_an_error_is_a_sentence_followed_by_a_traceback(runner):
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
            (
                "The response is not JSON at /a~1b: a bytes cannot be represented in JSON; decode it, or wrap it in a "
                "File."
            ),
        ),
        (
            "return [{1, 2}]",
            "The response is not JSON at /0: a set cannot be represented in JSON; return a sorted list.",
        ),
        ("return {None: 1}", "The response is not JSON at its root: the key None is a NoneType, not a string."),
        (
            "x = {}\nx['x'] = [x]\nreturn x",
            "The response is not JSON at /x/0: the value contains a circular reference.",
        ),
        ("return ['\\ud800']", "The response is not JSON at /0: a string contains an unpaired surrogate."),
        ("return object()", "The response is not JSON at its root: an object cannot be represented in JSON."),
        (
            "return [(n for n in [1])]",
            "The response is not JSON at /0: a generator cannot be represented in JSON; return a list.",
        ),
        (
            "x = 0\nfor n in range(65): x = [x]\nreturn x",
            f"The response is not JSON at {'/0' * 64}: it is nested more than 64 deep.",
        ),
    ],
)
def test_a_value_that_json_cannot_represent_is_refused_with_its_position(runner, code, sentence):
    end = runner.call(code)

    assert end.outcome == "raised"
    assert end.error == sentence


def test_the_same_list_twice_is_not_a_loop(runner):
    end = runner.call("x = [1]\nreturn [x, x, {'a': x}]")

    assert end.response == [[1], [1], {"a": [1]}]


def test_a_response_of_exactly_the_limit_comes_back(runner):
    end = runner.call("return 'x' * 998", response_bytes=1000)

    assert end.response == "x" * 998


def test_a_response_beyond_the_limit_keeps_its_beginning(runner):
    end = runner.call("return 'x' * 999", response_bytes=1000, attached_bytes=900)

    assert (end.outcome, end.is_cut, end.response, end.files) == ("returned", True, '"' + "x" * 999, ())


def test_all_of_a_response_beyond_the_limit_is_a_file_if_that_may_be_so_long(runner):
    end = runner.call("return 'x' * 999", response_bytes=1000, attached_bytes=1500)

    content = b'"' + b"x" * 999 + b'"'
    assert end.files == (ResponseFile("response.json", "application/json", content, is_whole=True),)


def test_a_cut_response_ends_with_a_whole_character(runner):
    end = runner.call("return 'é' * 999", response_bytes=1000)

    assert end.response == '"' + "é" * 499


# Files


def test_bytes_are_a_file(runner):
    end = runner.call("return b'%PDF-1.7'")

    assert end.files == (ResponseFile("response.pdf", "application/pdf", b"%PDF-1.7"),)
    assert end.response == end.files[0].description()


def test_a_path_in_the_working_folder_is_a_file(runner):
    end = runner.call("from pathlib import Path\nPath('a.csv').write_text('1,2')\nreturn Path('a.csv')")

    assert end.files == (ResponseFile("a.csv", "text/csv", b"1,2"),)


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("return Path('/etc/hostname')", "The file /etc/hostname is not in the working folder of the run."),
        ("Path('a').symlink_to('/etc/hostname')\nreturn Path('a')", "The file a is not in the working folder"),
        ("return Path('nowhere')", "The file nowhere of the response cannot be read: No such file or directory."),
        ("return Path('.')", ". is not a file; only a file can be a response."),
        ("return b'x' * 2001", "A file of the response has 2,001 bytes; 2,000 are left for the files of a response."),
        ("return [File(b'x' * 1500), File(b'x' * 501)]", "A file of the response has 501 bytes; 500 are left"),
        ("return [File(b'')] * 21", "The response has more than 20 files."),
        ("return File(b'', media_type='png')", "'png' is not a media type; write one such as 'image/png'."),
        ("return File('text')", "TypeError: The content of a File is bytes, not str; encode a text first."),
        ("return File()", "TypeError: A File takes either content or path."),
    ],
)
def test_a_file_that_cannot_be_a_response_is_refused(runner, code, sentence):
    code = f"from pathlib import Path\nfrom toolshelf_tools import File\n{code}"
    end = runner.call(code, attached_bytes=2000)

    assert end.outcome == "raised"
    assert end.error.startswith(sentence)


def test_a_typed_response_may_have_files(runner):
    end = runner.run("typed_tools:report")

    assert end.response["chart"]["mediaType"] == "image/gif"
    assert [file.pointer for file in end.files] == ["/chart"]


def test_frames_of_files_beyond_the_limit_end_the_run(runner):
    code = """
        import os, struct
        for _ in range(100):
            os.write(3, struct.pack(">cI", b"F", 2) + b"{}")
    """
    end = runner.call(textwrap.dedent(code), attached_bytes=2000)

    assert (end.outcome, end.error) == ("crashed", "The tool wrote to the pipe that is reserved for its result.")


# Coroutines and generators


def test_a_coroutine_is_awaited(runner):
    end = runner.call("import asyncio\nasync def answer():\n    await asyncio.sleep(0)\n    return 7\nreturn answer()")

    assert (end.response, end.error) == (7, None)


def test_an_error_in_a_coroutine_shows_only_the_code_of_the_tool(runner):
    end = runner.call("async def answer():\n    raise ValueError('no')\nreturn answer()")

    assert end.error.startswith('ValueError: no\n\nTraceback (most recent call last):\n  File "<string>"')


def test_an_async_tool_ends_at_its_time_limit(runner):
    end = runner.call("import asyncio\nreturn asyncio.sleep(60)", timeout_s=0.5)

    assert end.outcome == "timed_out"


@pytest.mark.parametrize(
    ("code", "response", "log"),
    [
        ("yield 'one'\nyield {'n': 2}\nreturn 3", 3, 'one\n{"n": 2}\n'),
        ("yield 'one'\nyield {'n': 2}", {"n": 2}, "one\n"),
        ("yield 'one'\nyield Progress(2, 3, 'two')", "one", "one\n"),
        ("yield Progress(2, 3, 'two')", None, ""),
        ("async def steps():\n    yield 1\n    yield 2\nreturn steps()", 2, "1\n"),
        ("async def steps():\n    if False: yield\nreturn steps()", None, ""),
    ],
)
def test_a_generator_responds_with_what_it_returns_or_else_yields_last(runner, code, response, log):
    end = runner.call(f"from toolshelf_tools import Progress\n{code}")

    assert (end.outcome, end.response, end.stdout) == ("returned", response, log)
    assert end.progress == (Progress(2, 3, "two") if "Progress" in code else None)


def test_what_a_generator_yielded_before_an_error_is_in_the_log(runner):
    end = runner.call("yield 'one'\nraise ValueError('no')")

    assert (end.outcome, end.stdout) == ("raised", "one\n")


def test_a_response_of_a_mebibyte_comes_back(runner):
    end = runner.call("return ['é' * 1000] * 520")

    assert end.response == ["é" * 1000] * 520


def test_parameters_of_a_mebibyte_arrive(runner):
    end = runner.run("attack_tool:Factory", {"code": "return len(request)", "more": "x" * 2**20})

    assert end.outcome == "raised"  # the tool runs, and has no `request`
    assert "NameError" in end.error


# Output


def test_stdout_and_stderr_are_stored_separately(runner):
    end = runner.call("import sys\nprint('out')\nprint('err', file=sys.stderr)\nreturn 1")

    assert (end.stdout, end.stderr) == ("out\n", "err\n")


def test_output_of_programs_and_c_code_is_stored(runner):
    code = "import ctypes, os\nos.system('echo program')\nctypes.CDLL(None).puts(b'c code')\nreturn 1"

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
    code = "from playground.tool import progress\nimport time\nprogress(1, 4, 'first')\ntime.sleep(30)"

    run = runner.start(code)

    assert soon(lambda: run.events == (Progress(1, 4, "first"),))
    run.cancel()


def test_many_reports_of_progress_become_a_few_including_the_last(runner):
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

    assert (end.outcome, end.error) == ("crashed", "The tool wrote to the pipe that is reserved for its result.")


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
    stats = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in runner.processes()]
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
    end = runner.call("import os, struct\nos.write(3, struct.pack('>cI', b'R', 2) + b'[]')\nimport time\ntime.sleep(9)")

    assert end.outcome == "raised"
    assert "not valid JSON" in end.error


# Types


def test_a_request_becomes_the_dataclass_that_the_tool_annotates(runner):
    end = runner.run("typed_tools:order", loads('{"item": "a", "price": 19.90, "count": 2}'))

    assert end.response == {"type": "Order", "repr": "Order(item='a', price=Decimal('19.9'), count=2, note=None)"}


def test_a_decimal_gets_every_digit_that_was_written(runner):
    end = runner.run("typed_tools:numbers", loads("[0.1234567890123456789012345, 1e-20, 3]"))

    assert end.response["repr"] == "[Decimal('0.1234567890123456789012345'), Decimal('1E-20'), Decimal('3')]"


def test_annotated_types_are_loaded_before_a_run_is_forked(runner):
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
def test_annotations_that_fail_do_not_make_a_factory_unusable(own_runner, tmp_path, module):
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


def test_a_request_becomes_the_typed_dict_that_the_tool_annotates(runner):
    end = runner.run("typed_tools:place", {"city": "Wien", "lines": ["U1"]})

    assert end.response == {"type": "dict", "repr": "{'city': 'Wien', 'lines': ['U1']}"}


def test_a_request_becomes_the_model_that_the_tool_annotates(runner):
    request = {"city": "Wien", "at": "2026-03-01T12:00:00Z", "unit": "C", "warmestDay": 7.5}

    assert runner.run("typed_tools:weather", request).response["type"] == "Weather"


def test_a_request_that_does_not_match_is_refused_with_a_message(runner):
    end = runner.run("typed_tools:order", {"price": "cheap"})

    assert end.outcome == "raised"
    assert end.error == (
        "The parameters do not match the tool's own type Order: /item: Field required; "
        "/price: Input should be a valid decimal."
    )


def test_an_annotated_response_is_written_as_pydantic_does_with_exact_decimals(runner):
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


def test_a_dataclass_implies_its_own_type(runner):
    end = runner.run("typed_tools:returns_order")

    assert end.response == [{"item": "a", "price": Decimal("0.10"), "count": 1, "note": None}]


@pytest.mark.parametrize("factory", ["Configurable", "ConfigurableByAnnotation"])
def test_a_configuration_becomes_the_type_that_the_factory_annotates(runner, factory):
    end = runner.run(f"typed_tools:{factory}", configuration={"unit": "F"})

    assert end.response == {"type": "Settings", "repr": "Settings(unit=<Unit.FAHRENHEIT: 'F'>)"}


def test_a_configuration_is_plain_without_an_annotation(runner):
    end = runner.run("typed_tools:PlainConfigurable", configuration={"key": [1]})

    assert end.response == {"type": "dict", "repr": "{'key': [1]}"}


def test_a_configurable_factory_gets_an_empty_configuration_if_there_is_none(runner):
    assert runner.run("typed_tools:PlainConfigurable").response["repr"] == "{}"


# Each run for itself


def test_a_run_leaves_nothing_in_the_next(runner):
    runner.call(
        "import sys, os\nsys.modules['left'] = 1\nos.environ['LEFT'] = '1'\nopen('left', 'w').close()\nreturn 1"
    )

    end = runner.call("import sys, os\nreturn ['left' in sys.modules, 'LEFT' in os.environ, os.listdir('.')]")

    assert end.response == [False, False, []]


def test_a_run_finds_no_trace_of_an_earlier_run_in_its_memory(runner):
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


def test_a_run_has_only_its_own_descriptors(runner):
    end = runner.call("import os\nreturn sorted(int(name) for name in os.listdir('/proc/self/fd'))")

    assert end.response[:4] == [0, 1, 2, 3]
    assert len(end.response) == 5  # the last one lists the directory


def test_a_program_that_a_run_starts_inherits_only_the_standard_descriptors(runner):
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


def test_a_run_writes_only_to_its_directory(apart):
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
    assert end.error == "The tool did not finish within 0.5 s. It was stopped, with its child processes."
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
    assert end.error == "The tool and its child processes used more memory than the 200 MiB that a run may use."
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


# Warming


def test_a_warmed_factory_is_imported_once_and_before_its_first_run(own_runner):
    runner = own_runner()
    runner.warm([make_job("timed_import:Factory")])
    assert soon(lambda: any(each.answers for each in runner._scheduler._zygotes.values()))
    before = time.monotonic_ns()

    imported_at = [runner.run("timed_import:Factory").response for _ in range(2)]

    assert imported_at[0] < before
    assert imported_at[1] == imported_at[0]


@pytest.mark.parametrize(
    "broken", ["import_hang:Factory", "import_error:factory", "import_exit:factory", "gone:factory"]
)
def test_a_factory_that_cannot_be_warmed_delays_no_run(own_runner, broken):
    runner = own_runner()
    runner.warm([make_job(broken), make_job("attack_tool:Factory")])

    assert runner.call("return 1").response == 1
    assert runner.run(broken, timeout_s=1).outcome in {"raised", "timed_out"}
    assert runner.call("return 2").response == 2


@pytest.mark.deep
def test_a_factory_that_hangs_while_it_is_warmed_is_given_up(own_runner, monkeypatch):
    monkeypatch.setattr(scheduler, "_WARM_LIMIT_S", 3.0)
    runner = own_runner()
    runner.warm([make_job("import_hang:Factory"), make_job("attack_tool:Factory")])

    zygotes = runner._scheduler._zygotes
    assert soon(lambda: [key for key, each in list(zygotes.items()) if each.answers] == ["attack_tool:Factory@ all#0"])
    assert "import_hang:Factory@ all#0" not in zygotes


def test_warmed_processes_stay_while_nothing_runs(own_runner):
    runner = own_runner(idle_s=0.4)
    runner.warm([make_job("attack_tool:Factory")])
    runner.run("create_none:Factory")
    zygotes = runner._scheduler._zygotes

    assert soon(lambda: len(zygotes) == 1 and zygotes["attack_tool:Factory@ all#0"].answers)
    time.sleep(1)

    assert list(zygotes) == ["attack_tool:Factory@ all#0"]
    assert runner.call("return 1").response == 1


# The queue


def test_runs_beyond_the_slots_wait_and_know_their_position(own_runner):
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


@pytest.mark.deep
def test_the_time_in_the_queue_does_not_count(own_runner):
    runner = own_runner(slots=1)
    runs = [runner.start("import time; time.sleep(2); return 1", timeout_s=5) for _ in range(3)]

    assert [run.wait(60).outcome for run in runs] == ["returned"] * 3


def test_many_threads_may_submit_concurrently(own_runner):
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


# Parents and workers


def test_a_factory_that_starts_threads_is_imported_again_by_each_run(own_runner):
    runner = own_runner()

    for forks_safely in (True, False):  # without the flag the parent detects the threads
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


# Changed code


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
