"""Killed, out of disk, stopped by a signal: acknowledged data is stored, nothing is half done, and the site restarts.

Each test whose site is killed has one of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import pytest

from tests.attacks.conftest import Program
from tests.attacks.integrity import faults_of
from tests.attacks.watching import servers_of
from tests.site import ROOT, Site
from tests.site_accounts import sql, token

UP_AGAIN_S = 60  # no bound on speed: to wait for it
RANDOMNESS = random.Random(11)


def spec(tool_id, description="d"):
    return json.dumps(
        {"definition": {"id": tool_id, "name": tool_id, "description": description}}
    ).encode()


@pytest.fixture
def own(tmp_path):
    site = Site(tmp_path)
    yield site
    site.stop()


@pytest.fixture
def secret(own):
    return token(own, "tester")


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """A site whose server lasts."""
    site = Site(tmp_path_factory.mktemp("lasting"))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def lasting_secret(lasting):
    return token(lasting, "tester")


class Uploading:
    """Uploads one spec after another in a thread of its own; `acknowledged` holds the ids that were answered for."""

    def __init__(self, site, secret, group, *, at_once=1):
        self.acknowledged = []
        self.statuses = set()
        self._program = Program(site, secret)
        self._group, self._at_once = group, at_once
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work)
        self._thread.start()

    def _work(self):
        number = 0
        while not self._ended.is_set():
            ids = [f"{self._group}-{number + more}" for more in range(self._at_once)]
            number += self._at_once
            try:
                answer = self._send([spec(tool_id) for tool_id in ids])
            except httpx.HTTPError:
                return  # it was killed: nothing was acknowledged
            self.statuses.add(answer.status_code)
            if answer.is_success:
                self.acknowledged += ids

    def _send(self, specs):
        if len(specs) == 1:
            return self._program.publish(specs[0])
        ndjson = {"Content-Type": "application/x-ndjson"}
        return self._program.post("/uploads", content=b"\n".join(specs), headers=ndjson)

    def begun(self):
        """Itself, once something was acknowledged."""
        deadline = time.monotonic() + 30
        while not self.acknowledged:
            assert time.monotonic() < deadline, f"nothing was acknowledged: {self.statuses}"
            time.sleep(0.01)
        return self

    def end(self):
        self._ended.set()
        self._thread.join(30)
        self._program.close()
        return self.acknowledged


def stored(site, prefix):
    with contextlib.closing(sqlite3.connect(site.data_dir / "toolshelf.sqlite3")) as database:
        found = database.execute(
            "SELECT tool_id FROM catalog_tool WHERE tool_id LIKE ?", (f"{prefix}-%",)
        ).fetchall()
    return [tool_id for (tool_id,) in found]


def test_killed_at_random_moments_of_uploads_of_one_and_of_many(own, secret):
    for at_once in (1, 40):
        uploading = Uploading(own, secret, f"kill{at_once}", at_once=at_once).begun()
        time.sleep(RANDOMNESS.random())

        own.kill()
        acknowledged = uploading.end()
        own.start(timeout_s=UP_AGAIN_S)

        assert set(acknowledged) <= set(stored(own, f"kill{at_once}"))
        assert len(stored(own, f"kill{at_once}")) % at_once == 0  # of a bulk all, or nothing
        assert faults_of(own) == []


def test_a_server_process_that_is_killed_is_replaced_by_itself(lasting, lasting_secret):
    uploading = Uploading(lasting, lasting_secret, "gone").begun()
    first = servers_of(lasting.process.pid)

    os.kill(first[0], signal.SIGKILL)

    began = time.monotonic()
    while len(now := servers_of(lasting.process.pid)) < len(first) or first[0] in now:
        assert time.monotonic() - began < UP_AGAIN_S
        time.sleep(0.05)
    assert set(uploading.end()) <= set(stored(lasting, "gone"))


def test_when_the_server_above_is_killed_its_processes_end_and_it_can_be_started_again(own, secret):
    below = servers_of(own.process.pid)

    os.kill(own.process.pid, signal.SIGKILL)
    own.process.wait(10)

    deadline = time.monotonic() + UP_AGAIN_S
    while any(is_alive(pid) for pid in below):
        assert time.monotonic() < deadline, "they serve on"
        time.sleep(0.05)
    own.close()
    own.start()
    with Program(own, secret) as program:
        assert program.publish(spec("after")).status_code == 201


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def killed_soon(site, *words, between=(0.3, 1.5)):
    """Start a command of the site and kill it, unless it ends before."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=site.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        process.wait(RANDOMNESS.uniform(*between))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return process.returncode


