"""Runs by Celery's workers: a real Redis, a real server, and a real worker over one data directory."""

import base64
import hmac
import json
import urllib.error
import urllib.request

import pytest

from tests.playground.runs.celery.team import Team, until
from tests.playground.tools.responding_tools import PIXEL

pytestmark = pytest.mark.deep

SECRET = "mrk-7f3a-9c-e1"
CONVERTED = {"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}}
CONFIGURATION = {"key": SECRET}
QUEUE = "toolshelf-runs"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    team = Team(
        tmp_path_factory.mktemp("team"),
        TOOL_FACTORIES="tests.playground.tools.responding_tools:Factory",
    )
    yield team
    team.close()


@pytest.fixture
def team(shared):
    """A web server, a Redis and a worker."""
    return shared.with_worker()


@pytest.fixture
def nobody(shared):
    """A web server and a Redis, and no worker; what was left waiting is taken back."""
    yield shared.without_worker()
    for run in shared.ask("/runs?outcome=queued")["items"]:
        shared.cancel(run["id"])


def everything_in(broker):
    """All keys and values of a Redis; what stands there in base64, as messages do, also decoded."""
    read = {
        b"string": lambda key: [broker.get(key)],
        b"list": lambda key: broker.lrange(key, 0, -1),
        b"set": broker.smembers,
        b"zset": lambda key: broker.zrange(key, 0, -1),
        b"hash": lambda key: [part for pair in broker.hgetall(key).items() for part in pair],
    }
    found = []
    for key in broker.scan_iter():
        found += [key, *read[broker.type(key)](key)]
    found += [base64.b64decode(json.loads(text)["body"]) for text in broker.lrange(QUEUE, 0, -1)]
    return b"\n".join(found)


def test_the_secret_of_a_configuration_is_not_readable_in_the_broker(nobody):
    run = nobody.start("sign_text", parameters={"text": "hello"}, configuration=CONFIGURATION)

    held = everything_in(nobody.redis)

    assert run.encode() in held
    assert SECRET.encode() not in held
    assert base64.b64encode(SECRET.encode())[:16] not in held


def test_a_run_returns_and_conforms(team):
    run = team.run("convert_units", CONVERTED["parameters"])

    assert (run["outcome"], run["verdict"]) == ("returned", "conforms")
    assert run["response"]["value"] == 1000
    assert run["timing"]["queue_ms"] > 0


def test_a_configuration_reaches_the_tool_and_no_log(team):
    run = team.run("sign_text", {"text": "hello"}, configuration=CONFIGURATION)

    assert run["outcome"] == "returned"
    assert run["response"]["signature"] == hmac.digest(SECRET.encode(), b"hello", "sha256").hex()
    assert SECRET not in team.worker_log() + team.site.log()


def test_the_files_of_a_response_come_through_the_database(team):
    team.ask(
        "/tools",
        {"definition": {"id": "responding", "name": "responding", "description": "Returns files."}},
    )

    ended = team.run("responding", {"what": "pixel"})
    request = urllib.request.Request(
        f"{team.site.url}{ended['response_file']}",
        headers={"Authorization": f"Bearer {team.token}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        content = answer.read()

    assert (content, answer.headers["Content-Type"]) == (PIXEL, "image/png")
    assert team.run("responding", {"what": "long"})["files"][0]["is_whole_response"] is True


def test_a_run_is_ended_at_its_limit(team):
    run = team.run("count_slowly", {"steps": 60, "seconds": 60}, timeout_s=1)

    assert run["outcome"] == "timed_out"


def test_progress_is_reported_during_a_run_and_cancel_ends_it(team):
    run = team.start(parameters={"steps": 600, "seconds": 60})
    until(lambda: team.ask(f"/runs/{run}")["progress"])

    team.cancel(run)

    until(lambda: team.outcome(run) == "cancelled")


def test_a_run_of_a_killed_worker_is_crashed_and_never_repeated(nobody):
    team, run = nobody, nobody.start()
    [message] = team.redis.lrange(QUEUE, 0, -1)
    team.with_worker()
    until(lambda: team.outcome(run) == "running")

    team.kill_worker()

    until(lambda: team.outcome(run) == "crashed")
    assert team.numbers()["toolshelf_workers"] == 0
    before = team.ask(f"/runs/{run}")
    assert "may or may not" in before["error"]
    team.redis.lpush(QUEUE, message)
    team.with_worker()
    until(lambda: not team.redis.llen(QUEUE))
    assert team.run("convert_units", CONVERTED["parameters"])["outcome"] == "returned"
    assert team.ask(f"/runs/{run}") == before
