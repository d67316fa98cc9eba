"""Writing runs down: when they begin, and how they ended; the ends of many at once.

What a database has taken survives the death of the server. To survive a power cut it has to be on the disk, too, and
waiting for the disk is what a commit costs. So a run waits for the disk once: before somebody is told of it.

    insert          a run that begins; with `told_later` nobody hears of it before its end is written, or `ensure` ran
    write_ends      how runs ended, all in one transaction; the disk has them when it returns
    Recorder        a thread that writes down the ends that came while it wrote the ones before
"""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Field
from django.utils import timezone

from playground import run_counters
from playground.examples.results import settle
from playground.metrics import Counters
from playground.models import ACTIVE, Run

log = logging.getLogger(__name__)

ENDS: Final = (
    "outcome", "response_json", "verdict", "verdict_reason", "problems_json", "problems_truncated", "error", "stdout",
    "stderr", "stdout_dropped", "stderr_dropped", "progress_done", "progress_total", "progress_message", "queue_ms",
    "start_ms", "call_ms", "check_ms", "started_at", "finished_at",
)  # fmt: skip
MOST_AT_ONCE: Final = 100
NOT_RECORDED: Final = "What came back could not be recorded."


@cache
def counters() -> Counters:
    """Those of this server."""
    return Counters(settings.DATA_DIR / "counters")


def count(run: Run) -> None:
    """Let operators know of a run that has ended."""
    add = run_counters.add if settings.RUNNER == "celery" else counters().run
    add(run.outcome, run.mode, run.waited.total_seconds())


def insert(run: Run, *, told_later: bool = False) -> None:
    """Write down a run that begins."""
    fields, sql = _insertion()
    values = [field.get_db_prep_save(field.pre_save(run, add=True), connection) for field in fields]
    if not told_later or connection.in_atomic_block:
        _execute(sql, values)
    else:
        with _not_waiting_for_the_disk():
            _execute(sql, values)
    run._state.adding, run._state.db = False, connection.alias
    if not run.is_active:
        count(run)


def ensure(run: Run) -> None:
    """Have `run`, which was inserted to be told of later, on the disk now: a later commit takes it there."""
    Run.objects.active().filter(pk=run.pk).update(seen_at=timezone.now())


def write_ends(runs: Sequence[Run]) -> None:
    """Write down how `runs` ended. One that has ended already, by another hand, stays as it is."""
    fields, sql = _ending()
    rows = [
        [*(field.get_db_prep_save(getattr(run, field.attname), connection) for field in fields), run.pk, *ACTIVE]
        for run in runs
    ]
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.executemany(sql, rows)


# Django would put these statements together anew for every run, which takes longer than to carry them out.


@cache
def _insertion() -> tuple[Sequence[Field[Any, Any]], str]:
    fields = Run._meta.concrete_fields
    return fields, f"INSERT INTO {_quoted(Run._meta.db_table)} ({_names(fields)}) VALUES ({_marks(fields)})"  # noqa: S608


@cache
def _ending() -> tuple[Sequence[Field[Any, Any]], str]:
    fields = [_field(name) for name in ENDS]
    sets = ", ".join(f"{_quoted(field.column)} = %s" for field in fields)
    only = f"{_quoted(_field('id').column)} = %s AND {_quoted(_field('outcome').column)} IN ({_marks(ACTIVE)})"
    return fields, f"UPDATE {_quoted(Run._meta.db_table)} SET {sets} WHERE {only}"  # noqa: S608


def _field(name: str) -> Field[Any, Any]:
    field = Run._meta.get_field(name)
    assert isinstance(field, Field)  # noqa: S101  for mypy: none of them is a relation from elsewhere
    return field


def _names(fields: Sequence[Field[Any, Any]]) -> str:
    return ", ".join(_quoted(field.column) for field in fields)


def _marks(values: Sequence[object]) -> str:
    return ", ".join(["%s"] * len(values))


def _quoted(name: str | None) -> str:
    return connection.ops.quote_name(name or "")


def _execute(sql: str, values: Sequence[Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


@contextmanager
def _not_waiting_for_the_disk() -> Iterator[None]:
    """What is committed here reaches the disk with the next commit that is made elsewhere."""
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
    """Writes down ends in a thread of its own: whatever has come while it wrote goes into one transaction."""

    def __init__(self, when_written: Callable[[Run], None]) -> None:
        """Begin. `when_written` is called with each, in that thread."""
        self._when_written = when_written
        self._ended: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._work, name="run-recorder", daemon=True)
        self._thread.start()

    def put(self, run: Run) -> None:
        """Have the end of `run` written down."""
        self._ended.put(run)

    def close(self, patience_s: float) -> None:
        """Write down what has come so far, if the database takes it, and end."""
        self._closing.set()
        self._ended.put(None)
        self._thread.join(patience_s)

    def _work(self) -> None:
        while (first := self._ended.get()) is not None:
            batch = [first]
            while len(batch) < MOST_AT_ONCE and not self._ended.empty():
                following = self._ended.get()
                if following is None:
                    self._ended.put(None)
                    break
                batch.append(following)
            self._write(batch)
        connection.close()

    def _write(self, batch: list[Run]) -> None:
        """Again and again while the database cannot take it: its disk is full, or it is out of reach."""
        pause_s = 0.2
        while True:
            try:
                write_ends(batch)
                break
            except (OperationalError, InterfaceError):
                log.exception("%s runs have ended and cannot be written down yet", len(batch))
                connection.close()
                if self._closing.wait(pause_s):
                    return
                pause_s = min(pause_s * 2, 5.0)
            except Exception:
                if len(batch) > 1:
                    for run in batch:
                        self._write([run])
                    return
                log.exception("Run %s has ended and could not be written down", batch[0].pk)
                self._give_up(batch[0])
                break
        for run in batch:
            self._follow_up(run)

    def _follow_up(self, run: Run) -> None:
        """What else is to be done once the end of `run` is written down; none of it undoes that, or ends the thread."""
        if run.example_check:
            try:
                settle(run.example_check)
            except Exception:
                log.exception("How example check %s came out could not be written down", run.example_check.pk)
                connection.close()
        for told in (count, self._when_written):
            try:
                told(run)
            except Exception:
                log.exception("Not everybody could be told that run %s has ended", run.pk)

    def _give_up(self, run: Run) -> None:
        run.outcome, run.error, run.finished_at = "crashed", NOT_RECORDED, timezone.now()
        try:
            Run.objects.active().filter(pk=run.pk).update(
                outcome=run.outcome, error=run.error, finished_at=run.finished_at
            )
        except DatabaseError:
            log.exception("Run %s is left as it is; the next start marks it", run.pk)
