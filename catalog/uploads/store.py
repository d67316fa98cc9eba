"""Upload many specs: each has its own outcome, and a rejected spec does not stop the rest.

Specs are published in batches, so that other writers wait for one batch only, not for the whole
upload.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from django.db import transaction

from accounts.models import User
from catalog.index.document import SearchDocument, document_of
from catalog.proposals.actions import PendingSpec, publish_or_hold_many
from catalog.revisions.differences import verdicts_on
from catalog.sources.reconciliation import EXISTED
from catalog.sources.registration import SourceExists
from catalog.sources.sync import AlreadySyncing
from catalog.tools.models import Tool
from catalog.tools.origins import RevisionOrigin
from catalog.tools.publishing import BATCH, Publication, with_stored_layout
from catalog.uploads.choices import NO_OPTIONS, Choices, ImportOptions
from catalog.uploads.documents import ImportedResult, store_document
from catalog.uploads.entries import OTHER_ORIGIN, SOURCE_EXISTS, Entry, Fault, Outcome
from catalog.uploads.exported_metadata import ExportedMetadata
from catalog.uploads.lint_errors import LintErrors
from catalog.uploads.parse import (
    EXPORT,
    Candidate,
    ForeignDocument,
    Origin,
    Parsed,
    read_candidates,
)
from catalog.uploads.pieces import Piece
from toolshelf_core.errors import OutgoingError
from toolspec.errors import DocumentError, Problem, SpecError
from toolspec.spec import ToolSpec, declared_naming

FEW = 5  # up to this many specs are assessed immediately, because a user is waiting to see them
BATCH_BYTES = 4 * 1024 * 1024
SHORT_BATCH = 300  # specs per transaction while others use the site: a writer waits for one batch, about 60 ms
EXCERPT_CHARS = 54  # fits beside the editor of the upload page, with its line number
MAX_VERDICTS = 200  # of one upload: a semantic diff takes 1 to 50 ms


def upload(
    pieces: Iterable[Piece],
    *,
    by: User | None,
    dry_run: bool = False,
    options: ImportOptions = NO_OPTIONS,
    batch: int | None = None,
) -> Iterator[Entry]:
    """Publish each spec of `pieces`; yields the entries in the same order, batch by batch, while it runs.

    Each `batch` (None: `BATCH`) is a transaction. A document of another format yields an entry for
    each of its tools, which are imported with `options`; the tools that are left out are reported
    in a dry run only. A tool of an export that is new here gets the metadata in the file.
    """
    candidates = read_candidates(pieces, options)
    if not dry_run:
        candidates = leave_out(candidates, options.choices)
    for entries in store_batches(
        candidates, by=by, dry_run=dry_run, options=options, batch=batch or BATCH
    ):
        yield from entries


def leave_out(candidates: Iterable[Parsed], choices: Choices) -> Iterator[Parsed]:
    """The candidates without the documents of which the person left out all tools."""
    for candidate in candidates:
        if isinstance(candidate, Candidate) or number_of(candidate, choices):
            yield candidate


def number_of(candidate: Parsed, choices: Choices) -> int:
    """How many specs are stored, of those that the person has not left out."""
    if isinstance(candidate, Candidate):
        return 1
    return sum(tool.key not in choices.skip for tool in candidate.tools)


def store_batches(
    candidates: Iterable[Parsed],
    *,
    by: User | None,
    dry_run: bool = False,
    options: ImportOptions = NO_OPTIONS,
    batch: int | None = None,
    on_batch: Callable[[list[Entry]], None] | None = None,
) -> Iterator[list[Entry]]:
    """As `upload`, but for candidates that were read before; yields batches.

    `on_batch` is called with the entries of each batch, inside the transaction that stores the
    specs: its changes are stored if and only if the specs are.
    """
    earlier = DryRun() if dry_run else None
    used_names: set[str] = set()
    for candidate_type, some in groupby(candidates, key=type):
        if candidate_type is ForeignDocument:
            for document in cast("Iterator[ForeignDocument]", some):
                yield from _of_document(
                    document, by, options, earlier, on_batch, used_names=used_names
                )
            continue
        for prepared in _batches(cast("Iterator[Candidate]", some), batch or SHORT_BATCH):
            with transaction.atomic():
                entries = list(_publish(prepared, by, dry_run=earlier))
                if on_batch:
                    on_batch(entries)
            yield entries


@dataclass(frozen=True, slots=True)
class Batch:
    """Candidates for one transaction, with search documents and verdicts on revisions, which are computed before it."""

    candidates: list[Candidate]
    documents: dict[str, SearchDocument]
    verdicts: dict[str, str]


class DryRun:
    """The revisions that the earlier batches of a dry run would have stored; each batch is rolled back."""

    def __init__(self) -> None:
        self.lint_errors = LintErrors()
        self._stored: dict[
            str, tuple[str, int]
        ] = {}  # by tool id: the hash and the number of its newest revision

    def outcome(self, publication: Publication, sha256: str) -> tuple[Outcome, int]:
        """The outcome and revision of a published spec, adjusted for earlier specs of the same upload."""
        tool_id = publication.tool.tool_id
        found: tuple[Outcome, int] = publication.outcome, publication.revision.number
        if tool_id in self._stored:
            newest, number = self._stored[tool_id]
            found = ("unchanged", number) if newest == sha256 else ("revised", number + 1)
        self._stored[tool_id] = (sha256, found[1])
        return found


def _of_document(
    document: ForeignDocument,
    by: User | None,
    options: ImportOptions,
    dry_run: DryRun | None,
    on_batch: Callable[[list[Entry]], None] | None,
    *,
    used_names: set[str],
) -> list[list[Entry]]:
    """The entries of the tools of a document; a single one if it cannot be stored.

    `used_names`: of the sources of earlier documents of the upload; that of this one is added.
    """
    batches: list[list[Entry]] = []

    def report(results: list[ImportedResult]) -> None:
        entries = [
            _entry(candidate, outcome, verdict, dry_run) for candidate, outcome, verdict in results
        ]
        batches.append(entries)
        if on_batch:
            on_batch(entries)

    try:
        store_document(
            document,
            report,
            by=by,
            options=options,
            dry_run=dry_run is not None,
            used_names=used_names,
        )
    except (SourceExists, AlreadySyncing, DocumentError, OutgoingError) as error:
        may_replace = isinstance(error, SourceExists) and error.may_replace
        problem = Problem("", str(error), SOURCE_EXISTS if may_replace else "source.refused")
        line = document.tools[0].line
        origin = Origin(document.imported.label, "", line, ())
        refused = Candidate(Piece(document.label), (problem,), origin)
        with transaction.atomic():
            report([(refused, SpecError([problem]), None)])
    return batches


def _batches(candidates: Iterable[Candidate], most: int) -> Iterator[Batch]:
    """Batches of at most `most` candidates; the first `MAX_VERDICTS` revisions have a verdict."""
    left = MAX_VERDICTS
    for divided in _divided(candidates, most):
        batch = _with_stored_layout(divided)
        specs = _specs_of(batch)
        verdicts = verdicts_on(specs, most=left)
        left -= len(verdicts)
        yield Batch(batch, _documents_of(specs), verdicts)


def _documents_of(specs: Sequence[ToolSpec]) -> dict[str, SearchDocument]:
    """The search documents of the specs that are not stored already, by their hashes."""
    tools = Tool.objects.filter(tool_id__in=[spec.tool_id for spec in specs])
    stored = set(tools.values_list("current__sha256", flat=True))
    return {spec.sha256: document_of(spec) for spec in specs if spec.sha256 not in stored}


def _with_stored_layout(batch: list[Candidate]) -> list[Candidate]:
    imported = [
        one
        for one in batch
        if (one.origin or one.piece.exported) and isinstance(one.spec, ToolSpec)
    ]
    specs = with_stored_layout(_specs_of(imported)) if imported else []
    known = {id(one): spec for one, spec in zip(imported, specs, strict=True)}
    return [
        dataclasses.replace(one, spec=known[id(one)]) if id(one) in known else one for one in batch
    ]


def _divided(candidates: Iterable[Candidate], most: int) -> Iterator[list[Candidate]]:
    batch: list[Candidate] = []
    size = 0
    for candidate in candidates:
        batch.append(candidate)
        size += len(candidate.piece.text)
        if len(batch) == most or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _specs_of(batch: list[Candidate]) -> list[ToolSpec]:
    return [candidate.spec for candidate in batch if isinstance(candidate.spec, ToolSpec)]


def _publish(
    prepared: Batch,
    by: User | None,
    *,
    dry_run: DryRun | None,
) -> Iterator[Entry]:
    batch = prepared.candidates
    specs = _specs_of(batch)
    origins = {
        one.spec.sha256: RevisionOrigin("catalog")
        for one in batch
        if one.piece.exported and isinstance(one.spec, ToolSpec)
    }
    exported = ExportedMetadata(
        {
            one.spec.tool_id: one.piece.exported
            for one in batch
            if one.piece.exported and isinstance(one.spec, ToolSpec)
        }
    )
    published = iter(
        publish_or_hold_many(
            specs,
            by=by,
            dry_run=dry_run is not None,
            assess=len(specs) <= FEW,
            initial=exported.columns(),
            documents=prepared.documents,
            origins=origins,
        )
    )
    outcomes = [
        (
            candidate,
            next(published) if isinstance(candidate.spec, ToolSpec) else SpecError(candidate.spec),
        )
        for candidate in batch
    ]
    if dry_run is None:
        exported.restrict([one for _, one in outcomes if isinstance(one, Publication)])
    for candidate, outcome in outcomes:
        lost = exported.losses(outcome) if isinstance(outcome, Publication) else ()
        origin = Origin(EXPORT, "", candidate.line, lost) if lost else candidate.origin
        spec = candidate.spec
        sha256 = spec.sha256 if isinstance(spec, ToolSpec) else ""
        verdict = prepared.verdicts.pop(sha256, None)
        yield _entry(dataclasses.replace(candidate, origin=origin), outcome, verdict, dry_run)


def _entry(
    candidate: Candidate,
    outcome: Publication | PendingSpec | SpecError,
    verdict: str | None,
    dry_run: DryRun | None,
) -> Entry:
    if isinstance(outcome, Publication):
        return _accepted(candidate, outcome, verdict, dry_run)
    if isinstance(outcome, PendingSpec):
        change = outcome.change.pk if outcome.change else None
        rejected = _rejected(candidate, [_held(outcome)])
        return dataclasses.replace(rejected, outcome="held", text="", change=change)
    return _rejected(candidate, outcome.problems)


def _held(proposal: PendingSpec) -> Problem:
    rule = OTHER_ORIGIN if proposal.reason == EXISTED else "publish.held"
    return Problem("/definition/id", f"{proposal.reason} The change waits for review.", rule)


def _accepted(
    candidate: Candidate,
    publication: Publication,
    verdict: str | None,
    dry_run: DryRun | None,
) -> Entry:
    tool = publication.tool
    sha256 = candidate.spec.sha256 if isinstance(candidate.spec, ToolSpec) else ""
    outcome: Outcome = publication.outcome
    number = publication.revision.number
    if dry_run is not None:
        outcome, number = dry_run.outcome(publication, sha256)
    if outcome != "revised":
        verdict = "identical" if outcome == "unchanged" else None
    with_text = dry_run is not None and outcome == "revised"
    warnings = candidate.warnings
    if dry_run is not None and outcome != "unchanged":
        warnings += dry_run.lint_errors.of(candidate, is_new=outcome == "created")
    return Entry(
        candidate.piece.source,
        candidate.line,
        outcome,
        tool.tool_id,
        tool.name,
        tool.slug,
        number,
        tool.archived,
        text=candidate.piece.text.decode() if with_text else "",
        origin=candidate.origin,
        verdict=verdict,
        warnings=warnings,
        description=tool.description,
    )


def _rejected(candidate: Candidate, problems: Iterable[Problem]) -> Entry:
    piece = candidate.piece
    text = piece.text.decode(errors="replace")
    lines = text.split("\n")
    faults = tuple(_fault(piece, problem, lines) for problem in problems)
    spec = candidate.spec
    own = (spec.tool_id, spec.name) if isinstance(spec, ToolSpec) else None
    tool_id, name = own or candidate.naming or declared_naming(piece.text)
    return Entry(
        piece.source,
        candidate.line,
        "rejected",
        tool_id,
        name,
        faults=faults,
        text=text,
        origin=candidate.origin,
    )


def _fault(piece: Piece, problem: Problem, lines: Sequence[str]) -> Fault:
    located = piece.in_source(problem)
    if (
        problem.line is None
        or problem.column is None
        or problem.line > len(lines)
        or not piece.text
    ):
        return Fault(located)
    line, at = lines[problem.line - 1].rstrip("\r").replace("\t", " "), problem.column - 1
    if len(line) > EXCERPT_CHARS:
        indent = min(at, len(line) - len(line.lstrip()))
        line, at = line[indent:], at - indent
    start = max(0, min(at - EXCERPT_CHARS // 2, len(line) - EXCERPT_CHARS))
    before, after = "…" * (start > 0), "…" * (len(line) > start + EXCERPT_CHARS)
    return Fault(
        located, f"{before}{line[start : start + EXCERPT_CHARS]}{after}", len(before) + at - start
    )
