"""The messages for Celery's workers: what executes them, and what is refused, without a worker's process."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from playground.runs import running
from playground.runs.celery import enqueue
from playground.runs.draining import draining
from playground.runs.models import QueuedMessage, Run
from playground.runs.orphans import recover_runs
from playground.runs.tasks import execute_message
from tests.factories import make_user
from toolshelf_core.errors import Busy

CONVERTED = {"parameters": {"value": 1, "from_unit": "km", "to_unit": "m"}}


@pytest.fixture
def sent(runs, builtin, settings, monkeypatch):
    """Sends a run of a built-in tool and gives what the worker gets."""
    settings.RUNNER = "celery"
    messages = []
    monkeypatch.setattr(
        "playground.runs.celery.app.send", lambda *message: messages.append(message)
    )

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


def test_a_worker_checks_again_whether_visitors_may_run_the_tool(sent, builtin, settings):
    tool = builtin("convert_units")
    run = running.start_for_visitor(tool, tool.current, CONVERTED["parameters"])
    settings.VISITOR_RUNS = False

    execute_message(run.pk, "")

    run = Run.every.get()
    assert run.outcome == "crashed"
    assert "Visitors can run only the tools that come with Toolshelf." in run.error


def test_a_visitor_s_run_that_a_worker_claimed_without_a_slot_is_cancelled(
    sent, builtin, monkeypatch
):
    def check_late(run):
        Run.every.filter(pk=run.pk).update(outcome="running", host="a worker")
        raise Busy("All slots are in use.", retry_after_s=2)

    monkeypatch.setattr(enqueue, "check_slots", check_late)
    tool = builtin("convert_units")

    with pytest.raises(Busy):
        running.start_for_visitor(tool, tool.current, CONVERTED["parameters"])

    assert Run.every.get().cancel_requested_at
