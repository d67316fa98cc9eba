"""Redis ends, is killed or is paused under a web server and a worker: both go on, and no run waits in vain.

One site, one worker and one port for all of it; Redis stores nothing on disk, so that its data is lost each time.
"""

import hmac
import os
import signal
import sqlite3
import urllib.error
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.attacks.integrity import faults_of
from tests.playground.runs.celery.team import Team, until

pytestmark = pytest.mark.deep

QUEUE = "toolshelf-runs"
SECRET = "mrk-2b81-d0-f7"
CONVERTED = {"value": 1, "from_unit": "km", "to_unit": "m"}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    team = Team(tmp_path_factory.mktemp("team"), queue_max=100)
    yield team
    team.close()


@pytest.fixture
def team(shared):
    """A web server, a Redis and a worker that is connected to it."""
    shared.with_worker()
    until(lambda: workers(shared) == 1)
    yield shared
    if shared.server.poll() is not None:
        shared.start_redis()


def workers(team):
    """How many there are, as /readyz and /metrics say."""
    ready = team.page("/readyz")
    assert ready in {"ready\nworkers: 0\n", "ready\nworkers: 1\n"}
    return int(ready.split()[-1])


def refusal(team):
    """The status and the text with which a run is refused."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        team.start()
    with refused.value as answer:
        return answer.code, answer.read().decode()


def messages(team):
    """The messages in the database that no worker has claimed."""
    with sqlite3.connect(team.directory / "toolshelf.sqlite3") as database:
        found = [
            encrypted
            for (encrypted,) in database.execute("SELECT encrypted FROM playground_queuedmessage")
        ]
    database.close()
    return found


def sockets(process):
    return sum(
        str(descriptor.readlink()).startswith("socket:")
        for descriptor in Path(f"/proc/{process.pid}/fd").iterdir()
    )


def test_runs_under_way_go_on_without_redis_and_the_worker_takes_the_next_ones_when_it_is_back(
    team,
):
    ending = team.start(parameters={"steps": 3, "seconds": 3})
    lasting = team.start(parameters={"steps": 80, "seconds": 8})
    cancelled = team.start()
    until(lambda: all(team.ask(f"/runs/{run}")["progress"] for run in (ending, lasting, cancelled)))

    team.stop_redis(signal.SIGKILL)

    until(lambda: workers(team) == 0)
    done = team.ask(f"/runs/{lasting}")["progress"]["done"]
    until(lambda: team.ask(f"/runs/{lasting}")["progress"]["done"] > done)
    team.cancel(cancelled)
    until(lambda: team.outcome(cancelled) == "cancelled")
    until(lambda: team.outcome(ending) == "returned")
    assert refusal(team)[0] == 503
    team.start_redis()
    until(lambda: workers(team) == 1)
    assert team.run("convert_units", CONVERTED)["outcome"] == "returned"
    until(lambda: team.outcome(lasting) == "returned")
    assert team.worker.poll() is None


def test_lost_messages_are_sent_again_except_those_of_cancelled_runs(team):
    busy = [team.start() for _ in range(4)]  # as many as the worker has slots
    until(lambda: all(team.outcome(run) == "running" for run in busy))
    waiting = [team.start("convert_units", parameters=CONVERTED) for _ in range(3)]
    signing = team.start("sign_text", parameters={"text": "hello"}, configuration={"key": SECRET})
    cancelled = team.start()
    assert len(messages(team)) == team.redis.llen(QUEUE) == 5
    assert SECRET not in "".join(messages(team))

    team.stop_redis(signal.SIGKILL)
    team.cancel(cancelled)
    team.start_redis()

    assert team.redis.llen(QUEUE) == 0
    until(
        lambda: 4 <= team.redis.llen(QUEUE) <= 8
    )  # those that were overdue first may have been sent twice by then
    for run in busy:
        team.cancel(run)
    until(lambda: all(team.outcome(run) == "returned" for run in (*waiting, signing)))
    signed = team.ask(f"/runs/{signing}")["response"]["signature"]
    assert signed == hmac.digest(SECRET.encode(), b"hello", "sha256").hex()
    assert "not called" in team.ask(f"/runs/{cancelled}")["error"]
    assert messages(team) == []


def test_without_redis_a_run_is_refused_and_not_recorded(team):
    before = team.ask("/runs")["items"]
    team.stop_redis()

    status, text = refusal(team)

    assert status == 503
    assert "The queue for runs cannot be reached, so the run was not started." in text
    assert team.ask("/runs")["items"] == before
    assert messages(team) == []


def test_while_redis_is_paused_pages_are_answered_and_runs_are_refused(team):
    """Redis accepts connections and says nothing: every run that is asked for waits for it for some seconds."""
    os.kill(team.server.pid, signal.SIGSTOP)
    try:
        with ThreadPoolExecutor(20) as people:
            refused = [people.submit(refusal, team) for _ in range(20)]
            assert team.page("/healthz") == "ok\n"
            assert team.page("/readyz").startswith("ready\nworkers: ")
            assert "toolshelf_workers" in team.metrics()
            assert "convert_units" in team.page("/api/v1/tools/convert_units")
            assert {future.result()[0] for future in refused} == {503}
        until(lambda: workers(team) == 0, timeout_s=90)
    finally:
        os.kill(team.server.pid, signal.SIGCONT)

    assert team.run("convert_units", CONVERTED)["outcome"] == "returned"
    until(lambda: workers(team) == 1)
    assert team.worker.poll() is None


def test_an_idle_worker_connects_again_and_again_and_leaves_nothing_open(team):
    team.run("convert_units", CONVERTED)
    open_before = sockets(team.worker)

    for how in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
        team.stop_redis(how)
        until(lambda: workers(team) == 0)
        team.start_redis()
        until(lambda: workers(team) == 1)

    assert sockets(team.worker) <= open_before
    assert team.run("convert_units", CONVERTED)["outcome"] == "returned"


def test_uploads_and_searches_work_without_redis(team):
    """The procedure `redis-gone` of the attack cases."""
    team.stop_redis()

    for number in range(3):
        tool = {
            "definition": {
                "id": f"gone-{number}",
                "name": f"gone-{number}",
                "description": "Without a queue.",
            }
        }
        assert team.ask("/tools", tool)["outcome"] == "created"

    assert {tool["id"] for tool in team.ask("/tools?q=gone")["items"]} >= {
        "gone-0",
        "gone-1",
        "gone-2",
    }
    assert refusal(team)[0] == 503
    team.start_redis()
    until(lambda: workers(team) == 1)
    assert team.run("convert_units", CONVERTED)["outcome"] == "returned"
    assert faults_of(team.site) == []


def test_a_worker_without_redis_can_be_stopped(team):
    team.stop_redis()
    until(lambda: workers(team) == 0)

    team.without_worker()  # waits for its end

    assert team.numbers()["toolshelf_workers"] == 0
