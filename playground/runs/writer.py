"""Store runs when they begin and when they end, many ends in one transaction.

insert          a run that begins
check_slots     a visitor's run gets one of the slots for visitors
write_ends      how runs ended, in one transaction
Recorder        a thread that stores ends in batches: those that arrived during the batch before
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Final

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.utils import timezone

from catalog.tools.events import about_tool
from catalog.webhooks.queue import active_webhooks, queue_events
from playground.runs import volume as run_volume
from playground.runs.models import VISITOR, Run, RunFile
from playground.runs.signals import check_run_ended
from toolshelf_core import audit, log_context

log = logging.getLogger(__name__)

ENDS: Final = (
    "outcome", "response_json", "response_cut", "file_count", "verdict", "verdict_reason",
    "problems_json", "problems_truncated", "error", "stdout", "stderr", "stdout_dropped",
    "stderr_dropped", "progress_done", "progress_total", "progress_message", "queue_ms", "start_ms",
    "call_ms", "check_ms", "started_at", "finished_at",
)  # fmt: skip

MAX_BATCH: Final = 100

MAX_POINTERS: Final = 20

NOT_RECORDED: Final = "The response could not be stored."


def insert(run: Run) -> Run:
    """Store a run that begins, and return it."""
    with transaction.atomic():
        run.save(force_insert=True)
        record_start(run)
        if not run.is_active:
            run_volume.count([run])
    return run


def queue_drift(run: Run) -> None:
    """Queue an event for webhooks if a response violates its type and the one before did not."""
    if run.verdict != "violates" or run.mode != "live":
        return
    webhooks = active_webhooks()
    if not webhooks:
        return
    checked_before = Run.objects.filter(
        tool_id=run.tool_id,
        revision_id=run.revision_id,
        mode="live",
        pk__lt=run.pk,
        verdict__in=["conforms", "violates"],
    )
    if checked_before.order_by("-pk").values_list("verdict", flat=True).first() != "conforms":
        return
    pointers = {problem.schema_pointer for problem in run.problems if problem.schema_pointer}
    event = about_tool(
        "response.drifted",
        run.tool,
        revision=run.revision.number,
        run=run.pk,
        schema_pointers=sorted(pointers)[:MAX_POINTERS],  # no part of the response itself
    )
    queue_events([event], webhooks)


def record_start(run: Run) -> None:
    """Record a run, and the use of a saved configuration, in the audit log.

    Call it in the transaction that stores the run.

    Runs of visitors are not recorded: they are deleted after minutes, and nobody is responsible for
    them.
    """
    if run.mode == VISITOR:
        return
    tool = run.tool.tool_id
    after = {
        "tool": tool,
        "revision": run.revision.number,
        "mode": run.mode,
        "outcome": run.outcome,
    }
    events: list[audit.Event] = [("run.start", "run", run.pk, None, after)]
    if run.configuration_name:
        use = {"configuration": run.configuration_name, "run": run.pk}
        events.append(("configuration.use", "tool", tool, None, use))
    audit.record_many(events, by=run.by)


def write_ends(runs: Sequence[Run]) -> None:
    """Store how `runs` ended. A run that another process has marked as ended does not change."""
    updated_runs: list[Run] = []
    files: list[RunFile] = []
    with transaction.atomic():
        for run in runs:
            end = {name: getattr(run, name) for name in ENDS}
            if Run.every.active().filter(pk=run.pk).update(**end):
                updated_runs.append(run)
                files += run.new_files
        RunFile.objects.bulk_create(files, batch_size=1, ignore_conflicts=True)
        run_volume.count(updated_runs)


class Recorder:
    """Stores ends in its own thread.

    Those that arrive while it writes go into the next transaction together.
    """

    def __init__(self, on_written: Callable[[Run], None]) -> None:
        """Start the thread. It calls `on_written` with each stored run."""
        self._on_written = on_written
        self._ended: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="run-recorder", daemon=True)
        self._thread.start()

    def put(self, run: Run) -> None:
        """Queue the end of `run` for storing."""
        self._ended.put(run)

    def close(self, timeout_s: float) -> None:
        """Store the ends that have arrived, if the database accepts them, and end the thread."""
        self._closing.set()
        self._ended.put(None)
        self._thread.join(timeout_s)

    def _work(self) -> None:
        while (first := self._ended.get()) is not None:
            batch = [first]
            while len(batch) < MAX_BATCH and not self._ended.empty():
                following = self._ended.get()
                if following is None:
                    self._ended.put(None)
                    break
                batch.append(following)
            self._write(batch)
        connection.close()

    def _write(self, batch: list[Run]) -> None:
        """Store `batch`; retries while the database cannot.

        Its disk is full, or it is unavailable.
        """
        pause_s = 0.2
        while True:
            try:
                write_ends(batch)
                break
            except (OperationalError, InterfaceError):
                log.exception(
                    "%s runs have ended and cannot be stored yet; trying again", len(batch)
                )
                connection.close()
                if self._closing.wait(pause_s):
                    return
                pause_s = min(pause_s * 2, 5.0)
            except Exception:
                if len(batch) > 1:
                    for run in batch:
                        self._write([run])
                    return
                log.exception("Run %s has ended and could not be stored", batch[0].pk)
                self._give_up(batch[0])
                break
        for run in batch:
            with log_context.bind(run_id=run.pk):
                self._follow_up(run)

    def _follow_up(self, run: Run) -> None:
        """Do what follows once the end of `run` is stored.

        A failure here neither undoes that nor ends the thread.
        """
        if run.example_check:
            try:
                check_run_ended.send(sender=Run, check=run.example_check)
            except Exception:
                log.exception(
                    "The result of example check %s could not be stored", run.example_check.pk
                )
                connection.close()
        for callback in (queue_drift, self._on_written):
            try:
                callback(run)
            except Exception:
                log.exception("A callback failed after run %s was stored", run.pk)

    def _give_up(self, run: Run) -> None:
        run.outcome, run.error, run.finished_at = "crashed", NOT_RECORDED, timezone.now()
        try:
            Run.every.active().filter(pk=run.pk).update(
                outcome=run.outcome, error=run.error, finished_at=run.finished_at
            )
        except DatabaseError:
            log.exception("Run %s could not be marked as crashed; the next start does it", run.pk)