def test_killed_while_it_loads_many_specs_it_can_be_done_again_without_doubles(own, tmp_path):
    lines = [spec(f"many-{number}", f"tool {number}") for number in range(1500)]
    (tmp_path / "many.ndjson").write_bytes(b"\n".join(lines))

    killed = [
        killed_soon(own, "load_specs", str(tmp_path / "many.ndjson"), between=(0.8, 2.5))
        for _ in range(3)
    ]
    half_way = len(stored(own, "many"))
    assert faults_of(own) == []
    own.manage("load_specs", str(tmp_path / "many.ndjson"))

    assert -signal.SIGKILL in killed
    assert half_way <= 1500
    assert len(stored(own, "many")) == 1500
    assert faults_of(own) == []  # one revision each, too


def test_a_backup_during_writes_is_consistent_and_a_killed_backup_leaves_the_previous_one(
    own, secret, tmp_path
):
    uploading = Uploading(own, secret, "copied").begun()
    copy = tmp_path / "copy.sqlite3"

    own.manage("backup", str(copy))
    before = copy.read_bytes()
    for _ in range(3):
        killed_soon(own, "backup", str(copy), between=(0.2, 0.9))
    acknowledged = uploading.end()

    assert before[:15] == b"SQLite format 3"
    backed_up = whole_ids(copy)
    assert 0 < len(backed_up) <= len(acknowledged) + 1
    assert backed_up == {
        f"copied-{number}" for number in range(len(backed_up))
    }  # no gap: one moment

    own.stop()
    shutil.copy(copy, own.data_dir / "toolshelf.sqlite3")
    for left in ("-wal", "-shm"):
        (own.data_dir / f"toolshelf.sqlite3{left}").unlink(missing_ok=True)
    own.start()
    assert set(stored(own, "copied")) == backed_up
    assert faults_of(own) == []


def whole_ids(file):
    with contextlib.closing(sqlite3.connect(file)) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return {
            row[0]
            for row in database.execute(
                "SELECT tool_id FROM catalog_tool WHERE tool_id LIKE 'copied-%'"
            )
        }


def test_a_full_disk_refuses_what_would_be_stored_and_reads_go_on(lasting, lasting_secret):
    """The size of files is bounded for the server's processes: no more can be written, as on a full disk."""
    servers = servers_of(lasting.process.pid)
    with Program(lasting, lasting_secret) as program:
        assert program.publish(spec("before")).status_code == 201
        run = {"parameters": {"text": "a"}}
        assert program.post("/tools/hash_text/runs", json=run).json()["outcome"] == "returned"
        with contextlib.closing(
            sqlite3.connect(lasting.data_dir / "toolshelf.sqlite3")
        ) as database:
            # so that each request would note the use of its token
            database.execute("UPDATE accounts_apitoken SET last_used_at = '2020-01-01 00:00:00'")
            database.commit()
        bounds = {
            pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            for pid in servers
        }
        try:
            refused = program.publish(spec("meanwhile"))
            refused_run = program.post("/tools/hash_text/runs", json=run)
            read = program.get("/tools/before")
            page = httpx.get(lasting.url, timeout=300)
        finally:
            for pid, bound in bounds.items():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, bound)

        assert refused.status_code == 503
        assert refused.json()["detail"].startswith("This cannot be stored at the moment")
        assert refused_run.status_code == 503
        assert (read.status_code, page.status_code) == (200, 200)
        assert program.publish(spec("after")).status_code == 201
        assert program.post("/tools/hash_text/runs", json=run).json()["outcome"] == "returned"
        assert program.get("/tools/meanwhile").status_code == 404
    assert faults_of(lasting) == []


