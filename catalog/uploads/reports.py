"""Publish an upload within its request, with a report (`Upload`), or check it; both read all of it first.

Each transaction stores a batch together with its results (`UploadedSpec`): if the upload stops, its
report lists the specs that are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import BinaryIO, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts.models import User
from catalog.uploads.choices import NO_OPTIONS, ImportOptions
from catalog.uploads.entries import Entry
from catalog.uploads.limits import check_size, read_all, size_of
from catalog.uploads.models import Upload
from catalog.uploads.parse import Parsed
from catalog.uploads.pieces import Piece
from catalog.uploads.readers import pieces_of
from catalog.uploads.results import ResultWriter
from catalog.uploads.store import leave_out, number_of, store_batches

RETENTION_DAYS: Final = 30

Files = Sequence[tuple[str, BinaryIO]]  # names and contents


def publish_upload(
    candidates: Iterable[Parsed], *, by: User, options: ImportOptions = NO_OPTIONS
) -> tuple[Upload | None, list[Entry]]:
    """Publish what `read_files` has read.

    Returns:
        The report, or None if there is nothing to publish; and the results.
    """
    chosen = list(leave_out(candidates, options.choices))
    if not chosen:
        return None, []
    delete_old()
    total = sum(number_of(candidate, options.choices) for candidate in chosen)
    names = "\n".join(dict.fromkeys(candidate.label for candidate in chosen))
    report = Upload.objects.create(by=by, names=names, total=total)
    write = ResultWriter(report).write
    batches = store_batches(chosen, by=by, options=options, on_batch=write)
    entries = [entry for batch in batches for entry in batch]
    # a refused document has one entry, and tools that its source leaves out have none
    Upload.objects.filter(pk=report.pk).update(total=len(entries))
    return report, entries


def check_upload(
    candidates: Iterable[Parsed], *, by: User, options: ImportOptions = NO_OPTIONS
) -> list[Entry]:
    """The results that publishing them would have; nothing is stored."""
    batches = store_batches(candidates, by=by, dry_run=True, options=options)
    return [entry for batch in batches for entry in batch]


def store_report(entries: list[Entry], *, by: User, dry_run: bool) -> Upload:
    """Store the report of an upload that has ended."""
    delete_old()
    names = "\n".join(dict.fromkeys(entry.source for entry in entries))
    report = Upload(by=by, names=names, dry_run=dry_run, total=len(entries))
    _store(report, entries)
    return report


@transaction.atomic
def _store(report: Upload, entries: list[Entry]) -> None:
    report.save(force_insert=True)
    ResultWriter(report).write(entries)


def delete_old() -> None:
    """Delete the reports of uploads after `RETENTION_DAYS`; the tools stay."""
    expired = timezone.now() - timedelta(days=RETENTION_DAYS)
    for upload in Upload.objects.filter(created_at__lt=expired)[:20]:
        upload.delete()


def read_files(files: Files, options: ImportOptions = NO_OPTIONS) -> list[Parsed]:
    """The specs and documents in these files.

    Raises:
        SpecError: they are too large, or have too many specs.
    """
    check_size(size_of(files))
    return read_all(_pieces(files), options)


def _pieces(files: Files) -> Iterator[Piece]:
    for name, file in files:
        yield from pieces_of(
            name,
            file,
            max_bytes=settings.MAX_SPEC_BYTES,
            max_document_bytes=settings.MAX_DOCUMENT_BYTES,
        )
