"""Restore the metadata of tools from a catalog file: owner, toolkit, tags, deprecation, and waivers.

A tool that the upload creates gets the metadata in the file. An existing tool keeps its own. Metadata that cannot be
restored here, such as an unknown owner, is reported as a loss and does not stop the upload. A tool's successor may
follow later in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from catalog.accounts.models import User
from catalog.assessments import assess_again
from catalog.catalog_dump.metadata import DumpedDeprecation, DumpedWaiver, ToolMetadata
from catalog.catalog_dump.writer import metadata_of
from catalog.conversion_report import Loss, Report
from catalog.errors import SpecError
from catalog.indexing import reindex
from catalog.jsontext.pointers import pointer_join
from catalog.lifecycle import problems_of_note, successor_of
from catalog.metadata import problems_of_name
from catalog.models import Tool, Waiver
from catalog.models.tools import TAG_LENGTH, TOOLKIT_LENGTH
from catalog.publishing import Publication
from catalog.search import search_index
from catalog.search.document import MAX_TAGS, group_key
from catalog.specs.spec import ToolSpec
from catalog.uploads.parse import Candidate
from catalog.uploads.readers import Piece
from catalog.waivers import MAX_WAIVERS, problems_of_waiver

MAX_NAME_CHARS: Final = 150  # of a username in a message
SUCCESSORS_PER_QUERY: Final = 500

_UNKNOWN: Final = "Toolshelf does not know this member."
_HERE_BEFORE: Final = "The tool existed already, and its metadata was not changed."


@dataclass(frozen=True, slots=True)
class MissingSuccessor:
    """A tool whose successor, named in the catalog file, does not exist here."""

    tool: Tool
    source: str
    line: int
    loss: Loss


@dataclass(frozen=True, slots=True)
class _Restorable:
    """The metadata of a tool that can be restored here, and the losses."""

    columns: Mapping[str, Any]
    waivers: Sequence[DumpedWaiver] = ()
    losses: Sequence[Loss] = ()


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A deprecated tool that waits for its successor."""

    tool_id: str
    note: str
    source: str
    line: int


