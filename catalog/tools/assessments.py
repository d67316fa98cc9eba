"""Assess each revision once: while publishing a single spec, or in the background after a bulk upload.

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


# -- one spec ---------------------------------------------------------------------------------------------------------


def assessment_of(spec: ToolSpec, waived: Collection[WaivedFinding] = ()) -> SpecAssessment | None:
    """As `assess`; logs a failure and returns None, so that it never stops a spec from being published."""
    try:
        return assess(spec, waived)
    except Exception:
        log.exception("The spec of %r could not be assessed.", spec.tool_id)
        return None


@dataclass(frozen=True)
class EarlierAssessments:
    """Assessments of specs before the transaction that publishes them, and the waivers that applied to them."""

    found: Mapping[str, SpecAssessment] = field(default_factory=dict)  # by the hashes of the specs
    waived: Mapping[str, list[WaivedFinding]] = field(default_factory=dict)  # by the tools' ids

    def still_valid(self, specs: Sequence[ToolSpec]) -> Mapping[str, SpecAssessment]:
        """The assessments whose tools still have the same waivers. The caller has locked the index."""
        if not self.found:
            return {}
        now = _waived_by_id(specs)
        changed = {
            spec.sha256 for spec in specs if now.get(spec.tool_id) != self.waived.get(spec.tool_id)
        }
        return {key: assessment for key, assessment in self.found.items() if key not in changed}


def earlier_assessments(specs: Sequence[ToolSpec]) -> EarlierAssessments:
    """Assess specs that are about to be published, with the waivers of their tools."""
    waived = _waived_by_id(specs)
    found = {spec.sha256: assessment_of(spec, waived.get(spec.tool_id, ())) for spec in specs}
    return EarlierAssessments({key: result for key, result in found.items() if result}, waived)


def _waived_by_id(specs: Sequence[ToolSpec]) -> dict[str, list[WaivedFinding]]:
    waived: dict[str, list[WaivedFinding]] = {}
    for waiver in Waiver.objects.filter(
        tool__tool_id__in=[spec.tool_id for spec in specs]
    ).select_related("tool"):
        waived.setdefault(waiver.tool.tool_id, []).append(waiver.waived)
    return waived


def copy_to_tool(tool: Tool, assessment: SpecAssessment | None) -> None:
    """Set the assessment columns of a tool; None: its current revision is not assessed yet."""
    tool.score = assessment.score if assessment else None
    tool.usable_formats = " ".join(assessment.usable) if assessment else ""


def assessment_row(revision: int, assessment: SpecAssessment) -> Assessment:
    """The unsaved row for the revision with this primary key."""
    return Assessment(
        revision_id=revision,
        score=assessment.score,
        usable=" ".join(assessment.usable),
        findings="".join(f" {rule}:{count}" for rule, count in assessment.findings),
        assessed_by=ASSESSED_BY,
    )


def assess_again(tool: Tool) -> None:
    """Assess a tool again after a waiver changed: the current revision now, the others in the background.

    The caller is in a transaction and has locked the index.
    """
    Assessment.objects.filter(revision__tool=tool).update(assessed_by=0)
    if tool.current is not None:
        result = assessment_of(tool.current.spec, _waived_by_tool([tool.current]).get(tool.pk, ()))
        _store([tool.current], {tool.current.pk: result} if result else {})


# -- many -------------------------------------------------------------------------------------------------------------


@dataclass
class Backlog:
    """The revisions that are not assessed yet. `after`: all revisions up to this primary key have been checked."""

    after: int = 0
    failed: set[int] = field(default_factory=set)

    def next(self, limit: int) -> list[Revision]:
        """The oldest unassessed revisions; [] if every revision is assessed."""
        outdated = Revision.objects.filter(assessment__assessed_by__lt=ASSESSED_BY).exclude(
            pk__in=self.failed
        )
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


def assess_backlog(backlog: Backlog) -> int:
    """Assess the next batch of the backlog, and remove it from there.

    Returns:
        The size of the batch; 0 if every revision is assessed.
    """
    revisions = backlog.next(BATCH)
    if not revisions:
        return 0
    waived = _waived_by_tool(revisions)
    found = {}
    for revision in revisions:
        found[revision.pk] = assessment_of(revision.spec, waived.get(revision.tool_id, ()))
    with transaction.atomic():
        search_index().hold()
        now = _waived_by_tool(revisions)
        for revision in revisions:
            if now.get(revision.tool_id) != waived.get(
                revision.tool_id
            ):  # a waiver changed in the meantime
                found[revision.pk] = assessment_of(revision.spec, now.get(revision.tool_id, ()))
        _store(revisions, {key: result for key, result in found.items() if result})
    backlog.failed.update(key for key, result in found.items() if result is None)
    return len(revisions)


def assess_all(*, seconds: float | None = None) -> Iterator[int]:
    """Assess the whole backlog, for at most `seconds`; yields the number assessed so far after each batch.

    Raises:
        LockHeld: another process is assessing.
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
    """The primary key of the newest revision; 0 if there is none."""
    return Revision.objects.aggregate(last=Max("pk"))["last"] or 0


def _waived_by_tool(revisions: Sequence[Revision]) -> dict[int, list[WaivedFinding]]:
    """The waivers of the tools of `revisions`, by the tool's primary key."""
    found: dict[int, list[WaivedFinding]] = {}
    for waiver in Waiver.objects.filter(tool__in={revision.tool_id for revision in revisions}):
        found.setdefault(waiver.tool_id, []).append(waiver.waived)
    return found


def _store(revisions: Sequence[Revision], found: dict[int, SpecAssessment]) -> None:
    """Write the assessments; for current revisions also update the tool and the index."""
    rows = [
        assessment_row(revision.pk, found[revision.pk])
        for revision in revisions
        if revision.pk in found
    ]
    Assessment.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["revision"],
        update_fields=["score", "usable", "findings", "assessed_by"],
    )
    specs = {revision.pk: revision.spec for revision in revisions}
    tools = [
        tool
        for tool in Tool.objects.filter(current__in=found)
        if _differs(tool, found[tool.current_id or 0])
    ]
    for tool in tools:
        copy_to_tool(tool, found[tool.current_id or 0])
        tool.save(update_fields=ASSESSMENT_COLUMNS)
    index([(document_of(specs[tool.current_id or 0]), tool) for tool in tools])


def _differs(tool: Tool, assessment: SpecAssessment) -> bool:
    return (tool.score, tool.usable) != (assessment.score, assessment.usable)


# -- the lock ---------------------------------------------------------------------------------------------------------


class LockHeld(Exception):
    """Another process of this machine is assessing."""


@contextmanager
def assessment_lock() -> Iterator[None]:
    """Hold this machine's assessment lock. The operating system releases it when the process ends, however it ends.

    Several machines that share a database may each hold one: they do some of the work twice, which
    is harmless.

    Raises:
        LockHeld: another process holds it.
    """
    descriptor = os.open(
        settings.DATA_DIR / "assessment.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
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
        with suppress(LockHeld), assessment_lock():
            started = time.monotonic()
            while assess_backlog(self.backlog):
                time.sleep(PAUSE * (time.monotonic() - started))
                started = time.monotonic()
