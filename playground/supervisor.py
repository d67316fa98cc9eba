"""The runs of this process: handed to the runner, watched while they last, and written down when they end.

Several server processes share one database and nothing else. A run belongs to the process that started it; the others
read its row, and ask for its end by a column. One thread per process looks after that.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from datetime import datetime

from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from catalog.errors import Busy
from playground.models import Run
from playground.orphans import SIGN_OF_LIFE_S, recover_runs
from playground.process_id import this_host
from playground.redaction import Redactor
from playground.run_writer import NOT_RECORDED, Recorder, insert
from playground.runner import Job, LocalRunner, RunEnd, RunHandle
from playground.runner.local_runner import MAX_SLOTS

log = logging.getLogger(__name__)

TICK_S = 0.2  # how soon a cancel that another process asked for is noticed
NEWS_S = 0.5  # how often what a long run says is written down
LONG_RUN_S = 0.8  # shorter runs are written twice only: when they begin and when they end
RECOVERY_S = 2.0
MAX_LIVE_CHARACTERS = 16_000  # of each of stdout and stderr while a run lasts; all that is kept follows at its end

CLOSE_S = 5.0

Conclude = Callable[["ActiveRun", RunEnd], Run]


@dataclass(eq=False)
class ActiveRun:
    """A run that has not been written down as ended.

    Attributes:
        run: as it is written down; the one that has ended, when that is written.
        waited_ms: how long it waited before it was handed to the runner.
    """

    run: Run
    handle: RunHandle
    scrubber: Redactor
    conclude: Conclude
    waited_ms: float = 0.0
    began: float = field(default_factory=time.monotonic)
    ended: threading.Event = field(default_factory=threading.Event)
    news_at: float = 0.0
    news: dict[str, object] = field(default_factory=dict)


def make_runner(slots: int, queue_max: int) -> LocalRunner:
    """The runner that the settings ask for."""
    return LocalRunner(
        slots=min(slots, MAX_SLOTS),
        queue_max=queue_max,
        environment_names=settings.TOOL_ENVIRONMENT,
        hidden=[str(settings.DATA_DIR)],
    )


class Supervisor:
    """The runs of one process. Started by the first run, or by `begin()` where a server wants its runs recovered."""

    def __init__(self, processes: int) -> None:
        """Begin to look after runs; this is one of `processes` that share the slots and the queue."""
        self.slots = max(1, settings.RUN_SLOTS // processes)
        self.queue_max = settings.RUN_QUEUE_MAX // processes
        self.runner = make_runner(self.slots, self.queue_max)
        self.host = this_host()
        self.active: dict[str, ActiveRun] = {}
        self.taken = 0  # places given out, also to runs that are just being written down
        self.lock = threading.Lock()
        self.wake = threading.Event()
        self.closing = threading.Event()
        self.recorder = Recorder(self._forget)
        self.thread = threading.Thread(target=self._watch, name="run-supervisor", daemon=True)
        self.thread.start()

    # -- from the threads that serve requests -------------------------------------------------------------------------

    def begin(
        self, run: Run, job: Job, scrubber: Redactor, conclude: Conclude, *, told_later: bool = False
    ) -> ActiveRun:
        """Record `run` as queued and hand `job` to the runner. `conclude` makes out how it ended; see `recording.py`.

        Raises:
            Busy: as many wait as may wait; nothing was recorded.
        """
        self._take_place()
        try:
            run.host = self.host
            insert(run, told_later=told_later)
            return self._hand_over(run, job, scrubber, conclude)
        except BaseException:
            self._give_place_back()
            Run.objects.filter(pk=run.pk, outcome="queued").delete()
            raise

    def go_on(self, run: Run, job: Job, scrubber: Redactor, conclude: Conclude, *, waited_ms: float) -> ActiveRun:
        """As `begin`, for a run that is recorded and has this process as its host already; it stays so when this fails.

        Raises:
            Busy: as many wait as may wait.
        """
        self._take_place()
        try:
            return self._hand_over(run, job, scrubber, conclude, waited_ms)
        except BaseException:
            self._give_place_back()
            raise

    def _hand_over(
        self, run: Run, job: Job, scrubber: Redactor, conclude: Conclude, waited_ms: float = 0.0
    ) -> ActiveRun:
        active = ActiveRun(run, self.runner.submit(job), scrubber, conclude, waited_ms)
        with self.lock:
            self.active[run.id] = active
        self.wake.set()
        active.handle.when_done(lambda end: self._conclude(active, end))
        return active

    def find(self, run_id: str) -> ActiveRun | None:
        return self.active.get(run_id)

    def _take_place(self) -> None:
        with self.lock:
            if self.taken >= self.slots + self.queue_max:
                raise Busy(
                    f"{self.queue_max:,} runs wait already; no more are taken for the moment.",
                    retry_after_s=max(1, min(60, self.queue_max // (self.slots * 4))),
                )
            self.taken += 1

    def _give_place_back(self) -> None:
        with self.lock:
            self.taken -= 1

    # -- when a run ends ----------------------------------------------------------------------------------------------

    def _conclude(self, active: ActiveRun, end: RunEnd) -> None:
        """In a thread of the runner: make out how a run ended, and have it written down."""
        if self.closing.is_set():
            return
        try:
            result = self._made_out(active, end)
        finally:
            connection.close()
        if result:
            self.recorder.put(result)

    def _made_out(self, active: ActiveRun, end: RunEnd) -> Run | None:
        """How a run ended; tried again while the database is out of reach. None where this process closes before."""
        pause_s = 0.2
        while True:
            try:
                return active.conclude(active, end)
            except DatabaseError:
                log.exception("What came of run %s cannot be made out yet", active.run.id)
                connection.close()
                if self.closing.wait(pause_s):
                    return None
                pause_s = min(pause_s * 2, 5.0)
            except Exception:
                log.exception("What came of run %s could not be made out", active.run.id)
                result = copy(active.run)
                result.outcome, result.error, result.finished_at = "crashed", NOT_RECORDED, timezone.now()
                return result

    def _forget(self, result: Run) -> None:
        """It has been written down."""
        active = self.active[result.id]
        active.run = result
        with self.lock:
            self.active.pop(active.run.id, None)
            self.taken -= 1
        active.ended.set()

    # -- the thread that looks after them -----------------------------------------------------------------------------

    def _watch(self) -> None:
        recovered_at = signed_at = 0.0
        while not self.closing.is_set():
            now = time.monotonic()
            try:
                if now - recovered_at >= RECOVERY_S:
                    recovered_at = now
                    recover_runs()
                long_lived = [active for active in list(self.active.values()) if now - active.began >= TICK_S]
                if long_lived:
                    self._cancel_where_asked()
                    self._write_news([active for active in long_lived if now - active.began >= LONG_RUN_S], now)
                    if now - signed_at >= SIGN_OF_LIFE_S:
                        signed_at = now
                        Run.objects.active().filter(host=self.host).update(seen_at=timezone.now())
            except DatabaseError:
                log.exception("The runs of this process could not be looked after; trying again")
                connection.close()
            self.wake.clear()
            if self.active:
                self.closing.wait(TICK_S)
            else:
                self.wake.wait(RECOVERY_S)
        connection.close()

    def _cancel_where_asked(self) -> None:
        asked = Run.objects.active().filter(host=self.host, cancel_requested_at__isnull=False)
        for run_id in asked.values_list("pk", flat=True):
            if active := self.active.get(run_id):
                active.handle.cancel()

    def _write_news(self, long_runs: list[ActiveRun], now: float) -> None:
        for active in long_runs:
            if active.handle.state != "running" or now - active.news_at < NEWS_S:
                continue
            active.news_at = now
            news = news_of(active)
            if news != active.news:
                active.news = news
                Run.objects.active().filter(pk=active.run.id).update(**news)

    def close(self) -> None:
        """End every run of this process and mark it so."""
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
            log.exception("The runs of this process could not be marked as ended; the next start does it")


def news_of(active: ActiveRun) -> dict[str, object]:
    """What a run that still lasts says of itself, scrubbed, as columns of its row."""
    output = active.handle.output()
    news: dict[str, object] = {
        "outcome": "running",
        "started_at": active.run.started_at or _started_at(active),
        "stdout": storable(active.scrubber.cut_text(output.stdout[:MAX_LIVE_CHARACTERS])),
        "stderr": storable(active.scrubber.cut_text(output.stderr[:MAX_LIVE_CHARACTERS])),
    }
    if events := active.handle.events:
        latest = events[-1]
        news["progress_done"] = latest.done
        news["progress_total"] = latest.total
        news["progress_message"] = storable(active.scrubber.text(latest.message))[:200]
    return news


def _started_at(active: ActiveRun) -> datetime:
    active.run.started_at = timezone.now()
    return active.run.started_at


def storable(text: str) -> str:
    """`text` as every database takes it: a NUL character becomes its picture."""
    return text.replace("\0", "\u2400") if "\0" in text else text


_supervisor: Supervisor | None = None
_pid = 0
_making = threading.Lock()


def supervisor(*, processes: int | None = None) -> Supervisor:
    """This process's own; made on the first call.

    Args:
        processes: how many share the slots and the queue of the settings; the web server's where it is None.
    """
    global _supervisor, _pid
    with _making:
        if _supervisor is None or _pid != os.getpid():
            _supervisor, _pid = Supervisor(processes or settings.WEB_PROCESSES), os.getpid()
            atexit.register(_supervisor.close)
        return _supervisor


def close_supervisor() -> None:
    """End this process's runs and its supervisor; the next run makes a new one."""
    global _supervisor  # noqa: PLW0603
    with _making:
        if _supervisor is not None and _pid == os.getpid():
            _supervisor.close()
            atexit.unregister(_supervisor.close)
        _supervisor = None