@dataclass
class MetadataRestore:
    """Restores, batch by batch, the metadata in the catalog files of one upload for the tools that it creates.

    Attributes:
        since: the time when the upload was created.
    """

    since: datetime = field(default_factory=timezone.now)
    _restorable: dict[str, _Restorable] = field(default_factory=dict)  # of the batch, by the tools' ids
    _last: str = ""  # the id of the previous tool
    _waiting: dict[str, dict[str, _Waiting]] = field(default_factory=dict)  # by the ids of successor and tool
    _unchecked: set[str] = field(default_factory=set)  # ids of successors that were not looked up yet

    def skip(self, pieces: Iterable[Piece]) -> str | None:
        """Read the pieces that were processed before the upload was interrupted.

        Returns:
            The id of the tool whose revisions were being processed, if the upload created that tool.
        """
        piece = None
        for piece in pieces:
            if piece.revision and piece.revision.metadata:
                self._wait(piece, piece.revision.tool_id, piece.revision.metadata)
        if piece is None or piece.revision is None:
            return None
        self._last = piece.revision.tool_id
        return self._last if Tool.objects.filter(tool_id=self._last, created_at__gte=self.since).exists() else None

    def initial_columns(self, batch: Sequence[Candidate]) -> dict[str, Mapping[str, Any]]:
        """The initial column values of a batch's tools, in case they are new, by their ids."""
        dumped = {
            candidate.spec.tool_id: candidate.piece.revision
            for candidate in reversed(batch)
            if candidate.piece.revision and isinstance(candidate.spec, ToolSpec)
        }
        owners = {one.metadata.owner for one in dumped.values() if one.metadata and one.metadata.owner}
        users = {user.username: user for user in User.objects.filter(username__in=owners)} if owners else {}
        now = timezone.now()
        archived = {tool_id: {"archived_at": now} if one.archived else {} for tool_id, one in dumped.items()}
        self._restorable = {
            tool_id: _restorable(one.metadata, users, now) if one.metadata else _Restorable({})
            for tool_id, one in dumped.items()
        }
        return {tool_id: {**one.columns, **archived[tool_id]} for tool_id, one in self._restorable.items()}

    def restore(
        self, batch: Sequence[tuple[Candidate, Publication | SpecError]], *, dry_run: bool
    ) -> list[tuple[Loss, ...]]:
        """Restore the rest of the metadata of tools that were just published; the caller is in that transaction.

        Returns:
            For each candidate of the batch, the metadata that was not restored.
        """
        dumped = [(candidate, outcome) for candidate, outcome in batch if candidate.piece.revision]
        if not dumped:
            return [()] * len(batch)
        here = metadata_of([one.tool for _, one in dumped if isinstance(one, Publication) and one.outcome != "created"])
        losses = [tuple(self._losses(candidate, outcome, here)) for candidate, outcome in batch]
        new = [
            (candidate, outcome.tool)
            for candidate, outcome in dumped
            if isinstance(outcome, Publication) and outcome.outcome == "created"
        ]
        if not dry_run:
            self._waive([tool for _, tool in new])
            for candidate, tool in new:
                if candidate.piece.revision and candidate.piece.revision.metadata:
                    self._wait(candidate.piece, tool.tool_id, candidate.piece.revision.metadata)
            self._link_successors({tool.tool_id for _, tool in new})
        return losses

    def finish(self) -> Iterator[MissingSuccessor]:
        """The tools whose successor did not arrive; the caller is in a transaction."""
        self._link_successors(list(self._waiting))
        for successor, waiting in self._waiting.items():
            for one in waiting.values():
                if (tool := self._tool(one)) is not None:
                    _, problem = successor_of(tool, successor)
                    reason = problem.message if problem else f"{successor!r} came too late."
                    loss = Loss("/deprecation/superseded_by", "dropped", reason)
                    yield MissingSuccessor(tool, one.source, one.line, loss)

    def _losses(
        self, candidate: Candidate, outcome: Publication | SpecError, here: dict[int, ToolMetadata]
    ) -> Iterable[Loss]:
        revision = candidate.piece.revision
        if revision is None or not isinstance(outcome, Publication):
            return ()
        report = Report()
        for pointer in revision.unknown:
            report.dropped(pointer, _UNKNOWN)
        tool = outcome.tool
        if revision.metadata is not None and tool.tool_id != self._last:
            if outcome.outcome == "created":
                report.extend(self._restorable[tool.tool_id].losses)
            else:
                report.extend(Loss(pointer, "dropped", _UNKNOWN) for pointer in revision.metadata.unknown)
                different = revision.metadata.differences(here[tool.pk])
                report.extend(Loss(pointer, "dropped", _HERE_BEFORE) for pointer in different)
        self._last = tool.tool_id
        return report

    def _waive(self, tools: Sequence[Tool]) -> None:
        rows = [
            Waiver(tool=tool, rule=waiver.rule, pointer=waiver.pointer, reason=waiver.reason)
            for tool in tools
            for waiver in self._restorable[tool.tool_id].waivers
        ]
        Waiver.objects.bulk_create(rows)
        for tool in {row.tool_id: row.tool for row in rows}.values():
            if tool.score is not None:
                assess_again(Tool.objects.with_current().get(pk=tool.pk))

    def _wait(self, piece: Piece, tool_id: str, metadata: ToolMetadata) -> None:
        if metadata.deprecation and (successor := metadata.deprecation.superseded_by):
            waiting = self._waiting.setdefault(successor, {})
            waiting[tool_id] = _Waiting(tool_id, _note(metadata.deprecation), piece.source, piece.line)
            self._unchecked.add(successor)

    def _link_successors(self, came: Iterable[str]) -> None:
        """Set the successors of waiting tools: those that `came`, and those that were stored here already."""
        wanted = [tool_id for tool_id in {*came, *self._unchecked} if tool_id in self._waiting]
        self._unchecked.clear()
        if wanted:
            search_index().hold()  # tools are about to change
        for start in range(0, len(wanted), SUCCESSORS_PER_QUERY):
            there = Tool.objects.filter(tool_id__in=wanted[start : start + SUCCESSORS_PER_QUERY])
            for successor in there.values_list("tool_id", flat=True):
                for one in list(self._waiting[successor].values()):
                    if self._supersede(one, successor):
                        del self._waiting[successor][one.tool_id]

    def _supersede(self, waiting: _Waiting, successor: str) -> bool:
        """Set the successor. False if that is not possible: `finish` then reports the reason."""
        tool = self._tool(waiting)
        if tool is None:
            return True
        tool.superseded_by, problem = successor_of(tool, successor)
        if problem is None:
            reindex(tool, "superseded_by")
        return problem is None

    def _tool(self, waiting: _Waiting) -> Tool | None:
        """The waiting tool; None if it existed before the upload, or a user changed its deprecation since."""
        return (
            Tool.objects.with_current()
            .filter(tool_id=waiting.tool_id, created_at__gte=self.since, deprecation_note=waiting.note)
            .filter(deprecation_chosen=True, superseded_by=None)
            .first()
        )


