"""Runs that Celery's workers do: sent by a web server, waited for and withdrawn. The other half is `taking.py`.

    begin (web) -> recorded as waiting, message sent -> take (worker): claimed, called, checked, scrubbed, written down

The run is stored in the database. The message adds, encrypted, the values that the row must not contain: the
configuration and secret parameters. Until a worker claims the run, the message is also stored in the database, because
Redis may lose it (`redelivery.py`). Only the row decides whether a run has been claimed, so a message that arrives
twice does not repeat a call.
"""

from __future__ import annotations

import time

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.errors import Busy, Unreachable
from catalog.jsontext.reader import JSON, dumps
from playground.configurations.encryption import encrypt
from playground.configurations.secret_members import Configuration
from playground.examples.results import settle
from playground.models import QueuedMessage, Run, RunQuerySet
from playground.run_writer import count

LOOKS_FIRST_S = 0.02
LOOKS_AT_LEAST_S = 0.25
UNREACHABLE = "The queue for runs cannot be reached, so the run was not started."
WITHDRAWN = "The run was cancelled while it waited. The tool was not called."


@sensitive_variables("configuration", "parameters", "content")
def begin(run: Run, configuration: Configuration | None, parameters: JSON) -> Run:
    """Record `run` as waiting for a worker, and tell the workers.

    Raises:
        Busy: as many wait as may wait. Nothing was recorded.
        Unreachable: the message could not be sent. Nothing was recorded.
    """
    from playground.celery.app import BrokerError, send  # noqa: PLC0415 - Celery is there only where it is used

    content: dict[str, JSON] = {"run": run.id}
    if dumps(parameters) != run.parameters_json:  # secrets in them are not stored
        content["parameters"] = parameters
    if configuration:
        content["configuration"] = configuration.value
    encrypted = encrypt(content)
    with transaction.atomic():
        if Run.objects.waiting().count() >= max(1, settings.RUN_QUEUE_MAX):
            raise Busy(
                f"{settings.RUN_QUEUE_MAX:,} runs wait already; no more are accepted for the moment.", retry_after_s=10
            )
        run.save(force_insert=True)
        QueuedMessage.objects.create(run=run, encrypted=encrypted)
    try:
        send(run.id, encrypted)
    except BrokerError as error:
        withdrawn, _ = Run.objects.waiting().filter(pk=run.pk).delete()
        if withdrawn:
            raise Unreachable(UNREACHABLE, retry_after_s=10) from error
        # Otherwise a worker has claimed it: only the confirmation of the message was lost.
    except BaseException:
        Run.objects.waiting().filter(pk=run.pk).delete()
        raise
    return run


def wait(run: Run, timeout_s: float) -> Run:
    """`run` when it has ended, or as it stands after `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    pause_s = LOOKS_FIRST_S
    while (left_s := deadline - time.monotonic()) > 0 and Run.objects.active().filter(pk=run.pk).exists():
        time.sleep(min(pause_s, left_s))
        pause_s = min(pause_s * 1.5, LOOKS_AT_LEAST_S)
    return Run.objects.with_names().get(pk=run.pk)


def withdraw(run: Run) -> bool:
    """End a run that no worker has taken yet, and say whether it was one. Its message will find that nothing waits."""
    return end_uncalled(Run.objects.waiting(), run, "cancelled", WITHDRAWN)


def end_uncalled(among: RunQuerySet, run: Run, outcome: str, error: str) -> bool:
    """Write down the end of a run whose tool was not called, and say whether it was `among` these."""
    now = timezone.now()
    with transaction.atomic():
        if not among.filter(pk=run.pk).update(outcome=outcome, error=error, finished_at=now):
            return False
        QueuedMessage.objects.filter(run=run).delete()
    if run.example_check:
        settle(run.example_check)
    run.outcome, run.error, run.finished_at = outcome, error, now
    count(run)
    return True