def test_a_run_that_ends_on_a_full_disk_is_written_down_when_there_is_room(own, secret):
    servers = servers_of(own.process.pid)
    with Program(own, secret) as program:
        body = {"parameters": {"steps": 1, "seconds": 1.5}, "wait_s": 0}
        run = program.post("/tools/count_slowly/runs", json=body).json()["id"]
        bounds = {
            pid: resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
            for pid in servers
        }
        time.sleep(3)
        for pid, bound in bounds.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, bound)

        deadline = time.monotonic() + UP_AGAIN_S
        while program.get(f"/runs/{run}").json()["outcome"] in {"queued", "running"}:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        assert program.get(f"/runs/{run}").json()["outcome"] == "returned"


def test_runs_end_before_the_server_stops(own, secret):
    """A run longer than the server's own patience of 5 s ends; meanwhile no run starts, and pages are served."""
    program, waiting = Program(own, secret), Program(own, secret)
    answers = []
    body = {"parameters": {"steps": 9, "seconds": 9}, "wait_s": 60}
    thread = threading.Thread(
        target=lambda: answers.append(waiting.post("/tools/count_slowly/runs", json=body))
    )
    thread.start()
    deadline = time.monotonic() + 60
    while (
        not (running := program.get("/runs?outcome=running").json()["items"])
        and time.monotonic() < deadline
    ):
        time.sleep(0.1)
    assert running

    own.process.send_signal(signal.SIGTERM)
    thread.join(60)
    others = [
        Program(own, secret) for _ in range(4)
    ]  # connections to both of the server's processes
    refused = [
        other.post("/tools/hash_text/runs", json={"parameters": {"text": "a"}}) for other in others
    ]
    page = program.get("/tools")
    own.process.wait(60)

    for each in (program, waiting, *others):
        each.close()
    [answer] = answers
    assert answer.status_code == 202
    assert answer.json()["outcome"] in {"queued", "running"}
    assert answer.headers["Location"] == f"/api/v1/runs/{answer.json()['id']}"
    assert {each.status_code for each in refused} == {503}
    assert all(int(each.headers["Retry-After"]) > 0 for each in refused)
    assert "about to stop" in refused[0].json()["detail"]
    assert page.status_code == 200
    own.close()
    own.start()
    assert sql(own, "SELECT outcome FROM playground_run") == [("returned",)]


def test_a_server_that_is_stopped_answers_the_requests_that_it_has_begun(own, secret):
    """No request is cut: each is answered, or its connection was refused or closed before a byte of an answer."""
    answers, cut = [], []
    ended = threading.Event()

    def ask(number):
        program = Program(own, secret)
        while not ended.is_set():
            try:
                body = {"parameters": {"steps": 1, "seconds": 0.3}, "wait_s": 10}
                answer = (
                    program.post("/tools/count_slowly/runs", json=body)
                    if number % 2
                    else program.get("/tools")
                )
                answers.append((answer.status_code, answer.json().get("outcome")))
            except (httpx.ConnectError, httpx.RemoteProtocolError, httpx.ReadError) as error:
                if "incomplete" in str(error) or isinstance(error, httpx.ReadError):
                    cut.append(str(error))
                break
        program.close()

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    time.sleep(1)

    own.process.send_signal(signal.SIGTERM)
    own.process.wait(60)
    ended.set()
    for thread in threads:
        thread.join(30)

    assert not cut
    assert {status for status, _ in answers} <= {200, 201, 202, 503}
    assert {outcome for status, outcome in answers if status == 201} <= {"returned"}
    own.close()
    own.start()
    assert faults_of(own) == []
    assert {outcome for (outcome,) in sql(own, "SELECT DISTINCT outcome FROM playground_run")} <= {
        "returned",
        "crashed",
    }