def _restorable(metadata: ToolMetadata, users: Mapping[str, User], now: datetime) -> _Restorable:
    report = Report()
    for pointer in metadata.unknown:
        report.dropped(pointer, _UNKNOWN)
    columns: dict[str, Any] = {"owner": users.get(metadata.owner)}
    if metadata.owner and metadata.owner not in users:
        report.dropped("/owner", f"There is no person {metadata.owner[:MAX_NAME_CHARS]!r} here.")
    if metadata.toolkit is not None:
        columns |= _toolkit(metadata.toolkit, report)
    columns["added_tags"] = "\n".join(_tags(metadata.tags, report))
    if metadata.deprecation:
        for problem in problems_of_note(metadata.deprecation.note):
            report.dropped("/deprecation/note", problem.message)
        columns |= {"deprecation_chosen": True, "deprecated_at": now, "deprecation_note": _note(metadata.deprecation)}
    return _Restorable(columns, list(_waivers(metadata.waivers, report)), list(report))


def _toolkit(name: str, report: Report) -> dict[str, Any]:
    toolkit = " ".join(name.split())
    problems = problems_of_name(toolkit, "/toolkit", "toolkit", TOOLKIT_LENGTH) if toolkit else []
    for problem in problems:
        report.dropped(problem.pointer, problem.message)
    return {} if problems else {"toolkit": toolkit, "toolkit_chosen": True}


def _tags(tags: Sequence[str], report: Report) -> list[str]:
    accepted: dict[str, str] = {}
    for number, dumped in enumerate(tags):
        tag, pointer = " ".join(dumped.split()), pointer_join("/tags", number)
        problems = problems_of_name(tag, pointer, "tag", TAG_LENGTH)
        for problem in problems:
            report.dropped(pointer, problem.message)
        if problems:
            continue
        if group_key(tag) in accepted:
            report.dropped(pointer, "The tool has this tag already.")
        elif len(accepted) == MAX_TAGS:
            report.dropped(pointer, f"A tool has at most {MAX_TAGS} tags.")
        else:
            accepted[group_key(tag)] = tag
    return list(accepted.values())


def _note(deprecation: DumpedDeprecation) -> str:
    """The note to store; "" if it is invalid."""
    return "" if problems_of_note(deprecation.note) else deprecation.note.strip()


def _waivers(waivers: Sequence[DumpedWaiver], report: Report) -> Iterator[DumpedWaiver]:
    seen: set[tuple[str, str]] = set()
    for number, dumped in enumerate(waivers):
        reason, pointer = " ".join(dumped.reason.split()), f"/waivers/{number}"
        waiver = DumpedWaiver(dumped.rule, dumped.pointer, reason)
        problems = problems_of_waiver(waiver.rule, waiver.pointer, waiver.reason)
        for problem in problems:
            report.dropped(pointer + problem.pointer, problem.message)
        if problems:
            continue
        if (key := (waiver.rule, waiver.pointer)) in seen:
            report.dropped(pointer, "This is waived already.")
        elif len(seen) == MAX_WAIVERS:
            report.dropped(pointer, f"A tool has at most {MAX_WAIVERS} waivers.")
        else:
            seen.add(key)
            yield waiver
