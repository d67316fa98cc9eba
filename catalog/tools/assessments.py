"""Assess each revision once: while a single spec is published, or else in the background.

An assessment takes 1 to 2 ms per spec, longer than publishing it in bulk. Bulk uploads therefore
leave the backlog to the server (a job of one of its processes) or to the end of `load_specs`. One
of them works at a time; the others see `LockHeld`. Assessments are stored in batches: if a process
ends halfway, the next continues.
"""

from __future__ import annotations

import fcntl
import logging
import os
import time
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Max

from catalog.index import search_index
from catalog.index.document import document_of
from catalog.tools.indexing import index
from catalog.tools.lint_models import Assessment, Waiver
from catalog.tools.models import Revision, Tool
from toolspec.lint.assessment import ASSESSED_BY, SpecAssessment, WaivedFinding, assess
from toolspec.spec import ToolSpec

log = logging.getLogger(__name__)

BATCH: Final = 25  # revisions per transaction: other writers wait for about 20 ms
WINDOW: Final = 5_000  # revisions that one query searches for unassessed ones
PAUSE: Final = 2.0  # after a batch, as a multiple of the time that it took

ASSESSMENT_COLUMNS: Final = ("score", "usable_formats")


# -- one spec --------------------------------------------------------------------------------------


def try_to_assess(spec: ToolSpec, waived: Collection[WaivedFinding] = ()) -> SpecAssessment | None:
    """As `assess`; logs a failure and returns None, so that it never stops a publication."""
    try:
        return assess(spec, waived)
    except Exception:
        log.exception("The spec of %r could not be assessed.", spec.tool_id)
        return None


@dataclass(frozen=True)
class EarlierAssessments:
    """Assessments of specs before the transaction that publishes them.

    Attributes:
        assessments: by the hashes of the specs.
        waivers: those that applied, by the tools' ids.
    """

    assessments: Mapping[str, SpecAssessment] = field(default_factory=dict)
    waivers: Mapping[str, list[WaivedFinding]] = field(default_factory=dict)

    def take_valid(self, specs: Sequence[ToolSpec]) -> Mapping[str, SpecAssessment]:
        """The assessments whose tools still have the same waivers.

        The caller has locked the index.
        """
        if not self.assessments:
            return {}
        waivers = _read_waivers_by_id(specs)
        valid = dict(self.assessments)
        for spec in specs:
            if waivers.get(spec.tool_id) != self.waivers.get(spec.tool_id):
                valid.pop(spec.sha256, None)
        return valid


def assess_early(specs: Sequence[ToolSpec]) -> EarlierAssessments:
    """Assess specs that are about to be published, with the waivers of their tools."""
    waivers = _read_waivers_by_id(specs)
    assessments = {}
    for spec in specs:
        assessment = try_to_assess(spec, waivers.get(spec.tool_id, ()))
        if assessment:
            assessments[spec.sha256] = assessment
    return EarlierAssessments(assessments, waivers)


def _read_waivers_by_id(specs: Sequence[ToolSpec]) -> dict[str, list[WaivedFinding]]:
    waivers = defaultdict(list)
    rows = Waiver.objects.filter(tool__tool_id__in=[spec.tool_id for spec in specs])
    for waiver in rows.select_related("tool"):
        waivers[waiver.tool.tool_id].append(waiver.waived)
    return waivers


def copy_to_tool(tool: Tool, assessment: SpecAssessment | None) -> None:
    """Set the assessment columns of a tool; None: its current revision is not assessed yet."""
    tool.score = assessment.score if assessment else None
    tool.usable_formats = " ".join(assessment.usable) if assessment else ""


def make_assessment_row(revision: int, assessment: SpecAssessment) -> Assessment:
    """The unsaved row for the revision with this primary key."""
    return Assessment(
        revision_id=revision,
        score=assessment.score,
        usable=" ".join(assessment.usable),
        findings="".join(f" {rule}:{count}" for rule, count in assessment.findings),
        assessed_by=ASSESSED_BY,
    )


def assess_again(tool: Tool) -> None:
    """Assess a tool again after a waiver changed.

    The current revision is assessed now, the others in the background. The caller is in a
    transaction and has locked the index.
    """
    Assessment.objects.filter(revision__tool=tool).update(assessed_by=0)
    if tool.current is not None:
        waivers = _read_waivers([tool.current])[tool.pk]
        _store([tool.current], {tool.current.pk: try_to_assess(tool.current.spec, waivers)})


# -- many ------------------------------------------------------------------------------------------


