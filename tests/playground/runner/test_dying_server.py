"""The server dies in the middle of runs: none is lost, none stays "running", no process is left."""

import json
import os
import signal
import sqlite3
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.site import Site
from tests.site_accounts import token

pytestmark = pytest.mark.deep

RUNS = 40


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site that ends without waiting for the runs that are left; each test leaves it running."""
    site = Site(tmp_path_factory.mktemp("site"), TOOLSHELF_DRAIN_S="0")
    yield site
    site.stop()


class Api:
    def __init__(self, site):
        self.site = site
        self.token = token(site, "tester")

    def ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.site.url}/api/v1{path}", data=data, headers=headers
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def start(self, seconds=60):
        body = {"parameters": {"steps": 3, "seconds": seconds}, "wait_s": 0, "timeout_s": 120}
        return self.ask("/tools/count_slowly/runs", body)["id"]

    def outcomes(self):
        found, cursor = {}, ""
        while True:
            page = self.ask(f"/runs?limit=200&cursor={cursor}")
            found |= {run["id"]: run["outcome"] for run in page["items"]}
            cursor = page["next"]
            if not cursor:
                return found


def parents():
    """Every process of the machine that has not ended, with its parent."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent, *_ = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if state not in "ZX":
                found[int(entry.name)] = int(parent)
    return found


def below(pid):
    """The processes that descend from `pid`."""
    known = parents()
    found = {pid}
    while more := {child for child, parent in known.items() if parent in found} - found:
        found |= more
    return found - {pid}


def until(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.1)


def servers_of(site):
    """The processes that serve requests: the children of the started process that serve."""
    known = parents()
    children = [pid for pid, parent in known.items() if parent == site.process.pid]
    return [pid for pid in children if b"\0serve\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def test_killed_in_the_middle_of_many_runs_and_started_again(site):
    api = Api(site)
    started = {api.start() for _ in range(RUNS)}
    until(lambda: "running" in api.outcomes().values())

    site.kill()
    with sqlite3.connect(site.data_dir / "toolshelf.sqlite3") as database:
        left = database.execute(
            "SELECT count(*) FROM playground_run WHERE outcome IN ('queued', 'running')"
        ).fetchone()
    site.start()

    outcomes = api.outcomes()
    assert left[0] > 0
    assert set(outcomes) == started
    assert set(outcomes.values()) == {"crashed"}
    run = api.ask(f"/runs/{started.pop()}")
    assert "The server stopped" in run["error"]
    assert (
        api.ask(
            "/tools/convert_units/runs",
            {"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}},
        )["outcome"]
        == "returned"
    )


def test_no_process_of_a_tool_outlives_the_server(site):
    api = Api(site)
    idle = below(site.process.pid)
    for _ in range(4):
        api.start()
    until(lambda: list(api.outcomes().values()).count("running") == 4)
    until(lambda: len(below(site.process.pid) - idle) >= 4)  # a process at least for each run
    before = below(site.process.pid)

    site.kill()

    until(lambda: not before & parents().keys())
    site.start()


def test_when_one_server_process_dies_its_runs_are_marked_and_the_site_goes_on(site):
    api = Api(site)
    started = [api.start() for _ in range(6)]
    until(lambda: list(api.outcomes().values()).count("running") == 6)
    with sqlite3.connect(site.data_dir / "toolshelf.sqlite3") as database:
        all_hosts = dict(database.execute("SELECT id, host FROM playground_run"))
    hosts = {run: all_hosts[run] for run in started}
    pid = int(next(iter(hosts.values())).split("/")[1])
    lost = {run for run, host in hosts.items() if f"/{pid}/" in host}

    os.kill(pid, signal.SIGKILL)

    until(lambda: "crashed" in outcomes_of(started, api).values())
    outcomes = outcomes_of(started, api)
    assert {run for run, outcome in outcomes.items() if outcome == "crashed"} == lost
    assert {outcome for run, outcome in outcomes.items() if run not in lost} <= {"running"}
    until(lambda: len(servers_of(site)) == 2)


def outcomes_of(runs, api):
    outcomes = patiently(api.outcomes)
    return {run: outcomes[run] for run in runs}


def patiently(ask):
    """The result of `ask`, repeated while the connection breaks because a server process has just died."""
    for _ in range(20):
        try:
            return ask()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(0.2)
    return ask()


def test_a_run_killed_just_as_it_began_is_not_reported_as_never_called(site):
    api = Api(site)
    run = api.start()
    time.sleep(0.4)

    site.kill()
    site.start()

    error = api.ask(f"/runs/{run}")["error"]
    assert "may or may not have been called" in error
    assert "not called" not in error
