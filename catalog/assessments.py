"""Judging specs: each revision once, when it is published alone, or afterwards where many come at once.

It takes 1 to 2 ms per spec, longer than publishing it in bulk, so that what publishes many leaves it to others: the
server (a thread of one of its processes), the end of `load_specs`, or `judge_tools`. One of them does it at a time; the
others see that it is being done (`Turn`). Where one ends halfway, what it has judged is stored, and the next goes on.
"""

from __future__ import annotations

import fcntl
import logging
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection, transaction
from django.db.models import Max

from catalog.indexing import index
from catalog.models import Assessment, Revision, Tool, Waiver
from catalog.models.tools import USABLE_COLUMNS
from catalog.search import search_index
from catalog.search.document import spec_terms_of
from catalog.specs.lint.assessment import ASSESSED_BY, SpecAssessment, WaivedFinding, assess
from catalog.specs.spec import ToolSpec

log = logging.getLogger(__name__)

BATCH: Final = 25  # revisions per transaction: others who want to write wait for some 20 ms
WINDOW: Final = 5_000  # revisions that one query goes through to find those that are not judged
POLL_S: Final = 2.0
AFTER_FAULT_S: Final = 60.0
MANY: Final = 50  # revisions between two batches: more of them are an upload under way, which needs the processor more
# The thread of a server rests so many times as long as it works, for others need the processor more: those most that
# wait for an answer, who may have to wait for the interpreter until a step of judging ends.
REST: Final = 2.0
REST_WHILE_BUSY: Final = 30.0

JUDGED_COLUMNS: Final = ("score", "grade", *USABLE_COLUMNS.values())


# -- one spec ---------------------------------------------------------------------------------------------------------


def assessment_of(spec: ToolSpec, waived: Collection[WaivedFinding] = ()) -> SpecAssessment | None:
    """As `assess`; None, and a line in the log, where it fails: nothing that is published shall fail with it."""
    try:
        return assess(spec, waived)
    except Exception:
        log.exception("The spec of %r could not be judged.", spec.tool_id)
        return None


@dataclass(frozen=True)
class EarlierAssessments:
    """How specs are judged that are about to be published, and what was waived of their tools when that was done."""

    found: Mapping[str, SpecAssessment] = field(default_factory=dict)  # by the hashes of the specs
    waived: Mapping[str, list[WaivedFinding]] = field(default_factory=dict)  # by the tools' ids

    def still(self, specs: Sequence[ToolSpec]) -> Mapping[str, SpecAssessment]:
        """Without those of whose tools something else is waived by now. The caller holds the index."""
        if not self.found:
            return {}
        now = _waived_of_ids(specs)
        changed = {spec.sha256 for spec in specs if now.get(spec.tool_id) != self.waived.get(spec.tool_id)}
        return {key: assessment_of for key, assessment_of in self.found.items() if key not in changed}


def earlier_assessments(specs: Sequence[ToolSpec]) -> EarlierAssessments:
    """As `assessment_of`, with what is waived of the tools that the specs are of."""
    waived = _waived_of_ids(specs)
    found = {spec.sha256: assessment_of(spec, waived.get(spec.tool_id, ())) for spec in specs}
    return EarlierAssessments({key: result for key, result in found.items() if result}, waived)


def _waived_of_ids(specs: Sequence[ToolSpec]) -> dict[str, list[WaivedFinding]]:
    waived: dict[str, list[WaivedFinding]] = {}
    for waiver in Waiver.objects.filter(tool__tool_id__in=[spec.tool_id for spec in specs]).select_related("tool"):
        waived.setdefault(waiver.tool.tool_id, []).append(waiver.waived)
    return waived


def copy_to_tools(tool: Tool, assessment_of: SpecAssessment | None) -> None:
    """Set the columns of a tool; None: its current revision is not judged yet."""
    tool.score, tool.grade = (assessment_of.score, assessment_of.grade) if assessment_of else (None, None)
    for key, column in USABLE_COLUMNS.items():
        setattr(tool, column, key in assessment_of.usable if assessment_of else None)


def store_assessments(revision: int, assessment_of: SpecAssessment) -> Assessment:
    return Assessment(
        revision_id=revision, score=assessment_of.score, usable=" ".join(assessment_of.usable), assessed_by=ASSESSED_BY
    )  # fmt: skip


def assess_again(tool: Tool) -> None:
    """After a waiver changed: the current revision now, the others later.

    The caller is in a transaction, and holds the index.
    """
    Assessment.objects.filter(revision__tool=tool).update(assessed_by=0)
    if tool.current is not None:
        result = assessment_of(tool.current.spec, _waived_of([tool.current]).get(tool.pk, ()))
        _store([tool.current], {tool.current.pk: result} if result else {})


# -- many -------------------------------------------------------------------------------------------------------------


@dataclass
class Backlog:
    """What is not judged yet. `after`: all revisions up to this primary key have been looked at."""

    after: int = 0
    failed: set[int] = field(default_factory=set)

    def next(self, limit: int) -> list[Revision]:
        """Some of it, the oldest first; [] where all is judged."""
        outdated = Revision.objects.filter(assessment__assessed_by__lt=ASSESSED_BY).exclude(pk__in=self.failed)
        found = list(outdated[:limit])
        if found:
            return found
        last = _newest()
        while self.after < last:
            end = min(self.after + WINDOW, last)
            window = Revision.objects.filter(pk__gt=self.after, pk__lte=end, assessment=None)
            found = list(window.order_by("pk")[:limit])
            self.after = found[-1].pk if len(found) == limit else end
            if found:
                return found
        return []


