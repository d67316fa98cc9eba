"""Schemas of uploads of many specs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal

from ninja import Schema
from pydantic import Field

from catalog.exports.schemas import LossOut
from catalog.uploads.entries import Entry
from catalog.uploads.parse import Origin
from catalog.uploads.summary import summary_of
from toolshelf_core.api.problems import PROBLEM, SpecProblemOut
from toolshelf_core.api.schemas import MAX_NUMBER, Out, with_example
from toolspec.text.reader import loads

MAX_ENTRIES_BYTES: Final = 1_900_000  # of one response; what is around them needs less than 100 KB


class UploadQuery(Schema):
    dry_run: bool = Field(False, description="Store nothing; only report what would happen.")
    prefix: str | None = Field(
        None,
        max_length=100,
        description="The prefix of the ids of imported tools: `notion` gives `notion.search`. Default: the title of an "
        "API, or the file name of an MCP list. Empty: no prefix.",
    )
    replace: bool = Field(
        False,
        description="Let a document replace that of its source, which its owner and administrators may. Otherwise the "
        "upload is refused (409), unless it is the same. Of a new source, let its tools become revisions of tools "
        "that came from elsewhere. Otherwise they are held.",
    )


class ReportQuery(Schema):
    after: int = Field(0, ge=0, le=MAX_NUMBER, description="The number of entries to leave out.")


class UploadedToolOut(Out):
    id: str = Field(validation_alias="tool_id")
    name: str
    slug: str
    revision: int
    archived: bool


class ImportedOut(Out):
    format: str = Field(description="The format of the document.")
    pointer: str = Field(description="JSON Pointer to the tool in the document.")
    notes: list[str] = Field(description="Remarks on the whole document; only with its first tool.")
    losses: list[LossOut] = Field(
        description="The parts of the tool that were kept, rewritten or dropped."
    )
    spec: Any = Field(description="With `dry_run=1`: the spec that the tool would become.")

    @classmethod
    def of_origin(cls, origin: Origin, *, with_spec: bool) -> ImportedOut:
        return cls.of(origin, spec=loads(origin.text) if with_spec and origin.text else None)


class EntryOut(Out):
    source: str = Field(description="The file.")
    line: int = Field(description="The line on which the spec begins.")
    outcome: Literal["created", "revised", "unchanged", "held", "rejected"]
    tool: UploadedToolOut | None
    imported: ImportedOut | None = Field(
        None,
        description="Set if the tool was converted from a document in another format. Also set for a tool of an "
        "exported catalog if some of its metadata could not be restored.",
    )
    problems: list[SpecProblemOut]
    warnings: list[SpecProblemOut] = Field(
        [],
        description="Fields that the format does not define and that are probably misspelt; they have no effect. With "
        "`dry_run=1` also the lint findings of severity `error`, of at most 200 specs.",
    )
    change: int | None = Field(
        None,
        description="The change that waits for review, if the tool belongs to someone else (`held`).",
    )
    verdict: Literal["breaking", "unknown", "wording", "compatible", "identical"] | None = Field(
        None,
        description="What the change means for callers. Null for a new or rejected tool. Only the first 200 "
        "revisions of an upload are compared; it is null for the others.",
    )

    @classmethod
    def of_entry(cls, entry: Entry, *, dry_run: bool) -> EntryOut:
        return cls.of(
            entry,
            tool=None if entry.outcome in {"held", "rejected"} else entry,
            imported=ImportedOut.of_origin(entry.origin, with_spec=dry_run)
            if entry.origin
            else None,
            problems=[fault.problem for fault in entry.faults],
        )


class ReportOut(Out):
    model_config = with_example(
        {
            "dry_run": False,
            "counts": {"created": 1, "revised": 0, "unchanged": 0, "rejected": 1},
            "specs": [
                {
                    "source": "get-weather.json",
                    "line": 1,
                    "outcome": "created",
                    "tool": {
                        "id": "Get weather",
                        "name": "Get weather",
                        "slug": "get-weather-3f1c6a20",
                        "revision": 1,
                        "archived": False,
                    },
                    "imported": None,
                    "problems": [],
                },
                {
                    "source": "tools.ndjson",
                    "line": 7,
                    "outcome": "rejected",
                    "tool": None,
                    "imported": None,
                    "problems": [PROBLEM],
                },
            ],
        }
    )

    dry_run: bool
    counts: dict[str, int] = Field(description="The number of specs with each outcome.")
    specs: list[EntryOut] = Field(
        description="One entry per spec, in order. A response contains as many as fit into 2 MB, and `next` has "
        "the others."
    )
    next: str | None = Field(
        None, description="The path of the next entries of the report; null if there are no more."
    )

    @classmethod
    def of_entries(cls, entries: Sequence[Entry], *, dry_run: bool) -> ReportOut:
        specs = [EntryOut.of_entry(entry, dry_run=dry_run) for entry in entries]
        return cls(dry_run=dry_run, counts=summary_of(entries).counts, specs=specs, next=None)


def entries_that_fit(entries: Iterable[Entry], *, dry_run: bool) -> list[EntryOut]:
    """The first of `entries` that one response may contain; at least one."""
    fitting: list[EntryOut] = []
    size = 0
    for entry in entries:
        out = EntryOut.of_entry(entry, dry_run=dry_run)
        size += len(out.model_dump_json().encode())
        if fitting and size > MAX_ENTRIES_BYTES:
            break
        fitting.append(out)
    return fitting
