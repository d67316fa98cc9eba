"""Uploading many specs: each has its own outcome, and one that is refused does not stop the rest.

What is published is published in batches: whoever else wants to write waits for one batch, not for the whole upload.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Literal

from django.db import transaction

from catalog.accounts.models import User
from catalog.conversion_report import Loss
from catalog.errors import Problem, SpecError
from catalog.models.uploads import OUTCOMES
from catalog.publishing import BATCH, Publication, TermsByHash, changed_terms, publish_many
from catalog.specs.spec import ToolSpec
from catalog.uploads.parse import CATALOG_FILE, Candidate, MissingRevisions, Origin, candidates_in
from catalog.uploads.read_ahead import made_ahead
from catalog.uploads.readers import Piece
from catalog.uploads.restore_metadata import MetadataRestore, MissingSuccessor

Outcome = Literal["created", "revised", "unchanged", "rejected"]

FEW = 5  # specs that are judged at once, because somebody waits to see them
BATCH_BYTES = 4 * 1024 * 1024
SHORT_BATCH = 300  # specs per transaction where others use the site meanwhile: a writer waits for one, some 60 ms
EXCERPT_CHARS = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """A problem of an uploaded spec, its line and column as in the source, and what stands there.

    `excerpt` is a part of the offending line, and `caret` the place in it; "" where the problem has no line.
    """

    problem: Problem
    excerpt: str = ""
    caret: int = 0


@dataclass(frozen=True, slots=True)
class Entry:
    """What became of one spec of an upload.

    Attributes:
        source: the file that it stood in, and
        line: where it begins there.
        tool_id, name, slug, revision, archived: of the tool; None, and False, where it was rejected.
        faults: why it was rejected, and
        text: what was rejected, to be put right; "" where it could not be read at all. In a dry run also what would
            become a revision of a tool that is there.
        origin: what it was imported from; None where it was uploaded as a spec. Of what a catalog file brings, where
            something was lost.
    """

    source: str
    line: int
    outcome: Outcome
    tool_id: str | None = None
    name: str | None = None
    slug: str | None = None
    revision: int | None = None
    archived: bool = False
    faults: tuple[Fault, ...] = ()
    text: str = field(default="", repr=False)
    origin: Origin | None = None

    @property
    def pair(self) -> tuple[int, int] | None:
        """The revision before, and its own, as an address has them; None where there is none before."""
        return (self.revision - 1, self.revision) if self.revision and self.revision > 1 else None


def upload(
    pieces: Iterable[Piece],
    *,
    by: User | None,
    dry_run: bool = False,
    prefix: str | None = None,
    batch: int | None = None,
    ahead: bool = False,
) -> Iterator[Entry]:
    """Publish each spec of `pieces`; the entries come in the same order, batch by batch, while it goes on.

    Each `batch` (None: `BATCH`) is a transaction. A document of another format gives an entry for each of its tools,
    whose ids start with `prefix` (None: as the document has it). Of the revisions in a catalog file, those are
    published that are not here yet; a tool that is new here begins with what people said of it there.

    With `ahead` another process reads and checks what comes next (see working_ahead.py): where there is much of it, and
    nobody else to serve.
    """
    for entries in upload_batches(pieces, by=by, dry_run=dry_run, prefix=prefix, batch=batch, ahead=ahead):
        yield from entries


def upload_batches(
    pieces: Iterable[Piece],
    *,
    by: User | None,
    dry_run: bool = False,
    prefix: str | None = None,
    batch: int | None = None,
    keep: Callable[[list[Entry], int], None] | None = None,
    before: tuple[int, datetime] | None = None,
    ahead: bool = False,
) -> Iterator[list[Entry]]:
    """As `upload`, by batches.

    `keep` is called with the entries of each, and how many of `pieces` are dealt with, within the transaction that
    stores their specs: what it writes is there if and only if they are. Of an upload that goes on, `before` says how
    many were dealt with by then, and when it began. With `ahead` there is no telling how many are dealt with.
    """
    missing, retelling = MissingRevisions(), MetadataRestore()
    pieces = iter(pieces)
    if before:
        retelling.since = before[1]
        missing.go_on_with(retelling.pass_over(islice(pieces, before[0])))
    counted = _Counted(pieces, before[0] if before else 0)
    batches = _batches(candidates_in(counted, prefix=prefix), batch or BATCH)
    for candidates, terms in made_ahead(batches) if ahead and not keep else batches:
        with transaction.atomic():
            entries = list(_publish(missing.among(candidates), by, retelling, terms, dry_run=dry_run))
            if keep:
                keep(entries, counted.dealt_with(candidates[-1]))
        yield entries
    unfollowed = retelling.finish()
    while True:
        with transaction.atomic():
            entries = [_unfollowed(one) for one in islice(unfollowed, batch or BATCH)]
            if keep and entries:
                keep(entries, counted.taken)
        if not entries:
            return
        yield entries


class _Counted:
    """Pieces, and how many were taken."""

    def __init__(self, pieces: Iterable[Piece], taken: int = 0) -> None:
        self.pieces = pieces
        self.taken = taken

    def __iter__(self) -> Iterator[Piece]:
        for piece in self.pieces:
            self.taken += 1
            yield piece

    def dealt_with(self, last: Candidate) -> int:
        """How many were, up to `last`: there may be more tools in the document that it was imported from."""
        return self.taken - 1 if last.origin else self.taken


Batch = tuple[list[Candidate], TermsByHash]


def _batches(candidates: Iterable[Candidate], most: int) -> Iterator[Batch]:
    """Batches of at most so many, with what is made of them before the transaction that stores them."""
    for batch in _divided(candidates, most):
        yield batch, changed_terms(_specs_of(batch))


def _divided(candidates: Iterable[Candidate], most: int) -> Iterator[list[Candidate]]:
    batch: list[Candidate] = []
    size = 0
    said = None
    for candidate in candidates:
        batch.append(candidate)
        size += len(candidate.piece.text)
        before, said = said, candidate.piece.kept and candidate.piece.kept.said
        if said and said is not before:
            size += said.line_bytes
        if len(batch) == most or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def counts_of(entries: Iterable[Entry]) -> dict[str, int]:
    """How many entries have each outcome, all outcomes named."""
    found: Counter[str] = Counter(entry.outcome for entry in entries)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def _specs_of(batch: list[Candidate]) -> list[ToolSpec]:
    return [candidate.spec for candidate in batch if isinstance(candidate.spec, ToolSpec)]


def _publish(
    batch: list[Candidate], by: User | None, retelling: MetadataRestore, terms: TermsByHash, *, dry_run: bool
) -> Iterator[Entry]:
    specs = _specs_of(batch)
    initial = retelling.initial_columns(batch)
    published = iter(
        publish_many(specs, by=by, dry_run=dry_run, assess=len(specs) <= FEW, initial=initial, terms=terms)
        if specs
        else ()
    )
    outcomes = [
        (candidate, next(published) if isinstance(candidate.spec, ToolSpec) else SpecError(candidate.spec))
        for candidate in batch
    ]
    losses = retelling.tell(outcomes, dry_run=dry_run)
    for (candidate, outcome), lost in zip(outcomes, losses, strict=True):
        if isinstance(outcome, Publication):
            yield _accepted(candidate, outcome, lost, with_text=dry_run and outcome.outcome == "revised")
        else:
            yield _rejected(candidate, outcome.problems)


def _accepted(candidate: Candidate, publication: Publication, lost: tuple[Loss, ...], *, with_text: bool) -> Entry:
    tool = publication.tool
    return Entry(
        candidate.piece.source,
        candidate.line,
        publication.outcome,
        tool.tool_id,
        tool.name,
        tool.slug,
        publication.revision.number,
        tool.archived,
        text=candidate.piece.text.decode() if with_text else "",
        origin=Origin(CATALOG_FILE, "", candidate.line, lost) if lost else candidate.origin,
    )


def _unfollowed(one: MissingSuccessor) -> Entry:
    """A second entry of a tool, which says of its successor what was not known before the file ended."""
    tool = one.tool
    return Entry(
        one.source,
        one.line,
        "unchanged",
        tool.tool_id,
        tool.name,
        tool.slug,
        tool.current.number if tool.current else None,
        tool.archived,
        origin=Origin(CATALOG_FILE, "", one.line, (one.loss,)),
    )


def _rejected(candidate: Candidate, problems: Iterable[Problem]) -> Entry:
    piece = candidate.piece
    text = piece.text.decode(errors="replace")
    lines = text.split("\n")
    faults = tuple(_fault(piece, problem, lines) for problem in problems)
    return Entry(piece.source, candidate.line, "rejected", faults=faults, text=text, origin=candidate.origin)


def _fault(piece: Piece, problem: Problem, lines: Sequence[str]) -> Fault:
    placed = piece.place(problem)
    if problem.line is None or problem.column is None or problem.line > len(lines) or not piece.text:
        return Fault(placed)
    line, at = lines[problem.line - 1].rstrip("\r").replace("\t", " "), problem.column - 1
    start = max(0, min(at - EXCERPT_CHARS // 2, len(line) - EXCERPT_CHARS))
    before, after = "…" * (start > 0), "…" * (len(line) > start + EXCERPT_CHARS)
    return Fault(placed, f"{before}{line[start : start + EXCERPT_CHARS]}{after}", len(before) + at - start)
