"""Runs by Celery's workers: a real Redis, a real server, and a real worker over one data directory."""

import base64
import hmac
import json
import os
import signal
import threading
import urllib.error
import urllib.request
from datetime import timedelta

import pytest
from django.utils import timezone

from catalog.errors import Busy
from playground import running
from playground.celery import enqueue
from playground.draining import draining
from playground.models import QueuedMessage, Run
from playground.orphans import recover_runs
from playground.tasks import execute_message
from tests.factories import make_user
from tests.playground.celery.team import Team, until
from tests.playground.tools.responding_tools import PIXEL

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


def test_a_run_waits_for_a_worker_and_shows_its_position(nobody):
    first, second = nobody.start(), nobody.start()

    runs = nobody.ask("/runs?outcome=queued")["items"]

    assert {run["id"] for run in runs} == {first, second}


def test_more_than_may_wait_are_refused(nobody):
    for _ in range(3):  # half of the queue, which is the share of one user
        nobody.start()

    with pytest.raises(urllib.error.HTTPError) as refused:
        nobody.start()

    assert refused.value.code == 429
    assert int(refused.value.headers["Retry-After"]) > 0
    refused.value.close()


def test_a_run_cancelled_while_it_waits_is_not_called(nobody):
    run = nobody.start()

    nobody.cancel(run)

    found = nobody.ask(f"/runs/{run}")
    assert found["outcome"] == "cancelled"
    assert "not called" in found["error"]


def test_the_secret_of_a_configuration_is_not_readable_in_the_broker(nobody):
    run = nobody.start("sign_text", parameters={"text": "hello"}, configuration=CONFIGURATION)

    held = everything_in(nobody.redis)

    assert run.encode() in held
    assert SECRET.encode() not in held
    assert base64.b64encode(SECRET.encode())[:16] not in held


@pytest.mark.deep
def test_a_broker_that_does_not_answer_refuses_the_run_and_records_nothing(nobody):
    before = nobody.ask("/runs")["items"]
    os.kill(nobody.server.pid, signal.SIGSTOP)
    try:
        with pytest.raises(urllib.error.HTTPError) as refused:
            nobody.start()
    finally:
        os.kill(nobody.server.pid, signal.SIGCONT)

    assert refused.value.code == 503
    refused.value.close()
    assert nobody.ask("/runs")["items"] == before


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


def test_a_response_that_violates_is_shown_with_its_problems(team):
    run = team.run("drifting_thermometer", {"place": "attic", "hours_since_calibration": 30})

    assert (run["outcome"], run["verdict"]) == ("returned", "violates")
    assert "battery_percent" in run["problems"][0]["message"]


def test_a_run_is_ended_at_its_limit(team):
    run = team.run("count_slowly", {"steps": 60, "seconds": 60}, timeout_s=1)

    assert run["outcome"] == "timed_out"


def test_progress_is_reported_during_a_run_and_cancel_ends_it(team):
    run = team.start(parameters={"steps": 600, "seconds": 60})
    until(lambda: team.ask(f"/runs/{run}")["progress"])

    team.cancel(run)

    until(lambda: team.outcome(run) == "cancelled")


@pytest.mark.deep
def test_a_run_of_a_killed_worker_is_crashed_and_never_repeated(nobody):
    team, run = nobody, nobody.start()
    [message] = team.redis.lrange(QUEUE, 0, -1)
    team.with_worker()
    until(lambda: team.outcome(run) == "running")

    team.kill_worker()

    until(lambda: team.outcome(run) == "crashed")
    assert ended(team, "crashed") >= 1
    assert team.numbers()["toolshelf_workers"] == 0
    before = team.ask(f"/runs/{run}")
    assert "may or may not" in before["error"]
    team.redis.lpush(QUEUE, message)
    team.with_worker()
    until(lambda: not team.redis.llen(QUEUE))
    assert team.run("convert_units", CONVERTED["parameters"])["outcome"] == "returned"
    assert team.ask(f"/runs/{run}") == before


def ended(team, outcome):
    """The count of live runs with this outcome, from the metrics."""
    return team.numbers().get(f'toolshelf_run_seconds_count{{outcome="{outcome}",mode="live"}}', 0)


