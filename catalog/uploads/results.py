"""Store the results of an upload's specs, and read them again for its report."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import Final, cast

from django.db.models import F

from catalog.conversion_report import Loss
from catalog.db.bulk_insert import insert, new_row, reserved_keys
from catalog.errors import Problem
from catalog.models import Upload, UploadedSpec
from catalog.models.uploads import RANKS
from catalog.uploads.entries import Entry, Fault, Outcome, numbers_of
from catalog.uploads.parse import Origin

STORED_TEXT_CHARS: Final = (
    16_000_000  # of one upload: rejected specs, and revised ones of a dry run
)


class ResultWriter:
    """Stores the results of specs in the transaction that stores the specs."""

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.position = 0
        self.left = STORED_TEXT_CHARS

    def write(self, entries: list[Entry]) -> None:
        counts = {name: F(name) + number for name, number in numbers_of(entries).items()}
        Upload.objects.filter(pk=self.upload.pk).update(**counts)
        keys = reserved_keys(UploadedSpec, len(entries))
        insert([self._row(key, entry) for key, entry in zip(keys, entries, strict=True)])

    def _row(self, key: int, entry: Entry) -> UploadedSpec:
        self.position += 1
        self.left -= len(entry.text)
        return new_row(
            UploadedSpec,
            id=key,
            upload_id=self.upload.pk,
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
            details_json=_details(entry),
            text=entry.text if self.left > 0 else "",
        )


def _details(entry: Entry) -> str:
    """The faults, warnings, origin and verdict of an entry as JSON; "" if there are none, as for most entries."""
    verdict = entry.verdict if entry.outcome == "revised" else None
    if not (entry.faults or entry.origin or entry.warnings or verdict or entry.change):
        return ""
    origin = replace(entry.origin, text="") if entry.origin else None
    details = {
        "faults": list(map(asdict, entry.faults)),
        "origin": origin and asdict(origin),
        "warnings": list(map(asdict, entry.warnings)),
        "verdict": verdict,
        "change": entry.change,
    }
    return json.dumps(details)


def entry_of(row: UploadedSpec) -> Entry:
    """The entry that `ResultWriter.write` stored in this row."""
    details = json.loads(row.details_json) if row.details_json else {"faults": [], "origin": None}
    faults = [
        Fault(**{**fault, "problem": Problem(**fault["problem"])}) for fault in details["faults"]
    ]
    origin = details["origin"] and Origin(
        **{
            **details["origin"],
            "losses": tuple(Loss(**loss) for loss in details["origin"]["losses"]),
        }
    )
    return Entry(
        row.source,
        row.line,
        cast("Outcome", row.outcome),
        row.tool_id or None,
        row.name or None,
        row.slug or None,
        row.revision or None,
        row.archived,
        tuple(faults),
        row.text,
        origin,
        "identical" if row.outcome == "unchanged" else details.get("verdict"),
        tuple(Problem(**warning) for warning in details.get("warnings", ())),
        details.get("change"),
    )
