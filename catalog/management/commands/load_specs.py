"""Upload specs from files, like the API's uploads, from the command line."""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError

from catalog.management.users import find_user
from catalog.tools.assessments import LockHeld, assess_all
from catalog.uploads.choices import ImportOptions
from catalog.uploads.entries import Entry
from catalog.uploads.files import files_at, pieces_at
from catalog.uploads.schemas import ReportOut
from catalog.uploads.store import upload
from catalog.uploads.summary import Summary
from toolshelf_core.commands import BaseCommand
from toolspec.text.reader import JSON, dumps

COLLECTED_AFTER = 5_000  # new objects
REDRAW_S = 0.1
ASSESSING_S = 5
PROBLEMS_SHOWN = 20


class Command(BaseCommand):
    help = (
        "Upload specs: files, folders (their .json, .ndjson, .jsonl, .yaml and .yml files), NDJSON, JSON arrays, YAML, "
        "files from export_catalog; and documents in other formats, which become sources: tool lists of MCP, OpenAI "
        "and others, OpenAPI, Swagger. Prints counts and problems on stderr, and the API's report as JSON on stdout, "
        "unless that is a terminal; exits with 1 if a spec was rejected."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument(
            "--dry-run", action="store_true", help="store nothing; only report what would happen"
        )
        parser.add_argument(
            "--prefix",
            help="the prefix of the ids of imported tools (default: an API's title, or the file name of an MCP list)",
        )
        parser.add_argument(
            "--replace",
            action="store_true",
            help="let documents replace those of their sources, and their tools follow tools from elsewhere",
        )
        parser.add_argument(
            "--user", help="the publisher; without it, the specs are the site's own"
        )
        output = parser.add_mutually_exclusive_group()
        output.add_argument(
            "--json", action="store_true", help="print the report as JSON on a terminal too"
        )
        output.add_argument(
            "--quiet", action="store_true", help="no report on stdout, only the counts on stderr"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        by = find_user(options["user"])
        try:
            files = list(files_at(options["paths"]))
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
        gc.freeze()  # loaded modules stay in memory
        started = monotonic()
        pieces = pieces_at(
            files, max_bytes=settings.MAX_SPEC_BYTES, max_document_bytes=settings.MAX_DOCUMENT_BYTES
        )
        counts: Counter[str] = Counter()
        wants_report = not options["quiet"] and self.prints_json(options)
        reported = []  # all entries; without a report only rejected ones, so that a million specs need little memory
        imports = ImportOptions(options["prefix"], options["replace"])
        entries = upload(pieces, by=by, dry_run=options["dry_run"], options=imports)
        with collect_less_often():
            for entry in self._draw_progress(entries):
                counts[entry.outcome] += 1
                if entry.outcome == "rejected" or wants_report:
                    reported.append(entry)
        elapsed_s = monotonic() - started
        if wants_report:
            self.stdout.write(dumps(report_of(reported, dry_run=options["dry_run"]), indent=2))
        self._summarise(
            counts, [entry for entry in reported if entry.outcome == "rejected"], elapsed_s
        )
        if not options["dry_run"]:
            self._assess()
        if counts["rejected"]:
            sys.exit(1)

    def _assess(self) -> None:
        """Assess new specs for a few seconds; a server assesses the rest."""
        with suppress(LockHeld):  # a server is already assessing
            for _ in assess_all(seconds=ASSESSING_S):
                pass

    def _draw_progress(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """`entries`, with a line of progress on a terminal."""
        drawn = rejected = 0
        at_s = 0.0
        for count, entry in enumerate(entries, 1):
            rejected += entry.outcome == "rejected"
            if self.stderr.isatty() and monotonic() - at_s > REDRAW_S:
                drawn, at_s = count, monotonic()
                self.stderr.write(f"\r{count:,} specs, {rejected:,} rejected", ending="")
            yield entry
        if drawn:
            self.stderr.write("\r" + " " * 60 + "\r", ending="")

    def _summarise(self, counts: Counter[str], rejected: list[Entry], elapsed_s: float) -> None:
        for entry in rejected[:PROBLEMS_SHOWN]:
            for fault in entry.faults:
                problem = fault.problem
                message = _with_options(problem.message) if entry.can_replace else problem.message
                self.stderr.write(
                    f"{entry.source}:{problem.line or entry.line}: {message} ({problem.rule})"
                )
        if len(rejected) > PROBLEMS_SHOWN:
            self.stderr.write(f"and {len(rejected) - PROBLEMS_SHOWN:,} more rejected specs")
        total = counts.total()
        numbers = Summary(**counts).counts
        outcomes = ", ".join(f"{number:,} {outcome}" for outcome, number in numbers.items())
        self.stderr.write(
            f"{total:,} specs in {elapsed_s:.1f} s ({total / elapsed_s:,.0f}/s): {outcomes}"
        )


@contextmanager
def collect_less_often() -> Iterator[None]:
    """Collect garbage after more new objects: each batch makes many, and collecting takes an eighth of the time."""
    usual = gc.get_threshold()
    gc.set_threshold(COLLECTED_AFTER)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def _with_options(message: str) -> str:
    """The message that names what lets an import in, with the options of this command for the fields of the API."""
    return message.replace("(`prefix`)", "(`--prefix`)").replace("(`replace`)", "(`--replace`)")


def report_of(entries: Sequence[Entry], *, dry_run: bool) -> JSON:
    """The API's report as JSON, but without the members of problems that are null."""
    report = ReportOut.of_entries(entries, dry_run=dry_run).model_dump(
        exclude={"specs": {"__all__": {"problems"}}, "next": True}
    )
    for spec, entry in zip(report["specs"], entries, strict=True):
        spec["problems"] = [fault.problem.as_json() for fault in entry.faults]
    return report
