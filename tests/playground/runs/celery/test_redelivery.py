"""Messages that Redis has lost: which are sent again, and which are not."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from playground.runs import running
from playground.runs.celery import app, enqueue
from playground.runs.celery.redelivery import redeliver
from playground.runs.models import QueuedMessage, Run
from playground.runs.orphans import recover_runs
from playground.runs.tasks import execute_message
from toolshelf_core.errors import Unreachable

CONVERTED = {"value": 1, "from_unit": "km", "to_unit": "m"}


class Queue:
    """The messages in Redis, and everything that was sent to it."""

    def __init__(self):
        self.held = []
        self.sent = []

    def send(self, run_id, encrypted):
        self.held.append((run_id, encrypted))
        self.sent.append(run_id)


@pytest.fixture
def queue(runs, settings, monkeypatch):
    settings.RUNNER = "celery"
    queue = Queue()
    monkeypatch.setattr("playground.runs.celery.app.send", queue.send)
    monkeypatch.setattr("playground.runs.celery.redelivery.send", queue.send)
    monkeypatch.setattr("playground.runs.celery.redelivery.queue_length", lambda: len(queue.held))
    return queue


@pytest.fixture
def start(queue, builtin):
    tool = builtin("convert_units")
    return lambda: running.start(tool, tool.current, CONVERTED, by=None)


def let_them_wait():
    QueuedMessage.objects.update(sent_at=timezone.now() - timedelta(seconds=6))


def test_messages_lost_by_redis_are_sent_again_unchanged(queue, start):
    runs = [start(), start()]
    before, queue.held = queue.held, []
    let_them_wait()

    assert redeliver() == 2

    assert queue.held == before
    assert queue.sent == [run.id for run in runs] * 2


def test_where_one_message_is_missing_all_that_wait_are_sent_again(queue, start):
    for _ in range(3):
        start()
    queue.held.pop(0)
    let_them_wait()

    assert redeliver() == 3


def test_nothing_is_sent_again_while_redis_has_a_message_for_each_run(queue, start):
    start(), start()
    let_them_wait()

    assert redeliver() == 0


def test_a_recent_message_is_not_sent_again(queue, start):
    start()
    queue.held.clear()

    assert redeliver() == 0


def test_it_is_sent_once_more_only_after_another_while(queue, start):
    start()
    queue.held.clear()
    let_them_wait()

    assert [redeliver(), redeliver()] == [1, 0]


def test_two_servers_that_look_at_once_send_it_once(queue, start, monkeypatch):
    runs = [start(), start()]
    queue.sent.clear()
    let_them_wait()

    def send_while_the_other_looks(run_id, encrypted):
        queue.send(run_id, encrypted)
        if len(queue.sent) == 1:
            redeliver()

    monkeypatch.setattr("playground.runs.celery.redelivery.queue_length", lambda: 0)
    monkeypatch.setattr("playground.runs.celery.redelivery.send", send_while_the_other_looks)

    redeliver()

    assert queue.sent == [run.id for run in runs]


def test_a_run_that_a_worker_has_claimed_is_not_sent_again(queue, start):
    start()
    execute_message(*queue.held.pop())

    assert not QueuedMessage.objects.exists()
    assert redeliver() == 0


def test_a_run_that_was_cancelled_is_not_sent_again(queue, start):
    running.cancel(start())

    assert not QueuedMessage.objects.exists()


def test_a_run_that_was_given_up_is_not_sent_again(queue, start):
    start()
    Run.objects.update(created_at=timezone.now() - timedelta(days=1))

    assert recover_runs() == 1

    assert not QueuedMessage.objects.exists()


def test_a_run_that_could_not_be_sent_is_not_sent_later_either(queue, start, monkeypatch):
    def refuse(run_id, encrypted):
        raise app.BrokerError("gone")

    monkeypatch.setattr("playground.runs.celery.app.send", refuse)

    with pytest.raises(
        Unreachable, match="The queue for runs cannot be reached, so the run was not started"
    ):
        start()

    assert not Run.objects.exists()
    assert not QueuedMessage.objects.exists()


def test_a_run_that_a_worker_has_claimed_is_there_although_redis_did_not_confirm_its_message(
    queue, start, monkeypatch
):
    def send_unconfirmed(run_id, encrypted):
        execute_message(run_id, encrypted)
        raise app.BrokerError("no answer")

    monkeypatch.setattr("playground.runs.celery.app.send", send_unconfirmed)

    run = enqueue.wait(start(), 10)

    assert run.outcome == "returned"


def test_an_unresponsive_redis_blocks_at_most_a_quarter_of_the_threads(settings, monkeypatch):
    answered, began = threading.Event(), threading.Semaphore(0)

    def never_answered(*_, **__):
        began.release()
        answered.wait(60)

    monkeypatch.setattr(app.app, "send_task", never_answered)
    stuck = [threading.Thread(target=app.send, args=(f"{n}", "")) for n in range(app.SENDERS)]
    for thread in stuck:
        thread.start()
        assert began.acquire(timeout=60)

    with pytest.raises(app.BrokerError, match="other messages are already waiting"):
        app.send("one too many", "")

    answered.set()
    for thread in stuck:
        thread.join(60)
    app.send("the next", "")
    assert began.acquire(timeout=60)
    assert settings.WEB_THREADS // 4 == app.SENDERS
