"""Every hostile tool behaviour of the attack cases ends in time with a named outcome, and nothing of it remains.

The cases' words for outcomes are not ours: a time-out is "timed_out", a crash "crashed", success "returned", and an
error, a bad result, one too large and a want of memory are "raised", with a sentence that says which. `EXPECTED` says,
case by case, what ours is.
"""

import json
import os
import resource
import socket
import threading
import time

import pytest

from tests.corpora import ATTACKS
from tests.playground.runners import APART, MarkedRunner, soon

pytestmark = [pytest.mark.alone, pytest.mark.deep]

LIMIT_S = 2.0
LONG_S = 60.0  # for tools that end by themselves: no machine takes as long
MEMORY = 512 * 1024 * 1024
LITTLE_MEMORY = 128 * 1024 * 1024  # filling it takes a moment
GROWTH = 64 * 1024  # KiB that this process may grow by


def cases():
    lines = ATTACKS.read_text().splitlines()
    return {case["id"]: case for case in map(json.loads, lines) if case["target"] == "tool"}


CASES = cases()

EXPECTED = {
    "tool-sleep": ("timed_out", ""),
    "tool-sleep-swallow": ("timed_out", ""),
    "tool-ignore-sigterm": ("timed_out", ""),
    "tool-memory-list": ("raised", "needed more memory than the 128 MiB"),
    "tool-memory-one": ("raised", "needed more memory than the 128 MiB"),
    "tool-output-result-200mb": ("returned", ...),  # its beginning
    "tool-output-stdout-endless": ("timed_out", ""),
    "tool-fork-bomb": ("timed_out", ""),
    "tool-thread-left": ("returned", {"ok": True}),
    "tool-child-left": ("returned", ...),
    "tool-daemonize": ("returned", {"ok": True}),
    "tool-os-exit": ("crashed", "exit code 0 before it returned a response"),
    "tool-os-exit-7": ("crashed", "exit code 7 before it returned a response"),
    "tool-sys-exit": ("raised", "sys.exit(bye)"),
    "tool-kill-self": ("crashed", "ended by SIGKILL"),
    "tool-kill-parent": ("raised", "PermissionError"),
    "tool-keyboard-interrupt": ("raised", "KeyboardInterrupt"),
    "tool-generator-exit": ("raised", "GeneratorExit"),
    "tool-exc-huge": ("raised", "ValueError: mmm"),
    "tool-exc-badstr": ("raised", "E: (its message is not available: RuntimeError)"),
    "tool-exc-unpicklable": ("raised", "E: 1"),
    "tool-exc-surrogate": ("raised", "ValueError: \\ud800"),
    "tool-exc-group": ("raised", "ExceptionGroup: g (10000 sub-exceptions); ValueError: 0"),
    "tool-exc-chain": ("raised", "ValueError: 1999"),
    "tool-ret-int-key": ("raised", "the key 1 is an int, not a string"),
    "tool-ret-bigint": ("raised", "at /x: the integer has more than 300 digits"),
    "tool-ret-int65": ("returned", {"x": 2**70}),
    "tool-ret-nul": ("raised", "at /x: a string contains a NUL character"),
    "tool-ret-none": ("returned", None),
    "tool-ret-decimal": ("raised", "at /x: a Decimal cannot be represented in JSON"),
    "tool-ret-datetime": ("raised", "at /x: a datetime cannot be represented in JSON"),
    "tool-ret-strsub": ("returned", {"x": "a"}),
    "tool-ret-dictsub-lies": ("raised", "TypeError"),
    "tool-ret-float-keys": ("raised", "the key 1.5 is a float, not a string"),
    "tool-ret-type-mismatch": ("returned", {"x": "not a number"}),
    "tool-ret-html": ("returned", {"x": "<script>@@MARK@@</script>"}),
    "tool-gc-scan": ("returned", {"n": 0}),
    "tool-db-open": ("raised", "PermissionError"),
    "tool-disk-fill": ("raised", "OSError: [Errno 27] File too large"),
    "tool-net-connect": ("returned", {"s": 200}),
    "tool-monkeypatch": ("returned", {}),
    "tool-atexit-hang": ("returned", {"ok": True}),
    "tool-rlimit-raise": ("raised", "ValueError: not allowed to raise maximum limit"),
    "tool-create-none": ("raised", "create() returned NoneType, which has no call()"),
    "tool-import-error": ("raised", "RuntimeError: this package does not work"),
    "tool-import-hang": ("timed_out", "its factory was being imported"),
    "tool-wrong-signature": (
        "raised",
        "TypeError: Factory.create() missing 1 required positional argument: 'second'",
    ),
    "tool-missing-dependency": (
        "raised",
        "ModuleNotFoundError: No module named 'a_package_that_nobody_has'",
    ),
}

WITHOUT_NAMESPACES = {
    # what differs where a run shares the machine's processes and files, and the server is root
    "tool-kill-parent": ("returned", {}),
    "tool-db-open": ("raised", "at /h: a string contains a NUL character"),
}
"""Without namespaces and users of their own, runs are as near to the server's files and processes as any program of
its user, and the file is read; the factories page reports this. A run supervisor ignores SIGTERM."""

