"""The Celery task: a worker claims a run, calls the tool, and stores the result as a web server does."""

from __future__ import annotations

import logging
from datetime import datetime

from django.db import transaction
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from catalog.jsontext.reader import JSON
from playground.celery.app import TASK, app
from playground.celery.enqueue import end_uncalled
from playground.compiled_spec import compiled_spec_of
from playground.configurations.encryption import Unreadable, decrypt
from playground.configurations.secret_members import Configuration, RunSecrets
from playground.factories.registry import IMPORT_LIMIT_S, registry
from playground.models import QueuedMessage, Run
from playground.running import conclude, factory_problems, job_for
from playground.supervisor import ActiveRun, Supervisor, supervisor

log = logging.getLogger(__name__)

CLOSING_CHECK_S = 1.0
OTHER_KEYS = (
    "The worker cannot decrypt the run's message. The web server and the workers need the same keys in "
    "TOOLSHELF_CONFIGURATION_KEYS."
)


class CannotCall(Exception):
    """This worker cannot call the run's tool; the message says why."""


@app.task(name=TASK)
def run_tool(run_id: str, encrypted: str) -> None:
    """Execute one run, and stay until its end is stored."""
    execute_message(run_id, encrypted)


def execute_message(run_id: str, encrypted: str) -> None:
    """Execute the run, if it still waits for a worker, and return once its end is stored.

    Args:
        run_id: the run's id.
        encrypted: the message's content, as `enqueue.begin` encrypted it.
    """
    own_supervisor = supervisor(processes=1)
    now = timezone.now()
    if not _claim(run_id, own_supervisor.host, now):
        log.info("Run %s is not waiting any more", run_id)
        return
    run = Run.objects.select_related("tool", "revision", "example_check").get(pk=run_id)
    try:
        active = _begin(run, encrypted, own_supervisor, now)
    except CannotCall as reason:
        end_uncalled(Run.objects.active(), run, "crashed", str(reason))
        return
    except Exception:
        end_uncalled(Run.objects.active(), run, "crashed", "The worker could not begin this run. Its log says why.")
        raise
    while not active.ended.wait(CLOSING_CHECK_S):
        if own_supervisor.closing.is_set():
            return


def _claim(run_id: str, host: str, now: datetime) -> bool:
    """Claim the run for this worker; False if it has ended, or another worker has claimed it."""
    waiting = Run.objects.waiting().filter(pk=run_id, cancel_requested_at=None)
    with transaction.atomic():
        claimed = waiting.update(outcome="running", host=host, started_at=now, seen_at=now)
        if claimed:
            QueuedMessage.objects.filter(run=run_id).delete()
    return bool(claimed)


@sensitive_variables("configuration", "content", "parameters", "redactor")
def _begin(run: Run, encrypted: str, own_supervisor: Supervisor, now: datetime) -> ActiveRun:
    content = _decrypted(run, encrypted)
    configuration = Configuration(content["configuration"]) if "configuration" in content else None
    parameters = content.get("parameters", run.parameters)
    factory = registry().for_tool(run.tool.tool_id, patience_s=IMPORT_LIMIT_S)
    problems = factory_problems(factory)
    if factory is None or problems:
        raise CannotCall(f"At the worker that claimed the run: {problems[0].message}")
    if factory.label != run.factory:
        run.factory = factory.label
        run.save(update_fields=["factory"])
    contract = compiled_spec_of(run.revision)
    redactor = RunSecrets.of(contract.parameters, parameters, contract.configuration, configuration).redactor()
    job = job_for(run, factory, parameters, configuration)
    waited_ms = max(0.0, (now - run.created_at).total_seconds() * 1000)
    return own_supervisor.begin_recorded(run, job, redactor, conclude, waited_ms=waited_ms)


@sensitive_variables("content")
def _decrypted(run: Run, encrypted: str) -> dict[str, JSON]:
    try:
        content = decrypt(encrypted)
    except Unreadable as error:
        raise CannotCall(OTHER_KEYS) from error
    if not isinstance(content, dict) or content.get("run") != run.id:
        raise CannotCall("The worker was sent another run's message.")
    return content
