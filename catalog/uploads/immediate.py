"""Publish small uploads within the request, and check them as a person types; large ones run in the background.

Both read what is sent; a published upload gets a report (`Upload`), as large ones do (see jobs.py), a check gets none.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import BinaryIO, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from catalog.accounts.models import User
from catalog.models import Upload
from catalog.specs.importers.results import TOO_LONG_RULE
from catalog.uploads.choices import NO_OPTIONS, ImportOptions
from catalog.uploads.entries import Entry
from catalog.uploads.jobs import Files, delete_old, names_of
from catalog.uploads.pieces import Piece
from catalog.uploads.readers import pieces_of
from catalog.uploads.results import ResultWriter
from catalog.uploads.store import upload, upload_batches

LARGE_BYTES: Final = 1024 * 1024  # of all files; larger uploads run in the background


def is_large(files: Files) -> bool:
    """Whether these files (names and contents) are uploaded in the background, without a preview as one types."""
    return sum(_size_of(file) for _, file in files) > LARGE_BYTES


def is_unfinished(entries: list[Entry]) -> bool:
    """Whether tools were left out because the time of a request did not suffice."""
    faults = (fault for entry in entries for fault in entry.faults)
    return any(fault.problem.rule == TOO_LONG_RULE for fault in faults)


def publish_now(
    files: Files, *, by: User, options: ImportOptions = NO_OPTIONS
) -> tuple[Upload, list[Entry]]:
    """Publish the specs of small files; returns the report.

    The upload is not stored if the files contain no spec.
    """
    delete_old()
    report = Upload(by=by, names=names_of(files), prefix=options.prefix, replace=options.replace)
    writer: list[ResultWriter] = []

    def write(entries: list[Entry], read: int) -> None:
        if not writer:
            report.save(force_insert=True)
            writer.append(ResultWriter(report))
        writer[0].write(entries, read)

    batches = upload_batches(_pieces(files), by=by, options=options, on_batch=write)
    entries = [entry for batch in batches for entry in batch]
    if entries:
        Upload.objects.filter(pk=report.pk).update(
            ended_at=timezone.now(), total=len(entries), read=len(entries)
        )
    return report, entries


def store_report(
    entries: list[Entry], *, by: User, dry_run: bool, options: ImportOptions = NO_OPTIONS
) -> Upload:
    """Store the report of an upload that has ended, without its files."""
    delete_old()
    now = timezone.now()
    with transaction.atomic():
        report = Upload.objects.create(
            by=by,
            names="\n".join(dict.fromkeys(entry.source for entry in entries)),
            dry_run=dry_run,
            prefix=options.prefix,
            replace=options.replace,
            total=len(entries),
        )
        ResultWriter(report).write(entries, len(entries))
        Upload.objects.filter(pk=report.pk).update(ended_at=now)
    return report


def check_now(files: Files, *, by: User, options: ImportOptions = NO_OPTIONS) -> list[Entry]:
    """The results that publishing small files would have; nothing is stored."""
    return list(upload(_pieces(files), by=by, dry_run=True, options=options))


def _pieces(files: Files) -> Iterator[Piece]:
    return (
        piece
        for name, file in files
        for piece in pieces_of(
            name,
            file,
            max_bytes=settings.MAX_SPEC_BYTES,
            max_document_bytes=settings.MAX_DOCUMENT_BYTES,
        )
    )


def _size_of(file: BinaryIO) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size
