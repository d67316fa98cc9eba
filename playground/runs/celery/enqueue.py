"""Runs for Celery's workers: a web server sends them, waits for them and withdraws them.

The worker is in `tasks.py`.

    begin (web) -> stored as waiting, message sent -> run_tool (worker): claimed, called, checked,
    redacted, stored

The run is stored in the database. The message adds, encrypted, the values that the row must not
contain: the configuration and secret parameters. Until a worker claims the run, the message is also
stored in the database, because Redis may lose it (`redelivery.py`). Only the row decides whether a
run has been claimed, so a message that arrives twice does not repeat a call.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Min, Q
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from playground.configurations.secret_members import Configuration
from playground.runs.draining import draining
from playground.runs.models import QueuedMessage, Run, RunQuerySet
from playground.runs.signals import check_run_ended
from playground.runs.visitors import check_slots
from playground.runs.writer import record_start
from toolshelf_core import audit
from toolshelf_core.encryption import encrypt
from toolshelf_core.errors import Busy, Unreachable
from toolshelf_core.fairness import OWN_SHARE, may_queue
from toolspec.text.reader import JSON, dumps

MIN_POLL_S = 0.02
MAX_POLL_S = 0.25
UNREACHABLE = "The queue for runs cannot be reached, so the run was not started."
WITHDRAWN = "The run was cancelled while it was waiting. The tool was not called."


@sensitive_variables("configuration", "parameters", "content")
def begin(run: Run, configuration: Configuration | None, parameters: JSON) -> Run:
    """Store `run` as waiting for a worker, and send its message.

    Raises:
        Busy: the queue is full, or the slots of visitors are. Nothing was stored, or the run is
            cancelled.
        Unreachable: the message could not be sent. Nothing was stored.
    """
    # Celery is installed only where it is used.
    from playground.runs.celery.app import BrokerError, send  # noqa: PLC0415

    content: dict[str, JSON] = {"run": run.id}
    if dumps(parameters) != run.parameters_json:  # secrets in them are not stored
        content["parameters"] = parameters
    if configuration:
        content["configuration"] = configuration.value
        content["configuration_secrets"] = [*sorted(configuration.secret_pointers)]
    encrypted = encrypt(content)
    with transaction.atomic():
        run.turn = _find_turn(run)
        run.save(force_insert=True)
        QueuedMessage.objects.create(run=run, encrypted=encrypted)
        record_start(run)
    try:
        check_slots(run)
        send(run.id, encrypted)
    except BrokerError as error:
        deleted_rows, _ = Run.every.waiting().filter(pk=run.pk).delete()
        if deleted_rows:
            audit.record("run.withdraw", "run", run.pk, after={"reason": UNREACHABLE})
            raise Unreachable(UNREACHABLE, retry_after_s=10) from error
        # Otherwise a worker has claimed it: only the confirmation of the message was lost.
    except BaseException:
        deleted_rows, _ = Run.every.waiting().filter(pk=run.pk).delete()
        if not deleted_rows:  # a worker has claimed it
            Run.every.active().filter(pk=run.pk).update(cancel_requested_at=timezone.now())
        raise
    return run


def _find_turn(run: Run) -> int:
    """Find the turn of `run` among the waiting ones, so that owners alternate.

    See `toolshelf_core.fairness.Turns`.

    Raises:
        Busy: the queue is full, or the owner's share of it.
    """
    own = Q(by=run.by)
    waiting = Run.every.waiting().aggregate(
        all=Count("pk"),
        own=Count("pk", filter=own),
        current=Min("turn"),
        latest=Max("turn", filter=own),
    )
    free = max(1, settings.RUN_QUEUE_MAX) - waiting["all"]
    if free <= 0:
        raise Busy(
            f"The queue is full: {settings.RUN_QUEUE_MAX:,} runs are waiting.", retry_after_s=10
        )
    if not may_queue(waiting["own"], free):
        raise Busy(OWN_SHARE.format(waiting=waiting["own"]), retry_after_s=10)
    current = waiting["current"] or 0
    latest = waiting["latest"]
    return current if latest is None else max(current, latest + 1)


def wait(run: Run, timeout_s: float, *, ends_on_drain: bool = False) -> Run:
    """Wait until `run` has ended, at most `timeout_s`, and return its current state.

    With `ends_on_drain`, return as soon as this process drains, for clients that can ask for the
    run later.
    """
    deadline = time.monotonic() + timeout_s
    pause_s = MIN_POLL_S
    active = Run.every.active().filter(pk=run.pk)
    while time.monotonic() < deadline and active.exists():
        if ends_on_drain and draining.is_set():
            break
        time.sleep(min(pause_s, max(0.0, deadline - time.monotonic())))
        pause_s = min(pause_s * 1.5, MAX_POLL_S)
    return Run.every.with_names().get(pk=run.pk)


def withdraw(run: Run) -> bool:
    """Cancel a run unless a worker has claimed it, and return whether it was cancelled.

    Workers ignore its message.
    """
    return end_uncalled(Run.every.waiting(), run, "cancelled", WITHDRAWN)


def end_uncalled(among: RunQuerySet, run: Run, outcome: str, error: str) -> bool:
    """Store the end of a run whose tool was not called, if it is `among` these runs.

    Return whether it was.
    """
    now = timezone.now()
    with transaction.atomic():
        if not among.filter(pk=run.pk).update(outcome=outcome, error=error, finished_at=now):
            return False
        QueuedMessage.objects.filter(run=run).delete()
    if run.example_check:
        check_run_ended.send(sender=Run, check=run.example_check)
    run.outcome, run.error, run.finished_at = outcome, error, now
    return True
