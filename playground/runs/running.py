"""Run tools.

Pages, the API and commands all start runs here, so all share its checks, limits, records and
verdicts.

    start  -> refused | a mock response | queued in this process's runner (`supervisor.py`),
              or sent to a Celery worker (`celery/enqueue.py`), which queues it in its own runner
    start_for_visitor -> likewise, for somebody who may not run tools (`visitors.py`)
    start_draft -> likewise, with the definition of a spec that is not published
    unsaved_mock -> refused | a mock response; nothing is stored
    wait   -> the same run, once it has ended
    cancel -> requests cancellation; the process that owns the run ends it

The configuration's secrets stay in memory while the run lasts.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.views.decorators.debug import sensitive_variables

from accounts.models import User
from accounts.rate_limits import limit_run_starts
from catalog.access.rights import require
from catalog.tools.lookup import revision_of
from catalog.tools.models import Revision, Tool
from playground.configurations.binding import moved_message
from playground.configurations.compiled_spec import CompiledSpec, compiled_spec_of
from playground.configurations.secret_members import Configuration, RunSecrets, without_secrets
from playground.factories.connections import connection_for, factory_of, limits_of
from playground.factories.info import FactoryInfo
from playground.factories.registry import IMPORT_LIMIT_S, registry
from playground.runner.engine import Job, Limits, Progress
from playground.runs import visitors, waiting_room
from playground.runs import volume as run_volume
from playground.runs.celery import enqueue
from playground.runs.conclusion import (
    ERROR_CHARACTERS,
    conclude,
    dump_problems,
    redact_problems,
    take_response,
)
from playground.runs.draining import refuse_while_draining, wait_for_end
from playground.runs.mocks import NoMock, make_mock
from playground.runs.models import ACTIVE, DRAFT, VISITOR, Run
from playground.runs.refusals import request_problems, without_contents
from playground.runs.supervisor import reserve, supervisor
from playground.runs.visitors import VISITOR_TIMEOUT_S
from playground.runs.writer import insert
from toolshelf_core import audit, log_context
from toolshelf_core.errors import NotAllowed
from toolshelf_core.fairness import list_waiting
from toolshelf_core.redaction import Redactor
from toolspec.errors import Problem
from toolspec.schema.validation import Budget
from toolspec.text import reader
from toolspec.text.reader import JSON

if TYPE_CHECKING:
    from playground.examples.models import ExampleCheck

BRIEF_S = 0.1

DRAFT_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class ExampleCall:
    """The example of a check that a run calls; examples count from 1."""

    check: ExampleCheck
    number: int


@sensitive_variables("configuration", "parameters")
def start(
    tool: Tool,
    revision: Revision,
    parameters: JSON,
    *,
    by: User | None,
    configuration: Configuration | None = None,
    configuration_name: str = "",
    mode: str = "live",
    timeout_s: float | None = None,
    example: ExampleCall | None = None,
    interface: str = "",
    mcp_request: str = "",
) -> Run:
    """Start one call of `tool`, or refuse it.

    Args:
        tool: a tool of the catalog.
        revision: the revision whose schemas apply.
        parameters: the parameters of the call.
        by: the user who runs it; None for a management command (never for a visitor).
        configuration: the configuration to create the tool with. It is used but not stored; None
            means {}.
        configuration_name: the name of the saved configuration, if one was used.
        mode: "live", or "mock", which calls nothing.
        timeout_s: at most `settings.RUN_TIMEOUT_MAX_S`; None means `settings.RUN_TIMEOUT_S`.
        example: the check that the run belongs to.
        interface: one of `models.INTERFACES`: what the run was started with.
        mcp_request: identifies the MCP request, so that a later request can cancel the run.

    Returns:
        The stored run: already ended if it was refused or mocked, else "queued". Its `problems`
            explain a refusal.

    Raises:
        NotAllowed: `by` may not run this tool.
        Busy: the queue is full, no worker is connected, the server is about to stop, or `by` has
            started too many runs or stored too many bytes of them today. Nothing was stored.
    """
    require(by, "run", tool)
    if mode == "live":
        refuse_while_draining()
    if by is not None:
        limit_run_starts(by)
        run_volume.refuse_above_limit(by)
    run = Run(tool=tool, revision=revision, by=by, mode=mode, configuration_name=configuration_name)
    run.interface, run.mcp_request = interface, mcp_request
    run.timeout_s = min(timeout_s or settings.RUN_TIMEOUT_S, settings.RUN_TIMEOUT_MAX_S)
    if example:
        run.example_check, run.example_number = example.check, example.number
    return _begin(run, parameters, configuration)


@sensitive_variables("configuration", "parameters")
def start_for_visitor(
    tool: Tool,
    revision: Revision,
    parameters: JSON,
    *,
    configuration: Configuration | None = None,
    timeout_s: float | None = None,
) -> Run:
    """Start one live call of a built-in tool for somebody who may not run tools.

    The caller counts the start for the visitor's address. `parameters` and `configuration` are as
    for `start`.

    Returns:
        The stored run, as `start` does; it has no person, and `Run.objects` does not contain it.

    Raises:
        NotAllowed: visitors may not run this tool (`visitors.may_run`), or `configuration` is
            another person's.
        Busy: all slots of visitors are in use, their runs take too much room, the queue is full, or
            the server is about to stop. Nothing was stored.
    """
    visitors.require_may_run(factory_of(tool, timeout_s=IMPORT_LIMIT_S))
    if configuration and configuration.shared_as:
        raise NotAllowed("Shared configurations are for people who may run the tool.")
    refuse_while_draining()
    visitors.refuse_above_limit()
    run = Run(tool=tool, revision=revision, mode=VISITOR, interface="page")
    run.timeout_s = min(timeout_s or VISITOR_TIMEOUT_S, VISITOR_TIMEOUT_S)
    return _begin(run, parameters, configuration)


@sensitive_variables("configuration", "parameters")
def start_draft(
    tool: Tool,
    compiled_spec: CompiledSpec,
    parameters: JSON,
    *,
    by: User,
    configuration: Configuration | None = None,
) -> Run:
    """Start one live call of `tool` with an unpublished definition, for a user who may publish it.

    Args:
        tool: with its current revision, whose connection is used.
        compiled_spec: of the draft (`SpecDraft.compiled_spec`). The parameters must match it. The
            verdict on the response is that of the current revision (`SpecDraft.with_verdict` gives
            that of the draft).
        parameters: the parameters of the call.
        by: the user who runs it.
        configuration: as for `start`.

    Returns:
        The stored run, as `start` does; `Run.objects` does not contain it. Earlier ones of this
        person are deleted.

    Raises:
        NotAllowed: `by` may not run or not publish this tool.
        Busy: as for `start`. Nothing was stored.
    """
    require(by, "run", tool)
    require(by, "revise", tool)
    refuse_while_draining()
    limit_run_starts(by)
    run_volume.refuse_above_limit(by)
    Run.every.filter(by=by, mode=DRAFT).exclude(outcome__in=ACTIVE).delete()
    run = Run(tool=tool, revision=revision_of(tool), by=by, mode=DRAFT, interface="page")
    run.timeout_s = min(settings.RUN_TIMEOUT_S, DRAFT_TIMEOUT_S)
    return _begin(run, parameters, configuration, compiled_spec)


@sensitive_variables("configuration", "parameters", "redactor", "secrets")
def _begin(
    run: Run,
    parameters: JSON,
    configuration: Configuration | None,
    compiled_spec: CompiledSpec | None = None,
) -> Run:
    """Check the input of a new run, then refuse it, mock it, or hand it to a runner."""
    tool, revision, is_live = run.tool, run.revision, not run.is_mock
    compiled_spec = compiled_spec or compiled_spec_of(revision)
    log_context.add(run_id=run.pk)
    secrets = RunSecrets.of(
        compiled_spec.parameters, parameters, compiled_spec.configuration, configuration
    )
    run.parameters_json = reader.dumps(without_secrets(parameters, secrets.parameters))
    factory = factory_of(tool, timeout_s=IMPORT_LIMIT_S) if is_live else None
    redactor = secrets.redactor(factory.options.secrets if factory else ())
    if configuration:
        run.configuration_fingerprint = configuration.fingerprint(_fingerprint_key(tool))
    problems = secrets.problems()
    if problems:
        _refuse(run, without_contents(problems, configuration))
        return insert(run)
    budget = Budget()
    problems = request_problems(
        compiled_spec, parameters, configuration, factory=factory, is_live=is_live, budget=budget
    )
    if factory is not None and factory.listed is not None:
        message = moved_message(configuration, tool, revision)
        if message:
            problems.append(Problem("/configuration", message, "run.configuration-moved"))
    if problems:
        _refuse(run, redact_problems(problems, redactor))
        return insert(run)
    if factory is None:
        _mock(run, compiled_spec, parameters, redactor, budget)
        return insert(run)
    run.factory = factory.label
    if settings.RUNNER == "celery":
        return enqueue.begin(run, configuration, parameters)
    job = job_for(run, factory, parameters, configuration)
    return supervisor().begin(run, job, redactor, conclude).run


@sensitive_variables("parameters", "redactor", "secrets")
def unsaved_mock(tool: Tool, revision: Revision, parameters: JSON) -> Run:
    """A mock that is not stored, for anyone who may see the tool.

    It shows no more than the spec does.

    Returns:
        A run without a row. Its `problems` explain a refusal.
    """
    compiled_spec = compiled_spec_of(revision)
    run = Run(tool=tool, revision=revision, mode="mock")
    secrets = RunSecrets.of(compiled_spec.parameters, parameters, compiled_spec.configuration, None)
    run.parameters_json = reader.dumps(without_secrets(parameters, secrets.parameters))
    redactor = secrets.redactor(())
    budget = Budget()
    problems = secrets.problems() or request_problems(
        compiled_spec, parameters, None, factory=None, is_live=False, budget=budget
    )
    if problems:
        _refuse(run, redact_problems(problems, redactor))
    else:
        _mock(run, compiled_spec, parameters, redactor, budget)
    return run


def wait(run: Run, timeout_s: float) -> Run:
    """Wait until `run` has ended, at most `timeout_s`, and return its current state.

    It returns early if the server is about to stop. At most half of the server's threads wait that
    long, and not all of them for one user. Any further call waits `BRIEF_S`, enough for most runs.
    """
    if not run.is_active:
        return run
    active = supervisor().find(run.id)
    entered = timeout_s > 0 and waiting_room.enter(run.owner)
    try:
        if active:
            wait_for_end(active.ended, timeout_s if entered else min(timeout_s, BRIEF_S))
        elif entered and settings.RUNNER == "celery":
            return enqueue.wait(run, timeout_s, ends_on_drain=True)
    finally:
        if entered:
            waiting_room.leave(run.owner)
    if active is None:
        return Run.every.with_names().get(pk=run.pk)
    return active.run


def wait_inside(run: Run, timeout_s: float) -> Run:
    """Wait until `run` has ended, at most `timeout_s`, and return its current state.

    For a thread in the waiting room.

    It also waits while the server drains.
    """
    if not run.is_active:
        return run
    active = supervisor().find(run.id)
    if active is not None:
        active.ended.wait(timeout_s)
        return active.run
    if settings.RUNNER == "celery" and timeout_s > 0:
        return enqueue.wait(run, timeout_s)
    return Run.every.with_names().get(pk=run.pk)


def progress_of(run: Run) -> tuple[Progress, ...]:
    """The latest progress reports of a run, redacted, oldest first.

    Of a run that has ended, and of a run of another process, only the report that was stored last.
    """
    active = supervisor().find(run.id) if run.is_active else None
    if active:
        redact = active.redactor.text
        events = active.handle.events
        return tuple(replace(event, message=redact(event.message)) for event in events)
    if run.progress_done is None:
        return ()
    return (Progress(run.progress_done, run.progress_total, run.progress_message),)


def queue_position(run: Run) -> int:
    """The position of `run` in the queue, from 1; 0 if it is not waiting.

    The row is updated some time after a run leaves the queue. For a run of another server process,
    the position is therefore estimated: free slots of that process are assumed to be held by the
    runs whose turn it is.
    """
    if run.outcome != "queued":
        return 0
    if not run.host:
        before = Q(turn__lt=run.turn) | Q(turn=run.turn, pk__lte=run.pk)
        return Run.every.waiting().filter(before).count()
    active = supervisor().find(run.id)
    if active:
        return active.handle.position()
    rows = Run.every.active().filter(host=run.host).order_by("turn", "pk")
    rows = rows.only("by", "mode", "outcome")
    requests = ((each.pk, each.owner, each.outcome == "running") for each in rows)
    slots = supervisor().slots
    waiting = list_waiting(requests, slots=slots, reserve=reserve(slots))
    return waiting.index(run.pk) + 1 if run.pk in waiting else 0


def cancel(run: Run) -> Run:
    """Request the cancellation of `run`; it is "cancelled" within a second.

    A run that has ended does not change.
    """
    cancellable = Run.every.active().filter(pk=run.pk, cancel_requested_at=None)
    if cancellable.update(cancel_requested_at=timezone.now()):
        if run.mode != VISITOR:
            audit.record("run.cancel", "run", run.pk, after={"tool": run.tool.tool_id})
        _end_early(run)
    run.refresh_from_db()
    return run


def _end_early(run: Run) -> None:
    """Withdraw the run, or kill its processes if this process has it; wait up to a second."""
    if settings.RUNNER == "celery":
        if not enqueue.withdraw(run):
            enqueue.wait(run, 1)
        return
    active = supervisor().find(run.id)
    if active:
        active.handle.cancel()
        active.ended.wait(1)


def _refuse(run: Run, problems: Iterable[Problem]) -> None:
    run.outcome = "refused"
    run.problems_json = dump_problems(problems)
    run.finished_at = run.created_at


@sensitive_variables("response_mock", "parameters", "redactor")
def _mock(
    run: Run, compiled_spec: CompiledSpec, parameters: JSON, redactor: Redactor, budget: Budget
) -> None:
    began = time.perf_counter()
    try:
        response_mock = make_mock(compiled_spec.spec, parameters, compiled_spec.return_type)
    except NoMock as error:
        _refuse(run, [error.problem])
        return
    run.call_ms = (time.perf_counter() - began) * 1000
    run.outcome = "returned"
    run.mock_json = reader.dumps(response_mock.as_json())
    take_response(run, compiled_spec, response_mock.response, redactor, budget)
    run.started_at, run.finished_at = run.created_at, timezone.now()
    run.queue_ms = run.start_ms = 0.0


def _fingerprint_key(tool: Tool) -> bytes:
    return salted_hmac("playground.configuration", tool.tool_id, algorithm="sha256").digest()


def job_for(
    run: Run, factory: FactoryInfo, parameters: JSON, configuration: Configuration | None
) -> Job:
    """The job for the runner.

    Raises:
        NotAllowed: it is a visitor's run, and visitors may not run this tool. The factory may be
            another one than when the run began.
    """
    if run.mode == VISITOR:
        visitors.require_may_run(factory)
    value = None
    if factory.configurable:
        value = configuration.value if configuration else {}
    response_bytes, file_bytes = settings.RUN_RESPONSE_BYTES, settings.RUN_FILE_BYTES
    connection_limits: dict[str, Any] = {}
    if factory.listed is not None:
        connection_limits = limits_of(factory.listed)
        value = connection_for(
            factory.listed,
            run.revision,
            value,
            network=factory.network,
            timeout_s=run.timeout_s,
            response_bytes=response_bytes + file_bytes,
        )
    environment, network = factory.options.environment, factory.options.network
    if run.mode == VISITOR:
        # Empty, because a factory's variables are added to those of all tools.
        environment = dict.fromkeys(registry().factory_settings.common_environment, "")
        network = "none"
        response_bytes = visitors.RESPONSE_BYTES
        file_bytes = min(file_bytes, visitors.FILE_BYTES)
    return Job(
        run_id=run.id,
        owner=run.owner,
        reference=factory.reference,
        parameters=parameters,
        configuration=value,
        version=factory.version or "",
        forks_safely=factory.forks_safely is not False,
        environment=environment,
        network=network,
        limits=Limits(
            timeout_s=run.timeout_s,
            memory_bytes=settings.RUN_MEMORY_BYTES,
            response_bytes=response_bytes,
            attached_bytes=file_bytes,
            output_bytes=settings.RUN_OUTPUT_BYTES,
            error_characters=ERROR_CHARACTERS,
            **connection_limits,
        ),
    )
