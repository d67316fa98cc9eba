"""A run leaves nothing to the next, and sees and changes nothing outside its directory."""

import textwrap
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

ROOT = Path(__file__).resolve().parents[3]


def test_a_run_leaves_nothing_in_the_next(runner):
    runner.call(
        "import sys, os\nsys.modules['left'] = 1\nos.environ['LEFT'] = '1'\nopen('left', 'w').close()\nreturn 1"
    )

    end = runner.call(
        "import sys, os\nreturn ['left' in sys.modules, 'LEFT' in os.environ, os.listdir('.')]"
    )

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


def test_a_package_of_an_author_comes_before_one_of_ours_of_the_same_name(runner):
    code = "import sys\nreturn [sys.path[-1], sorted({'accounts', 'catalog'} & {*sys.modules})]"

    assert runner.call(code).response == [str(ROOT), []]


def test_a_run_has_only_its_own_descriptors(runner):
    end = runner.call("import os\nreturn sorted(int(name) for name in os.listdir('/proc/self/fd'))")

    assert end.response[:4] == [0, 1, 2, 3]
    assert len(end.response) == 5  # the last one lists the directory


def test_a_program_that_a_run_starts_inherits_only_the_standard_descriptors(runner):
    code = "import subprocess\nreturn subprocess.run(['ls', '/proc/self/fd'], capture_output=True, text=True).stdout"

    assert runner.call(code).response.split() == [
        "0",
        "1",
        "2",
        "3",
    ]  # the last one lists the directory


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
        "import os, tempfile\nopen('a', 'w').close()\nreturn [os.getcwd(), "
        "tempfile.gettempdir(), os.environ['HOME']]"
    )

    directory, temporary, home = runner.call(code).response

    assert directory == temporary == home
    assert not Path(directory, "a").exists()
    assert runner.call("import os\nreturn os.listdir('.')").response == []


def test_random_numbers_differ_between_runs(runner):
    first, second = (
        runner.call("import random\nreturn random.random()").response for _ in range(2)
    )

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
    assert {
        int(fields[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh", "CapAmb")
    } == {0}
    assert fields["NoNewPrivs"] == "1"


def test_runs_share_no_memory_segments(apart):
    code = "import ctypes\nreturn ctypes.CDLL(None).shmget(0x7001, 4096, 0o1600 if {} else 0o600)"
    made = "import ctypes\nreturn ctypes.CDLL(None).shmget(0x7001, 4096, 0o1600)"

    assert apart.call(made).response >= 0
    assert apart.call(code.format(False)).response == -1


def test_the_private_directory_is_bounded(apart):
    code = "f = open('fill', 'wb')\nfor n in range(9): f.write(b'x' * 2**20)"

    end = apart.call(code, scratch_bytes=4 * 2**20)

    assert "No space left on device" in end.error
