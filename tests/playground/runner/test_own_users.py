"""A site that root runs where there are no namespaces, as in many containers: tools have users of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.playground.runners import MarkedRunner

ROOT = Path(__file__).resolve().parents[3]

pytestmark = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root can give processes another user"
)

# The Python installation of a container can be read by every user; that of this machine perhaps not. The program
# therefore runs where it can.
PROGRAM = """
import json, os, sys
from playground.runner.worker import syscalls
from playground.runner.worker.mounts import View, arrange_mounts, needed_directories
syscalls.unshare(syscalls.CLONE_NEWNS)
arrange_mounts(View(needed_directories(), writable=("/tmp", "/dev")), lambda: None)
from tests.playground.runners import MarkedRunner
secret = os.path.join(sys.argv[1], "secret")
with open(secret, "w") as file: file.write("hunter22")
os.chmod(secret, 0o600)
runner = MarkedRunner(modes=("own users",), slots=2)
def call(code):
    end = runner.call(code)
    return end.response if end.outcome == "returned" else end.error.splitlines()[0]
write = "import os; open('x', 'w').close(); return [os.listdir('.'), os.stat('.').st_uid == os.getuid()]"
found = {
    "isolation": runner.isolation(),
    "identity": call("import os; return [os.getuid(), os.geteuid(), os.getgid(), os.getgroups()]"),
    "another factory": runner.run("environment_tool:Factory").outcome,
    "secret": call(f"return open({secret!r}).read()"),
    "server's environment": call(f"return open('/proc/{os.getpid()}/environ').read()"),
    "server": call(f"import os; os.kill({os.getpid()}, 0)"),
    "becoming root": call("import os; os.setuid(0)"),
    "own directory": call(write),
    "left by the run before": call("import os; return os.listdir('.')"),
    "status": call("return open('/proc/self/status').read().splitlines()"),
    "deadline": runner.call("import time; time.sleep(60)", timeout_s=0.5).outcome,
    "daemon": call("import os, time\\nif not os.fork():\\n    os.setsid()\\n    time.sleep(60)\\nreturn 1"),
    "nothing is left": runner.nothing_is_left(),
}
runner.close()
found["processes"] = len(runner.processes())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_probe_finds_the_mode(found):
    assert (found["isolation"]["mode"], found["isolation"]["own_users"]) == ("plain", True), found[
        "isolation"
    ]


def test_a_run_has_a_user_that_owns_nothing(found):
    uid, effective, gid, groups = found["identity"]

    assert uid == effective == gid >= 0x7000_0000
    assert groups == []
    assert found["another factory"] == "returned"


def test_a_run_cannot_read_what_only_the_site_can(found):
    assert found["secret"].startswith("PermissionError")
    assert found["server's environment"].startswith("PermissionError")


def test_a_run_cannot_signal_the_server_or_become_root(found):
    assert found["server"].startswith("PermissionError")
    assert found["becoming root"].startswith("PermissionError")
    assert "CapPrm:\t0000000000000000" in found["status"]
    assert "NoNewPrivs:\t1" in found["status"]


def test_a_run_has_a_private_directory_that_the_next_finds_empty(found):
    assert found["own directory"] == [["x"], True]
    assert found["left by the run before"] == []


def test_all_processes_of_a_run_end(found):
    assert found["deadline"] == "timed_out"
    assert found["daemon"] == 1
    assert found["nothing is left"] is True
    assert found["processes"] == 0


def test_where_other_users_cannot_read_python_the_reason_is_reported(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    runner = MarkedRunner(modes=("own users",))
    runner._worker_arguments["search_path"] = [*runner._worker_arguments["search_path"], closed]
    try:
        isolation = runner.isolation()
    finally:
        runner.close()

    assert (isolation["mode"], isolation["own_users"]) == ("plain", False)
    assert "Permission denied" in isolation["refused"]["users"]
