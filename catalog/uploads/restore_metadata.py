"""Restore the metadata of tools from a catalog file: owner, toolkit, tags, deprecation, and waivers.

A tool that the upload creates gets the metadata in the file, as far as who uploads may set it. An existing
tool keeps its own. Metadata that cannot be restored here, such as an unknown owner, is reported as a loss and does not
stop the upload. A tool's successor may follow later in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.utils import timezone

from catalog.access import index_tools_again
from catalog.accounts.models import User
from catalog.assessments import assess_again
from catalog.catalog_dump.metadata import ToolMetadata
from catalog.catalog_dump.writer import metadata_of
from catalog.conversion_report import Loss, Report
from catalog.errors import SpecError
from catalog.indexing import reindex
from catalog.lifecycle import successor_of
from catalog.models import Tool, Toolkit, Waiver
from catalog.models.access import EVERYONE, GROUPS, SIGNED_IN
from catalog.publishing import Publication
from catalog.search import search_index
from catalog.search.document import group_key
from catalog.specs.spec import ToolSpec
from catalog.uploads.parse import Candidate
from catalog.uploads.pieces import Piece
from catalog.uploads.restorable import (
    UNKNOWN,
    Restorable,
    RestorableAccess,
    UploaderRights,
    merged_access,
    note_of,
    people_and_groups,
    restorable_metadata,
)

SUCCESSORS_PER_QUERY: Final = 500

_HERE_BEFORE: Final = "The tool existed already, and its metadata was not changed."
_STRICTNESS: Final = (EVERYONE, SIGNED_IN, GROUPS)


@dataclass(frozen=True, slots=True)
class MissingSuccessor:
    """A tool whose successor, named in the catalog file, does not exist here."""

    tool: Tool
    source: str
    line: int
    loss: Loss


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
        by: who uploads; None for a command. Only administrators restore owners other than themselves.
        sets_toolkits: whether who uploads may set who owns, maintains and sees a toolkit.
    """

    since: datetime = field(default_factory=timezone.now)
    by: User | None = None
    sets_toolkits: bool = False
    _restorable: dict[str, Restorable] = field(
        default_factory=dict
    )  # of the batch, by the tools' ids
    _last: str = ""  # the id of the previous tool
    _waiting: dict[str, dict[str, _Waiting]] = field(
        default_factory=dict
    )  # by the ids of successor and tool
    _unchecked: set[str] = field(
        default_factory=set
    )  # ids of successors that were not looked up yet

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
        return (
            self._last
            if Tool.objects.filter(tool_id=self._last, created_at__gte=self.since).exists()
            else None
        )

    def initial_columns(self, batch: Sequence[Candidate]) -> dict[str, Mapping[str, Any]]:
        """The initial column values of a batch's tools, in case they are new, by their ids."""
        dumped = {
            candidate.spec.tool_id: candidate.piece.revision
            for candidate in reversed(batch)
            if candidate.piece.revision and isinstance(candidate.spec, ToolSpec)
        }
        people, groups = people_and_groups(
            [one.metadata for one in dumped.values() if one.metadata]
        )
        now = timezone.now()
        archived = {
            tool_id: {"archived_at": now} if one.archived else {} for tool_id, one in dumped.items()
        }
        rights = UploaderRights(self.by)
        self._restorable = {
            tool_id: restorable_metadata(tool_id, one.metadata, people, groups, now, rights=rights)
            if one.metadata
            else Restorable({})
            for tool_id, one in dumped.items()
        }
        return {
            tool_id: {**one.columns, **archived[tool_id]}
            for tool_id, one in self._restorable.items()
        }

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
        here = metadata_of(
            [
                one.tool
                for _, one in dumped
                if isinstance(one, Publication) and one.outcome != "created"
            ]
        )
        losses = [tuple(self._losses(candidate, outcome, here)) for candidate, outcome in batch]
        new = [
            (candidate, outcome.tool)
            for candidate, outcome in dumped
            if isinstance(outcome, Publication) and outcome.outcome == "created"
        ]
        if not dry_run:
            self._set_access([tool for _, tool in new])
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
                    reason = (
                        problem.message
                        if problem
                        else f"{successor!r} was published after this tool."
                    )
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
            report.dropped(pointer, UNKNOWN)
        tool = outcome.tool
        if revision.metadata is not None and tool.tool_id != self._last:
            if outcome.outcome == "created":
                report.extend(self._restorable[tool.tool_id].losses)
            else:
                report.extend(
                    Loss(pointer, "dropped", UNKNOWN) for pointer in revision.metadata.unknown
                )
                different = revision.metadata.differences(here[tool.pk])
                report.extend(Loss(pointer, "dropped", _HERE_BEFORE) for pointer in different)
        self._last = tool.tool_id
        return report

    def _set_access(self, tools: Sequence[Tool]) -> None:
        """Set the access to new tools. Tools that are restricted in the file never become more visible here."""
        for tool in tools:
            restorable = self._restorable[tool.tool_id]
            access, of_toolkit = restorable.access, restorable.toolkit_access
            if (
                of_toolkit
                and not self._set_toolkit_access(tool, of_toolkit)
                and not (access and access.visibility)
            ):
                access = merged_access(access, of_toolkit)
            if access:
                search_index().hold()
                stored = Tool.objects.with_current().get(pk=tool.pk)
                stored.visibility = access.visibility or None
                access.store_names(stored)
                reindex(stored, "visibility")

    def _set_toolkit_access(self, tool: Tool, wanted: RestorableAccess) -> bool:
        """Set the settings of the tool's toolkit if it has none here. False if the toolkit here restricts less."""
        toolkit = Toolkit.objects.filter(key=tool.toolkit_key).first()
        if toolkit is not None:
            return _STRICTNESS.index(toolkit.visibility) >= _STRICTNESS.index(
                wanted.visibility or EVERYONE
            )
        if not self.sets_toolkits or group_key(wanted.name) != tool.toolkit_key:
            return not wanted.visibility
        search_index().hold()
        toolkit = Toolkit.objects.create(
            key=tool.toolkit_key,
            name=wanted.name,
            owner=wanted.owner,
            visibility=wanted.visibility or EVERYONE,
        )
        wanted.store_names(toolkit)
        index_tools_again(toolkit)
        return True

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
            waiting[tool_id] = _Waiting(
                tool_id, note_of(metadata.deprecation), piece.source, piece.line
            )
            self._unchecked.add(successor)

    def _link_successors(self, published: Iterable[str]) -> None:
        """Set the successors of waiting tools: those just `published`, and those that were stored before."""
        wanted = [tool_id for tool_id in {*published, *self._unchecked} if tool_id in self._waiting]
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
            .filter(
                tool_id=waiting.tool_id, created_at__gte=self.since, deprecation_note=waiting.note
            )
            .filter(deprecation_chosen=True, superseded_by=None)
            .first()
        )
