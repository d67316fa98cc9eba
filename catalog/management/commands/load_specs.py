"""Upload specs from files, like the API's uploads, from the command line."""

from __future__ import annotations

import gc
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from catalog.accounts.models import User
from catalog.api.serializers import report_json
from catalog.assessments import LockHeld, assess_all
from catalog.jsontext.reader import dumps
from catalog.models.uploads import OUTCOMES
from catalog.uploads.files import files_at, pieces_at
from catalog.uploads.read_ahead import can_work_ahead
from catalog.uploads.store import Entry, upload

REDRAW_S = 0.1
ASSESSING_S = 5
PROBLEMS_SHOWN = 20
AHEAD_BYTES = 1_000_000  # above this size, a second process that reads ahead is worth its cost


class Command(BaseCommand):
    help = (
        "Upload specs: files, folders (their .json, .ndjson, .jsonl, .yaml and .yml files), NDJSON, JSON arrays, YAML, "
        "ZIP; files from export_catalog; and documents of other formats: tool lists of MCP, OpenAI and others, "
        "OpenAPI, Swagger. Prints the API's report as JSON on stdout; exits with 1 if a spec was rejected."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH")
        parser.add_argument("--dry-run", action="store_true", help="store nothing; only report what would happen")
        parser.add_argument(
            "--prefix", help="what the ids of imported tools start with (by default an API's title, an MCP list's file)"
        )
        parser.add_argument("--user", help="the publisher; without it, the specs are the site's own")
        parser.add_argument("--quiet", action="store_true", help="no report on stdout, only the counts on stderr")

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        by = self._user(options["user"])
        try:
            files = list(files_at(options["paths"]))
        except OSError as error:
            raise CommandError(str(error), returncode=2) from error
        gc.freeze()  # loaded modules stay in memory: collecting them repeatedly takes a tenth of the time
        started = monotonic()
        pieces = pieces_at(files, max_bytes=settings.MAX_SPEC_BYTES)
        counts: Counter[str] = Counter()
        reported = []  # all entries; without a report only rejected ones, so that a million specs need little memory
        ahead = sum(file.stat().st_size for file in files) > AHEAD_BYTES and can_work_ahead()
        entries = upload(pieces, by=by, dry_run=options["dry_run"], prefix=options["prefix"], ahead=ahead)
        for entry in self._shown(entries):
            counts[entry.outcome] += 1
            if entry.outcome == "rejected" or not options["quiet"]:
                reported.append(entry)
        elapsed_s = monotonic() - started
        if not options["quiet"]:
            self.stdout.write(dumps(report_json(reported, dry_run=options["dry_run"]), indent=2))
        self._summarise(counts, [entry for entry in reported if entry.outcome == "rejected"], elapsed_s)
        if not options["dry_run"]:
            self._assess()
        if counts["rejected"]:
            sys.exit(1)

    def _assess(self) -> None:
        """Assess new specs for a few seconds; a server assesses the rest."""
        with suppress(LockHeld):  # a server is doing it already
            for _ in assess_all(seconds=ASSESSING_S):
                pass

    def _user(self, name: str | None) -> User | None:
        if name is None:
            return None
        user = User.objects.filter(username=name).first()
        if user is None:
            raise CommandError(f"There is no user {name!r}.", returncode=2)
        return user

    def _shown(self, entries: Iterable[Entry]) -> Iterator[Entry]:
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
                self.stderr.write(f"{entry.source}:{problem.line or entry.line}: {problem.message} ({problem.rule})")
        if len(rejected) > PROBLEMS_SHOWN:
            self.stderr.write(f"and {len(rejected) - PROBLEMS_SHOWN:,} more that were rejected")
        total = counts.total()
        outcomes = ", ".join(f"{counts[outcome]:,} {outcome}" for outcome in OUTCOMES)
        self.stderr.write(f"{total:,} specs in {elapsed_s:.1f} s ({total / elapsed_s:,.0f}/s): {outcomes}")
