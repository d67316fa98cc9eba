"""Uploading many specs: each has its own outcome, and one that is refused does not stop the rest.

What is published is published in batches: whoever else wants to write waits for one batch, not for the whole upload.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from catalog.accounts.models import User
from catalog.archiving import archive
from catalog.candidates import Candidate, MissingRevisions, Origin, candidates_in
from catalog.errors import SpecError
from catalog.problems import Problem
from catalog.publishing import BATCH, Publication, publish_many
from catalog.spec import ToolSpec
from catalog.unpacking import Piece

BATCH_BYTES = 4 * 1024 * 1024
EXCERPT_CHARS = 100

OUTCOMES = ("created", "revised", "unchanged", "rejected")


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
        text: what was rejected, to be put right; "" where it could not be read at all.
        origin: what it was imported from; None where it was uploaded as a spec.
    """

    source: str
    line: int
    outcome: Literal["created", "revised", "unchanged", "rejected"]
    tool_id: str | None = None
    name: str | None = None
    slug: str | None = None
    revision: int | None = None
    archived: bool = False
    faults: tuple[Fault, ...] = ()
    text: str = field(default="", repr=False)
    origin: Origin | None = None


def upload(
    pieces: Iterable[Piece], *, by: User | None, dry_run: bool = False, prefix: str | None = None
) -> Iterator[Entry]:
    """Publish each spec of `pieces`; the entries come in the same order, batch by batch, while it goes on.

    A document of another format gives an entry for each of its tools, whose ids start with `prefix` (None: as the
    document has it). Of the revisions in a catalog file, those are published that are not here yet.
    """
    batch: list[Candidate] = []
    missing = MissingRevisions()
    size = 0
    for candidate in candidates_in(pieces, prefix=prefix):
        batch.append(candidate)
        size += len(candidate.piece.text)
        if len(batch) == BATCH or size > BATCH_BYTES:
            yield from _publish(missing.among(batch), by, dry_run=dry_run)
            batch, size = [], 0
    yield from _publish(missing.among(batch), by, dry_run=dry_run)


def counts_of(entries: Iterable[Entry]) -> dict[str, int]:
    """How many entries have each outcome, all outcomes named."""
    found: Counter[str] = Counter(entry.outcome for entry in entries)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def _publish(batch: list[Candidate], by: User | None, *, dry_run: bool) -> Iterator[Entry]:
    specs = [candidate.spec for candidate in batch if isinstance(candidate.spec, ToolSpec)]
    published = iter(publish_many(specs, by=by, dry_run=dry_run) if specs else [])
    for candidate in batch:
        spec, piece = candidate.spec, candidate.piece
        outcome = next(published) if isinstance(spec, ToolSpec) else SpecError(spec)
        if not isinstance(outcome, Publication):
            yield _rejected(candidate, outcome.problems)
            continue
        if piece.kept and piece.kept.archived and outcome.outcome == "created" and not dry_run:
            archive(outcome.tool)
        yield _accepted(candidate, outcome)


def _accepted(candidate: Candidate, publication: Publication) -> Entry:
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
        origin=candidate.origin,
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