UNBOUNDED_WITHOUT_USERS = {"tool-fork-bomb"}
"""Linux does not count root's processes: where root runs tools as root, nothing but namespaces ends a fork bomb."""


def test_every_case_has_an_expected_outcome():
    assert CASES.keys() == EXPECTED.keys()


@pytest.fixture(scope="module")
def secret_file(tmp_path_factory):
    """A file like the site's database, in a directory that is hidden from runs."""
    directory = tmp_path_factory.mktemp("data")
    directory.chmod(0o700)
    path = directory / "database.sqlite3"
    path.write_bytes(b"SQLite format 3\0" + b"secret" * 100)
    path.chmod(0o600)
    return path


@pytest.fixture(scope="module")
def web_server():
    """A small server on this machine, which tools may reach like any other."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(10_000)
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]
        listener.shutdown(socket.SHUT_RDWR)


@pytest.fixture(scope="module", params=[APART, ()], ids=["apart", "plain"])
def runner(request, secret_file):
    runner = MarkedRunner(modes=request.param, slots=4, hidden=[secret_file.parent])
    runner.modes = request.param
    assert runner.call("return 1").response == 1
    yield runner
    runner.close()
    assert soon(lambda: not runner.processes())


@pytest.mark.parametrize("case_id", sorted(CASES))
def test_a_hostile_tool_is_contained(case_id, runner, secret_file, web_server, tmp_path):
    if not runner.modes and case_id in UNBOUNDED_WITHOUT_USERS:
        pytest.skip("Linux does not bound root's processes")
    expected = (
        EXPECTED[case_id] if runner.modes else WITHOUT_NAMESPACES.get(case_id, EXPECTED[case_id])
    )
    code = (
        CASES[case_id]["code"]
        .replace("@@DB_FILE@@", str(secret_file))
        .replace("@@CANARY_PORT@@", str(web_server))
    )
    code = code.replace("@@PWN_DIR@@", str(tmp_path / "pwned"))
    reference = (
        "attack_tool:Factory"
        if code
        else f"{case_id.removeprefix('tool-').replace('-', '_')}:Factory"
    )
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    memory_bytes = LITTLE_MEMORY if "memory" in case_id else MEMORY
    outcome, shown = expected
    timeout_s = LIMIT_S if outcome == "timed_out" else LONG_S
    began_at = time.monotonic()
    end = runner.run(
        reference, {"code": code}, timeout_s=timeout_s, memory_bytes=memory_bytes, wait_s=2 * LONG_S
    )
    took_s = time.monotonic() - began_at

    assert end is not None
    assert end.outcome == outcome, end.error
    if outcome == "returned":
        assert shown is ... or end.response == shown
    else:
        assert shown in end.error
        assert len(end.error) <= 4000
    if outcome == "timed_out":
        assert LIMIT_S <= took_s < LIMIT_S + 30
    assert runner.call("return {'next': 1}").response == {"next": 1}
    assert runner.nothing_is_left()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < GROWTH
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("case_id", "outcome"),
    [
        ("tool-daemonize", "returned"),
        ("tool-db-open", "raised"),
        ("tool-fork-bomb", "timed_out"),
        (
            "tool-kill-parent",
            "returned",
        ),  # the signal is sent, and what watches the run does not mind
        ("tool-memory-list", "raised"),
        ("tool-rlimit-raise", "raised"),
    ],
)
def test_namespaces_contain_a_tool_without_users_of_their_own(case_id, outcome, secret_file):
    runner = MarkedRunner(modes=("namespaces", "control groups"), hidden=[secret_file.parent])
    if case_id == "tool-fork-bomb" and not runner.isolation()["control_groups"]:
        pytest.skip("Linux does not bound root's processes")
    try:
        assert runner.call("return 1").response == 1
        code = CASES[case_id]["code"].replace("@@DB_FILE@@", str(secret_file))
        end = runner.call(code, timeout_s=LIMIT_S, memory_bytes=LITTLE_MEMORY)

        assert end.outcome == outcome, end.error
        assert runner.call("return 1").response == 1
        assert runner.nothing_is_left()
    finally:
        runner.close()


def test_processes_of_a_run_end_even_if_it_ends_its_supervisor(runner):
    code = """
import os, signal, time
watching = os.getppid()
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(600)
time.sleep(0.2)
os.kill(watching, signal.SIGKILL)
time.sleep(600)
"""

    end = runner.call(code, timeout_s=LIMIT_S)

    assert (
        end.outcome == ("timed_out" if runner.modes else "crashed")
        or "PermissionError" in end.error
    )
    assert runner.nothing_is_left()
    assert runner.call("return 1").response == 1


def test_a_run_cannot_read_the_servers_environment(runner):
    end = runner.call(
        f"return open('/proc/{os.getpid()}/environ', 'rb').read().decode('latin-1').split('=')"
    )

    assert end.outcome == "raised"
    assert end.error.startswith(("PermissionError", "FileNotFoundError"))


def test_a_run_in_namespaces_sees_only_its_own_processes(runner):
    if not runner.modes:
        pytest.skip("without namespaces it sees them all")

    end = runner.call(
        "import os; return sorted(int(name) for name in os.listdir('/proc') if name.isdigit())"
    )

    assert end.response[0] == 1
    assert len(end.response) == 2
