"""Store the results of an upload's specs, and read them again for its report."""

from __future__ import annotations

import json
from typing import Final

from django.db.models import F
from pydantic import TypeAdapter

from catalog.uploads.entries import Entry
from catalog.uploads.models import RANKS, Upload, UploadedSpec
from catalog.uploads.summary import summary_of

STORED_TEXT_CHARS: Final = 16_000_000  # of the rejected specs of one upload

_ENTRY: Final = TypeAdapter(Entry)
_DETAILS: Final = {"faults", "origin", "warnings", "verdict", "change"}  # without a column


class ResultWriter:
    """Stores the results of specs in the transaction that stores the specs."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.position = 0
        self.left = STORED_TEXT_CHARS

    def write(self, entries: list[Entry]) -> None:
        numbers = summary_of(entries).numbers
        counts = {name: F(name) + number for name, number in numbers.items()}
        Upload.objects.filter(pk=self.upload.pk).update(**counts)
        UploadedSpec.objects.bulk_create([self._row(entry) for entry in entries])

    def _row(self, entry: Entry) -> UploadedSpec:
        self.position += 1
        self.left -= len(entry.text)
        details = _ENTRY.dump_python(
            entry,
            mode="json",
            include=_DETAILS,
            exclude={"origin": {"text"}},
            exclude_defaults=True,
        )
        return UploadedSpec(
            upload=self.upload,
            position=self.position,
            source=entry.source,
            line=entry.line,
            outcome=entry.outcome,
            tool_id=entry.tool_id or "",
            name=entry.name or "",
            slug=entry.slug or "",
            revision=entry.revision or 0,
            archived=entry.archived,
            rank=RANKS["breaking" if entry.is_breaking else entry.outcome],
            warnings=len(entry.warnings),
            details_json=json.dumps(details) if details else "",
            text=entry.text if self.left > 0 else "",
        )


def entry_of(row: UploadedSpec) -> Entry:
    """The entry that `ResultWriter.write` stored in this row."""
    details = json.loads(row.details_json) if row.details_json else {}
    columns = {
        "source": row.source,
        "line": row.line,
        "outcome": row.outcome,
        "tool_id": row.tool_id or None,
        "name": row.name or None,
        "slug": row.slug or None,
        "revision": row.revision or None,
        "archived": row.archived,
        "text": row.text,
    }
    return _ENTRY.validate_python(columns | details)