def test_runs_that_workers_did_are_among_the_numbers_of_the_web_server(team):
    before = {outcome: ended(team, outcome) for outcome in ("returned", "timed_out", "refused")}

    team.run("convert_units", CONVERTED["parameters"])
    team.run("count_slowly", {"steps": 60, "seconds": 60}, timeout_s=1)
    team.run("convert_units", {})

    for outcome, count in before.items():
        until(lambda outcome=outcome, count=count: ended(team, outcome) == count + 1)
    assert team.numbers()['toolshelf_run_seconds_sum{outcome="timed_out",mode="live"}'] >= 1


def test_runs_that_no_worker_called_are_among_the_numbers_too(nobody):
    before = ended(nobody, "cancelled")

    nobody.cancel(nobody.start())

    assert ended(nobody, "cancelled") == before + 1


@pytest.fixture
def sent(runs, builtin, settings, monkeypatch):
    """Sends a run of a built-in tool and gives what the worker gets."""
    settings.RUNNER = "celery"
    messages = []
    monkeypatch.setattr("playground.celery.app.send", lambda *message: messages.append(message))

    def send(name, parameters, by=None):
        tool = builtin(name)
        running.start(tool, tool.current, parameters, by=by)
        return messages[-1]

    return send


def test_a_message_that_comes_twice_calls_nothing_twice(sent):
    message = sent("convert_units", CONVERTED["parameters"])
    execute_message(*message)
    [before] = Run.objects.values()

    execute_message(*message)

    assert before["outcome"] == "returned"
    assert Run.objects.values().get() == before


def test_a_worker_with_other_keys_reports_it_and_calls_nothing(sent, settings):
    message = sent("convert_units", CONVERTED["parameters"])
    settings.CONFIGURATION_KEYS = ["others"]

    execute_message(*message)

    run = Run.objects.get()
    assert run.outcome == "crashed"
    assert "TOOLSHELF_CONFIGURATION_KEYS" in run.error


def test_the_message_of_another_run_is_refused(sent):
    _, others = sent("convert_units", CONVERTED["parameters"])
    Run.objects.all().delete()
    message = sent("hash_text", {"text": "hello"})
    QueuedMessage.objects.update(encrypted=others)

    execute_message(*message)

    assert Run.objects.get().outcome == "crashed"


def test_a_worker_executes_the_runs_of_two_users_alternately(sent):
    ada, bob = make_user("ada"), make_user("bob")
    messages = [sent("hash_text", {"text": "hello"}, by=by) for by in (ada, ada, ada, bob, bob)]
    queued = list(Run.objects.order_by("pk"))
    positions = [running.queue_position(run) for run in queued]

    for message in messages:
        execute_message(*message)

    ended = list(Run.objects.order_by("started_at").select_related("by"))
    assert [run.by.username for run in ended] == ["ada", "bob", "ada", "bob", "ada"]
    assert [ended.index(run) + 1 for run in queued] == positions


def test_only_clients_that_can_ask_later_are_answered_when_the_server_drains(sent):
    sent("hash_text", {"text": "hello"})
    run = Run.objects.get()
    started = []
    draining.set()
    try:
        assert enqueue.wait(run, 60, ends_on_drain=True).is_active
        waiting = threading.Thread(target=lambda: started.append(enqueue.wait(run, 60)))
        waiting.start()
        assert not started
        Run.objects.update(outcome="cancelled")
        waiting.join(60)
    finally:
        draining.clear()

    assert [each.outcome for each in started] == ["cancelled"]


def test_one_user_cannot_fill_the_queue_for_workers(sent, settings):
    settings.RUN_QUEUE_MAX = 4
    ada, bob = make_user("ada"), make_user("bob")
    for _ in range(2):
        sent("hash_text", {"text": "hello"}, by=ada)

    with pytest.raises(Busy, match="Your share of the queue is full"):
        sent("hash_text", {"text": "hello"}, by=ada)

    sent("hash_text", {"text": "hello"}, by=bob)
    assert Run.objects.waiting().count() == 3


def test_a_run_that_no_worker_takes_is_given_up(sent, settings):
    sent("convert_units", CONVERTED["parameters"])
    settings.RUN_QUEUE_WAIT_S = 60
    assert recover_runs() == 0
    Run.objects.update(created_at=timezone.now() - timedelta(seconds=61))

    assert recover_runs() == 1

    assert "No worker claimed this run within 60 s" in Run.objects.get().error


def test_a_run_waits_longer_than_a_worker_may_be_silent(sent):
    sent("convert_units", CONVERTED["parameters"])
    Run.objects.update(created_at=timezone.now() - timedelta(minutes=5))

    assert recover_runs() == 0
