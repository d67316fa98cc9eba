"""Store runs when they begin and when they end, many ends in one transaction.

Committed rows survive a crash of the server. To survive a power cut they must also be on disk, and waiting for the disk
is what makes a commit slow. So a run waits for the disk only once: before a client is first informed of it.

    insert          a run that begins; with `defer_sync` the caller must not report it before its end is stored or
                    `ensure` was called
    write_ends      how runs ended, in one transaction; on disk when it returns
    Recorder        a thread that stores ends in batches: those that arrived while it stored the batch before
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from typing import Any, Final

from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Field
from django.utils import timezone

from catalog import audit, log_context
from catalog.db.sql import insert_statement, placeholders
from catalog.webhook_queue import about_tool, active_webhooks, queue_events
from playground import run_volume
from playground.examples.results import settle
from playground.models import ACTIVE, Run, RunFile

log = logging.getLogger(__name__)

ENDS: Final = (
    "outcome", "response_json", "response_cut", "file_count", "verdict", "verdict_reason", "problems_json",
    "problems_truncated", "error", "stdout", "stderr", "stdout_dropped", "stderr_dropped", "progress_done",
    "progress_total", "progress_message", "queue_ms", "start_ms", "call_ms", "check_ms", "started_at", "finished_at",
)  # fmt: skip
MAX_BATCH: Final = 100
MAX_POINTERS: Final = 20
NOT_RECORDED: Final = "The response could not be stored."


def insert(run: Run, *, defer_sync: bool = False) -> None:
    """Store a run that begins; with `defer_sync`, return before the row is on disk: the next commit writes it."""
    fields = Run._meta.concrete_fields
    values = [field.get_db_prep_save(field.pre_save(run, add=True), connection) for field in fields]
    with (
        nullcontext() if not defer_sync or connection.in_atomic_block else _deferred_sync(),
        transaction.atomic(),
    ):
        _execute(insert_statement(Run), values)
        record_start(run)
        if not run.is_active:
            run_volume.count([run])
    run._state.adding, run._state.db = False, connection.alias


def queue_drift(run: Run) -> None:
    """Queue an event for webhooks if a response violates its type, after the last checked one that conformed."""
    if run.verdict != "violates" or run.mode != "live" or not (webhooks := active_webhooks()):
        return
    checked = Run.objects.filter(
        tool_id=run.tool_id, revision_id=run.revision_id, mode="live", pk__lt=run.pk
    )
    before = (
        checked.filter(verdict__in=["conforms", "violates"])
        .order_by("-pk")
        .values_list("verdict", flat=True)
    )
    if before.first() != "conforms":
        return
    keywords = sorted(
        {problem.schema_pointer for problem in run.problems if problem.schema_pointer}
    )[:MAX_POINTERS]
    facts = {"run": run.pk, "schema_pointers": keywords}  # no part of the response itself
    event = about_tool("response.drifted", run.tool, revision=run.revision.number, **facts)
    queue_events([event], webhooks)


def record_start(run: Run) -> None:
    """Record a run, and the use of a saved configuration, in the audit log; in the transaction that stores the run."""
    tool = run.tool.tool_id
    after = {
        "tool": tool,
        "revision": run.revision.number,
        "mode": run.mode,
        "outcome": run.outcome,
    }
    events: list[audit.Event] = [("run.start", "run", run.pk, None, after)]
    if run.configuration_name:
        used = {"configuration": run.configuration_name, "run": run.pk}
        events.append(("configuration.use", "tool", tool, None, used))
    audit.record_many(events, by=run.by)


def ensure(run: Run) -> None:
    """Write `run`, which was inserted with `defer_sync`, to disk now, by committing an update."""
    Run.objects.active().filter(pk=run.pk).update(seen_at=timezone.now())


def write_ends(runs: Sequence[Run]) -> None:
    """Store how `runs` ended. A run that another process has marked as ended does not change."""
    fields, sql = _ending()
    rows = [
        [
            *(field.get_db_prep_save(getattr(run, field.attname), connection) for field in fields),
            run.pk,
            *ACTIVE,
        ]
        for run in runs
    ]
    stored = []
    with transaction.atomic(), connection.cursor() as cursor:
        for run, row in zip(runs, rows, strict=True):
            cursor.execute(sql, row)
            if cursor.rowcount:
                stored.append(run)
        files = [file for run in stored for file in run.new_files]
        RunFile.objects.bulk_create(files, batch_size=1, ignore_conflicts=True)
        run_volume.count(stored)


# Django would build its statements again for every run, which takes longer than executing them: with `save` and
# `update`, a run takes 18 % more of the server's CPU time (median of 80 pairs of alternating requests).


@cache
def _ending() -> tuple[Sequence[Field[Any, Any]], str]:
    fields = [_field(name) for name in ENDS]
    sets = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    only = f"{_quoted(_field('id').column)} = %s AND {_quoted(_field('outcome').column)} IN ({placeholders(ACTIVE)})"
    return fields, f"UPDATE {_quoted(Run._meta.db_table)} SET {sets} WHERE {only}"  # noqa: S608


def _field(name: str) -> Field[Any, Any]:
    field = Run._meta.get_field(name)
    assert isinstance(field, Field)  # noqa: S101  for mypy: none of them is a reverse relation
    return field


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")


def _execute(sql: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


@contextmanager
def _deferred_sync() -> Iterator[None]:
    """Commit without waiting for the disk; the next ordinary commit writes the rows."""
    if connection.vendor == "sqlite":
        _execute("PRAGMA synchronous = NORMAL", ())
        try:
            yield
        finally:
            _execute("PRAGMA synchronous = FULL", ())
    else:
        with transaction.atomic():
            _execute("SET LOCAL synchronous_commit TO OFF", ())
            yield


class Recorder:
    """Stores ends in its own thread; those that arrive while it writes go into the next transaction together."""

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
        """Store `batch`; retries while the database cannot: its disk is full, or it is unavailable."""
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
            with log_context.bound(run_id=run.pk):
                self._follow_up(run)

    def _follow_up(self, run: Run) -> None:
        """Do what follows once the end of `run` is stored. A failure here neither undoes that nor ends the thread."""
        if run.example_check:
            try:
                settle(run.example_check)
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
            Run.objects.active().filter(pk=run.pk).update(
                outcome=run.outcome, error=run.error, finished_at=run.finished_at
            )
        except DatabaseError:
            log.exception("Run %s could not be marked as crashed; the next start does it", run.pk)
