"""Uploading many specs: each has its own outcome, and one that is refused does not stop the rest.

What is published is published in batches: whoever else wants to write waits for one batch, not for the whole upload.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from django.conf import settings

from catalog.accounts.models import User
from catalog.errors import DocumentError, SpecError
from catalog.problems import Problem
from catalog.publishing import BATCH, Publication, publish_many
from catalog.spec import ToolSpec, read_spec
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


def upload(pieces: Iterable[Piece], *, by: User | None, dry_run: bool = False) -> Iterator[Entry]:
    """Publish each spec of `pieces`; the entries come in the same order, batch by batch, while it goes on."""
    batch: list[tuple[Piece, ToolSpec | tuple[Problem, ...]]] = []
    size = 0
    for piece in pieces:
        batch.append((piece, _read(piece)))
        size += len(piece.text)
        if len(batch) == BATCH or size > BATCH_BYTES:
            yield from _publish(batch, by, dry_run=dry_run)
            batch, size = [], 0
    yield from _publish(batch, by, dry_run=dry_run)


def counts_of(entries: Iterable[Entry]) -> dict[str, int]:
    """How many entries have each outcome, all outcomes named."""
    found: Counter[str] = Counter(entry.outcome for entry in entries)
    return {outcome: found[outcome] for outcome in OUTCOMES}


def _read(piece: Piece) -> ToolSpec | tuple[Problem, ...]:
    if piece.refusal:
        return (piece.refusal,)
    try:
        return read_spec(piece.text, max_bytes=settings.MAX_SPEC_BYTES)
    except DocumentError as error:
        return error.problems


def _publish(
    batch: list[tuple[Piece, ToolSpec | tuple[Problem, ...]]], by: User | None, *, dry_run: bool
) -> Iterator[Entry]:
    specs = [spec for _, spec in batch if isinstance(spec, ToolSpec)]
    published = iter(publish_many(specs, by=by, dry_run=dry_run) if specs else [])
    for piece, spec in batch:
        outcome = next(published) if isinstance(spec, ToolSpec) else SpecError(spec)
        yield _accepted(piece, outcome) if isinstance(outcome, Publication) else _rejected(piece, outcome.problems)


def _accepted(piece: Piece, publication: Publication) -> Entry:
    tool = publication.tool
    return Entry(
        piece.source,
        piece.line,
        publication.outcome,
        tool.tool_id,
        tool.name,
        tool.slug,
        publication.revision.number,
        tool.archived,
    )


def _rejected(piece: Piece, problems: Iterable[Problem]) -> Entry:
    text = piece.text.decode(errors="replace")
    lines = text.split("\n")
    faults = tuple(_fault(piece, problem, lines) for problem in problems)
    return Entry(piece.source, piece.line, "rejected", faults=faults, text=text)


def _fault(piece: Piece, problem: Problem, lines: Sequence[str]) -> Fault:
    placed = piece.place(problem)
    if problem.line is None or problem.column is None or problem.line > len(lines) or not piece.text:
        return Fault(placed)
    line, at = lines[problem.line - 1].rstrip("\r").replace("\t", " "), problem.column - 1
    start = max(0, min(at - EXCERPT_CHARS // 2, len(line) - EXCERPT_CHARS))
    before, after = "…" * (start > 0), "…" * (len(line) > start + EXCERPT_CHARS)
    return Fault(placed, f"{before}{line[start : start + EXCERPT_CHARS]}{after}", len(before) + at - start)
