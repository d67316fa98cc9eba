"""The Celery task: claim a run, call its tool, store the result as a web server does."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import cast

from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.sources.schedule import sync_due
from catalog.webhooks.delivery import deliver_due
from playground.configurations.compiled_spec import compiled_spec_of
from playground.configurations.secret_members import Configuration, RunSecrets
from playground.factories.connections import factory_of
from playground.factories.registry import IMPORT_LIMIT_S
from playground.runs.celery.app import SYNC_TASK, TASK, WEBHOOK_TASK, app
from playground.runs.celery.enqueue import end_uncalled
from playground.runs.conclusion import conclude
from playground.runs.models import QueuedMessage, Run
from playground.runs.refusals import factory_problems
from playground.runs.running import job_for
from playground.runs.supervisor import ActiveRun, Supervisor, supervisor
from toolshelf_core import log_context
from toolshelf_core.encryption import Unreadable, decrypt
from toolshelf_core.errors import NotAllowed
from toolspec.text.reader import JSON

log = logging.getLogger(__name__)

CLOSING_CHECK_S = 1.0
OTHER_KEYS = (
    "The worker cannot decrypt the run's message. The web server and the workers need the same "
    "keys in TOOLSHELF_CONFIGURATION_KEYS."
)


class CannotCall(Exception):
    """This worker cannot call the run's tool; the message has the reason."""


@app.task(name=SYNC_TASK)
def sync_sources() -> None:
    """Sync the sources that are due; sources that another worker is syncing are skipped."""
    sync_due()


@app.task(name=WEBHOOK_TASK)
def send_webhooks() -> None:
    """Send the deliveries that are due; those that another worker is sending are skipped."""
    for _ in deliver_due():
        pass


@app.task(name=TASK)
def run_tool(run_id: str, encrypted: str) -> None:
    """Execute one run, and stay until its end is stored."""
    with log_context.bind(run_id=run_id):
        execute_message(run_id, encrypted)


def execute_message(run_id: str, encrypted: str) -> None:
    """Execute the run whose turn it is, and return once its end is stored.

    There is a message for each waiting run, so each is executed, but not in the order of the
    messages: one user may have sent many before another sent the first.
    """
    own_supervisor = supervisor(processes=1)
    now = timezone.now()
    message = _claim_next(own_supervisor.host, now)
    if message is None:
        log.info("No run is waiting; run %s has been claimed or has ended", run_id)
        return
    run_id, encrypted = message
    run = Run.every.select_related("tool", "revision", "example_check").get(pk=run_id)
    try:
        active = _begin(run, encrypted, own_supervisor, now)
    except (CannotCall, NotAllowed) as reason:
        end_uncalled(Run.every.active(), run, "crashed", str(reason))
        return
    except Exception:
        end_uncalled(
            Run.every.active(),
            run,
            "crashed",
            "The worker could not start this run. See its log for the reason.",
        )
        raise
    while not active.ended.wait(CLOSING_CHECK_S):
        if own_supervisor.closing.is_set():
            return


def _claim_next(host: str, now: datetime) -> tuple[str, str] | None:
    """Claim the waiting run whose turn it is for this worker.

    Return its id and message, None if no run waits.
    """
    messages = QueuedMessage.objects.filter(
        run__in=Run.every.waiting().filter(cancel_requested_at=None)
    )
    in_order = messages.order_by("run__turn", "run").values_list("run", "encrypted")
    while message := in_order.first():
        if _claim(message[0], host, now):
            return message
    return None


def _claim(run_id: str, host: str, now: datetime) -> bool:
    """Claim the run for this worker; False if it has ended, or another worker has claimed it."""
    waiting = Run.every.waiting().filter(pk=run_id, cancel_requested_at=None)
    with transaction.atomic():
        if not waiting.update(outcome="running", host=host, started_at=now, seen_at=now):
            return False
        QueuedMessage.objects.filter(run=run_id).delete()
    return True


@sensitive_variables("configuration", "content", "factory", "parameters", "redactor", "secrets")
def _begin(run: Run, encrypted: str, own_supervisor: Supervisor, now: datetime) -> ActiveRun:
    content = _decrypt_content(run, encrypted)
    configuration = _configuration_in(content)
    parameters = content.get("parameters", run.parameters)
    factory = factory_of(run.tool, timeout_s=IMPORT_LIMIT_S)
    problems = factory_problems(factory)
    if factory is None or problems:
        raise CannotCall(f"At the worker that claimed the run: {problems[0].message}")
    if factory.label != run.factory:
        run.factory = factory.label
        run.save(update_fields=["factory"])
    compiled_spec = compiled_spec_of(run.revision)
    secrets = RunSecrets.of(
        compiled_spec.parameters, parameters, compiled_spec.configuration, configuration
    )
    redactor = secrets.redactor(factory.options.secrets)
    job = job_for(run, factory, parameters, configuration)
    waited_ms = max(0.0, (now - run.created_at).total_seconds() * 1000)
    return own_supervisor.begin_recorded(run, job, redactor, conclude, waited_ms=waited_ms)


@sensitive_variables("content", "secrets")
def _configuration_in(content: dict[str, JSON]) -> Configuration | None:
    """The configuration in a message, with the pointers of its secrets."""
    if "configuration" not in content:
        return None
    secrets = cast("list[str]", content["configuration_secrets"])
    return Configuration(content["configuration"], frozenset(secrets))


@sensitive_variables("content")
def _decrypt_content(run: Run, encrypted: str) -> dict[str, JSON]:
    try:
        content = decrypt(encrypted)
    except Unreadable as error:
        raise CannotCall(OTHER_KEYS) from error
    if not isinstance(content, dict) or content.get("run") != run.id:
        raise CannotCall("The worker received the message of another run.")
    return content
