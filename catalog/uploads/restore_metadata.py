"""What people say of tools, told in a catalog file and told again where the file is read.

A tool that the file brings begins with what is said of it there. One that was here already keeps what people say of it
here. What cannot be said here, an owner whom nobody knows for instance, is a loss and stops nothing. A successor may
stand later in the file than the tool that it supersedes.
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

MAX_NAME_CHARS: Final = 150  # of a person, as a sentence names one
AT_ONCE: Final = 500  # successors that one query looks for

_UNKNOWN: Final = "Toolshelf does not know this member."
_HERE_BEFORE: Final = "The tool was here already, and what people say of it here stays."


# -- telling ----------------------------------------------------------------------------------------------------------


# -- telling again ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MissingSuccessor:
    """That a tool of a catalog file has no successor here, though the file names one."""

    tool: Tool
    source: str
    line: int
    loss: Loss


@dataclass(frozen=True, slots=True)
class _Retold:
    """What is said of a tool, as it can be said here."""

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
    """Says again, batch by batch, what the catalog files of one upload say of the tools that it makes.

    Attributes:
        since: when the upload began.
    """

    since: datetime = field(default_factory=timezone.now)
    _retold: dict[str, _Retold] = field(default_factory=dict)  # of the batch, by the tools' ids
    _last: str = ""  # the tool that was spoken of last
    _waiting: dict[str, dict[str, _Waiting]] = field(default_factory=dict)  # by the ids of successor and tool
    _asked: set[str] = field(default_factory=set)  # successors that were not looked for yet

    def pass_over(self, pieces: Iterable[Piece]) -> str | None:
        """Know of pieces that were dealt with before the upload was interrupted.

        Returns:
            The id of the tool in the middle of whose history that was, if the upload made it.
        """
        piece = None
        for piece in pieces:
            if piece.kept and piece.kept.said:
                self._wait(piece, piece.kept.tool_id, piece.kept.said)
        if piece is None or piece.kept is None:
            return None
        self._last = piece.kept.tool_id
        return self._last if Tool.objects.filter(tool_id=self._last, created_at__gte=self.since).exists() else None

    def initial_columns(self, batch: Sequence[Candidate]) -> dict[str, Mapping[str, Any]]:
        """The columns that tools of a batch begin with if they are new, by their ids."""
        told = {
            candidate.spec.tool_id: candidate.piece.kept
            for candidate in reversed(batch)
            if candidate.piece.kept and isinstance(candidate.spec, ToolSpec)
        }
        owners = {kept.said.owner for kept in told.values() if kept.said and kept.said.owner}
        people = {user.username: user for user in User.objects.filter(username__in=owners)} if owners else {}
        now = timezone.now()
        archived = {tool_id: {"archived_at": now} if kept.archived else {} for tool_id, kept in told.items()}
        self._retold = {
            tool_id: _retold(kept.said, people, now) if kept.said else _Retold({}) for tool_id, kept in told.items()
        }
        return {tool_id: {**retold.columns, **archived[tool_id]} for tool_id, retold in self._retold.items()}

    def tell(
        self, batch: Sequence[tuple[Candidate, Publication | SpecError]], *, dry_run: bool
    ) -> list[tuple[Loss, ...]]:
        """Say what is left to be said of tools that were published just now; the caller is in that transaction.

        Returns:
            For each of the batch what is not said here of its tool.
        """
        spoken = [(candidate, outcome) for candidate, outcome in batch if candidate.piece.kept]
        if not spoken:
            return [()] * len(batch)
        here = metadata_of([one.tool for _, one in spoken if isinstance(one, Publication) and one.outcome != "created"])
        losses = [tuple(self._losses(candidate, outcome, here)) for candidate, outcome in batch]
        new = [
            (candidate, outcome.tool)
            for candidate, outcome in spoken
            if isinstance(outcome, Publication) and outcome.outcome == "created"
        ]
        if not dry_run:
            self._waive([tool for _, tool in new])
            for candidate, tool in new:
                if candidate.piece.kept and candidate.piece.kept.said:
                    self._wait(candidate.piece, tool.tool_id, candidate.piece.kept.said)
            self._follow({tool.tool_id for _, tool in new})
        return losses

    def finish(self) -> Iterator[MissingSuccessor]:
        """Of the tools whose successor never came, that it did not; the caller is in a transaction."""
        self._follow(list(self._waiting))
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
        kept = candidate.piece.kept
        if kept is None or not isinstance(outcome, Publication):
            return ()
        report = Report()
        for pointer in kept.unknown:
            report.dropped(pointer, _UNKNOWN)
        tool = outcome.tool
        if kept.said is not None and tool.tool_id != self._last:
            if outcome.outcome == "created":
                report.extend(self._retold[tool.tool_id].losses)
            else:
                report.extend(Loss(pointer, "dropped", _UNKNOWN) for pointer in kept.said.unknown)
                different = kept.said.differences(here[tool.pk])
                report.extend(Loss(pointer, "dropped", _HERE_BEFORE) for pointer in different)
        self._last = tool.tool_id
        return report

    def _waive(self, tools: Sequence[Tool]) -> None:
        rows = [
            Waiver(tool=tool, rule=waiver.rule, pointer=waiver.pointer, reason=waiver.reason)
            for tool in tools
            for waiver in self._retold[tool.tool_id].waivers
        ]
        Waiver.objects.bulk_create(rows)
        for tool in {row.tool_id: row.tool for row in rows}.values():
            if tool.score is not None:
                assess_again(Tool.objects.with_current().get(pk=tool.pk))

    def _wait(self, piece: Piece, tool_id: str, said: ToolMetadata) -> None:
        if said.deprecation and (successor := said.deprecation.superseded_by):
            waiting = self._waiting.setdefault(successor, {})
            waiting[tool_id] = _Waiting(tool_id, _note(said.deprecation), piece.source, piece.line)
            self._asked.add(successor)

    def _follow(self, came: Iterable[str]) -> None:
        """Let tools wait no more whose successor is one of those that `came`, or was here when they were told of."""
        asked = [tool_id for tool_id in {*came, *self._asked} if tool_id in self._waiting]
        self._asked.clear()
        if asked:
            search_index().hold()  # tools are about to change
        for start in range(0, len(asked), AT_ONCE):
            there = Tool.objects.filter(tool_id__in=asked[start : start + AT_ONCE])
            for successor in there.values_list("tool_id", flat=True):
                for one in list(self._waiting[successor].values()):
                    if self._supersede(one, successor):
                        del self._waiting[successor][one.tool_id]

    def _supersede(self, waiting: _Waiting, successor: str) -> bool:
        """Whether that is settled; else `finish` says what is in the way."""
        tool = self._tool(waiting)
        if tool is None:
            return True
        tool.superseded_by, problem = successor_of(tool, successor)
        if problem is None:
            reindex(tool, "superseded_by")
        return problem is None

    def _tool(self, waiting: _Waiting) -> Tool | None:
        """The tool that waits; None where it was here before the upload, or somebody said something since."""
        return (
            Tool.objects.with_current()
            .filter(tool_id=waiting.tool_id, created_at__gte=self.since, deprecation_note=waiting.note)
            .filter(deprecation_chosen=True, superseded_by=None)
            .first()
        )


def _retold(said: ToolMetadata, people: Mapping[str, User], now: datetime) -> _Retold:
    report = Report()
    for pointer in said.unknown:
        report.dropped(pointer, _UNKNOWN)
    columns: dict[str, Any] = {"owner": people.get(said.owner)}
    if said.owner and said.owner not in people:
        report.dropped("/owner", f"There is no person {said.owner[:MAX_NAME_CHARS]!r} here.")
    if said.toolkit is not None:
        columns |= _toolkit(said.toolkit, report)
    columns["added_tags"] = "\n".join(_tags(said.tags, report))
    if said.deprecation:
        for problem in problems_of_note(said.deprecation.note):
            report.dropped("/deprecation/note", problem.message)
        columns |= {"deprecation_chosen": True, "deprecated_at": now, "deprecation_note": _note(said.deprecation)}
    return _Retold(columns, list(_waivers(said.waivers, report)), list(report))


def _toolkit(name: str, report: Report) -> dict[str, Any]:
    toolkit = " ".join(name.split())
    problems = problems_of_name(toolkit, "/toolkit", "toolkit", TOOLKIT_LENGTH) if toolkit else []
    for problem in problems:
        report.dropped(problem.pointer, problem.message)
    return {} if problems else {"toolkit": toolkit, "toolkit_chosen": True}


def _tags(tags: Sequence[str], report: Report) -> list[str]:
    kept: dict[str, str] = {}
    for number, said in enumerate(tags):
        tag, pointer = " ".join(said.split()), pointer_join("/tags", number)
        problems = problems_of_name(tag, pointer, "tag", TAG_LENGTH)
        for problem in problems:
            report.dropped(pointer, problem.message)
        if problems:
            continue
        if group_key(tag) in kept:
            report.dropped(pointer, "The tool has this tag already.")
        elif len(kept) == MAX_TAGS:
            report.dropped(pointer, f"A tool has at most {MAX_TAGS} tags.")
        else:
            kept[group_key(tag)] = tag
    return list(kept.values())


def _note(deprecation: DumpedDeprecation) -> str:
    """The note as it is kept; "" where it cannot be."""
    return "" if problems_of_note(deprecation.note) else deprecation.note.strip()


def _waivers(waivers: Sequence[DumpedWaiver], report: Report) -> Iterator[DumpedWaiver]:
    places: set[tuple[str, str]] = set()
    for number, said in enumerate(waivers):
        waiver, pointer = DumpedWaiver(said.rule, said.pointer, " ".join(said.reason.split())), f"/waivers/{number}"
        problems = problems_of_waiver(waiver.rule, waiver.pointer, waiver.reason)
        for problem in problems:
            report.dropped(pointer + problem.pointer, problem.message)
        if problems:
            continue
        if (place := (waiver.rule, waiver.pointer)) in places:
            report.dropped(pointer, "This is waived already.")
        elif len(places) == MAX_WAIVERS:
            report.dropped(pointer, f"A tool has at most {MAX_WAIVERS} waivers.")
        else:
            places.add(place)
            yield waiver
