"""Hand this process's runs to the runner, watch them, and store how they ended.

Several server processes share one database and nothing else. A run belongs to the process that
started it. The others read its row, and request its cancellation by setting a column. One thread
per process looks for such requests.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections import Counter
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from playground.builtin import FACTORIES
from playground.factories.registry import registry
from playground.runner.engine import Job, LocalRun, LocalRunner, RunEnd
from playground.runner.engine.local_runner import MAX_SLOTS
from playground.runs.models import Run
from playground.runs.orphans import SIGN_OF_LIFE_S, recover_runs
from playground.runs.process_id import this_host
from playground.runs.visitors import check_slots
from playground.runs.writer import NOT_RECORDED, Recorder, insert
from toolshelf_core import log_context
from toolshelf_core.errors import Busy
from toolshelf_core.fairness import OWN_SHARE, may_queue, reserve_of
from toolshelf_core.redaction import Redactor

log = logging.getLogger(__name__)

TICK_S = 0.2  # a cancellation requested by another process is noticed within this time
UPDATE_S = 0.5  # a long run's output and progress are stored this often
LONG_RUN_S = 0.8  # shorter runs are written only twice: when they begin and when they end
RECOVERY_S = 2.0
MAX_LIVE_CHARACTERS = (
    16_000  # of stdout and of stderr, while a run lasts; the full stored output follows at its end
)

START_S = 5.0  # a site whose runner cannot start by then is used without it
CLOSE_S = 5.0

Conclude = Callable[["ActiveRun", RunEnd], Run]


@dataclass(eq=False)
class ActiveRun:
    """A run whose end has not been stored yet.

    Attributes:
        run: the run as stored; replaced by the ended run once that is stored.
        waited_ms: how long the run waited before it was handed to the runner.
    """

    run: Run
    handle: LocalRun
    redactor: Redactor
    conclude: Conclude
    waited_ms: float = 0.0
    began: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    updated_at: float = 0.0
    update: dict[str, object] = field(default_factory=dict)


def make_runner(slots: int) -> LocalRunner:
    """A runner configured by the settings."""
    return LocalRunner(
        slots=min(slots, MAX_SLOTS),
        reserve=reserve(min(slots, MAX_SLOTS)),
        environment=registry().factory_settings.common_environment,
        hidden=[str(settings.DATA_DIR)],
        preload=list_preloaded_modules() if settings.PRELOAD_TOOLS else [],
    )


def list_preloaded_modules() -> list[str]:
    """The modules of the built-in tools.

    The slowest comes last: runs wait for the import that is in progress.
    """
    modules = [reference.partition(":")[0] for reference in FACTORIES]
    # 200 ms for the definitions of the units, all others together 100.
    slowest = "playground.builtin.convert_units"
    modules.remove(slowest)
    return [*modules, "asyncio", slowest]


def reserve(slots: int) -> int:
    """How many of `slots` are only for owners without an active run.

    None in a Celery worker: a run that it has claimed holds one of its threads, even if it does not
    start.
    """
    return 0 if settings.RUNNER == "celery" else reserve_of(slots)


class Supervisor:
    """The runs of one process.

    The first call of `supervisor()` creates it; a server calls that at its start.
    """

    def __init__(self, processes: int) -> None:
        """Start supervising. This is one of `processes` that share the slots and the queue."""
        self.slots = max(1, settings.RUN_SLOTS // processes)
        self.queue_max = settings.RUN_QUEUE_MAX // processes
        self.runner = make_runner(self.slots)
        self.host = this_host()
        self.began = time.monotonic()
        self.active: dict[str, ActiveRun] = {}
        # By owner, the slots and queue positions in use, including those of runs whose end is being
        # stored.
        self.reserved: Counter[str] = Counter()
        self.lock = threading.Lock()
        self.wake = threading.Event()
        self.closing = threading.Event()
        self.recorder = Recorder(self._forget)
        self.thread = threading.Thread(target=self._watch, name="run-supervisor", daemon=True)
        self.thread.start()

    # -- from the threads that serve requests ------------------------------------------------------

    def begin(
        self,
        run: Run,
        job: Job,
        redactor: Redactor,
        conclude: Conclude,
    ) -> ActiveRun:
        """Store `run` as queued and hand `job` to the runner.

        `conclude` turns its result into the run to store.

        Raises:
            Busy: the queue is full, or the slots of visitors are; nothing was stored.
        """
        self._reserve(run.owner)
        try:
            run.host, run.turn = self.host, self.runner.queue.next_turn(run.owner)
            insert(run)
            check_slots(run)
            return self._hand_over(run, job, redactor, conclude)
        except BaseException:
            self._release(run.owner)
            Run.every.filter(pk=run.pk, outcome="queued").delete()
            raise

    def begin_recorded(
        self, run: Run, job: Job, redactor: Redactor, conclude: Conclude, *, waited_ms: float
    ) -> ActiveRun:
        """As `begin`, for a stored run whose host is this process already.

        On failure, its row does not change.

        Raises:
            Busy: the queue is full.
        """
        self._reserve(run.owner)
        try:
            run.turn = self.runner.queue.next_turn(run.owner)
            return self._hand_over(run, job, redactor, conclude, waited_ms)
        except BaseException:
            self._release(run.owner)
            raise

    def _hand_over(
        self, run: Run, job: Job, redactor: Redactor, conclude: Conclude, waited_ms: float = 0.0
    ) -> ActiveRun:
        active = ActiveRun(run, self.runner.submit(job, run.turn), redactor, conclude, waited_ms)
        with self.lock:
            self.active[run.id] = active
        self.wake.set()
        active.handle.when_done(lambda end: self._conclude(active, end))
        return active

    @property
    def is_busy(self) -> bool:
        """Whether a run is active, or is about to be."""
        return bool(self.reserved)

    def find(self, run_id: str) -> ActiveRun | None:
        return self.active.get(run_id)

    def _reserve(self, owner: str) -> None:
        """Reserve a slot or a queue position for a run of `owner`.

        Raises:
            Busy: the queue is full, or the owner's share of it.
        """
        retry_after_s = max(1, min(60, self.queue_max // (self.slots * 4)))
        with self.lock:
            free = self.slots + self.queue_max - self.reserved.total()
            if free <= 0:
                raise Busy(
                    f"The queue is full: {self.queue_max:,} runs are waiting.",
                    retry_after_s=retry_after_s,
                )
            others_slots = reserve(self.slots)
            waiting = self.reserved[owner] - (self.slots - others_slots)
            if waiting >= 0 and not may_queue(waiting, free - others_slots):
                raise Busy(OWN_SHARE.format(waiting=waiting), retry_after_s=retry_after_s)
            self.reserved[owner] += 1

    def _release(self, owner: str) -> None:
        with self.lock:
            self.reserved -= Counter([owner])  # which removes an owner without any

    # -- when a run ends ---------------------------------------------------------------------------

    def _conclude(self, active: ActiveRun, end: RunEnd) -> None:
        """In a thread of the runner: determine how a run ended, and queue that for storing."""
        if self.closing.is_set():
            return
        try:
            with log_context.bind(run_id=active.run.id):
                result = self._determine_end(active, end)
        finally:
            connection.close()
        if result:
            self.recorder.put(result)

    def _determine_end(self, active: ActiveRun, end: RunEnd) -> Run | None:
        """Determine how the run ended; retry while the database is unavailable.

        None if this process closes first.
        """
        pause_s = 0.2
        while True:
            try:
                return active.conclude(active, end)
            except DatabaseError:
                log.exception(
                    "The result of run %s cannot be determined yet; trying again", active.run.id
                )
                connection.close()
                if self.closing.wait(pause_s):
                    return None
                pause_s = min(pause_s * 2, 5.0)
            except Exception:
                log.exception("The result of run %s could not be determined", active.run.id)
                result = copy(active.run)
                result.outcome, result.error = "crashed", NOT_RECORDED
                result.finished_at = timezone.now()
                return result

    def _forget(self, result: Run) -> None:
        """Release a run whose end has been stored."""
        active = self.active[result.id]
        active.run = result
        with self.lock:
            self.active.pop(active.run.id, None)
            self.reserved -= Counter([result.owner])
        active.ended.set()

    # -- the supervising thread --------------------------------------------------------------------

    def _watch(self) -> None:
        recovered_at = signed_at = 0.0
        while not self.closing.is_set():
            now = time.monotonic()
            try:
                if now - recovered_at >= RECOVERY_S:
                    recovered_at = now
                    recover_runs()
                earliest = min((active.began for active in list(self.active.values())), default=now)
                if now - earliest >= TICK_S:
                    self._cancel_requested()
                    self._write_updates(now)
                    if now - signed_at >= SIGN_OF_LIFE_S:
                        signed_at = now
                        Run.every.active().filter(host=self.host).update(seen_at=timezone.now())
            except DatabaseError:
                log.exception("The runs of this process could not be supervised; trying again")
                connection.close()
            self.wake.clear()
            if self.active:
                self.closing.wait(TICK_S)
            else:
                self.wake.wait(RECOVERY_S)
        connection.close()

    def _cancel_requested(self) -> None:
        runs = Run.every.active().filter(host=self.host, cancel_requested_at__isnull=False)
        for run_id in runs.values_list("pk", flat=True):
            active = self.active.get(run_id)
            if active:
                active.handle.cancel()

    def _write_updates(self, now: float) -> None:
        """Store the output and progress of long runs that have not been stored lately."""
        for active in list(self.active.values()):
            if now - active.began < LONG_RUN_S or now - active.updated_at < UPDATE_S:
                continue
            if active.handle.state != "running":
                continue
            active.updated_at = now
            update = update_of(active)
            if update != active.update:
                active.update = update
                Run.every.active().filter(pk=active.run.id).update(**update)

    def close(self) -> None:
        """End every run of this process and mark it as ended."""
        if self.closing.is_set():
            return
        self.closing.set()
        self.wake.set()
        self.runner.close()
        self.recorder.close(CLOSE_S)
        self.thread.join(timeout=5)
        try:
            if self.active:
                recover_runs(own=[self.host])
        except DatabaseError:
            log.exception(
                "The runs of this process could not be marked as ended; the next start does it"
            )


def update_of(active: ActiveRun) -> dict[str, object]:
    """The output and progress of an active run, redacted, as columns of its row."""
    output = active.handle.output()
    active.run.started_at = active.run.started_at or timezone.now()
    update: dict[str, object] = {
        "outcome": "running",
        "started_at": active.run.started_at,
        "stdout": storable(active.redactor.cut_text(output.stdout[:MAX_LIVE_CHARACTERS])),
        "stderr": storable(active.redactor.cut_text(output.stderr[:MAX_LIVE_CHARACTERS])),
    }
    events = active.handle.events
    if events:
        latest = events[-1]
        update["progress_done"] = latest.done
        update["progress_total"] = latest.total
        update["progress_message"] = storable(active.redactor.text(latest.message))[:200]
    return update


def storable(text: str) -> str:
    """`text` as every database accepts it: NUL characters become "\u2400" (the symbol for NUL)."""
    return text.replace("\0", "\u2400")


_supervisor: Supervisor | None = None
_pid = 0
_making = threading.Lock()


def supervisor(*, processes: int | None = None) -> Supervisor:
    """This process's supervisor, created by the first call.

    `processes`, by default `settings.WEB_PROCESSES`, share the slots and the queue of the settings.
    """
    global _supervisor, _pid
    with _making:
        if _supervisor is None or _pid != os.getpid():
            _supervisor, _pid = Supervisor(processes or settings.WEB_PROCESSES), os.getpid()
            atexit.register(_supervisor.close)
        return _supervisor


def wait_for_runner() -> bool:
    """Wait until this process's runner, if it has been started, accepts runs.

    False `START_S` after its start.
    """
    with _making:
        running = _supervisor if _pid == os.getpid() else None
    return running is None or running.runner.wait_until_ready(
        max(0.0, running.began + START_S - time.monotonic())
    )


def start_runs(processes: int | None = None) -> None:
    """Start the supervisor, and the worker that imports the built-in tools, before any run."""
    runner = supervisor(processes=processes).runner
    if settings.PRELOAD_TOOLS:
        runner.start_worker()
        # What is installed now, in all processes, until somebody reloads the packages.
        registry().all()


def renew_runner(**_: object) -> None:
    """Let later runs import everything again. Receives `packages_reloaded`."""
    with _making:
        if _supervisor is not None and _pid == os.getpid():
            _supervisor.runner.renew()


def close_supervisor() -> None:
    """End this process's runs and its supervisor; the next run creates a new one."""
    global _supervisor  # noqa: PLW0603
    with _making:
        if _supervisor is not None and _pid == os.getpid():
            _supervisor.close()
            atexit.unregister(_supervisor.close)
        _supervisor = None
