from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import CommandError

from catalog.sources.models import COUNTS, Source, SourceSync
from catalog.sources.schedule import sync_each
from catalog.sources.sync import AlreadySyncing, sync
from toolshelf_core.commands import BaseCommand, replace_controls
from toolspec.text.reader import dumps


class Command(BaseCommand):
    help = (
        "Read the tools of the named source, of all sources, or with --due of those whose schedule asks for it (for "
        "cron). Prints what happened on a terminal; elsewhere, or with --json, one JSON report per line. Exits with "
        "1 if a source could not be read, which changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        chosen = parser.add_mutually_exclusive_group()
        chosen.add_argument("name", nargs="?", metavar="NAME", help="only this source")
        chosen.add_argument("--due", action="store_true", help="only the sources that are due")
        parser.add_argument(
            "--json", action="store_true", help="print JSON reports on a terminal too"
        )

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002
        failed = False
        for record in records_of(options["name"], is_due=options["due"]):
            if self.prints_json(options):
                self.stdout.write(dumps(record.as_json()))
            elif not record.error:
                for line in describe_sync(record):
                    self.stdout.write(replace_controls(line))
            if record.error:
                failed = True
                message = f"{record.source.name}: {record.error} Nothing was changed."
                self.stderr.write(replace_controls(message))
        if failed:
            sys.exit(1)


def describe_sync(record: SourceSync) -> Iterator[str]:
    """What a sync changed, line by line; counts of 0 are left out."""
    counts = [f"{getattr(record, name):,} {name}" for name in COUNTS if getattr(record, name)]
    yield f"{record.source.name}: {', '.join(counts) or 'no tools listed'}"
    for change in record.changes:
        line = f"  {change['tool_id']}: {change['outcome']}"
        if verdict := change.get("verdict"):
            line += f", {verdict}"
        if message := change.get("message"):
            line += f". {message}"
        yield line


def records_of(name: str | None, *, is_due: bool) -> Iterable[SourceSync]:
    """Sync the source with this name, or several.

    Raises:
        CommandError: there is no such source, or another process syncs it.
    """
    if name is None:
        return sync_each(Source.objects.due() if is_due else Source.objects.all())
    source = Source.objects.filter(name=name).first()
    if source is None:
        names = ", ".join(Source.objects.values_list("name", flat=True)) or "none yet"
        raise CommandError(f"There is no source {name!r}. The sources are: {names}.", returncode=2)
    try:
        return [sync(source)]
    except AlreadySyncing as error:
        raise CommandError(str(error)) from error