def assess_backlog(backlog: Backlog, *, rest: Callable[[float], None] = lambda _: None) -> int:
    """Assessor the next few of the backlog.

    Args:
        backlog: what is left; it is less afterwards.
        rest: called between the steps of the work with how many seconds the last one took.

    Returns:
        How many; 0 where all is judged.
    """
    revisions = backlog.next(BATCH)
    if not revisions:
        return 0
    waived = _waived_of(revisions)
    found = {}
    for revision in revisions:
        started = time.monotonic()
        found[revision.pk] = assessment_of(revision.spec, waived.get(revision.tool_id, ()))
        rest(time.monotonic() - started)
    started = time.monotonic()
    with transaction.atomic():
        search_index().hold()
        now = _waived_of(revisions)
        for revision in revisions:
            if now.get(revision.tool_id) != waived.get(revision.tool_id):  # somebody waived something meanwhile
                found[revision.pk] = assessment_of(revision.spec, now.get(revision.tool_id, ()))
        _store(revisions, {key: result for key, result in found.items() if result})
    rest(time.monotonic() - started)
    backlog.failed.update(key for key, result in found.items() if result is None)
    return len(revisions)


def assess_all(*, seconds: float | None = None) -> Iterator[int]:
    """Assessor whatever is not judged yet, for at most so long; gives how many were, again and again.

    Raises:
        Taken: somebody else does it.
    """
    with assessment_lock():
        backlog, started, count = Backlog(), time.monotonic(), 0
        while seconds is None or time.monotonic() - started < seconds:
            done = assess_backlog(backlog)
            if not done:
                return
            count += done
            yield count


def _newest() -> int:
    """The primary key of the revision that came last; 0 where there is none."""
    return Revision.objects.aggregate(last=Max("pk"))["last"] or 0


def _waived_of(revisions: Sequence[Revision]) -> dict[int, list[WaivedFinding]]:
    """What is waived of the tools of `revisions`, by the tool's primary key."""
    found: dict[int, list[WaivedFinding]] = {}
    for waiver in Waiver.objects.filter(tool__in={revision.tool_id for revision in revisions}):
        found.setdefault(waiver.tool_id, []).append(waiver.waived)
    return found


def _store(revisions: Sequence[Revision], found: dict[int, SpecAssessment]) -> None:
    """Write judgements, and what tools and the index show of those of current revisions."""
    notes = [store_assessments(revision.pk, found[revision.pk]) for revision in revisions if revision.pk in found]
    Assessment.objects.bulk_create(
        notes, update_conflicts=True, unique_fields=["revision"], update_fields=["score", "usable", "assessed_by"]
    )
    specs = {revision.pk: revision.spec for revision in revisions}
    tools = [tool for tool in Tool.objects.filter(current__in=found) if _differs(tool, found[tool.current_id or 0])]
    for tool in tools:
        copy_to_tools(tool, found[tool.current_id or 0])
        tool.save(update_fields=JUDGED_COLUMNS)
    index([(spec_terms_of(specs[tool.current_id or 0]), tool) for tool in tools])


def _differs(tool: Tool, assessment_of: SpecAssessment) -> bool:
    return (tool.score, tool.usable) != (assessment_of.score, assessment_of.usable)


# -- whose turn it is -------------------------------------------------------------------------------------------------


class LockTaken(Exception):
    """Another process of this machine judges at this moment."""


@contextmanager
def assessment_lock() -> Iterator[None]:
    """Be the one of this machine that judges. The system ends it with the process, however that ends.

    On several machines with one database there may be one on each: they do some of the work twice, and no harm.

    Raises:
        Taken: it is another one.
    """
    descriptor = os.open(settings.DATA_DIR / "judging.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockTaken from error
        yield
    finally:
        os.close(descriptor)


class Assessor:
    """A thread of a server process that judges whatever comes, as long as it is its turn.

    `busy` says whether somebody uses the process; the thread then rests longer.
    """

    def __init__(self, busy: Callable[[], bool] = lambda: False) -> None:
        self.busy = busy
        self.closing = threading.Event()
        self.thread = threading.Thread(target=self._work, name="judge", daemon=True)

    def start(self) -> None:
        self.thread.start()

    def stop(self) -> None:
        self.closing.set()
        self.thread.join(5)

    def _work(self) -> None:
        while not self.closing.wait(POLL_S):
            try:
                with assessment_lock():
                    self._judge()
            except LockTaken:
                continue
            except DatabaseError:  # locked for long, not there for a moment, not migrated yet: later
                log.warning("Judging could not go on; it is tried again.", exc_info=True)
            except Exception:  # a fault of ours: told, and tried again, for nobody else would begin
                log.exception("Judging could not go on; it is tried again in %s s.", AFTER_FAULT_S)
                self.closing.wait(AFTER_FAULT_S)
            finally:
                connection.close()

    def _judge(self) -> None:
        backlog, newest = Backlog(), _newest()
        while not self.closing.is_set():
            close_old_connections()
            before, newest = newest, _newest()
            if newest - before > MANY:
                self.closing.wait(POLL_S)
                continue
            if not assess_backlog(backlog, rest=self.rest):
                self.closing.wait(POLL_S)

    def rest(self, worked_s: float) -> None:
        """Let others work."""
        self.closing.wait(worked_s * (REST_WHILE_BUSY if self.busy() else REST))