@dataclass
class Backlog:
    """The revisions that are not assessed yet.

    Attributes:
        after: all revisions up to this primary key have been checked.
        failures: the primary keys of those that cannot be assessed.
    """

    after: int = 0
    failures: set[int] = field(default_factory=set)

    def find_next(self, limit: int) -> list[Revision]:
        """The oldest revisions without assessment; [] if every revision is assessed."""
        outdated = Revision.objects.filter(assessment__assessed_by__lt=ASSESSED_BY)
        revisions = list(outdated.exclude(pk__in=self.failures)[:limit])
        if revisions:
            return revisions
        last = _find_newest()
        while self.after < last:
            end = min(self.after + WINDOW, last)
            window = Revision.objects.filter(pk__gt=self.after, pk__lte=end, assessment=None)
            revisions = list(window.order_by("pk")[:limit])
            self.after = revisions[-1].pk if len(revisions) == limit else end
            if revisions:
                return revisions
        return []


def assess_backlog(backlog: Backlog) -> int:
    """Assess the next batch of the backlog, and remove it from there.

    Returns:
        The size of the batch; 0 if every revision is assessed.
    """
    revisions = backlog.find_next(BATCH)
    if not revisions:
        return 0
    earlier_waivers = _read_waivers(revisions)
    assessments = {}
    for revision in revisions:
        waivers = earlier_waivers[revision.tool_id]
        assessments[revision.pk] = try_to_assess(revision.spec, waivers)
    with transaction.atomic():
        search_index().hold()
        waivers_now = _read_waivers(revisions)
        for revision in revisions:
            waivers = waivers_now[revision.tool_id]
            if waivers != earlier_waivers[revision.tool_id]:
                assessments[revision.pk] = try_to_assess(revision.spec, waivers)
        _store(revisions, assessments)
    backlog.failures.update(pk for pk, assessment in assessments.items() if assessment is None)
    return len(revisions)


def assess_all(*, seconds: float | None = None) -> Iterator[int]:
    """Assess the entire backlog, for at most `seconds`.

    Yields the number assessed so far after each batch.

    Raises:
        LockHeld: another process is assessing.
    """
    with hold_assessment_lock():
        backlog = Backlog()
        start = time.monotonic()
        count = 0
        while seconds is None or time.monotonic() - start < seconds:
            size = assess_backlog(backlog)
            if not size:
                return
            count += size
            yield count


def _find_newest() -> int:
    """The primary key of the newest revision; 0 if there is none."""
    return Revision.objects.aggregate(last=Max("pk"))["last"] or 0


def _read_waivers(revisions: Sequence[Revision]) -> defaultdict[int, list[WaivedFinding]]:
    """The waivers of the tools of `revisions`, by the tool's primary key."""
    waivers = defaultdict(list)
    for waiver in Waiver.objects.filter(tool__in={revision.tool_id for revision in revisions}):
        waivers[waiver.tool_id].append(waiver.waived)
    return waivers


def _store(revisions: Sequence[Revision], assessments: Mapping[int, SpecAssessment | None]) -> None:
    """Write the assessments; for current revisions also update the tool and the index.

    `assessments`: by the primary key of the revision; None for one that failed.
    """
    rows = []
    documents = []
    tools = Tool.objects.in_bulk([revision.tool_id for revision in revisions])
    for revision in revisions:
        assessment = assessments[revision.pk]
        if assessment is None:
            continue
        rows.append(make_assessment_row(revision.pk, assessment))
        tool = tools[revision.tool_id]
        is_changed = (tool.score, tool.usable) != (assessment.score, assessment.usable)
        if tool.current_id == revision.pk and is_changed:
            copy_to_tool(tool, assessment)
            tool.save(update_fields=ASSESSMENT_COLUMNS)
            documents.append((document_of(revision.spec), tool))
    Assessment.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["revision"],
        update_fields=["score", "usable", "findings", "assessed_by"],
    )
    index(documents)


# -- the lock --------------------------------------------------------------------------------------


class LockHeld(Exception):
    """Another process of this machine is assessing."""


@contextmanager
def hold_assessment_lock() -> Iterator[None]:
    """Hold this machine's assessment lock.

    The operating system releases it when the process ends, however it ends. Several machines that
    share a database may each hold one: they do some of the work twice, which is harmless.

    Raises:
        LockHeld: another process holds it.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
    descriptor = os.open(settings.DATA_DIR / "assessment.lock", flags, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise LockHeld from error
        yield
    finally:
        os.close(descriptor)


class Assessor:
    """Assesses the new revisions, again and again, in the process that holds the lock."""

    def __init__(self) -> None:
        self.backlog = Backlog()

    def assess(self) -> None:
        """Assess all that is not assessed yet, unless another process is doing so.

        It pauses after each batch: requests and uploads need the CPU more.
        """
        with suppress(LockHeld), hold_assessment_lock():
            start = time.monotonic()
            while assess_backlog(self.backlog):
                time.sleep(PAUSE * (time.monotonic() - start))
                start = time.monotonic()
